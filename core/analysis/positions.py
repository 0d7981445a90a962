"""Properties of position encodings: tables, wavelengths, similarity by offset, the rotation property.

The tables themselves are the model's own, `core.model.position_tables`: Vaswani et al. 2017, §3.5; Raffel et al. 2020,
§2.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError
from core.model.position_tables import Denominator, Layout, denominators, pair_columns

Array = NDArray[np.float64]


def wavelengths(d_model: int, denominator: Denominator = "half") -> Array:
    """The period of each sine-cosine pair in tokens, `(d/2,)`: 2π … 2π·10000^((d−2)/d)."""
    return 2 * np.pi * denominators(d_model, denominator)


def cosine_by_offset(d_model: int, offsets: ArrayLike, denominator: Denominator = "half") -> Array:
    """Cosine similarity of two sinusoidal positions `offsets` tokens apart, same shape as `offsets`.

    PE_p · PE_{p+k} = Σ_i cos(k / denominator_i), whatever p is, and ‖PE‖² = d/2.
    """
    angles = np.asarray(offsets, dtype=np.float64)[..., None] / denominators(d_model, denominator)
    return np.asarray(np.cos(angles).mean(axis=-1), dtype=np.float64)


def first_rise(d_model: int, reach: int, denominator: Denominator = "half") -> int | None:
    """The first distance k ≥ 1 at which sinusoidal positions are more alike k tokens apart than k − 1.

    None when their cosine decreases with every token up to `reach`.
    """
    steps = np.diff(cosine_by_offset(d_model, np.arange(reach + 1), denominator))
    rising = np.flatnonzero(steps > 0)
    return int(rising[0]) + 1 if len(rising) else None


def rotation_matrix(
    offset: int, d_model: int, layout: Layout = "sinusoidal", denominator: Denominator = "half"
) -> Array:
    """M_k with PE(p + k) = M_k · PE(p) for every p, `(d_model, d_model)`.

    One 2×2 block per wavelength: [[cos kω, sin kω], [−sin kω, cos kω]] on that pair's sine and cosine.
    """
    angles = offset / denominators(d_model, denominator)
    sines, cosines = pair_columns(d_model, layout)
    matrix = np.zeros((d_model, d_model))
    matrix[sines, sines] = matrix[cosines, cosines] = np.cos(angles)
    matrix[sines, cosines], matrix[cosines, sines] = np.sin(angles), -np.sin(angles)
    return matrix


def rotation_error(
    table: ArrayLike, offset: int, layout: Layout = "sinusoidal", denominator: Denominator = "half"
) -> float:
    """The largest deviation of the rows of `table` (P, d) from PE(p + offset) = M · PE(p); 0 without such rows."""
    rows = np.asarray(table, dtype=np.float64)
    turned = rows[: len(rows) - offset] @ rotation_matrix(offset, rows.shape[1], layout, denominator).T
    return float(np.abs(turned - rows[offset:]).max(initial=0.0))


def inner_products(table: ArrayLike) -> Array:
    """PE_p · PE_q for all pairs of rows, `(P, d) → (P, P)`."""
    rows = np.asarray(table, dtype=np.float64)
    return np.asarray(rows @ rows.T, dtype=np.float64)


def similarity(table: ArrayLike) -> Array:
    """Cosine similarity of all pairs of rows, `(P, d) → (P, P)`; a zero row is similar to nothing."""
    rows = np.asarray(table, dtype=np.float64)
    length = np.linalg.norm(rows, axis=-1, keepdims=True)
    return inner_products(np.divide(rows, length, out=np.zeros_like(rows), where=length > 0))


def toeplitz_deviation(matrix: ArrayLike) -> float:
    """The largest difference between an entry and the mean of its diagonal: 0 if only p − q matters."""
    square = np.asarray(matrix, dtype=np.float64)
    size = len(square)
    diagonals = (square.diagonal(offset) for offset in range(1 - size, size))
    return max((float(np.abs(values - values.mean()).max()) for values in diagonals), default=0.0)


@dataclass(frozen=True)
class PositionSummary:
    """A few numbers that describe a position table, learned or sinusoidal.

    `norms (P,)` are row lengths. `cosine (P,)` is the mean cosine similarity at offset 0, 1, …, and
    `cosine_spread (P,)` its standard deviation over the pairs. `shift_invariance` is, over
    pairs of different positions, the share of the similarity's variance explained by the offset alone: 1 for
    sinusoids.
    """

    norms: Array
    cosine: Array
    cosine_spread: Array
    shift_invariance: float


def position_summary(table: ArrayLike) -> PositionSummary:
    """The summary of a table `(P, d)`: row lengths, and similarity by distance."""
    rows = np.asarray(table, dtype=np.float64)
    if rows.ndim != 2 or not len(rows):
        raise InputError(f"A position table has shape (positions, d_model), not {rows.shape}.")
    cosines = similarity(rows)
    size = len(cosines)
    diagonals = [cosines.diagonal(offset) for offset in range(size)]
    spread = np.array([values.std() for values in diagonals])
    # Offset 0 says nothing about distance; both triangles are the same, so one is enough.
    pairs = np.concatenate(diagonals[1:]) if size > 1 else np.zeros(1)
    counted = np.array([len(values) for values in diagonals[1:]], dtype=np.float64)
    total = float(pairs.var())
    within = float((counted * spread[1:] ** 2).sum() / len(pairs))
    return PositionSummary(
        norms=np.linalg.norm(rows, axis=-1),
        cosine=np.array([values.mean() for values in diagonals]),
        cosine_spread=spread,
        shift_invariance=1.0 - within / total if total > 1e-24 else 1.0,
    )
