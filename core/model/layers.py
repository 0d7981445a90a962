"""Encoder and decoder layers: attention and feed-forward sub-layers around a residual stream, and its normalisation.

pre-norm    x ─┬─ norm ─ sub-layer ─ dropout ─ + ─►        (Xiong et al. 2020, figure 1b)
               └───────────────────────────────┘
post-norm   x ─┬─ sub-layer ─ dropout ─ + ─ norm ─►        (Vaswani et al. 2017, figure 1)
               └────────────────────────┘

Norms: layer norm (Ba et al. 2016), the variant of a tutorial, and RMS norm.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.model.attention import DecodeState, KeysValues, Mask, MultiHeadAttention
from core.model.config import ModelConfig
from core.model.hooks import NO_TAP, Hooks, Tap, tap
from core.model.linear import Linear, Part, dropout, store_by_columns


class Norm(Part):
    """Normalise the last axis, then scale by γ and shift by β.

    | formula            | mean   | var                | divisor       | β |
    |--------------------|--------|--------------------|---------------|---|
    | layer              | mean x | mean (x − mean)²   | √(var + ε)    | yes |
    | layer_unbiased_std | mean x | Σ(x − mean)²/(d−1) | √var + ε      | yes |
    | rms                | 0      | mean x²            | √(var + ε)    | no |

    Recorded `norm_mean` and `norm_var` are these two columns, (B, T) each; they rebuild the output.
    """

    bias: nn.Parameter | None

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.formula, self.eps, self.shape = config.norm_formula, config.norm_eps, (config.d_model,)
        self.weight = nn.Parameter(torch.ones(config.d_model))
        if self.formula == "rms":
            self.register_parameter("bias", None)
        else:
            self.bias = nn.Parameter(torch.zeros(config.d_model))

    def forward(self, x: Tensor, tap: Tap = NO_TAP) -> Tensor:
        """x (B, T, d_model) → the same shape."""
        x = tap("norm_input", x)
        if self.formula == "layer" and not tap.wants("norm_mean", "norm_var"):
            own = self._parameters
            output = torch.layer_norm(x, self.shape, own["weight"], own["bias"], self.eps)
        elif self.formula == "layer" and not tap.edits("norm_mean", "norm_var"):
            # The kernel returns the statistics that it computes anyway: the mean and 1/√(var + ε).
            output, mean, deviation = torch.native_layer_norm(x, self.shape, self.weight, self.bias, self.eps)
            tap("norm_mean", mean[..., 0])
            tap("norm_var", deviation[..., 0].pow(-2).sub_(self.eps).clamp_min_(0.0))
        else:
            output = self._explicit(x, tap)
        return tap("norm_output", output)

    def _explicit(self, x: Tensor, tap: Tap) -> Tensor:
        if self.formula == "rms":
            mean, var = torch.zeros_like(x[..., 0]), x.square().mean(dim=-1)
        else:
            mean = x.mean(dim=-1)
            var = x.var(dim=-1, correction=1 if self.formula == "layer_unbiased_std" else 0)
        mean, var = tap("norm_mean", mean)[..., None], tap("norm_var", var)[..., None]
        divisor = var.sqrt() + self.eps if self.formula == "layer_unbiased_std" else (var + self.eps).sqrt()
        scaled = (x - mean) / divisor * self.weight
        return scaled if self.bias is None else scaled + self.bias


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
    "gelu_10": lambda x: F.gelu(x).clamp(-10.0, 10.0),
    "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x),
    "mish": F.mish,
    "hardswish": F.hardswish,
    "leaky_relu": F.leaky_relu,
    "relu2": lambda x: F.relu(x).square(),
    "relu6": F.relu6,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    # Ma et al. 2022.
    "laplace": lambda x: 0.5 * (1.0 + torch.erf((x - 0.707107) / (0.282095 * math.sqrt(2.0)))),
    "sqrtsoftplus": lambda x: F.softplus(x).sqrt(),
    "linear": lambda x: x,
}


class FeedForward(Part):
    """Two projections with an activation between, applied to each position (Vaswani et al. 2017, section 3.3).

    Gated: the activation of one projection multiplies another (Shazeer 2020).
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.activation = ACTIVATIONS[config.activation]
        self.dropout = config.activation_dropout
        self.up_proj = Linear(config.d_model, config.d_ff, bias=config.ffn_bias)
        self.gate_proj = Linear(config.d_model, config.d_ff, bias=config.ffn_bias) if config.gated else None
        self.down_proj = Linear(config.d_ff, config.d_model, bias=config.ffn_bias)

    def pack_weights(self) -> None:
        """Store the matrices by columns."""
        for projection in (self.up_proj, self.gate_proj, self.down_proj):
            if projection is not None:
                store_by_columns([projection])

    def forward(self, x: Tensor, tap: Tap = NO_TAP) -> Tensor:
        """x (B, T, d_model) → the same shape."""
        hidden = self.up_proj(x)  # (B, T, d_ff)
        hidden = (
            self.activation(hidden) if self.gate_proj is None else self.activation(self.gate_proj(x)) * hidden
        )
        hidden = dropout(tap("hidden", hidden), self.dropout, self.training)
        output: Tensor = self.down_proj(hidden)
        return tap("output", output)


