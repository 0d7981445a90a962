"""Masks: True = may attend, whatever the tokens."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from core.masks import causal_mask, padding_mask


@given(
    st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=1, max_size=5), st.integers(0, 5)
)
def test_padding_mask_is_true_at_real_tokens(rows: list[list[int]], pad: int) -> None:
    tokens = torch.tensor(rows)
    mask = padding_mask(tokens, pad)
    assert mask.shape == (len(rows), 1, 1, 4)
    assert mask.dtype == torch.bool
    assert mask[:, 0, 0].tolist() == [[token != pad for token in row] for row in rows]


@given(st.integers(1, 30))
def test_causal_mask_shows_the_past_and_oneself(length: int) -> None:
    mask = causal_mask(length)
    assert mask.shape == (1, 1, length, length)
    assert all(bool(mask[0, 0, i, j]) == (j <= i) for i in range(length) for j in range(length))


@given(st.integers(1, 12), st.integers(0, 12))
def test_combined_masks_keep_both(length: int, padding: int) -> None:
    tokens = torch.ones(1, length, dtype=torch.long)
    tokens[0, max(0, length - padding) :] = 0
    both = padding_mask(tokens, 0) & causal_mask(length)
    assert not both[..., max(0, length - padding) :].any()
    assert not both.triu(1).any()
