"""When heads come to be: sudden drops of attention entropy over a training (Zhai et al. 2023). Numpy only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError

SUDDEN: Final = 0.15
"""How much of the largest possible entropy a head must lose, within one doubling of the steps, to be marked."""


@dataclass(frozen=True)
class Drop:
    """The steepest fall of one head: from record `start` to record `end`, normalised entropy `before` → `after`."""

    layer: int
    head: int
    start: int
    end: int
    before: float
    after: float

    @property
    def fall(self) -> float:
        """How much it lost, 0 to 1."""
        return self.before - self.after


def sudden_drops(steps: ArrayLike, entropy: ArrayLike, least: float = SUDDEN) -> tuple[Drop, ...]:
    """For each head its largest fall of normalised entropy within one doubling of the steps, where that is `least` or more.

    `steps (K,)` rise from 0; `entropy (K, L, H)` is H / log(keys) in 0..1, NaN where unknown. Training is recorded at
    steps that are spaced logarithmically, so "sudden" is measured on that axis: between step t and step 2t, and between
    the untrained model and step 1. Of equal falls the first, and of those the shortest. Earliest end first.
    Raises `InputError` for shapes that do not fit.
    """
    at, values = np.asarray(steps, dtype=np.int64), np.asarray(entropy, dtype=np.float64)
    if values.ndim != 3 or values.shape[0] != len(at) or (np.diff(at) <= 0).any():
        raise InputError(
            f"Entropies {values.shape} need as many rising steps, one a record; these are {at.shape}."
        )
    found = [
        drop
        for layer, head in np.ndindex(values.shape[1:])
        if (drop := _steepest(at, values[:, layer, head], layer, head)) is not None and drop.fall >= least
    ]
    return tuple(sorted(found, key=lambda drop: (drop.end, drop.start, drop.layer, drop.head)))


def _steepest(at: NDArray[np.int64], values: NDArray[np.float64], layer: int, head: int) -> Drop | None:
    best: Drop | None = None
    for start in range(len(at) - 1):
        for end in range(start + 1, len(at)):
            if at[end] > max(1, 2 * at[start]) or not np.isfinite(values[[start, end]]).all():
                continue
            drop = Drop(layer, head, start, end, float(values[start]), float(values[end]))
            if best is None or drop.fall > best.fall + 1e-12:
                best = drop
    return best
