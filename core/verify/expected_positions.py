"""What a configuration says about positions, computed again in float64: nothing here uses `core.model.positions`.

Sinusoids: Vaswani et al. 2017, section 3.5. Relative buckets: Raffel et al. 2020, section 2.1.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from core.analysis.positions import Denominator, Layout, sinusoid_table
from core.model.config import ModelConfig

# How near a bucket's border a distance may lie for the model to round it to either side.
_BORDER = 1e-5


def expected_table(config: ModelConfig, stored: Tensor | None, rows: int) -> Tensor | None:
    """The rows that position 0 … `rows` − 1 must be given, (rows, d_model) float64; None where nothing is added.

    `stored` is the checkpoint's own table of learned positions, with the rows before the first position.
    """
    match config.positions:
        case "learned":
            if stored is None:
                return None
            first = config.position_offset
            return stored.detach().cpu().double()[first : first + rows]
        case "sinusoidal" | "sinusoidal_halves":
            layout: Layout = "sinusoidal" if config.positions == "sinusoidal" else "sinusoidal_halves"
            denominator: Denominator = "half" if config.sinusoid_denominator == "half" else "half_minus_one"
            waves = sinusoid_table(rows, config.d_model, layout, denominator, config.position_offset)
            return torch.from_numpy(waves)
        case _:
            return None


def expected_bias(config: ModelConfig, table: Tensor, queries: int, keys: int, both_ways: bool) -> Tensor:
    """What relative positions may add to the scores, (2, H, queries, keys) float64, from `table` (buckets, H).

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
