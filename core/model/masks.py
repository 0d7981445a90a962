"""Attention masks. One polarity everywhere: True = may attend.

Masks are bool and broadcast against scores `(B, H, T_query, T_key)`; combine them with `&`. A pass builds each `Mask`
once, for all layers: what has to be known about it (is anything forbidden, is a row without any key) is found there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor


def padding_mask(tokens: Tensor, pad_id: int) -> Tensor:
    """Which keys are real tokens. `tokens` (B, T) int64 → (B, 1, 1, T) bool."""
    return (tokens != pad_id)[:, None, None, :]


def causal_mask(length: int, device: torch.device | None = None) -> Tensor:
    """Each position may attend to itself and to the past (Vaswani et al. 2017, section 3.2.3) → (1, 1, T, T) bool."""
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()[None, None]


@dataclass(frozen=True)
class Mask:
    """Who may attend to whom. `allowed` is None where everyone may; `empty` marks rows that may attend to nothing.

    allowed broadcastable to (B, H, T, S), empty to (B, H, T, 1), both bool; empty is None where there is no such row.
    """

    allowed: Tensor | None = None
    empty: Tensor | None = None

    @classmethod
    def of(cls, allowed: Tensor, *, may_be_empty: bool = True) -> Mask:
        """The mask of `allowed`. On an accelerator nothing is looked up, so that no step waits for an answer."""
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
    """What the encoder's states may be looked at: the real tokens of `tokens` (B, S)."""
    return Mask.of(padding_mask(tokens, pad_id))


def target_mask(tokens: Tensor, pad_id: int) -> Mask:
    """The decoder's own past in `tokens` (B, T), padding left out → allowed (B, 1, T, T).

    The first input is the start token, a real one even where its id is the padding id (T5, Marian), so every row
    has something to attend to.
    """
    real = (tokens != pad_id).index_fill(-1, torch.zeros(1, dtype=torch.long, device=tokens.device), True)
    allowed = real[:, None, None, :] & causal_mask(tokens.shape[1], tokens.device)
    return Mask.of(allowed, may_be_empty=False)
