"""The words that stand between spaces, as alignment files count them, and the tokens of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.errors import InputError

if TYPE_CHECKING:
    from core.tokenizer.tokenizer import Tokenizer


def spaced_words(tokenizer: Tokenizer, ids: Sequence[int], text: str) -> list[int]:
    """The word between spaces that each token belongs to, from 0; −1 for tokens that are no text.

    Gold files count words so, whatever a tokenizer calls a word: `T-shirt` is one. Raises `InputError` where the tokens
    do not spell the words of the text.
    """
    parts = text.split()
    numbers = tokenizer.words(ids)
    places: dict[int, int] = {-1: -1}  # the tokenizer's word → the word between spaces
    word, left = -1, 0
    for number in sorted(set(numbers) - {-1}):
        if left == 0:
            word += 1
            left = len(parts[word]) if word < len(parts) else 0
        members = [token for token, own in zip(ids, numbers, strict=True) if own == number]
        left -= len(tokenizer.joined(members).replace("␣", "").replace(" ", ""))
        places[number] = word
        if left < 0:
            break
    if word != len(parts) - 1 or left != 0:
        raise InputError(
            f"The tokens of “{text[:60]}” do not spell its words one by one, so its links cannot be counted; write it "
            "in letters that the model knows."
        )
    return [places[number] for number in numbers]
