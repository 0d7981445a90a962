"""What a head's scores would be by chance: the rows of its maps shuffled, which keeps their entropy and loses their content.

Each row of a map is permuted among the keys that it may see. The mean and the variance of a score over all permutations
have closed forms, so nothing is drawn: a row's weight on m of its n keys has mean m/n and, as a sum of m draws without
replacement, variance m (n − m) / (n − 1) · σ², with σ² the variance of the row's weights; its largest weight lies on one
of m keys with probability m/n. The mean over many sentences is close to normal.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.maps import hides_later
from core.analysis.scores import Array, AxisTokens, mean_rows
from core.analysis.uncertainty import LEVEL, benjamini_hochberg, deviations, upper_tail

SHUFFLED: Final = (
    "previous_share",
    "self_share",
    "next_share",
    "bos_share",
    "eos_share",
    "punctuation_share",
    "rare_token",
    "alignment",
    "alignment_fed_back",
)
"""The scores with a level of chance. The entropy has none: a shuffled row keeps it."""
_OFFSETS: Final = {"previous_share": -1, "self_share": 0, "next_share": 1}
_95TH: Final = 1.6448536269514722  # standard normal
assert LEVEL == 0.95


class Chance(NamedTuple):
    """By chance a mean over a corpus exceeds `level` in 5 % of corpora; `p` that it reaches what was measured; (L, H)."""

    level: Array
    p: Array

    @property
    def above(self) -> NDArray[np.bool_]:
        """The heads above chance, at a false discovery rate of 5 % over these heads (Benjamini & Hochberg 1995)."""
        return benjamini_hochberg(self.p)


def moments(
    weights: ArrayLike,
    kind: str,
    queries: AxisTokens,
    keys: AxisTokens,
    needing: int = 0,
) -> dict[str, Array]:
    """Mean and variance of each score of `SHUFFLED` on one sentence with shuffled rows, name → (2, L, H).

    `weights (L, H, T, S)`, each row summing to 1. `needing`: the number of written words that need a source token, over
    which alignment is counted; 0 leaves it out. A score that is not defined for these tokens is left out.
    """
    full = np.asarray(weights, dtype=np.float64)
    row, column = np.arange(full.shape[2])[:, None], np.arange(full.shape[3])[None, :]
    seen = ~keys.padding & (row >= column if hides_later(kind, full) else np.ones(full.shape[2:], dtype=bool))
    count = seen.sum(axis=-1)  # (T,)
    spread = np.where(seen, full**2, 0.0).sum(axis=-1) - 1 / np.maximum(count, 1)  # n σ², (L, H, T)
    rows = np.broadcast_to(~queries.padding & (count > 0), full.shape[:3])
    marks = {name: (column == row + offset) & seen for name, offset in _OFFSETS.items()}
    found = {
        name: _share(mark.sum(axis=-1), count, spread, rows & mark.any(axis=-1))
        for name, mark in marks.items()
    }
    tokens = {"bos_share": keys.start, "eos_share": keys.end, "punctuation_share": keys.punctuation}
    found |= {
        name: _share((mark & seen).sum(axis=-1), count, spread, rows)
        for name, mark in tokens.items()
        if mark.any()
    }
    shape = full.shape[:2]
    frequency = np.where(keys.padding, np.nan, keys.counts)
    if not np.isnan(frequency).all():
        rarest = frequency == np.nanmin(frequency)
        found["rare_token"] = _hits(float(rarest.sum() / (~keys.padding).sum()), 1, shape)
    if needing:
        found |= dict.fromkeys(
            ("alignment", "alignment_fed_back"), _hits(1 / float(keys.letters.sum()), needing, shape)
        )
    return {name: values for name, values in found.items() if np.isfinite(values).all()}


def _share(marked: Array, count: Array, spread: Array, rows: NDArray[np.bool_]) -> Array:
    """Moments of the mean over `rows` of the weight on `marked (T,)` of `count (T,)` keys; `spread (L, H, T)` is n σ²."""
    expected = np.broadcast_to(marked / np.maximum(count, 1), spread.shape)
    variance = marked * (count - marked) / np.maximum(count * (count - 1), 1) * np.maximum(spread, 0.0)
    number = np.maximum(rows.sum(axis=-1), 1)
    return np.stack([mean_rows(expected, rows), mean_rows(variance, rows) / number])


def _hits(share: float, words: int, shape: tuple[int, int]) -> Array:
    """Moments of the share of `words` words that are hit with probability `share` each."""
    return np.stack([np.full(shape, share), np.full(shape, share * (1 - share) / words)])


def over_corpus(mean: ArrayLike, sums: ArrayLike, sentences: ArrayLike) -> Chance:
    """The level of chance of a mean over a corpus, (L, H), from the sums of `moments` over its sentences, (2, L, H).

    NaN where no sentence counts.
    """
    value, number = np.asarray(mean, dtype=np.float64), np.asarray(sentences, dtype=np.float64)
    expected, variance = np.asarray(sums, dtype=np.float64)
    known = number > 0
    safe = np.where(known, number, 1.0)
    centre, deviation = expected / safe, np.sqrt(variance) / safe
    p = upper_tail(deviations(value - centre, deviation))
    return Chance(
        np.where(known, centre + _95TH * deviation, np.nan), np.where(known & ~np.isnan(value), p, 1.0)
    )
