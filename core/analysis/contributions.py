"""Contributions of each token to another's vector, from recorded weights and values. Pure numpy, one layer at a time.

A sub-layer's output is a sum: over the tokens j and heads h of α_ij f^h(x_j), plus the output bias, where
f^h(x_j) = v_j^h W_O^h. Kobayashi et al. 2020 measure the norms of these parts; Kobayashi et al. 2021 propagate them,
and
the residual stream, through the layer norm that follows; Ferrando et al. 2022 compare them with the sum and follow
them through the layers. Shapes: H heads, T queries, S keys, d_h size of a head, d of the stream.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.norms import norm_divisor
from core.errors import InputError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Layer:
    """The records of one attention sub-layer and its parameters.

    weights (H, T, S), values (H, S, d_h), output_weight (d, H·d_h) and output_bias (d,) as torch stores them, residual
    (T, d) the stream before. Post-norm: `variance` (T,) of the norm that follows, its gain (d,), bias (d,), eps and
    formula;
    pre-norm: gain is None, since no norm follows the sum. `cross`: the residual is an extra key, the last one.
    """

    weights: Array
    values: Array
    output_weight: Array
    output_bias: Array
    residual: Array
    variance: Array | None = None
    gain: Array | None = None
    shift: Array | None = None
    eps: float = 1e-5
    formula: str = "layer"
    cross: bool = False

    def head_vectors(self, head: int) -> Array:
        """f^h(x_j) of every key, (S, d)."""
        size = self.values.shape[-1]
        return np.asarray(self.values[head] @ self.output_weight[:, head * size : (head + 1) * size].T)


def weighted_norms(layer: Layer) -> Array:
    """‖α_ij f^h(x_j)‖ (H, T, S) of every head (Kobayashi et al. 2020, section 2.2).

    One head at a time: the vectors of all heads would not fit in memory.
    """
    return np.stack(
        [
            weights * np.linalg.norm(layer.head_vectors(head), axis=-1)
            for head, weights in enumerate(layer.weights)
        ]
    )


def value_norms(layer: Layer) -> Array:
    """‖f^h(x_j)‖ (H, S): the contribution of a key that gets the full weight of a head."""
    heads = range(len(layer.weights))
    return np.stack([np.linalg.norm(layer.head_vectors(head), axis=-1) for head in heads])


def parts(layer: Layer) -> Array:
    """Σ_h α_ij f^h(x_j) (T, S, d). With the output bias they sum over j to the sub-layer's output."""
    heads = range(len(layer.weights))
    total = np.zeros((*layer.weights.shape[1:], layer.output_weight.shape[0]))
    for head in heads:
        total += layer.weights[head][:, :, None] * layer.head_vectors(head)[None]
    return total


def parts_after(layer: Layer) -> Array:
    """The parts of the stream after the sub-layer, residual and norm included (Kobayashi et al. 2021, section 2).

    Self-attention (T, T, d): the residual is added at j = i. Cross-attention (T, S + 1, d): it is the last key. With
    `constant` they sum over j to the stream after the sub-layer.
    """
    vectors = parts(layer)
    if layer.cross:
        vectors = np.concatenate([vectors, layer.residual[:, None]], axis=1)
    else:
        rows = np.arange(len(layer.residual))
        vectors[rows, rows] += layer.residual
    return _normed(layer, vectors)


def constant(layer: Layer) -> Array:
    """The part that belongs to no token: the output bias through the norm, and the norm's own bias, (T, d)."""
    bias = np.broadcast_to(layer.output_bias, layer.residual.shape)[:, None]
    normed = _normed(layer, bias)[:, 0]
    return np.asarray(normed if layer.shift is None else normed + layer.shift)


def _normed(layer: Layer, vectors: Array) -> Array:
    """g(z) = (z − mean z) / √(var y + ε) · γ of vectors (T, S, d): linear, since var is that of the whole sum y."""
    if layer.gain is None or layer.variance is None:
        return vectors
    centred = vectors if layer.formula == "rms" else vectors - vectors.mean(axis=-1, keepdims=True)
    divisor = norm_divisor(layer.variance, layer.eps, layer.formula)[:, None, None]
    return np.asarray(centred / divisor * layer.gain)


def norms_after(layer: Layer) -> Array:
    """‖part_ij‖ with residual and norm: (T, T), or (T, S + 1) in cross-attention."""
    return np.asarray(np.linalg.norm(parts_after(layer), axis=-1))


def mixing_ratio(layer: Layer) -> Array:
    """The share of other tokens in a token's new vector, (T,) in 0..1 (Kobayashi et al. 2021, section 3).

    ‖Σ_{j≠i} part‖ / (‖Σ_{j≠i} part‖ + ‖part_i‖); in cross-attention the token's own part is the residual.
    """
    vectors = parts_after(layer)
    rows = np.arange(len(vectors))
    own = vectors[:, -1] if layer.cross else vectors[rows, rows]
    others = np.linalg.norm(vectors.sum(axis=1) - own, axis=-1)
    itself = np.linalg.norm(own, axis=-1)
    both = others + itself
    return np.asarray(np.divide(others, both, out=np.zeros_like(others), where=both > 0))


