"""Masks: True = may attend, whatever the tokens."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.model.attention import Mask, causal_mask, padding_mask, source_mask, target_mask


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


def test_a_mask_that_forbids_nothing_is_none_at_all() -> None:
    assert Mask.of(torch.ones(2, 1, 1, 4, dtype=torch.bool)) == Mask(None, None)
    assert source_mask(torch.tensor([[5, 6]]), 0) == Mask(None, None)


def test_rows_without_any_key_are_marked_and_only_they() -> None:
    allowed = torch.tensor([[True, False], [False, False]])[None, None]
    mask = Mask.of(allowed)
    assert mask.empty is not None and mask.empty.flatten().tolist() == [False, True]
    assert Mask.of(allowed[:, :, :1]).empty is None


def test_the_start_token_is_real_even_where_its_id_is_the_padding_id() -> None:
    mask = target_mask(torch.tensor([[0, 5, 0]]), 0)
    assert mask.allowed is not None and mask.empty is None
    assert mask.allowed[0, 0].tolist() == [[True, False, False], [True, True, False], [True, True, False]]


def test_selected_rows_of_a_mask() -> None:
    mask = Mask.of(torch.tensor([[True, False], [False, False], [True, True]])[:, None, None])
    chosen = mask.select(torch.tensor([2, 0]))
    assert chosen.allowed is not None and chosen.empty is not None
    assert chosen.allowed.flatten().tolist() == [True, True, True, False]
    assert chosen.empty.flatten().tolist() == [False, False]
    assert Mask().select(torch.tensor([1])) == Mask(None, None)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_applied_to_scores_it_leaves_what_is_allowed_and_forbids_the_rest(dtype: torch.dtype) -> None:
    scores = torch.tensor([[[[1.5, -2.0], [0.25, 3.0]]]], dtype=dtype)
    masked = Mask.of(causal_mask(2)).apply(scores)
    assert masked.dtype == dtype
    assert masked.tolist() == [[[[1.5, -torch.inf], [0.25, 3.0]]]]
    assert Mask().apply(scores) is scores
