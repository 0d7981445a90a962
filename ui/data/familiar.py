"""What speaks for a sentence being far from what its checkpoint has seen (core/analysis/familiarity.py)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from core.analysis.familiarity import Word, strange_words
from core.analysis.heads import word_groups
from core.tokenizer import Tokenizer
from ui.data import resources
from ui.data.decode import Decode
from ui.data.entry import Entry

_WITHOUT_PIECES: Final = ("chars", "plain")  # tokenizers that cut every word alike


def words_of(tokenizer: Tokenizer, ids: Iterable[int]) -> list[Word]:
    """The words of a source as the tokenizer cuts them; special tokens are none."""
    listed = list(ids)
    numbers = tokenizer.words(listed)
    found = []
    for group in word_groups(numbers):
        if numbers[group[0]] < 0:
            continue
        pieces = [listed[place] for place in group]
        counts = [count for piece in pieces if (count := tokenizer.frequency(piece)) is not None]
        found.append(Word(tokenizer.joined(pieces).strip(), len(pieces), min(counts, default=None)))
    return found


def strange(entry: Entry, decode: Decode) -> str:
    """One sentence about the words of the source that are far from the training text; empty where there are none."""
    tokenizer = entry.tokenizers[0]
    if tokenizer.family in _WITHOUT_PIECES:
        return ""

    def examples() -> list[Word]:
        return [word for text in entry.examples for word in words_of(tokenizer, tokenizer.encode(text))]

    known = resources.kept(entry, "example words", examples)
    found = strange_words(words_of(tokenizer, decode.trace.source_ids), known)
    if not found:
        return ""
    told = ", ".join(f"“{word.text}” {reason}" for word, reason in found[:3])
    more = f", and {len(found) - 3} more" if len(found) > 3 else ""
    return f"Far from what the model has seen: {told}{more}."
