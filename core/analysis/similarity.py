"""How alike heads are: Jensen-Shannon divergence between maps, and a 2-D picture of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.scores import row_entropy
from core.errors import InputError

Array = NDArray[np.float64]


def jensen_shannon(first: ArrayLike, second: ArrayLike) -> Array:
    """Divergence of two maps row by row, `(..., T, S) × 2 → (..., T)`, in nats, 0 … log 2.

    H((p+q)/2) − (H(p)+H(q))/2. Both rows must be distributions; an empty row gives NaN.
    """
    p, q = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    middle = row_entropy((p + q) / 2)
    value = np.clip(middle - (row_entropy(p) + row_entropy(q)) / 2, 0.0, np.log(2.0))
    return np.where((p.sum(axis=-1) > 0) & (q.sum(axis=-1) > 0), value, np.nan)


def head_similarity(
    weights: ArrayLike,
    *,
    valid_queries: ArrayLike | None = None,
    valid_keys: ArrayLike | None = None,
    max_rows: int | None = None,
) -> Array:
    """Divergence between all heads of one kind, `(L, H, T, S) → (L·H, L·H)`, mean over query rows, in nats.

    Symmetric, 0 on the diagonal, at most log 2 (Clark et al. 2019, §6). Head `h` of layer `l` is row
    `l·H + h`. `max_rows` compares that many evenly spaced queries only, for long inputs.
    """
    full = np.asarray(weights, dtype=np.float64)
    if full.ndim != 4:
        raise InputError(f"Weights have shape {full.shape}; similarity needs (layers, heads, queries, keys).")
    heads = full.reshape(-1, *full.shape[2:])
    if valid_queries is not None:
        heads = heads[:, np.asarray(valid_queries, dtype=bool)]
    if valid_keys is not None:
        heads = heads[..., np.asarray(valid_keys, dtype=bool)]
    if max_rows is not None and heads.shape[1] > max_rows:
        heads = heads[:, np.linspace(0, heads.shape[1] - 1, max_rows).round().astype(int)]
    own, filled = row_entropy(heads), heads.sum(axis=-1) > 0
    result = np.zeros((len(heads), len(heads)))
    for index, head in enumerate(heads[:-1]):
        rest = slice(index + 1, None)
        rows = row_entropy((head + heads[rest]) / 2) - (own[index] + own[rest]) / 2  # (rest, T)
        both = filled[index] & filled[rest]
        count = both.sum(axis=-1)
        total = np.where(both, np.clip(rows, 0.0, np.log(2.0)), 0.0).sum(axis=-1)
        mean = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
        result[index, rest] = result[rest, index] = mean
    return result


def layout(divergence: ArrayLike, dimensions: int = 2) -> Array:
    """Points `(N, dimensions)` whose distances follow the divergences `(N, N)`: classical scaling.

    Torgerson 1952. The square root of the Jensen-Shannon divergence is a distance that fits into a
    Euclidean space, so the divergence itself is the squared distance. Signs are fixed (the largest
    coordinate of each axis is positive), so the same heads always give the same picture.
    """
    squared = np.asarray(divergence, dtype=np.float64)
    if squared.ndim != 2 or squared.shape[0] != squared.shape[1]:
        raise InputError(
            f"A layout needs a square matrix of divergences; this one has shape {squared.shape}."
        )
    if not np.isfinite(squared).all():
        raise InputError("Some heads have no rows in common, so they cannot be placed on one picture.")
    size = len(squared)
    centre = np.eye(size) - 1.0 / size
    values, vectors = np.linalg.eigh(-0.5 * centre @ squared @ centre)
    order = np.argsort(values)[::-1][:dimensions]
    points = vectors[:, order] * np.sqrt(np.clip(values[order], 0.0, None))
    largest = points[np.abs(points).argmax(axis=0), np.arange(points.shape[1])]
    points = points * np.where(largest < 0, -1.0, 1.0)
    return np.pad(points, ((0, 0), (0, dimensions - points.shape[1])))


def effective_rank(
    weights: ArrayLike,
    *,
    valid_queries: ArrayLike | None = None,
    valid_keys: ArrayLike | None = None,
) -> Array:
    """exp of the entropy of the normalised singular values, `(..., T, S) → (...)` (Roy & Vetterli 2007).

    The identity gives its size, a map whose rows are all alike gives 1, an empty map NaN.
    """
    full = np.asarray(weights, dtype=np.float64)
    if valid_queries is not None:
        full = full[..., np.asarray(valid_queries, dtype=bool), :]
    if valid_keys is not None:
        full = full[..., np.asarray(valid_keys, dtype=bool)]
    singular = np.linalg.svd(full, compute_uv=False)
    total = singular.sum(axis=-1, keepdims=True)
    share = np.divide(singular, total, out=np.zeros_like(singular), where=total > 0)
    return np.where(total[..., 0] > 0, np.exp(row_entropy(share)), np.nan)
