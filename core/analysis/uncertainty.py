"""How far a number measured on a corpus can be trusted: bootstrap intervals over sentences, and corrections for many heads.

Efron (1979): the corpus is drawn again with replacement, sentence by sentence, and the statistic is computed again from the
sentences' sums; the interval is the middle 95 % of the results. Sentences are drawn, not words, since the words of a sentence
are not independent.
"""

from __future__ import annotations

from functools import lru_cache
from math import erfc, sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError

DRAWS: Final = 1000
LEVEL: Final = 0.95
_NORMAL: Final = 1.959963984540054  # standard normal, 97.5 %
_AT_ONCE: Final = 50  # draws whose weights are held together


class Interval(NamedTuple):
    """A statistic over `sentences` sentences, and the ends of its 95 % interval; arrays of the statistic's shape."""

    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    sentences: int


@lru_cache(maxsize=8)
def resamples(sentences: int, draws: int = DRAWS, seed: int = 0) -> NDArray[np.int64]:
    """How often each sentence is in each drawn corpus, (draws, sentences); rows sum to `sentences`.

    The same for the same arguments, so that statistics of one corpus can be compared draw by draw.
    """
    if sentences < 1:
        raise InputError("An interval needs at least one sentence; the corpus has none.")
    generator = np.random.default_rng(seed)
    drawn = generator.multinomial(sentences, np.full(sentences, 1.0 / sentences), size=draws)
    drawn.flags.writeable = False  # it is handed to every caller
    return drawn


def ratios(
    sums: ArrayLike, counts: ArrayLike | None = None, draws: int = DRAWS, seed: int = 0
) -> NDArray[np.float64]:
    """The statistic Σ sums / Σ counts in each drawn corpus, (draws, …).

    `sums` (N, …) are per sentence; `counts` (N,) or (N, …) what they are shares of, such as words; None: one each, the mean
    over sentences. NaN where a draw has nothing to count.
    """
    totals, numbers = _counted(sums, counts)
    weights = resamples(len(totals), draws, seed)
    parts = []
    for start in range(0, draws, _AT_ONCE):
        drawn = weights[start : start + _AT_ONCE].astype(np.float64)
        above, below = np.tensordot(drawn, totals, axes=1), np.tensordot(drawn, numbers, axes=1)
        parts.append(_quotient(above, below))
    return np.concatenate(parts)


def interval(sums: ArrayLike, counts: ArrayLike | None = None, draws: int = DRAWS, seed: int = 0) -> Interval:
    """Σ sums / Σ counts over the corpus with its 95 % interval; the arguments are those of `ratios`."""
    totals, numbers = _counted(sums, counts)
    value = _quotient(totals.sum(axis=0), numbers.sum(axis=0))
    low, high = middle(ratios(sums, counts, draws, seed))
    return Interval(value, low, high, len(totals))


def normal_interval(mean: ArrayLike, spread: ArrayLike, sentences: ArrayLike) -> Interval:
    """A mean over many sentences with its 95 % interval, from the standard deviation over them; for what is kept as running sums."""
    value, number = np.asarray(mean, dtype=np.float64), np.asarray(sentences, dtype=np.float64)
    half = _NORMAL * np.asarray(spread, dtype=np.float64) / np.sqrt(np.maximum(number, 1.0))
    return Interval(value, value - half, value + half, int(number.max(initial=0)))


def _counted(sums: ArrayLike, counts: ArrayLike | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sums per sentence and what they are shares of, both of the sums' shape."""
    totals = np.asarray(sums, dtype=np.float64)
    numbers = np.ones(len(totals)) if counts is None else np.asarray(counts, dtype=np.float64)
    numbers = numbers.reshape(numbers.shape + (1,) * (totals.ndim - numbers.ndim))
    return totals, np.broadcast_to(numbers, totals.shape)


def _quotient(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    """above / below, NaN where there is nothing to count."""
    above = np.asarray(above)
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below != 0)


def middle(drawn: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ends of the middle 95 % of the draws, along their first axis; NaN where every draw is NaN."""
    tail = (1 - LEVEL) / 2
    if np.isnan(drawn).all():
        empty = np.full(drawn.shape[1:], np.nan)
        return empty, empty.copy()
    # nanquantile takes a call for each column, so it is used only where it must be.
    quantile = np.nanquantile if np.isnan(drawn).any() else np.quantile
    low, high = quantile(drawn, (tail, 1 - tail), axis=0)
    return np.asarray(low), np.asarray(high)


def rank_ranges(
    drawn: NDArray[np.float64], best: str = "high"
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """From each drawn corpus's value of every head, (draws, heads): the ends of the 95 % interval of each head's rank, from 1.

    `best`: "high" where the largest value has rank 1, "low" where the smallest has.
    """
    ordered = -drawn if best == "high" else drawn
    ranks = ordered.argsort(axis=1).argsort(axis=1) + 1
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(ranks, (tail, 1 - tail), axis=0, method="nearest")
    return low.astype(np.int64), high.astype(np.int64)


def upper_tail(deviations: ArrayLike) -> NDArray[np.float64]:
    """The probability that a standard normal number exceeds each of `deviations`; 1 for NaN."""
    z = np.asarray(deviations, dtype=np.float64)
    tail = np.array([0.5 * erfc(each / sqrt(2.0)) for each in z.ravel()]).reshape(z.shape)
    return np.where(np.isnan(z), 1.0, tail)


def deviations(distance: ArrayLike, spread: ArrayLike) -> NDArray[np.float64]:
    """How many standard deviations a distance is; infinite where nothing varies and it is not zero."""
    far, wide = np.broadcast_arrays(
        np.asarray(distance, dtype=np.float64), np.asarray(spread, dtype=np.float64)
    )
    without = np.where(np.isnan(far), np.nan, np.where(far > 1e-9, np.inf, -np.inf))
    return np.asarray(np.divide(far, wide, out=without, where=wide > 0))


def benjamini_hochberg(p_values: ArrayLike, rate: float = 0.05) -> NDArray[np.bool_]:
    """Which hypotheses are rejected at a false discovery rate (Benjamini & Hochberg 1995); the shape of `p_values`."""
    flat = np.asarray(p_values, dtype=np.float64).ravel()
    order = np.argsort(flat)
    passes = flat[order] <= rate * np.arange(1, len(flat) + 1) / max(1, len(flat))
    last = np.flatnonzero(passes)
    rejected = np.zeros(len(flat), dtype=bool)
    if len(last):
        rejected[order[: last[-1] + 1]] = True
    return rejected.reshape(np.shape(p_values))
