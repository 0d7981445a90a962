"""Contributions of each token to another's vector, from recorded weights and values; and the glossary of these measures.

A sub-layer's output is a sum: over the tokens j and heads h of α_ij f^h(x_j), plus the output bias, where
f^h(x_j) = v_j^h W_O^h. Kobayashi et al. 2020 measure the norms of these parts; Kobayashi et al. 2021 propagate them, and
the residual stream, through the layer norm that follows; Ferrando et al. 2022 compare them with the sum and follow
them through the layers. Shapes: H heads, T queries, S keys, d_h size of a head, d of the stream. Pure numpy, one layer at
a time.

The glossary has contributions, lenses and warnings, each by the name that links use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.glossary import MEASURES, Score, by_name
from core.analysis.norms import norm_divisor
from core.analysis.scores import row_shares
from core.errors import InputError
from core.language import message

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
    contribution, or with NaN, is assigned to the token itself.
    """
    vectors = parts_after(layer)
    output = vectors.sum(axis=1) + constant(layer)  # y (T, d)
    size = np.abs(output).sum(axis=-1)
    far = np.abs(output[:, None] - vectors).sum(axis=-1)  # (T, S)
    near = np.maximum(0.0, size[:, None] - far)
    if not layer.cross:  # masked tokens contribute nothing, whatever the rounding error
        near[(layer.weights.max(axis=0) == 0) & ~np.eye(len(near), dtype=bool)] = 0.0
    alone = np.flatnonzero(~(near.sum(axis=-1) > 0))  # `not >`: also where the sum is NaN
    near[alone] = 0.0
    near[alone, -1 if layer.cross else alone] = 1.0
    return row_shares(near)


def compose(layers: Sequence[Array]) -> Array:
    """Contributions of the stack's inputs to the output of every layer, (L, T, T), from those of each layer (T, T)."""
    if not layers:
        raise InputError("There is no layer to follow; give at least one.")
    return np.stack(list(accumulate(layers, lambda rolled, layer: layer @ rolled)))


def alti_plus_layers(encoder: Sequence[Array], own: Sequence[Array], cross: Sequence[Array]) -> Array:
    """Contributions to each step after each layer of the decoder: (L, T, S + T), source tokens first.

    `encoder`, `own` and `cross` are `alti` of each layer, the lowest first (Ferrando et al. 2022, section 4), or
    `halves` of its weights. In a decoder layer, self-attention mixes the prefix; cross-attention then keeps the share
    of its residual and adds the encoder's tokens. Rows sum to 1.
    """
    steps, keys = cross[0].shape[0], cross[0].shape[1] - 1
    source = compose(encoder)[-1] if encoder else np.eye(keys)
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


def rollout(weights: ArrayLike) -> Array:
    """Attention rollout, `(L, T, T)`: row i of layer l is the composition of token i in terms of the inputs.

    Abnar & Zuidema 2020, §3: Â = ½ mean_h A + ½ I, R_l = Â_l R_{l−1}. Takes self-attention weights `(L, H, T, T)`.
    Rows keep their sum of 1 and a causal map stays lower triangular. Even uniform attention favours early tokens:
    compare with that of `core.analysis.maps.uniform_weights`.
    """
    full = np.asarray(weights, dtype=np.float64)
    if full.ndim != 4 or full.shape[-1] != full.shape[-2]:
        raise InputError(f"Rollout needs self-attention (L, H, T, T); the weights have shape {full.shape}.")
    return compose(halves(full))


def value_zeroing(before: ArrayLike, after: ArrayLike) -> Array:
    """The cosine distance of each token's output when one token's values are zero (Mohebbi et al. 2023, section 3), (T, S).

    `before` (T, d), `after` (S, T, d): with key j's values zeroed. Rows are scaled to sum 1.
    """
    one, zeroed = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    lengths = np.linalg.norm(one, axis=-1) * np.linalg.norm(zeroed, axis=-1)  # (S, T)
    products = (one[None] * zeroed).sum(axis=-1)
    cosine = np.divide(products, lengths, out=np.ones_like(products), where=lengths > 0)
    return row_shares(np.clip(1.0 - cosine, 0.0, 2.0).T)


PREFIX_LABEL: Final = "⟨prefix⟩"
"""The column of a cross map for contributions of the words written before, through the decoder's own stream."""
SOURCE_LABEL: Final = "⟨source⟩"
"""The column of a causal map for contributions of the source."""

