"""The positions of a configuration, recomputed in float64 from the papers' formulas.

Only the configuration is shared with the project, so that a fault in the model's own tables is detected here.
Sinusoids: Vaswani et al. 2017, section 3.5. Relative buckets: Raffel et al. 2020, section 2.1.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from core.model.config import ModelConfig

# Distances this close to the border of two buckets may be rounded to either.
_BORDER = 1e-5


def expected_table(config: ModelConfig, stored: Tensor | None, rows: int) -> Tensor | None:
    """The expected vectors of positions 0 … `rows` − 1, (rows, d_model) float64; None where nothing is added.

    `stored` is the checkpoint's own table of learned positions, with the rows before the first position.
    """
    match config.positions:
        case "learned":
            if stored is None:
                return None
            first = config.position_offset
            return stored.detach().cpu().double()[first : first + rows]
        case "sinusoidal" | "sinusoidal_halves":
            return torch.from_numpy(waves(config, rows))
        case _:
            return None


def waves(config: ModelConfig, rows: int) -> np.ndarray:
    """Sine and cosine of p / 10000^(i / steps) for every pair i of columns, (rows, d_model) float64.

    p counts from the configuration's offset; steps is d_model / 2, or one less with `half_minus_one`.
    """
    pairs = config.d_model // 2
    steps = pairs if config.sinusoid_denominator == "half" else max(1, pairs - 1)
    position = config.position_offset + np.arange(rows)
    table = np.full((rows, config.d_model), np.nan)
    for pair in range(pairs):
        angle = position * np.exp(-np.log(10_000.0) * pair / steps)
        interleaved = config.positions == "sinusoidal"
        table[:, 2 * pair if interleaved else pair] = np.sin(angle)
        table[:, 2 * pair + 1 if interleaved else pairs + pair] = np.cos(angle)
    return table


def expected_bias(config: ModelConfig, table: Tensor, queries: int, keys: int, both_ways: bool) -> Tensor:
    """The expected biases of relative positions, (2, H, queries, keys) float64, from `table` (buckets, H).

    The two differ only where a distance lies on the border of two buckets, which single precision may round either way.
    """
    offsets = np.arange(keys)[None, :] - np.arange(queries)[:, None]
    values = table.detach().cpu().double()
    either = [bucket(offsets, config, both_ways, nudge) for nudge in (-_BORDER, _BORDER)]
    return torch.stack([values[torch.from_numpy(chosen)].permute(2, 0, 1) for chosen in either])


def bucket(offsets: np.ndarray, config: ModelConfig, both_ways: bool, nudge: float = 0.0) -> np.ndarray:
    """The bucket of each offset key − query, `nudge` of a bucket further, int64 of the same shape."""
    buckets = config.relative_buckets // 2 if both_ways else config.relative_buckets
    exact = buckets // 2
    distance = np.abs(offsets) if both_ways else np.maximum(-offsets, 0)
    share = np.log(np.maximum(distance, 1) / exact) / np.log(config.relative_max_distance / exact)
    grown = np.clip(np.floor(exact + share * (buckets - exact) + nudge), exact, buckets - 1)
    chosen = np.where(distance < exact, distance, grown).astype(np.int64)
    return np.asarray(chosen + np.where(both_ways & (offsets > 0), buckets, 0), dtype=np.int64)
