"""Shares as whole percents that still sum to what the shares sum to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.errors import InputError


def whole_percents(shares: Sequence[float]) -> list[int]:
    """Shares of a whole as percents: rounded down, and what is missing goes to those that lost most by it.

    `shares (n,)` are not negative; the percents sum to the rounded sum of the shares, so parts of a whole to 100, which
    numbers rounded one by one need not. The largest-remainder method (Hamilton 1792). Raises InputError for others.
    """
    exact = 100 * np.asarray(shares, dtype=np.float64).reshape(-1)
    if not np.isfinite(exact).all() or (exact < 0).any():
        raise InputError("Shares of a whole are finite numbers, none of them below 0.")
    whole = np.floor(exact + 1e-9).astype(int)
    missing = round(float(exact.sum())) - int(whole.sum())
    for place in np.argsort(whole - exact, kind="stable")[:missing]:
        whole[place] += 1
    return [int(each) for each in whole]
