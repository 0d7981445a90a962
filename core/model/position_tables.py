"""The definition of sinusoids, relative buckets and rotations: the model uses these tables, the Positions page draws them.

Sinusoids: Vaswani et al. 2017, section 3.5. Relative buckets: Raffel et al. 2020, section 2.1. Rotations: Su et al.
2021, section 3.2.2. In float64 numpy, so
that the identities hold to 1e-12 and a page can draw them without torch. `layout` and `denominator` take the values of
the model configuration.
"""

from __future__ import annotations

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
