"""The word links that every head, layer and all layers together draw in one sentence, and how they fare against gold.

By weight, a row is the attention of the softmax. By contribution it is ‖α f(x_j)‖ of each source token, its share of
the row (Kobayashi et al. 2020, sections 2.2 and 5.2): a head that looks at the end token says little about it. Pure
numpy. Shapes: L layers, H heads, T tokens written, S tokens of the source.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.alignment import READINGS, Gold, Link, Measured, Reading, links, measure, word_map
from core.analysis.contributions import Layer, weighted_norms
from core.analysis.maps import word_groups

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
