"""Where a token stands: sinusoids, learned tables and relative buckets, as modules (defined in `position_tables`)."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from core.model import position_tables
from core.model.config import ModelConfig


def sinusoid_table(
    length: int, d_model: int, layout: str = "sinusoidal", denominator: str = "half"
) -> Tensor:
    """`position_tables.sinusoid_table` as a tensor, (length, d_model) float64, for the configuration's words."""
    table = position_tables.sinusoid_table(
        length, d_model, cast(position_tables.Layout, layout), cast(position_tables.Denominator, denominator)
    )
    return torch.from_numpy(table)


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
            table = torch.empty(rows, config.d_model)
            if not table.is_meta:  # a model that is laid out without memory has no numbers
                table.copy_(
                    sinusoid_table(rows, config.d_model, config.positions, config.sinusoid_denominator)
                )
            self.register_buffer("table", table, persistent=False)

    def forward(self, start: int | Tensor, length: int) -> Tensor:
        """Rows for positions start … start + length − 1 → (length, d_model); `start` a number, or (1,) on the device."""
        if isinstance(start, Tensor):
            rows = start + torch.arange(self.offset, self.offset + length, device=start.device)
            return self.table.index_select(0, rows)
        first = self.offset + start
        return self.table[first : first + length]


class RelativeBias(nn.Module):
    """T5's learned bias a head for each bucket of key − query distances; one table a stack, or a layer."""

    bucket_of: Tensor

    def __init__(self, config: ModelConfig, bidirectional: bool) -> None:
        super().__init__()
        # From this distance on, all offsets of one direction share a bucket.
        self.reach = max(config.relative_max_distance, config.relative_buckets)
        buckets = relative_bucket(
            torch.arange(-self.reach, self.reach + 1, device="cpu"),
            bidirectional,
            config.relative_buckets,
            config.relative_max_distance,
        )
        self.register_buffer("bucket_of", buckets, persistent=False)
        self.table = nn.Parameter(torch.empty(config.relative_buckets, config.heads))

    def forward(self, start: int | Tensor, queries: int, keys: int) -> Tensor:
        """Bias for queries at start … start + queries − 1 and keys at 0 … keys − 1 → (1, H, queries, keys)."""
        device = self.table.device
        query = (start + torch.arange(queries, device=device))[:, None]
        offsets = torch.arange(keys, device=device)[None, :] - query
        buckets = self.bucket_of[offsets.clamp(-self.reach, self.reach) + self.reach]
        return self.table[buckets].permute(2, 0, 1)[None]


def relative_bucket(
    offset: Tensor, bidirectional: bool, buckets: int = 32, max_distance: int = 128
) -> Tensor:
    """`position_tables.relative_buckets` of each `offset` = key − query, int64 of the same shape, on the CPU."""
    return torch.from_numpy(
        position_tables.relative_buckets(offset.numpy(), bidirectional, buckets, max_distance)
    )