class Residual(Part):
    """The residual stream around one sub-layer, with norm and dropout in the configured order.

    x → `enter` → sub-layer → `leave` (which also takes x) → the new x.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.norm = Norm(config)
        self.dropout = config.dropout
        self.pre = config.norm_placement == "pre"
        self.dropout_after_norm = config.dropout_placement == "after_norm"

    def enter(self, x: Tensor, tap: Tap = NO_TAP) -> tuple[Tensor, Tensor]:
        """x (B, T, d_model) → the stream and the sub-layer's input: its norm (pre) or x itself (post)."""
        x = tap("residual_before", x)
        return x, self.norm(x, tap) if self.pre else x

    def leave(self, x: Tensor, output: Tensor, tap: Tap = NO_TAP) -> Tensor:
        """The stream x and the sub-layer's output, (B, T, d_model) each → the stream after it."""
        if self.dropout_after_norm:
            normed = self.norm(tap("residual_after", x + output), tap)
            return dropout(normed, self.dropout, self.training)
        x = tap("residual_after", x + dropout(output, self.dropout, self.training))
        return x if self.pre else self.norm(x, tap)


class EncoderLayer(Part):
    """Self-attention, then feed-forward."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__()
        self.layer, config = layer, config.of("encoder")
        self.self_attention = MultiHeadAttention(config)
        self.self_residual = Residual(config)
        self.feed_forward = FeedForward(config)
        self.ffn_residual = Residual(config)

    def forward(
        self,
        x: Tensor,
        mask: Mask,
        bias: Tensor | None = None,
        hooks: Hooks | None = None,
        turns: Tensor | None = None,
    ) -> Tensor:
        """x (B, S, d_model), mask over S keys → (B, S, d_model). `bias`, `turns`: relative and rotary positions."""
        at = tap(hooks, "encoder", self.layer, "self")
        residual, attention = self.self_residual, self.self_attention
        x, h = residual.enter(x, at)
        q, keys_values = attention.queries_keys_values(h, at, turns)
        x = residual.leave(x, attention(q, keys_values, mask, bias, at), at)

        at, residual = tap(hooks, "encoder", self.layer, "ffn"), self.ffn_residual
        x, h = residual.enter(x, at)
        return residual.leave(x, self.feed_forward(h, at), at)


class DecoderLayer(Part):
    """Self-attention, causal unless configured otherwise, cross-attention to the encoder's memory, then feed-forward."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__()
        self.layer, config = layer, config.of("decoder")
        self.self_attention = MultiHeadAttention(config)
        self.self_residual = Residual(config)
        self.cross_attention = MultiHeadAttention(config)
        self.cross_residual = Residual(config)
        self.feed_forward = FeedForward(config)
        self.ffn_residual = Residual(config)

    def forward(
        self,
        x: Tensor,
        self_mask: Mask,
        memory: KeysValues,
        source_mask: Mask,
        bias: Tensor | None = None,
        state: DecodeState | None = None,
        hooks: Hooks | None = None,
        turns: Tensor | None = None,
    ) -> Tensor:
        """x (B, T, d_model), the memory's keys and values (B, H, S, d_h) each → the same shape as x.

        With a `state`, x holds the positions after those in its cache and is appended to them.
        """
        at = tap(hooks, "decoder", self.layer, "self")
        residual, attention = self.self_residual, self.self_attention
        x, h = residual.enter(x, at)
        q, keys_values = attention.queries_keys_values(h, at, turns)
        if state is not None:
            keys_values = state.extend(self.layer, *keys_values)
        x = residual.leave(x, attention(q, keys_values, self_mask, bias, at), at)

        at, residual = tap(hooks, "decoder", self.layer, "cross"), self.cross_residual
        attention = self.cross_attention
        x, h = residual.enter(x, at)
        x = residual.leave(x, attention(attention.queries(h, at), memory, source_mask, None, at), at)

        at, residual = tap(hooks, "decoder", self.layer, "ffn"), self.ffn_residual
        x, h = residual.enter(x, at)
        return residual.leave(x, self.feed_forward(h, at), at)

    def memory_keys_values(self, memory: Tensor, hooks: Hooks | None = None) -> KeysValues:
        """Cross-attention keys and values of `memory` (B, S, d_model) → two of (B, H, S, d_h)."""
        return self.cross_attention.keys_values(memory, tap(hooks, "decoder", self.layer, "cross"))
