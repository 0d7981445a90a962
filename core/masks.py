"""Attention masks. One polarity everywhere: True = may attend.

Masks are bool and broadcast against scores `(B, H, T_query, T_key)`; combine them with `&`.
"""

from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(tokens: Tensor, pad_id: int) -> Tensor:
    """Which keys are real tokens. `tokens` (B, T) int64 → (B, 1, 1, T) bool."""
    return (tokens != pad_id)[:, None, None, :]


def causal_mask(length: int, device: torch.device | None = None) -> Tensor:
    """Each position may attend to itself and to the past (Vaswani et al. 2017, section 3.2.3) → (1, 1, T, T) bool."""
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()[None, None]
