"""Typing mistakes in source sentences, newly drawn each epoch: the target stays what the sentence meant."""

from __future__ import annotations

import random
import re

_WORD = re.compile(r"[^\W\d_]{4,}")


def with_typo(text: str, rng: random.Random, keep: str = "") -> str:
    """`text` with one letter of one word swapped with the next, left out or doubled.

    Only lower-case words of four letters or more take part, and none that stands in `keep` too (the target sentence: what
    is copied must be copied as it is). The text itself where no word is left.
    """
    kept = set(_WORD.findall(keep))
    words = [match for match in _WORD.finditer(text) if match[0].islower() and match[0] not in kept]
    if not words:
        return text
    match = rng.choice(words)
    word = match[0]
    # The first letter stays: that is where people seldom slip, and the word would be another.
    at = rng.randrange(1, len(word) - 1)
    kind = rng.choice(("swap", "drop", "double"))
    if kind == "swap":
        changed = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    elif kind == "drop":
        changed = word[:at] + word[at + 1 :]
    else:
        changed = word[: at + 1] + word[at:]
    return text[: match.start()] + changed + text[match.end() :]
