"""How far two tensors are apart, in the two measures of the trust report.

A deviation that cannot be measured because of NaN is NaN, and one where something is missing is infinite: neither
passes any check.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import torch
from torch import Tensor

# Below this a sum of terms has no digits left in single precision.
_NOTHING = 1e-30


def relative_gap(values: Tensor, reference: Tensor) -> float:
    """Largest difference, relative to the largest reference value or 1: for two ways through a whole model."""
    if values.shape != reference.shape:
        return math.inf
    if not reference.numel():
        return 0.0
    size = max(1.0, float(reference.abs().max()))
    return float((values - reference).abs().max()) / size


def array_gap(values: np.ndarray, reference: np.ndarray) -> float:
    """The same of arrays; where one is −inf, so must the other be, and that counts as no difference."""
    if values.shape != reference.shape or not np.array_equal(np.isneginf(values), np.isneginf(reference)):
        return math.inf
    seen = ~np.isneginf(reference)
    size = max(1.0, float(np.abs(reference[seen]).max(initial=0.0)))
    return float(np.abs(values[seen].astype(np.float64) - reference[seen]).max(initial=0.0)) / size


def per_term(values: Tensor, expected: Tensor, terms: Tensor) -> float:
    """Largest difference of an element, relative to the terms that it sums: for one operation.

    `terms` holds Σ|summand| of each element. Rounding one operation in single precision changes an element by about
    1e-7 of that, however wide its numbers are, so that no allowance for wide ones is needed (Higham 2002, section 3.1).
    """
    if values.shape != expected.shape:
        return math.inf
    if not expected.numel():
        return 0.0
    return float(((values - expected).abs() / terms.clamp(min=_NOTHING)).max())


def worst(values: Iterable[float]) -> float:
    """The largest deviation, 0 where nothing was measured, NaN if any is (which `max` would lose)."""
    return float(torch.tensor([0.0, *values], dtype=torch.float64).max())
