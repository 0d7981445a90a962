"""Byte-pair encoding on ten words: how a tokenizer's list of pieces is made (Sennrich et al. 2016).

The list begins with the letters. The pair of neighbours that occurs most often becomes one piece, again and again; of pairs
that occur equally often, the one that is met first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

WORDS: Final = (*("low", "lower", "lowest", "new", "newer", "newest", "wide", "wider", "widest", "slowest"),)
NEW_WORD: Final = "slower"
"""A word that is not among them."""
MERGES: Final = 8
"""Merges that are made."""

Pieces = tuple[str, ...]


class Merge(NamedTuple):
    """One merge: the two pieces, how often they are neighbours before it, and the first word that has them, cut after it."""

    left: str
    right: str
    times: int
    example: Pieces

    @property
    def piece(self) -> str:
        """The new piece."""
        return self.left + self.right


def count_pairs(words: Sequence[Pieces]) -> Counter[tuple[str, str]]:
    """How often each pair of neighbours occurs, in the order in which they are met."""
    return Counter(pair for word in words for pair in pairwise(word))


def join(word: Pieces, left: str, right: str) -> Pieces:
    """The word with each `left` that `right` follows joined to it, from the first letter on."""
    joined: list[str] = []
    for piece in word:
        if piece == right and joined and joined[-1] == left:
            joined[-1] = left + right
        else:
            joined.append(piece)
    return tuple(joined)


def learn(words: Sequence[str] = WORDS, merges: int = MERGES) -> tuple[Merge, ...]:
    """The first merges, in their order; fewer where no pair is left."""
    cut: list[Pieces] = [tuple(word) for word in words]
    made: list[Merge] = []
    while len(made) < merges and (pairs := count_pairs(cut)):
        (left, right), count = pairs.most_common(1)[0]
        after = [join(word, left, right) for word in cut]
        example = next(new for new, old in zip(after, cut, strict=True) if new != old)
        made.append(Merge(left, right, count, example))
        cut = after
    return tuple(made)


def segment(word: str, merges: Sequence[Merge]) -> Pieces:
    """A word cut by these merges, each applied in its turn."""
    pieces: Pieces = tuple(word)
    for each in merges:
        pieces = join(pieces, each.left, each.right)
    return pieces
