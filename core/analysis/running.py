"""Means and spreads of numbers met one after the other; parts measured apart join to what one run gives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass
class Running:
    """Count, mean and summed squared deviations of numbers met one after the other; NaN is not counted.

    Chan et al. 1979: two of them join to what one would hold that had met both.
    """

    count: Array
    mean: Array
    squares: Array

    @classmethod
    def empty(cls, shape: tuple[int, ...]) -> Running:
        return cls(np.zeros(shape), np.zeros(shape), np.zeros(shape))

    def meet(self, values: Array) -> None:
        """One more of each."""
        known = np.isfinite(values)
        self.join(Running(known.astype(np.float64), np.where(known, values, 0.0), np.zeros(values.shape)))

    def join(self, other: Running) -> None:
        """All that `other` has met."""
        total = self.count + other.count
        weight = np.divide(other.count, total, out=np.zeros_like(total), where=total > 0)
        step = other.mean - self.mean
        self.squares = self.squares + other.squares + step**2 * self.count * weight
        self.mean = self.mean + step * weight
        self.count = total

    @property
    def average(self) -> Array:
        """The mean; NaN where nothing was met."""
        return np.where(self.count > 0, self.mean, np.nan)

    @property
    def spread(self) -> Array:
        """The standard deviation over what was met (divided by n); NaN where nothing was."""
        variance = np.divide(
            self.squares, self.count, out=np.full_like(self.mean, np.nan), where=self.count > 0
        )
        return np.asarray(np.sqrt(variance))
