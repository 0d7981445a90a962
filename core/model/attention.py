"""Multi-head attention (Vaswani et al. 2017, section 3.2): the only softmax over scores in the project.

Shapes: B batch, H heads, T queries, S keys, d_h size of a head.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from core.model.cache import KeysValues
from core.model.config import ModelConfig
from core.model.hooks import NO_TAP, Tap
from core.model.linear import Linear, Part, Whole
from core.model.masks import Mask


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

    q (B, H, T, d_h), k and v (N, H, S, d_h), bias (1, H, T, S) or None → (B, H, T, d_h). N is B, or divides it: each row
    of k and v then serves B / N rows of q that follow one another, as hypotheses of one sentence do. A query that may
    attend to nothing gives zeros. The weights are computed explicitly when `tap` wants the scores or weights, for
    single queries, and for gradients on a CPU, where that is quicker, and by the fused kernel when not; both give the
    same numbers.
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
    """a (B, H, T, n) times b (N, H, n, m) → (B, H, T, m); where N < B, all rows that share one of b in one product."""
    if a.shape[0] == b.shape[0]:
        return torch.matmul(a, b)
    rows, heads, queries, size = a.shape
    shared = rows // b.shape[0]
    side_by_side = a.unflatten(0, (-1, shared)).transpose(1, 2).reshape(-1, heads, shared * queries, size)
    product: Tensor = torch.matmul(side_by_side, b).unflatten(2, (shared, queries))
    return product.transpose(1, 2).reshape(rows, heads, queries, -1)


def attention_scale(config: ModelConfig) -> float:
    """What QKᵀ is multiplied by: 1/√d_h (Vaswani et al. 2017, section 3.2.1), or as the configuration says."""
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


class MultiHeadAttention(Part):
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
        self.joint: Whole | None = None

    def lay_out(self, queries: bool) -> None:
        """Put the keys' and values' matrices side by side, and the `queries`' where they read the same input."""
        apart, together = [self.q_proj, self.output_proj], [self.k_proj, self.v_proj]
        if queries:
            together.insert(0, apart.pop(0))
        for projection in apart:
            projection.lay_out()
        self.joint = Whole.of(together)

    def queries(self, x: Tensor, tap: Tap = NO_TAP) -> Tensor:
        """Queries of `x` (B, T, d_model) → (B, H, T, d_h)."""
        (q,) = self._heads(x, self.q_proj)
        return tap("q", q)

    def keys_values(self, x: Tensor, tap: Tap = NO_TAP) -> KeysValues:
        """Keys and values of `x` (B, S, d_model) → two of (B, H, S, d_h)."""
        k, v = self._heads(x, self.k_proj, self.v_proj)
        return self._shown(k, v, tap)

    def queries_keys_values(self, x: Tensor, tap: Tap = NO_TAP) -> tuple[Tensor, KeysValues]:
        """All three of one `x` (B, T, d_model), as self-attention reads it."""
        q, k, v = self._heads(x, self.q_proj, self.k_proj, self.v_proj)
        return tap("q", q), self._shown(k, v, tap)

    def _shown(self, k: Tensor, v: Tensor, tap: Tap) -> KeysValues:
        k, v = tap("k", k), tap("v", v)
        if tap.wants("value_norm"):
            tap("value_norm", v.norm(dim=-1))  # (B, H, S)
        return k, v

    def _heads(self, x: Tensor, *projections: Linear) -> Sequence[Tensor]:
        """(B, T, d_model) → (B, H, T, d_h) each: the feature axis is cut into heads, then heads go before positions."""
        batch, length, _ = x.shape
        read = x.reshape(batch, length, self.heads, self.d_head) if self.shared else x
        joint, count = self.joint, len(projections)
        if joint is None or joint.count != count or not joint.intact():
            shape = (batch, length, self.heads, self.d_head)
            return [each(read).view(shape).transpose(1, 2) for each in projections]
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
        """What queries (B, H, T, d_h) gather from keys and values, mixed over the heads → (B, T, d_model)."""
        dropout = self.dropout if self.training else 0.0
        mixed = attend(q, *keys_values, mask, scale=self.scale, bias=bias, dropout=dropout, tap=tap)
        mixed = tap("head_output", mixed)  # (B, H, T, d_h)
        merged = mixed.transpose(1, 2).flatten(-2)  # (B, T, H·d_h): positions first, then heads side by side
        return tap("output", self.output_proj(merged))