# -- ALTI and ALTI+ -------------------------------------------------------------------------------------------


def alti(layer: Layer) -> Array:
    """c_ij ∝ max(0, ‖y_i‖₁ − ‖y_i − part_ij‖₁), rows summing to 1 (Ferrando et al. 2022, section 3).

    (T, T), or (T, S + 1) in cross-attention, whose last column is the residual: the target prefix. A row without any
    contribution is assigned to the token itself.
    """
    vectors = parts_after(layer)
    output = vectors.sum(axis=1) + constant(layer)  # y (T, d)
    size = np.abs(output).sum(axis=-1)
    far = np.abs(output[:, None] - vectors).sum(axis=-1)  # (T, S)
    near = np.maximum(0.0, size[:, None] - far)
    if not layer.cross:  # masked tokens contribute nothing, whatever the rounding error
        near[(layer.weights.max(axis=0) == 0) & ~np.eye(len(near), dtype=bool)] = 0.0
    total = near.sum(axis=-1, keepdims=True)
    itself = np.zeros_like(near)
    itself[np.arange(len(near)), -1 if layer.cross else np.arange(len(near))] = 1.0
    shares = np.divide(near, total, out=np.zeros_like(near), where=total > 0)
    return np.asarray(np.where(total > 0, shares, itself))


def compose(layers: Sequence[Array]) -> Array:
    """Contributions (T, T) of each layer of a stack, the lowest first, combined: of the stack's inputs to its outputs."""
    if not layers:
        raise InputError("There is no layer to follow; give at least one.")
    rolled = np.eye(len(layers[0]))
    for layer in layers:
        rolled = layer @ rolled
    return rolled


def alti_plus_layers(encoder: Sequence[Array], own: Sequence[Array], cross: Sequence[Array]) -> Array:
    """Contributions to each step after each layer of the decoder: (L, T, S + T), source tokens first.

    `encoder`, `own` and `cross` are `alti` of each layer, the lowest first (Ferrando et al. 2022, section 4), or
    `halves`
    of its weights. In a decoder layer, self-attention mixes the prefix; cross-attention then keeps the share of its
    residual and adds the encoder's tokens. Rows sum to 1.
    """
    steps, keys = cross[0].shape[0], cross[0].shape[1] - 1
    source = compose(encoder) if encoder else np.eye(keys)
    relevance = np.concatenate([np.zeros((steps, keys)), np.eye(steps)], axis=1)
    layers = []
    for mixed, across in zip(own, cross, strict=True):
        relevance = across[:, -1:] * (mixed @ relevance)
        relevance[:, :keys] += across[:, :-1] @ source
        layers.append(relevance)
    return np.stack(layers)


def alti_plus(encoder: Sequence[Array], own: Sequence[Array], cross: Sequence[Array]) -> Array:
    """The same after the last layer, (T, S + T): the contributions to a written word."""
    return np.asarray(alti_plus_layers(encoder, own, cross)[-1])


def halves(weights: ArrayLike, cross: bool = False) -> list[Array]:
    """The contributions that attention rollout assumes for each layer, from weights (L, H, T, S).

    Self-attention (T, T), ½ mean_h A + ½ I (Abnar & Zuidema 2020, section 3); cross-attention (T, S + 1), the residual
    as an extra key, as in `alti`. Rows sum to 1.
    """
    mean = np.asarray(weights, dtype=np.float64).mean(axis=1) / 2  # (L, T, S)
    if not cross:
        return list(mean + np.eye(mean.shape[-1]) / 2)
    return list(np.concatenate([mean, np.full((*mean.shape[:2], 1), 0.5)], axis=-1))


def source_share(relevance: ArrayLike, keys: int) -> Array:
    """The share of the source in each step, (T,) in 0..1, from `alti_plus` with S = `keys`."""
    return np.asarray(np.asarray(relevance, dtype=np.float64)[:, :keys].sum(axis=-1))


def value_zeroing(before: ArrayLike, after: ArrayLike) -> Array:
    """The cosine distance of each token's output when one token's values are zero (Mohebbi et al. 2023, section 3), (T, S).

    `before` (T, d), `after` (S, T, d): with key j's values zeroed. Rows are scaled to sum 1.
    """
    one, zeroed = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    lengths = np.linalg.norm(one, axis=-1) * np.linalg.norm(zeroed, axis=-1)  # (S, T)
    products = (one[None] * zeroed).sum(axis=-1)
    cosine = np.divide(products, lengths, out=np.ones_like(products), where=lengths > 0)
    distance = np.clip(1.0 - cosine, 0.0, 2.0).T  # (T, S)
    total = distance.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(distance, total, out=np.zeros_like(distance), where=total > 0))
