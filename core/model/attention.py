"""Multi-head attention (Vaswani et al. 2017, section 3.2) and its masks: the only softmax over scores in the project.

Shapes: B batch, H heads, T queries, S keys, d_h size of a head.

Masks have one polarity everywhere: True = may attend. They are bool, broadcast against scores (B, H, T, S) and are
combined with `&`. A pass builds each `Mask` once, for all layers, and with it whether any key is hidden and whether a
row has no key at all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
import torch.nn.functional as F
from torch import Tensor

from core.model.config import ModelConfig
from core.model.hooks import NO_TAP, Tap
from core.model.linear import DirectModule, FusedWeights, Linear

KeysValues = tuple[Tensor, Tensor]
"""Keys and values of one attention, (B, H, S, d_h) each."""


def padding_mask(tokens: Tensor, pad_id: int) -> Tensor:
    """Which keys are real tokens. `tokens` (B, T) int64 → (B, 1, 1, T) bool."""
    return (tokens != pad_id)[:, None, None, :]


def causal_mask(length: int, device: torch.device | None = None) -> Tensor:
    """Each position may attend to itself and to the past (Vaswani et al. 2017, section 3.2.3) → (1, 1, T, T) bool."""
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()[None, None]


@dataclass(frozen=True)
class Mask:
    """The keys that each query may attend to. `allowed` is None where every key may be attended to; `empty` marks rows
    without any key.

    `allowed` broadcasts to (B, H, T, S), `empty` to (B, H, T, 1), both bool; `empty` is None where no row is empty.
    """

    allowed: Tensor | None = None
    empty: Tensor | None = None

    @classmethod
    def of(cls, allowed: Tensor, *, may_be_empty: bool = True) -> Mask:
        """The mask of `allowed`. On an accelerator no value is read back, since a step would have to wait for it."""
        if allowed.device.type == "cpu" and bool(allowed.all()):
            return cls()
        if not may_be_empty:
            return cls(allowed)
        empty = ~allowed.any(dim=-1, keepdim=True)
        return cls(allowed, None if allowed.device.type == "cpu" and not bool(empty.any()) else empty)

    def apply(self, scores: Tensor) -> Tensor:
        """scores (B, H, T, S) with −inf where attending is forbidden."""
        return scores if self.allowed is None else scores + self._bias.to(scores.dtype)

    @cached_property
    def _bias(self) -> Tensor:
        """0 where allowed and −inf where not: a sum is several times faster than filling."""
        assert self.allowed is not None
        return torch.zeros(self.allowed.shape, device=self.allowed.device).masked_fill_(
            ~self.allowed, -math.inf
        )

    def select(self, index: Tensor) -> Mask:
        """The mask of batch rows `index`."""
        rows = [None if each is None else each.index_select(0, index) for each in (self.allowed, self.empty)]
        return Mask(*rows)


def source_mask(tokens: Tensor, pad_id: int) -> Mask:
    """The mask over the encoder's states: the real tokens of `tokens` (B, S)."""
    return Mask.of(padding_mask(tokens, pad_id))


def target_mask(tokens: Tensor, pad_id: int) -> Mask:
    """The decoder's causal mask over `tokens` (B, T), without padding → allowed (B, 1, T, T).

    The first input is the start token, a real one even where its id is the padding id (T5, Marian), so every row
    has a key.
    """
    real = (tokens != pad_id).index_fill(-1, torch.zeros(1, dtype=torch.long, device=tokens.device), True)
    allowed = real[:, None, None, :] & causal_mask(tokens.shape[1], tokens.device)
    return Mask.of(allowed, may_be_empty=False)


def attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Mask,
    *,
    scale: float,
    bias: Tensor | None = None,
    dropout: float = 0.0,
    tap: Tap = NO_TAP,
) -> Tensor:
    """softmax(scale · QKᵀ + bias, where mask) V.

    q (B, H, T, d_h), k and v (N, H, S, d_h), bias (1, H, T, S) or None → (B, H, T, d_h). N is B or divides it: each row
    of k and v then serves B / N consecutive rows of q, such as the hypotheses of one sentence. A query without any key
    gives zeros. The weights are computed explicitly when `tap` wants the scores or weights, for single queries, and for
    gradients on a CPU, where that is faster; otherwise by the fused kernel. Both give the same numbers.
    """
    trained = q.is_cpu and torch.is_grad_enabled() and not torch.compiler.is_compiling()
    if q.shape[2] > 1 and not trained and not tap.wants("scores", "masked_scores", "weights"):
        return _fused(q, k, v, mask, scale, bias, dropout)
    scores = _product(q * scale, k.transpose(-2, -1))  # (B, H, T, S)
    if bias is not None:
        scores = scores + bias
    masked = tap("masked_scores", mask.apply(tap("scores", scores)))
    if mask.empty is None:
        weights = torch.softmax(masked, dim=-1)
    else:
        weights = torch.softmax(masked.masked_fill(mask.empty, 0.0), dim=-1).masked_fill(mask.empty, 0.0)
    weights = tap("weights", weights)
    return _product(F.dropout(weights, dropout) if dropout else weights, v)


