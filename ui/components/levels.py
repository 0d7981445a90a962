"""Attention weights in one byte each, fine where weights are small, for pictures drawn in the browser."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError

LEVELS = 255
"""The largest byte. A byte b stands for the weight (b / 255)², so tiny weights keep their differences."""


def to_bytes(weights: ArrayLike) -> NDArray[np.uint8]:
    """Weights in 0..1 as bytes of the same shape, b = round(255·√w); the error is at most 1/255.

    The square root spends the bytes where eyes need them: next to 0 the steps are 4·10⁻⁶, so an even
    row over 512 tokens is not rounded to nothing. Values outside 0..1 by rounding alone are clipped.
    Raises InputError for NaN, infinities and anything further outside.
    """
    full = np.asarray(weights, dtype=np.float32)
    if not np.isfinite(full).all() or (full.size and (full.min() < -1e-4 or full.max() > 1 + 1e-4)):
        raise InputError("Weights to draw must be finite numbers from 0 to 1; pass them after the softmax.")
    return np.asarray(np.rint(LEVELS * np.sqrt(np.clip(full, 0.0, 1.0))), dtype=np.uint8)


def from_bytes(levels: ArrayLike) -> NDArray[np.float32]:
    """The weights that `to_bytes` bytes stand for, as the browser reads them."""
    return np.asarray((np.asarray(levels, dtype=np.float32) / LEVELS) ** 2, dtype=np.float32)