CONTRIBUTIONS: Final = by_name(
    MEASURES["weight"],
    Score(
        "lengths",
        message("contribution"),
        message(
            "Contribution, ‖αf(x)‖: the length of the vector that a head adds to one token for another, its weight times the transformed value."
        ),
        "‖α_ij · v_j W_O‖",
        message("Long adds much. A large weight can meet a short vector, and a small weight a long one."),
        "Kobayashi et al. 2020, §2.2",
        high=None,
        units=message("length in the stream"),
        ends=message("from 0"),
    ),
    Score(
        "residual",
        message("with residual and norm"),
        message(
            "The length of one token’s part in the sub-layer’s result: all heads together, with the residual and, in "
            "a post-norm model, the layer norm."
        ),
        "‖g(Σ_h α f^h(x_j) + [j = i] x_i)‖",
        message("Long is a large part; the token’s own part is mostly the residual."),
        "Kobayashi et al. 2021, §2",
        high=None,
        units=message("length in the stream"),
        ends=message("from 0"),
    ),
    Score(
        "alti",
        message("ALTI+"),
        message(
            "The share of a layer’s vector that comes from each token of the input, followed through the attention of all layers "
            "below. Feed-forward networks mix no tokens and are passed over."
        ),
        "c_ij ∝ max(0, ‖y_i‖₁ − ‖y_i − part_ij‖₁), multiplied through the layers",
        message(
            "High: that token’s part makes up much of the vector. Rows sum to 1, source and prefix together."
        ),
        "Ferrando et al. 2022, §3–4",
    ),
    Score(
        "zeroing",
        message("value zeroing"),
        message(
            "How far a layer’s output turns when one token’s values are set to zero in that layer alone."
        ),
        "1 − cos(y_i, y_i without v_j), each row scaled to sum 1",
        message("High: the layer’s output needs that token."),
        "Mohebbi et al. 2023, §3",
    ),
    Score(
        "rollout",
        message("rollout"),
        message(
            "Attention averaged over heads, mixed half and half with the residual and multiplied through the layers. The "
            "baseline beside it is the rollout of uniform attention."
        ),
        "Â = ½ mean_h A + ½ I, R_l = Â_l R_{l−1}",
        message(
            "Only the difference from the baseline is informative. Above 0: the token gets more than in the baseline."
        ),
        "Abnar & Zuidema 2020, §3",
    ),
)
"""Measures of one token's contribution to another, by the name that links use; the first is the attention weight."""

READINGS: Final = by_name(
    Score(
        "added_length",
        message("Length added"),
        message("The lengths that a head adds to a row’s token, summed over the keys; mean over the rows."),
        "mean_t Σ_j ‖α f(x_j)‖",
        message("Long: the head adds much. Since lengths are summed, opposite vectors do not cancel."),
        "Kobayashi et al. 2020, §3",
        high=None,
        units=message("length in the stream"),
        ends=message("from 0"),
    ),
    Score(
        "end_length",
        message("End’s part"),
        message("The end token’s part of the lengths that a head adds; mean over the rows."),
        "mean_t ‖α f(x_end)‖ / Σ_j ‖α f(x_j)‖",
        message("Far below the weight on the end token: the head looks there but adds little."),
        message("after Kobayashi et al. 2020, §4"),
    ),
    Score(
        "mixing",
        message("Mixing"),
        message("How much of a token’s new vector comes from other tokens; mean over the rows."),
        "‖Σ_{j≠i} part‖ / (‖Σ_{j≠i} part‖ + ‖part_i‖)",
        message("Near 0: the stream stays as it is."),
        "Kobayashi et al. 2021, §3",
    ),
    Score(
        "from_others",
        message("From others"),
        message("The share of a row that comes from other tokens; mean over the rows."),
        "mean_i (1 − c_ii)",
        message("Near 0: every token is still mostly itself."),
        "Ferrando et al. 2022, §3",
    ),
    Score(
        "from_source",
        message("From the source"),
        message(
            "The share of a written word’s vector that comes from the source; mean over the words. The rest comes "
            "from the prefix."
        ),
        "mean_t Σ_{j in source} c_tj",
        message("A low share can mean that the translation no longer depends on its source."),
        "Ferrando et al. 2022, §4",
    ),
)
"""Numbers under each map on the wall of contributions."""

LENSES: Final = by_name(
    Score(
        "logit_lens",
        message("Logit lens"),
        message(
            "What the decoder would write if it ended after a layer: that layer’s vector read by the final norm, where "
            "there is one, and the output projection. Padding and the start token, which are never written, are left out."
        ),
        "softmax(W · norm(h_l))",
        message("No value is better: look for the layer from which the word stays first."),
        "nostalgebraist 2020",
    ),
    Score(
        "decoder_lens",
        message("DecoderLens"),
        message(
            "The translation that the whole decoder writes when it reads the output of an earlier encoder layer."
        ),
        "greedy search on norm(h_l^enc), l = 0 … L",
        message(
            "No value is better: it shows from which layers the decoder writes the same translation. A higher layer "
            "can lose it again."
        ),
        "Langedijk et al. 2023, §3",
        high=None,
        units=message("words of text"),
        ends=message("any text"),
    ),
)