def _product(a: Tensor, b: Tensor) -> Tensor:
    """a (B, H, T, n) times b (N, H, n, m) → (B, H, T, m); where N < B, one product serves all rows that share a row of b."""
    if a.shape[0] == b.shape[0]:
        return torch.matmul(a, b)
    rows, heads, queries, size = a.shape
    shared = rows // b.shape[0]
    side_by_side = a.unflatten(0, (-1, shared)).transpose(1, 2).reshape(-1, heads, shared * queries, size)
    product: Tensor = torch.matmul(side_by_side, b).unflatten(2, (shared, queries))
    return product.transpose(1, 2).reshape(rows, heads, queries, -1)


def attention_scale(config: ModelConfig) -> float:
    """The factor of QKᵀ: 1/√d_h (Vaswani et al. 2017, section 3.2.1), or as the configuration says."""
    return 1.0 / math.sqrt({"head": config.d_head, "model": config.d_model, "none": 1}[config.score_scale])


def _fused(
    q: Tensor, k: Tensor, v: Tensor, mask: Mask, scale: float, bias: Tensor | None, dropout: float
) -> Tensor:
    allowed = mask.allowed if mask.empty is None or mask.allowed is None else mask.allowed | mask.empty
    # An additive mask of -inf alone would give NaN, so an empty row attends everywhere and is then zeroed.
    if bias is not None:
        allowed = bias.to(q.dtype) if allowed is None else torch.where(allowed, bias, -math.inf).to(q.dtype)
    mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed, dropout_p=dropout, scale=scale)
    return mixed if mask.empty is None else mixed.masked_fill(mask.empty, 0.0)


class MultiHeadAttention(DirectModule):
    """Queries from one sequence, keys and values from the same or another (Vaswani et al. 2017, section 3.2.2)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.heads, self.d_head = config.heads, config.d_head
        self.shared = config.shared_head_projection
        self.dropout = config.attention_dropout
        self.scale = attention_scale(config)
        inner = config.heads * config.d_head
        width = (config.d_head, config.d_head) if self.shared else (config.d_model, inner)
        self.q_proj = Linear(*width, bias=config.projection_bias)
        self.k_proj = Linear(*width, bias=config.projection_bias)
        self.v_proj = Linear(*width, bias=config.projection_bias)
        self.output_proj = Linear(inner, config.d_model, bias=config.attention_output_bias)
        self.joint: FusedWeights | None = None

    def pack_weights(self, queries: bool) -> None:
        """Put the matrices of keys and values, and of `queries` where they read the same input, side by side in memory."""
        apart, together = [self.q_proj, self.output_proj], [self.k_proj, self.v_proj]
        if queries:
            together.insert(0, apart.pop(0))
        for projection in apart:
            projection.pack_weights()
        self.joint = FusedWeights.of(together)

    def queries(self, x: Tensor, tap: Tap = NO_TAP) -> Tensor:
        """Queries of `x` (B, T, d_model) → (B, H, T, d_h)."""
        (q,) = self._heads(x, self.q_proj)
        return tap("q", q)

    def keys_values(self, x: Tensor, tap: Tap = NO_TAP) -> KeysValues:
        """Keys and values of `x` (B, S, d_model) → two of (B, H, S, d_h)."""
        k, v = self._heads(x, self.k_proj, self.v_proj)
        return self._recorded(k, v, tap)

    def queries_keys_values(self, x: Tensor, tap: Tap = NO_TAP) -> tuple[Tensor, KeysValues]:
        """Queries, keys and values of one `x` (B, T, d_model), as self-attention reads it."""
        q, k, v = self._heads(x, self.q_proj, self.k_proj, self.v_proj)
        return tap("q", q), self._recorded(k, v, tap)

    def _recorded(self, k: Tensor, v: Tensor, tap: Tap) -> KeysValues:
        k, v = tap("k", k), tap("v", v)
        if tap.wants("value_norm"):
            tap("value_norm", v.norm(dim=-1))  # (B, H, S)
        return k, v

    def _heads(self, x: Tensor, *projections: Linear) -> Sequence[Tensor]:
        """(B, T, d_model) → (B, H, T, d_h) each: split the feature axis into heads, then put heads before positions."""
        batch, length, _ = x.shape
        read = x.reshape(batch, length, self.heads, self.d_head) if self.shared else x
        joint, count = self.joint, len(projections)
        if joint is None or joint.count != count or not joint.intact():
            shape = (batch, length, self.heads, self.d_head)
            return [projection(read).view(shape).transpose(1, 2) for projection in projections]
        if self.shared:
            return joint(read).view(batch, length, self.heads, count, -1).permute(3, 0, 2, 1, 4).unbind()
        return joint(x).view(batch, length, count, self.heads, -1).permute(2, 0, 3, 1, 4).unbind()

    def forward(
        self,
        q: Tensor,
        keys_values: KeysValues,
        mask: Mask,
        bias: Tensor | None = None,
        tap: Tap = NO_TAP,
    ) -> Tensor:
        """The weighted values of queries (B, H, T, d_h), mixed over the heads → (B, T, d_model)."""
        dropout = self.dropout if self.training else 0.0
        mixed = attend(q, *keys_values, mask, scale=self.scale, bias=bias, dropout=dropout, tap=tap)
        mixed = tap("head_output", mixed)  # (B, H, T, d_h)
        merged = mixed.transpose(1, 2).flatten(-2)  # (B, T, H·d_h): positions first, then heads side by side
        return tap("output", self.output_proj(merged))
