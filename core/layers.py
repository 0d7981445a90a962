"""One encoder layer and one decoder layer: attention and feed-forward sub-layers around a residual stream.

pre-norm    x ─┬─ norm ─ sub-layer ─ dropout ─ + ─►        (Xiong et al. 2020, figure 1b)
               └───────────────────────────────┘
post-norm   x ─┬─ sub-layer ─ dropout ─ + ─ norm ─►        (Vaswani et al. 2017, figure 1)
               └────────────────────────┘
"""

from __future__ import annotations

from collections.abc import Callable

import torch.nn.functional as F
from torch import Tensor, nn

from core.attention import MultiHeadAttention
from core.config import ModelConfig
from core.hooks import NO_TAP, Hooks, Tap, tap
from core.norms import Norm
from core.state import DecodeState

_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
}


class FeedForward(nn.Module):
    """Two projections with an activation between, a position at a time (Vaswani et al. 2017, section 3.3).

    Gated: the activation of one projection multiplies another (Shazeer 2020).
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.activation = _ACTIVATIONS[config.activation]
        self.dropout = config.activation_dropout
        self.up_proj = nn.Linear(config.d_model, config.d_ff, bias=config.ffn_bias)
        self.gate_proj = (
            nn.Linear(config.d_model, config.d_ff, bias=config.ffn_bias) if config.gated else None
        )
        self.down_proj = nn.Linear(config.d_ff, config.d_model, bias=config.ffn_bias)

    def forward(self, x: Tensor, tap: Tap = NO_TAP) -> Tensor:
        """x (B, T, d_model) → the same shape."""
        hidden = self.up_proj(x)  # (B, T, d_ff)
        hidden = (
            self.activation(hidden) if self.gate_proj is None else self.activation(self.gate_proj(x)) * hidden
        )
        hidden = F.dropout(tap("hidden", hidden), self.dropout, self.training)
        output: Tensor = self.down_proj(hidden)
        return tap("output", output)


class Residual(nn.Module):
    """Add a sub-layer to the residual stream, with the norm and the dropout where the configuration puts them."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.norm = Norm(config)
        self.dropout = config.dropout
        self.pre = config.norm_placement == "pre"
        self.dropout_after_norm = config.dropout_placement == "after_norm"

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor], tap: Tap = NO_TAP) -> Tensor:
        """x (B, T, d_model) → the same shape."""
        x = tap("residual_before", x)
        if self.pre:
            output = sublayer(self.norm(x, tap))
            return tap("residual_after", x + F.dropout(output, self.dropout, self.training))
        output = sublayer(x)
        if self.dropout_after_norm:
            output = self.norm(tap("residual_after", x + output), tap)
            return F.dropout(output, self.dropout, self.training)
        x = tap("residual_after", x + F.dropout(output, self.dropout, self.training))
        normed: Tensor = self.norm(x, tap)
        return normed


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__()
        self.layer = layer
        self.self_attention = MultiHeadAttention(config)
        self.self_residual = Residual(config)
        self.feed_forward = FeedForward(config)
        self.ffn_residual = Residual(config)

    def forward(
        self, x: Tensor, mask: Tensor, bias: Tensor | None = None, hooks: Hooks | None = None
    ) -> Tensor:
        """x (B, S, d_model), mask (B, 1, 1, S) → (B, S, d_model)."""
        at = tap(hooks, "encoder", self.layer, "self")
        attention = self.self_attention
        x = self.self_residual(x, lambda h: attention(h, attention.keys_values(h, at), mask, bias, at), at)
        at_ffn = tap(hooks, "encoder", self.layer, "ffn")
        output: Tensor = self.ffn_residual(x, lambda h: self.feed_forward(h, at_ffn), at_ffn)
        return output


class DecoderLayer(nn.Module):
    """Causal self-attention, cross-attention to the encoder's memory, then feed-forward."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__()
        self.layer = layer
        self.self_attention = MultiHeadAttention(config)
        self.self_residual = Residual(config)
        self.cross_attention = MultiHeadAttention(config)
        self.cross_residual = Residual(config)
        self.feed_forward = FeedForward(config)
        self.ffn_residual = Residual(config)

    def forward(
        self,
        x: Tensor,
        self_mask: Tensor,
        memory: Tensor | None,
        source_mask: Tensor,
        bias: Tensor | None = None,
        state: DecodeState | None = None,
        hooks: Hooks | None = None,
    ) -> Tensor:
        """x (B, T, d_model), self_mask (B, 1, T, T'), memory (B, S, d_model), source_mask (B, 1, 1, S) → like x.

        With a `state`, x holds one new position: its keys and values join the cache, and the memory's keys
        and values come from there (`memory` is then None).
        """
        at = tap(hooks, "decoder", self.layer, "self")

        def attend_to_target(h: Tensor) -> Tensor:
            keys_values = self.self_attention.keys_values(h, at)
            if state is not None:
                keys_values = state.extend(self.layer, *keys_values)
            output: Tensor = self.self_attention(h, keys_values, self_mask, bias, at)
            return output

        x = self.self_residual(x, attend_to_target, at)
        at_cross = tap(hooks, "decoder", self.layer, "cross")

        def attend_to_source(h: Tensor) -> Tensor:
            keys_values = (
                self.memory_keys_values(memory, hooks) if memory is not None else _cached(state, self.layer)
            )
            output: Tensor = self.cross_attention(h, keys_values, source_mask, None, at_cross)
            return output

        x = self.cross_residual(x, attend_to_source, at_cross)
        at_ffn = tap(hooks, "decoder", self.layer, "ffn")
        output: Tensor = self.ffn_residual(x, lambda h: self.feed_forward(h, at_ffn), at_ffn)
        return output

    def memory_keys_values(self, memory: Tensor, hooks: Hooks | None = None) -> tuple[Tensor, Tensor]:
        """Cross-attention keys and values of `memory` (B, S, d_model) → two of (B, H, S, d_h)."""
        return self.cross_attention.keys_values(memory, tap(hooks, "decoder", self.layer, "cross"))


def _cached(state: DecodeState | None, layer: int) -> tuple[Tensor, Tensor]:
    if state is None:
        raise ValueError("a decoder layer needs the encoder's memory or a decode state")
    return state.cross[layer]
