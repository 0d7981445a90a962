"""What two attention maps over the same words differ in most, and how sure a map is. Pure numpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.tokens import AxisTokens
from core.errors import InputError

_WORTH_TELLING = 0.05  # content words are named before ⟨start⟩ and ⟨end⟩ when they differ by this much


@dataclass(frozen=True)
class Change:
    """One cell of two maps: query and key position, and the weight there in the first and the second."""

    query: int
    key: int
    first: float
    second: float

    @property
    def points(self) -> int:
        """Second minus first in whole percentage points."""
        return round(100 * (self.second - self.first))


def largest_change(
    first: ArrayLike, second: ArrayLike, query_labels: Sequence[str], key_labels: Sequence[str]
) -> Change | None:
    """The cell in which two maps `(T, S)` differ most; None when no cell differs by half a point.

    A difference between words is told before one at a special token, if it reaches five points.
    """
    one, two = _maps(first, second, query_labels, key_labels)
    distance = np.nan_to_num(np.abs(two - one))
    if not distance.size:
        return None
    special = (
        AxisTokens.from_labels(query_labels).special[:, None] | AxisTokens.from_labels(key_labels).special
    )
    plain = np.where(special, 0.0, distance)
    told = plain if plain.max() >= _WORTH_TELLING else distance
    query, key = (int(place) for place in np.unravel_index(int(told.argmax()), told.shape))
    if told[query, key] < 0.005:
        return None
    return Change(query, key, float(one[query, key]), float(two[query, key]))


def distances(weights: ArrayLike, chosen: tuple[int, int]) -> NDArray[np.float64]:
    """How far each head of `weights (L, H, T, S)` is from the chosen one, (L, H) in 0..1.

    Total variation distance (half the sum of absolute differences of a row), averaged over rows.
    """
    full = np.asarray(weights, dtype=np.float64)
    return np.asarray(0.5 * np.abs(full - full[chosen]).sum(axis=-1).mean(axis=-1))


def sureness(weights: ArrayLike, causal: bool = False) -> float:
    """The largest weight of a row of `(T, S)`, averaged over the rows that have a choice; 0 without rows.

    Rows of NaN are not drawn and do not count.
    """
    full = np.asarray(weights, dtype=np.float64)
    rows = full[1:] if causal else full  # the first causal row can only look at itself
    rows = rows[~np.isnan(rows).any(axis=1)]
    return float(rows.max(axis=1).mean()) if rows.size else 0.0


def _maps(
    first: ArrayLike, second: ArrayLike, queries: Sequence[str], keys: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    one, two = (np.asarray(values, dtype=np.float64) for values in (first, second))
    if one.shape != two.shape or one.shape != (len(queries), len(keys)):
        raise InputError(
            f"The maps have shapes {one.shape} and {two.shape} for {len(queries)} × {len(keys)} words; "
            "only maps over the same words can be subtracted."
        )
    return one, two
