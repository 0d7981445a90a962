"""Positions: sinusoids, relative buckets and rotations as the model uses them, and the properties that Positions draws.

Sinusoids: Vaswani et al. 2017, section 3.5. Relative buckets: Raffel et al. 2020, section 2.1. Rotations: Su et al.
2021, section 3.2.2. In float64 numpy, so that the identities hold to 1e-12 and a page can draw them without torch. `layout`
and `denominator` take the values of the model configuration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError

Array = NDArray[np.float64]
Layout = Literal["sinusoidal", "sinusoidal_halves"]
Denominator = Literal["half", "half_minus_one"]

BASE = 10_000.0


def denominators(d_model: int, denominator: Denominator = "half") -> Array:
    """The divisor of the position for each sine-cosine pair, `(d/2,)`: 10000^(2i/d).

    `half_minus_one` spreads the same range over d/2 − 1 steps, so the last pair reaches 10000 exactly.
    """
    if d_model < 2 or d_model % 2:
        raise InputError(f"Sinusoidal positions need an even d_model of at least 2, not {d_model}.")
    if denominator not in ("half", "half_minus_one"):
        raise InputError(f"The denominator {denominator!r} is unknown; choose 'half' or 'half_minus_one'.")
    half = d_model // 2
    steps = half if denominator == "half" else max(half - 1, 1)
    return np.asarray(BASE ** (np.arange(half, dtype=np.float64) / steps), dtype=np.float64)


def pair_columns(d_model: int, layout: Layout) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Columns of the sines and of the cosines, `(d/2,)` each, in order of wavelength."""
    if layout == "sinusoidal":
        return np.arange(0, d_model, 2), np.arange(1, d_model, 2)
    if layout == "sinusoidal_halves":
        return np.arange(d_model // 2), np.arange(d_model // 2, d_model)
    raise InputError(f"The layout {layout!r} is unknown; choose 'sinusoidal' or 'sinusoidal_halves'.")


def sinusoid_table(
    length: int,
    d_model: int,
    layout: Layout = "sinusoidal",
    denominator: Denominator = "half",
    offset: int = 0,
) -> Array:
    """Rows PE(offset) … PE(offset + length − 1), `(length, d_model)`: sin and cos of p / denominator.

    'sinusoidal' alternates sine and cosine; 'sinusoidal_halves' puts all sines before all cosines.
    """
    positions = np.arange(offset, offset + length, dtype=np.float64)
    angles = positions[:, None] / denominators(d_model, denominator)  # (length, d/2) radians
    sines, cosines = pair_columns(d_model, layout)
    table = np.empty((length, d_model))
    table[:, sines], table[:, cosines] = np.sin(angles), np.cos(angles)
    return table


def rotation_angles(length: int, d_head: int) -> Array:
    """The angle by which position p turns each pair of a head's columns, `(length, d_head/2)` radians: p / 10000^(2i/d)."""
    return np.asarray(np.arange(length, dtype=np.float64)[:, None] / denominators(d_head))


def rotated(vectors: ArrayLike, positions: ArrayLike) -> Array:
    """`vectors` (n, d_head) with columns 2i and 2i + 1 turned by the angle of each row's position (n,), as RoFormer does."""
    rows = np.asarray(vectors, dtype=np.float64)
    angles = np.asarray(positions, dtype=np.float64)[:, None] / denominators(rows.shape[-1])
    even, odd = rows[:, 0::2], rows[:, 1::2]
    turned = np.empty_like(rows)
    turned[:, 0::2] = even * np.cos(angles) - odd * np.sin(angles)
    turned[:, 1::2] = even * np.sin(angles) + odd * np.cos(angles)
    return turned


def relative_buckets(
    offsets: ArrayLike, bidirectional: bool, buckets: int = 32, max_distance: int = 128
) -> NDArray[np.int64]:
    """T5's bucket of each offset key − query, same shape as `offsets`.

    The near half of the buckets holds one distance each, the far half grows logarithmically and its last
    one takes everything from about `max_distance` on. Bidirectional: the future has its own half of all
    buckets. Causal: the future falls into bucket 0 (it is masked anyway).
    """
    offset = np.asarray(offsets, dtype=np.int64)
    first = np.zeros_like(offset)
    if bidirectional:
        buckets //= 2
        first = np.where(offset > 0, buckets, 0)
        distance = np.abs(offset)
    else:
        distance = np.maximum(-offset, 0)
    exact = buckets // 2
    # float32 on purpose: at a bucket's border the models round like this.
    ratio = np.log(np.maximum(distance, 1).astype(np.float32) / np.float32(exact))
    grown = (ratio / np.float32(np.log(max_distance / exact)) * np.float32(buckets - exact)).astype(np.int64)
    far = np.minimum(exact + grown, buckets - 1)
    return np.asarray(first + np.where(distance < exact, distance, far), dtype=np.int64)


# -- properties of the tables: wavelengths, similarity by offset, the rotation property --------------------------


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
