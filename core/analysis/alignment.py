"""Word alignment from attention, both directions joined, and measured against a gold file. Pure numpy.

A link is (source word, target word), both counted from 0.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.maps import merge_words
from core.errors import InputError

Link = tuple[int, int]
Reading = Literal["writing", "reading"]
READINGS: Final[tuple[Reading, ...]] = ("writing", "reading")
"""The two rows a word can be aligned in: where it is predicted (row t), where it is fed back (row t+1)."""
STEPS: Final[Mapping[Reading, str]] = {"writing": "when predicted", "reading": "when fed back"}
"""The same in words."""
_BESIDE: Final = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))
"""Neighbours of a link, (target, source) words away, in the order in which Moses tries them."""


def word_map(
    weights: ArrayLike,
    target_groups: Sequence[Sequence[int]],
    source_groups: Sequence[Sequence[int]],
    reading: Reading = "writing",
) -> NDArray[np.float64]:
    """Weights (…, T, S) of cross-attention as words (…, words written, words of the source).

    Sum over a source word's tokens, mean over a target word's. `reading` "writing" takes the row t that writes a
    token, "reading" the row t + 1 that reads it; the last token of a cut translation was never read, and its row
    is zeros. Groups name the tokens of each word; each token is in exactly one.
    """
    full = np.asarray(weights, dtype=np.float64)
    if reading == "reading":
        after = np.zeros_like(full)
        after[..., :-1, :] = full[..., 1:, :]
        full = after
    elif reading != "writing":
        raise InputError(f"The reading is {reading!r}; choose writing or reading.")
    return merge_words(full, target_groups, source_groups)


def links(words: ArrayLike, target: Sequence[int], source: Sequence[int], end: int | None) -> set[Link]:
    """The best source word of each target word, of a word map (words written, words of the source).

    `target` and `source` are the places of real words in the map's rows and columns, in order: they become the numbers
    of the links. A row whose largest weight lies at column `end`, the end token, has no link; nor has one of zeros.
    """
    full = np.asarray(words, dtype=np.float64)
    columns = [*source, *([] if end is None else [end])]
    found: set[Link] = set()
    for number, row in enumerate(target):
        values = full[row, columns]
        best = int(values.argmax())
        if best < len(source) and values[best] > 0:
            found.add((best, number))
    return found


def grow_diag(forward: Collection[Link], backward: Collection[Link]) -> set[Link]:
    """Both directions joined (Koehn et al. 2003, section 3): their intersection, grown by neighbours of the union.

    A link of the union that touches one already there, diagonally too, is added while its source or its target word
    has none. Which links that are depends on the order, and the order is that of Moses' `symal`: link by link by target
    word, then source word, links just added included, and of each its neighbours as in `_BESIDE`, until a pass adds
    none. `backward` has its links turned, so that both are (source, target).
    """
    union = set(forward) | set(backward)
    found = sorted((target, source) for source, target in set(forward) & set(backward))
    targets, sources = ({link[side] for link in found} for side in (0, 1))
    grown, place = False, 0
    while place < len(found):
        here = found[place]
        for a, b in _BESIDE:
            target, source = here[0] + a, here[1] + b
            if (source, target) in union and not (target in targets and source in sources):
                bisect.insort(found, (target, source))
                targets.add(target)
                sources.add(source)
                grown = True
        place = bisect.bisect_right(found, here)
        if place == len(found) and grown:
            grown, place = False, 0
    return {(source, target) for target, source in found}


@dataclass(frozen=True)
class Gold:
    """The alignment of one sentence: `sure` links, and `possible` ones, which hold the sure ones too."""

    sure: frozenset[Link]
    possible: frozenset[Link]


@dataclass(frozen=True)
class Measured:
    """Counts of links over a corpus; add them up. A are those found, S sure, P possible ones."""

    found: int = 0
    sure: int = 0
    found_sure: int = 0
    found_possible: int = 0

    def __add__(self, other: Measured) -> Measured:
        return Measured(
            *(
                a + b
                for a, b in zip(
                    (self.found, self.sure, self.found_sure, self.found_possible),
                    (other.found, other.sure, other.found_sure, other.found_possible),
                    strict=True,
                )
            )
        )

    @property
    def precision(self) -> float:
        """|A ∩ P| / |A|; NaN without a link."""
        return self.found_possible / self.found if self.found else float("nan")

    @property
    def recall(self) -> float:
        """|A ∩ S| / |S|; NaN without a sure link."""
        return self.found_sure / self.sure if self.sure else float("nan")

    @property
    def aer(self) -> float:
        """1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|) (Och & Ney 2003, section 5.1); NaN without either."""
        total = self.found + self.sure
        return 1 - (self.found_sure + self.found_possible) / total if total else float("nan")


def measure(found: Collection[Link], gold: Gold) -> Measured:
    """One sentence's links against its gold alignment."""
    links = set(found)
    return Measured(len(links), len(gold.sure), len(links & gold.sure), len(links & gold.possible))


def read_gold(lines: Iterable[str], first: int = 1) -> list[Gold]:
    """Gold alignments, a sentence a line: `3-4` sure, `3p4` possible, source first, counted from `first`.

    Hand-made files count from 1, Pharaoh's output from 0. Raises `InputError` naming the line that cannot be read.
    """
    found = []
    for number, line in enumerate(lines, start=1):
        sure, possible = set(), set()
        for part in line.split():
            pair = re.fullmatch(r"(\d{1,5})([-p])(\d{1,5})", part)
            if pair is None or int(pair[1]) < first or int(pair[3]) < first:
                raise InputError(
                    f"Line {number} of the alignment holds {part[:20]!r}; write links as 3-4 (sure) or 3p4 (possible), "
                    f"counted from {first}."
                )
            link = (int(pair[1]) - first, int(pair[3]) - first)
            possible.add(link)
            if pair[2] == "-":
                sure.add(link)
        found.append(Gold(frozenset(sure), frozenset(possible)))
    return found


def pharaoh(found: Collection[Link]) -> str:
    """Links as one line of Pharaoh's format, `0-0 1-2`, counted from 0, in the order of the target's words."""
    return " ".join(f"{source}-{target}" for source, target in sorted(found, key=lambda link: link[::-1]))


def gold_line(gold: Gold) -> str:
    """A gold alignment as `read_gold` reads it, counted from 1: `1-1 2p3`."""
    every = sorted(gold.possible | gold.sure, key=lambda link: link[::-1])
    return " ".join(f"{s + 1}{'-' if (s, t) in gold.sure else 'p'}{t + 1}" for s, t in every)
