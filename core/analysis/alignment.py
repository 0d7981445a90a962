"""Word alignment from attention, both directions joined, and measured against a gold file. Pure numpy.

A link is (source word, target word), both counted from 0.

The word links that every head, layer and all layers together draw in one sentence, and how they fare against gold.

By weight, a row is the attention of the softmax. By contribution it is ‖α f(x_j)‖ of each source token, its share of
the row (Kobayashi et al. 2020, sections 2.2 and 5.2): a head that looks at the end token says little about it. Pure
numpy. Shapes: L layers, H heads, T tokens written, S tokens of the source.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.contributions import Layer, weighted_norms
from core.analysis.maps import merge_words, word_groups
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


Array = NDArray[np.float64]
Counts = NDArray[np.int64]
By = Literal["weight", "contribution"]
Rate = Literal["aer", "precision", "recall"]
RATES: Final[tuple[Rate, ...]] = ("aer", "precision", "recall")


@dataclass(frozen=True)
class WordAxes:
    """Which tokens make the words of a sentence and its translation.

    `rows` and `columns`: the tokens of each word written and of the source, special tokens alone. `target` and `source`
    are the rows and columns that hold words, in order; a link names them by their number among those. `end` is the
    column of the end token, None where the source has none.
    """

    rows: tuple[tuple[int, ...], ...]
    columns: tuple[tuple[int, ...], ...]
    target: tuple[int, ...]
    source: tuple[int, ...]
    end: int | None

    @classmethod
    def of(
        cls,
        written_words: Sequence[int],
        source_words: Sequence[int],
        source_ids: Sequence[int],
        end_id: int | None,
    ) -> WordAxes:
        """From the number of the word that each token belongs to, −1 for tokens that are no text."""
        rows, columns = (tuple(map(tuple, word_groups(numbers))) for numbers in (written_words, source_words))
        target, source = (
            tuple(place for place, group in enumerate(groups) if numbers[group[0]] >= 0)
            for groups, numbers in ((rows, written_words), (columns, source_words))
        )
        ends = (place for place, group in enumerate(columns) if source_words[group[0]] < 0
                and source_ids[group[0]] == end_id)  # fmt: skip
        return cls(rows, columns, target, source, next(ends, None))


@dataclass(frozen=True)
class Shares:
    """What each row gives to each source token: `heads` (L, H, T, S), and `layers` (L, T, S), a layer's heads together.

    Rows sum to 1, or to 0 where nothing was given.
    """

    heads: Array
    layers: Array

    def of(self, layer: int | None, head: int | None) -> Array:
        """One map (T, S): a head, a layer (`head` None), or the mean of all layers (`layer` None)."""
        if layer is None:
            return np.asarray(self.layers.mean(axis=0))
        return np.asarray(self.layers[layer] if head is None else self.heads[layer, head])


def by_weight(weights: ArrayLike) -> Shares:
    """Of cross-attention (L, H, T, S); a layer is the mean of its heads."""
    heads = np.asarray(weights, dtype=np.float64)
    return Shares(heads, heads.mean(axis=1))


def by_contribution(layers: Sequence[Layer]) -> Shares:
    """Of the cross-attention of every layer: ‖α f^h(x_j)‖ of a head, ‖Σ_h α f^h(x_j)‖ of a layer, as shares of a row."""
    heads = np.stack([_shares(weighted_norms(layer)) for layer in layers])
    return Shares(heads, np.stack([_shares(summed_norms(layer)) for layer in layers]))


def summed_norms(layer: Layer) -> Array:
    """‖Σ_h α_ij f^h(x_j)‖ (T, S), from the products of the heads' vectors: no vector a cell is ever held."""
    vectors = np.stack([layer.head_vectors(head) for head in range(len(layer.weights))])  # (H, S, d)
    products = np.einsum("hsd,gsd->shg", vectors, vectors)
    squares = np.einsum("hts,gts,shg->ts", layer.weights, layer.weights, products, optimize=True)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def _shares(values: Array) -> Array:
    total = values.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(values, total, out=np.zeros_like(values), where=total > 0))


def word_links(values: ArrayLike, axes: WordAxes, reading: Reading) -> set[Link]:
    """The links (source word, target word) of one map (T, S) of tokens."""
    words = word_map(values, axes.rows, axes.columns, reading)
    return links(words, axes.target, axes.source, axes.end)


@dataclass(frozen=True)
class Counted:
    """Counts of links (found, sure, found sure, found possible) over some sentences, by reading; add them up.

    `heads` (2, L, H, 4), `layers` (2, L, 4), `whole` (2, 4); readings as in `READINGS`.
    """

    heads: Counts
    layers: Counts
    whole: Counts

    def __add__(self, other: Counted) -> Counted:
        return Counted(self.heads + other.heads, self.layers + other.layers, self.whole + other.whole)

    def of(self, reading: Reading, layer: int | None, head: int | None) -> Measured:
        """The counts of a head, of a layer (`head` None) or of all layers together (`layer` None)."""
        place = READINGS.index(reading)
        if layer is None:
            row = self.whole[place]
        else:
            row = self.layers[place, layer] if head is None else self.heads[place, layer, head]
        return Measured(*map(int, row))

    def rates(self, reading: Reading, name: Rate) -> Array:
        """Precision, recall or AER of every head, (L, H)."""
        layers, heads = self.heads.shape[1:3]
        return np.array(
            [[getattr(self.of(reading, a, b), name) for b in range(heads)] for a in range(layers)]
        )

    def by_layer(self, reading: Reading) -> Array:
        """AER of every layer, its heads together, (L,)."""
        return np.array([self.of(reading, layer, None).aer for layer in range(self.layers.shape[1])])


def counted(shares: Shares, axes: WordAxes, gold: Gold) -> Counted:
    """One sentence: every head, every layer and all layers, in both readings, against its gold alignment."""

    def row(values: Array, reading: Reading) -> list[int]:
        found = measure(word_links(values, axes, reading), gold)
        return [found.found, found.sure, found.found_sure, found.found_possible]

    layers, heads = shares.heads.shape[:2]
    return Counted(
        np.array([[[row(shares.heads[a, b], reading) for b in range(heads)] for a in range(layers)]
                  for reading in READINGS], dtype=np.int64),
        np.array([[row(shares.layers[a], reading) for a in range(layers)] for reading in READINGS],
                 dtype=np.int64),
        np.array([row(shares.of(None, None), reading) for reading in READINGS], dtype=np.int64),
    )  # fmt: skip
