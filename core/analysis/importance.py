"""Comparing two ways to rank heads. Pure numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError


def per_layer(values: ArrayLike) -> NDArray[np.float64]:
    """Importances (L, H) divided by their layer's ℓ2 norm (Michel et al. 2019, section 4.3, after Molchanov et al.
    2017); a layer of zeros stays zeros."""
    full = np.asarray(values, dtype=np.float64)
    norm = np.sqrt((full**2).sum(axis=-1, keepdims=True))
    return np.asarray(np.divide(full, norm, out=np.zeros_like(full), where=norm > 0))


def ranks(values: ArrayLike) -> NDArray[np.float64]:
    """Ranks from 1, smallest first; equal values share the mean of their ranks."""
    full = np.asarray(values, dtype=np.float64).ravel()
    below = (full[None, :] < full[:, None]).sum(axis=1)
    equal = (full[None, :] == full[:, None]).sum(axis=1)
    return np.asarray(below + (equal + 1) / 2, dtype=np.float64)


def spearman(first: ArrayLike, second: ArrayLike) -> float:
    """Spearman's rank correlation of two equally long lists, from −1 to 1; NaN where one of them is constant.

    Pairs with a NaN are left out. Raises `InputError` for lists of different lengths.
    """
    one, two = (np.asarray(values, dtype=np.float64).ravel() for values in (first, second))
    if one.shape != two.shape:
        raise InputError(
            f"{one.size} and {two.size} values cannot be ranked against each other; give as many."
        )
    known = np.isfinite(one) & np.isfinite(two)
    a, b = (ranks(values[known]) for values in (one, two))
    a, b = a - a.mean() if a.size else a, b - b.mean() if b.size else b
    spread = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / spread if spread > 0 else float("nan")
