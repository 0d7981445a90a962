"""One attention weight step by step: query · key, ÷ √d, bias, mask, softmax; and the digits that reproduce each step.

`head_row` reads the numbers from a trace. `printed` writes them with as few decimals as the next step needs: whoever
computes a step from the printed digits gets the digits that are printed after it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.learning.card import Run, Spot, divisor
from core.model.hooks import Site
from core.model.positions import relative_buckets
from core.model.trace import Trace

if TYPE_CHECKING:
    from torch import Tensor


Array = NDArray[np.float64]
Choice = TypeVar("Choice")
MOST_LINES: Final = 12
"""Keys that are listed one by one; of more only the strongest, the one asked about and the sum of the others."""
STRONGEST: Final = 6
PRODUCT: Final = 2
"""Decimals of the products q · k of single dimensions."""
_MOST_DECIMALS: Final = 14
_TRIED: Final = 3


@dataclass(frozen=True)
class HeadRow:
    """The row `query` of one head, and the key that is asked about.

    `q` (d_h,), `keys` (S, d_h). `dots` (S,) are q · k, `divisor` is what they are divided by (1: by nothing), `bias` (S,)
    is added for the distance, None where nothing is. `hidden` (S,) marks keys that the mask forbids.
    """

    query: int
    key: int
    q: Array
    keys: Array
    dots: Array
    divisor: float
    bias: Array | None
    hidden: NDArray[np.bool_]
    weights: Array

    @property
    def k(self) -> Array:
        """The key asked about, (d_h,)."""
        return np.asarray(self.keys[self.key])

    @property
    def products(self) -> Array:
        """What q · k is the sum of, (d_h,)."""
        return self.q * self.k

    @property
    def scaled(self) -> Array:
        """The dot products over the divisor, (S,)."""
        return self.dots / self.divisor

    @property
    def scores(self) -> Array:
        """The scores before the mask, (S,)."""
        return self.scaled if self.bias is None else self.scaled + self.bias

    @property
    def open(self) -> NDArray[np.intp]:
        """The keys that the row may attend to."""
        return np.flatnonzero(~self.hidden)

    @property
    def largest(self) -> float:
        """The largest score that softmax sees; 0 where the row has no key."""
        return float(self.scores[self.open].max()) if self.open.size else 0.0

    @property
    def exponentials(self) -> Array:
        """e^(score − largest), 0 for hidden keys, (S,)."""
        return np.where(self.hidden, 0.0, np.exp(np.minimum(self.scores - self.largest, 0.0)))

    @property
    def ranked(self) -> NDArray[np.intp]:
        """The keys that the row may attend to, by weight; equal weights in the order of the sentence."""
        return np.asarray(self.open[np.argsort(-self.weights[self.open], kind="stable")])

    @property
    def listed(self) -> tuple[int, ...]:
        """The keys with a line of their own, in the order of the sentence."""
        chosen = self.ranked if self.open.size <= MOST_LINES else self.ranked[:STRONGEST]
        return tuple(sorted({*map(int, chosen), self.key}))

    @property
    def others(self) -> tuple[int, ...]:
        """The keys without one, which the mask does not hide."""
        return tuple(int(each) for each in self.open if each not in self.listed)


def row_sites(kind: str, layer: int) -> tuple[str, ...]:
    """What has to be recorded for `head_row`."""
    stack, _, block = Spot(kind, layer, 0, 0).site
    return tuple(
        str(Site(stack, layer, block, name)) for name in ("q", "k", "scores", "masked_scores", "weights")
    )


def head_row(trace: Trace, state: Mapping[str, Tensor], spot: Spot, key: int | None = None) -> HeadRow:
    """The row `spot.token` of a head; `key` None asks about its largest weight.

    `trace` holds what `row_sites` names. Raises `InputError` for a layer, head or token that is not there.
    """
    run = Run(trace, state, spot, str)
    run.check()
    q, k, masked, weights = (
        run.seen(*spot.site, name)[spot.head].astype(np.float64)
        for name in ("q", "k", "masked_scores", "weights")
    )
    row = spot.token
    chosen = int(weights[row].argmax()) if key is None or not 0 <= key < len(k) else key
    return HeadRow(
        row,
        chosen,
        q[row],
        k,
        k @ q[row],
        divisor(run.own)[0],
        _bias(run, row, len(k)),
        np.isneginf(masked[row]),
        weights[row],
    )


def _bias(run: Run, row: int, keys: int) -> Array | None:
    """What the head adds for the distance of each key, (S,)."""
    table, config = run.bias_table(), run.config
    if table is None:
        return None
    limits = config.relative_buckets, config.relative_max_distance
    return np.asarray(
        table[relative_buckets(np.arange(keys) - row, config.sees_ahead(run.spot.site[0]), *limits)]
    )


@dataclass(frozen=True)
class Decimals:
    """Decimals of each printed quantity; `parts` are the scaled score and its bias, where there is one."""

    vector: int
    dot: int
    parts: int
    score: int
    exponential: int
    total: int
    divisor: int
    weight: int


def decimals(row: HeadRow) -> Decimals:
    """The fewest decimals with which every printed step follows from the digits printed before it.

    From the weight back to the vectors each quantity takes one of the first few precisions that give the next; a number
    near a rounding edge can need many, so the choice with the shortest vectors wins.
    """
    steps = _Steps(row)
    for weight in (2, 3, 4):  # a weight that lies on a rounding edge itself is written with one decimal more
        if fitting := list(_combinations(row, steps, weight)):
            return min(fitting, key=_length)
    return Decimals(*[_MOST_DECIMALS] * 8)


def _length(places: Decimals) -> tuple[int, int]:
    """What is kept short: the vectors first, then everything between them and the weight."""
    return places.vector, places.dot + places.parts + places.score + places.exponential


def _combinations(row: HeadRow, steps: _Steps, weight: int) -> Iterator[Decimals]:
    """Decimals of all quantities with which each step gives the next, from the weight backwards."""
    for exponential, total in _first(steps.sums_for(weight)):
        for score in _fitting(2, steps.scores_give_exponentials, exponential):
            for parts in [score] if row.bias is None else _fitting(score, steps.parts_give_scores, score):
                for dot in [parts] if row.divisor == 1 else _fitting(2, steps.dots_give_parts, parts):
                    divisor = 0
                    if row.divisor % 1:
                        fitting = _fitting(2, steps.divisor_gives_part, dot, parts)
                        divisor = fitting[0] if fitting else _MOST_DECIMALS
                    for vector in _fitting(2, steps.vectors_give_dot, dot)[:1]:
                        yield Decimals(vector, dot, parts, score, exponential, total, divisor, weight)


class _Steps:
    """Whether the printed digits of a step give the printed digits of the next one.

    Each method takes the decimals of what is printed first, and then of what a reader computes from it.
    """

    def __init__(self, row: HeadRow) -> None:
        self.row = row
        self.listed = [each for each in row.listed if not row.hidden[each]]
        others = list(row.others)
        self.exponentials = [*row.exponentials[self.listed], row.exponentials[others].sum()]
        self.weights = [*row.weights[self.listed], row.weights[others].sum()]
        self.total = float(row.exponentials.sum())

    def sums_for(self, weight: int) -> Iterator[tuple[int, int]]:
        """Decimals of the exponentials and of their sum that give the weights, the fewest first."""
        for exponential in range(3, _MOST_DECIMALS):
            for total in range(exponential, 1, -1):
                if self.exponentials_give_weights(exponential, total, weight):
                    yield exponential, total
                    break

    def exponentials_give_weights(self, exponential: int, total: int, weight: int) -> bool:
        if not self.listed:
            return True
        printed = [round(float(each), exponential) for each in self.exponentials]
        total_printed = round(self.total, total)
        if total_printed <= 0 or not _gives(math.fsum(printed), self.total, total):
            return False
        pairs = zip(printed, self.weights, strict=True)
        return all(_gives(each / total_printed, true, weight) for each, true in pairs)

    def scores_give_exponentials(self, score: int, exponential: int) -> bool:
        scores, largest = np.round(self.row.scores, score), round(self.row.largest, score)
        return all(
            _gives(math.exp(scores[each] - largest), self.row.exponentials[each], exponential)
            for each in self.listed
        )

    def parts_give_scores(self, parts: int, score: int) -> bool:
        bias = 0.0 if self.row.bias is None else self.row.bias
        added = np.round(self.row.scaled, parts) + np.round(bias, parts)
        return all(_gives(added[each], self.row.scores[each], score) for each in self.row.listed)

    def dots_give_parts(self, dot: int, parts: int) -> bool:
        divided = np.round(self.row.dots, dot) / self.row.divisor
        return all(_gives(divided[each], self.row.scaled[each], parts) for each in self.row.listed)

    def divisor_gives_part(self, divisor: int, dot: int, parts: int) -> bool:
        """Of the key asked about: its line writes the divisor too."""
        quotient = round(float(self.row.dots[self.row.key]), dot) / round(self.row.divisor, divisor)
        return _gives(quotient, self.row.scaled[self.row.key], parts)

    def vectors_give_dot(self, vector: int, dot: int) -> bool:
        product = float(np.round(self.row.q, vector) @ np.round(self.row.k, vector))
        return _gives(product, self.row.dots[self.row.key], dot)


def labelled_products(row: HeadRow, places: Decimals) -> tuple[int, ...]:
    """The dimensions with the largest products, as far as the printed factors give the printed product."""
    strongest = np.argsort(-np.abs(row.products), kind="stable")[:STRONGEST]
    products = np.round(row.q, places.vector) * np.round(row.k, places.vector)
    return tuple(int(each) for each in strongest if _gives(products[each], row.products[each], PRODUCT))


def _gives(computed: float, true: float, at: int) -> bool:
    """Whether `computed` rounds to the digits that `true` is printed with, and no tie decides it."""
    return abs(computed - round(float(true), at)) < 0.5 * 10.0**-at * (1 - 1e-6)


def _first(fitting: Iterable[Choice]) -> list[Choice]:
    return list(islice(fitting, _TRIED))


def _fitting(least: int, fits: Callable[..., bool], *given: int) -> list[int]:
    """The smallest precisions from `least` on that fit."""
    return _first(at for at in range(least, _MOST_DECIMALS) if fits(at, *given))
