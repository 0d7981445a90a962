"""All scores of the heads of one attention kind, and how alike heads are.

Heads are comparable only within one attention kind. Names, labels and sources of the scores are in `SCORES`, their
formulas in `core.analysis.scores`, simpler maps in `core.analysis.maps`. Likeness is the Jensen-Shannon divergence
between maps, drawn in 2-D by classical scaling.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from core.analysis.glossary import KINDS, SCORES
from core.analysis.maps import hides_later
from core.analysis.scores import (
    FORMULAS,
    Array,
    AxisTokens,
    LayerMaps,
    Valid,
    mean_rows,
    row_entropy,
)
from core.errors import InputError


def head_similarity(weights: ArrayLike, *, max_rows: int | None = None) -> Array:
    """Divergence between all heads of one kind, `(L, H, T, S) → (L·H, L·H)`, mean over query rows, in nats.

    Symmetric, 0 on the diagonal, at most log 2 (Clark et al. 2019, §6). Head `h` of layer `l` is row
    `l·H + h`. `max_rows` compares only that many evenly spaced queries, for long inputs.
    """
    full = np.asarray(weights, dtype=np.float64)
    if full.ndim != 4:
        raise InputError(f"Weights have shape {full.shape}; similarity needs (layers, heads, queries, keys).")
    heads = full.reshape(-1, *full.shape[2:])
    if max_rows is not None and heads.shape[1] > max_rows:
        heads = heads[:, np.linspace(0, heads.shape[1] - 1, max_rows).round().astype(int)]
    own, filled = row_entropy(heads), heads.sum(axis=-1) > 0
    divergence = np.zeros((len(heads), len(heads)))
    for index, head in enumerate(heads[:-1]):
        rest = slice(index + 1, None)
        rows = row_entropy((head + heads[rest]) / 2) - (own[index] + own[rest]) / 2  # (rest, T)
        mean = mean_rows(np.clip(rows, 0.0, np.log(2.0)), filled[index] & filled[rest])
        divergence[index, rest] = divergence[rest, index] = mean
    return divergence


def layout(divergence: ArrayLike) -> Array:
    """Points `(N, 2)` whose distances approximate the divergences `(N, N)`: classical scaling (Torgerson 1952).

    The square root of the Jensen-Shannon divergence is a distance that embeds into a Euclidean space, so the divergence
    is the squared distance. Signs are fixed (the largest coordinate of each axis is positive), so the same heads always
    give the same picture.
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
    order = np.argsort(values)[::-1][:2]
    points = vectors[:, order] * np.sqrt(np.clip(values[order], 0.0, None))
    largest = points[np.abs(points).argmax(axis=0), np.arange(points.shape[1])]
    points = points * np.where(largest < 0, -1.0, 1.0)
    return np.pad(points, ((0, 0), (0, 2 - points.shape[1])))


def _axis(tokens: AxisTokens | Sequence[str] | None, length: int, name: str) -> AxisTokens:
    if tokens is None:
        return AxisTokens.unknown(length)
    axis = tokens if isinstance(tokens, AxisTokens) else AxisTokens.from_labels(tokens)
    if len(axis) != length:
        raise InputError(f"{len(axis)} {name} tokens for a map with {length}; give one token per {name}.")
    return axis


def head_scores(
    weights: ArrayLike,
    kind: str,
    *,
    queries: AxisTokens | Sequence[str] | None = None,
    keys: AxisTokens | Sequence[str] | None = None,
    valid_keys: Valid = None,
    names: Iterable[str] | None = None,
) -> dict[str, Array]:
    """Every score of one attention kind: `(L, H, T, S)` → name → `(L, H)`, in the glossary's order.

    `kind` is 'encoder-self', 'decoder-self' (causal) or 'cross'. `queries` and `keys` are token labels
    or `AxisTokens`; for self-attention one of them is enough. Padding is read from the labels, and
    `valid_keys` excludes more. Scores that are not defined for this kind or these tokens are NaN.
    `names` selects some scores; above 128 tokens `effective_rank` is by far the slowest.
    """
    full = np.asarray(weights)
    if kind not in KINDS:
        raise InputError(f"Attention kind {kind!r} is unknown; choose one of {', '.join(KINDS)}.")
    if full.ndim != 4:
        raise InputError(f"Weights have shape {full.shape}; scores need (layers, heads, queries, keys).")
    chosen = list(SCORES) if names is None else list(names)
    if unknown := [name for name in chosen if name not in SCORES]:
        raise InputError(f"Score {unknown[0]!r} is unknown; choose from {', '.join(SCORES)}.")
    if kind != "cross":
        queries, keys = (keys if queries is None else queries), (queries if keys is None else keys)
    query_axis, key_axis = _axis(queries, full.shape[2], "query"), _axis(keys, full.shape[3], "key")
    query_valid, key_valid = ~query_axis.padding, ~key_axis.padding
    if valid_keys is not None:
        key_valid = key_valid & np.asarray(valid_keys, dtype=bool)
    # Layer by layer: a 512-token map in float64 stays small enough for the processor's cache.
    layers = [
        LayerMaps(layer, kind, hides_later(kind, layer), query_axis, key_axis, query_valid, key_valid)
        for layer in full
    ]
    return {name: np.stack([_score(name, layer) for layer in layers]) for name in chosen}


def _score(name: str, layer: LayerMaps) -> Array:
    """One score of one layer's heads, (H,); NaN where it is not defined for their kind."""
    if layer.kind not in SCORES[name].kinds:
        return np.full(len(layer.weights), np.nan)
    return FORMULAS[name](layer)
