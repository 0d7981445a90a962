"""Where a token stands: sinusoids, learned tables and relative buckets.

Sinusoids: Vaswani et al. (2017), section 3.5. Relative buckets: Raffel et al. (2020), section 2.1.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from core.config import ModelConfig


def sinusoid_table(
    length: int, d_model: int, layout: str = "sinusoidal", denominator: str = "half"
) -> Tensor:
    """PE(p, 2i) = sin(p / 10000^(2i/d)), PE(p, 2i+1) = cos(p / 10000^(2i/d)) → (length, d_model) float64.

    `layout` "sinusoidal" interleaves sine and cosine as the paper does; "sinusoidal_halves" puts all sines
    first. `denominator` "half_minus_one" spreads the wavelengths over d/2 − 1 steps, as fairseq does.
    """
    half = d_model // 2
    steps = half if denominator == "half" else max(half - 1, 1)
    frequencies = torch.exp(-math.log(10_000.0) * torch.arange(half, dtype=torch.float64) / steps)
    angles = torch.arange(length, dtype=torch.float64)[:, None] * frequencies  # (length, d/2) radians
    if layout == "sinusoidal_halves":
        return torch.cat([angles.sin(), angles.cos()], dim=-1)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


class PositionTable(nn.Module):
    """Absolute positions added to the embeddings: a fixed sinusoid table, or a learned one."""

    table: Tensor

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.offset = config.position_offset
        rows = config.max_length + config.position_offset
        if config.positions == "learned":
            self.table = nn.Parameter(torch.empty(rows, config.d_model))
        else:
            table = sinusoid_table(rows, config.d_model, config.positions, config.sinusoid_denominator)
            self.register_buffer("table", table.to(torch.get_default_dtype()), persistent=False)

    def forward(self, start: int, length: int) -> Tensor:
        """Rows for positions start … start + length − 1 → (length, d_model)."""
        first = self.offset + start
        return self.table[first : first + length]


class RelativeBias(nn.Module):
    """T5's learned bias a head for each bucket of key − query distances; one table serves all layers of a stack."""

    def __init__(self, config: ModelConfig, bidirectional: bool) -> None:
        super().__init__()
        self.bidirectional = bidirectional
        self.max_distance = config.relative_max_distance
        self.table = nn.Parameter(torch.empty(config.relative_buckets, config.heads))

    def forward(self, start: int, queries: int, keys: int) -> Tensor:
        """Bias for queries at start … start + queries − 1 and keys at 0 … keys − 1 → (1, H, queries, keys)."""
        device = self.table.device
        query = torch.arange(start, start + queries, device=device)[:, None]
        offsets = torch.arange(keys, device=device)[None, :] - query
        buckets = relative_bucket(offsets, self.bidirectional, self.table.shape[0], self.max_distance)
        return self.table[buckets].permute(2, 0, 1)[None]


def relative_bucket(
    offset: Tensor, bidirectional: bool, buckets: int = 32, max_distance: int = 128
) -> Tensor:
    """Bucket of each `offset` = key − query, int64 of the same shape (Raffel et al. 2020, section 2.1).

    Half of the buckets hold one distance each, the rest grow logarithmically up to `max_distance`.
    Bidirectional: the future uses the second half of the buckets. Causal: the future shares bucket 0.
    """
    first = torch.zeros_like(offset)
    if bidirectional:
        buckets //= 2
        first = (offset > 0).long() * buckets
        distance = offset.abs()
    else:
        distance = (-offset).clamp(min=0)
    exact = buckets // 2
    ratio = torch.log(distance.clamp(min=1).float() / exact) / math.log(max_distance / exact)
    far = (exact + (ratio * (buckets - exact)).long()).clamp(max=buckets - 1)
    return first + torch.where(distance < exact, distance, far)
