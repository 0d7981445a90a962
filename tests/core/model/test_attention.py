"""Attention: the explicit and the fused path agree, fully masked rows give zeros, hand-computed cases hold."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from core.model.attention import Mask, MultiHeadAttention, attend
from core.model.config import ModelConfig
from core.model.hooks import Hooks, Site


def explicit(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, **options: object) -> tuple[Tensor, Hooks]:
    hooks = Hooks(["encoder.0.self.*"])
    mixed = attend(q, k, v, Mask.of(mask), tap=hooks.at("encoder", 0, "self"), **options)  # type: ignore[arg-type]
    return mixed, hooks


def fused_path(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, **options: object) -> Tensor:
    with torch.no_grad():  # gradients on a CPU take the explicit path
        return attend(q, k, v, Mask.of(mask), **options)  # type: ignore[arg-type]


@given(st.integers(0, 2**31), st.booleans(), st.integers(1, 6), st.integers(1, 6))
@settings(max_examples=60)
def test_recorded_and_fused_paths_agree(seed: int, biased: bool, queries: int, keys: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    q = torch.randn(2, 3, queries, 4, generator=generator)
    k, v = torch.randn(2, 2, 3, keys, 4, generator=generator)
    mask = torch.rand(2, 1, queries, keys, generator=generator) > 0.4
    bias = torch.randn(1, 3, queries, keys, generator=generator) if biased else None
    mixed, hooks = explicit(q, k, v, mask, scale=0.5, bias=bias)
    fused = fused_path(q, k, v, mask, scale=0.5, bias=bias)
    assert torch.allclose(mixed, fused, atol=1e-5)
    weights = hooks.records[Site("encoder", 0, "self", "weights")]
    expected = mask.any(-1).float().expand(2, 3, queries)
    assert torch.allclose(weights.sum(-1), expected, atol=1e-6)
    assert not weights[~mask.expand_as(weights)].any()


@pytest.mark.parametrize("biased", [False, True])
def test_a_fully_masked_row_gives_zeros_on_both_paths(biased: bool) -> None:
    q, k, v = torch.randn(3, 1, 2, 3, 4).unbind()
    mask = torch.tensor([[True, True, False], [False, False, False], [True, False, False]])[None, None]
    bias = torch.randn(1, 2, 3, 3) if biased else None
    mixed, hooks = explicit(q, k, v, mask, scale=1.0, bias=bias)
    fused = fused_path(q, k, v, mask, scale=1.0, bias=bias)
    for output in (mixed, fused):
        assert torch.isfinite(output).all()
        assert not output[:, :, 1].any()
    assert not hooks.records[Site("encoder", 0, "self", "weights")][:, :, 1].any()


def test_each_path_is_taken_where_it_is_the_quicker(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a CPU: the fused kernel without gradients, the explicit product with them. Both give the same gradients."""
    kernel, calls = F.scaled_dot_product_attention, []

    def counted(*args: Tensor, **options: object) -> Tensor:
        calls.append(options)
        return kernel(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(F, "scaled_dot_product_attention", counted)
    q, k, v = (each.requires_grad_() for each in torch.randn(3, 2, 2, 4, 8).unbind())
    mask = torch.ones(4, 4, dtype=torch.bool).tril()[None, None]
    mixed = attend(q, k, v, Mask.of(mask), scale=0.3)
    assert not calls
    found = torch.autograd.grad(mixed.square().sum(), (q, k, v))
    plain = kernel(q, k, v, attn_mask=mask, scale=0.3)
    torch.testing.assert_close(fused_path(q, k, v, mask, scale=0.3), plain)
    assert len(calls) == 1
    torch.testing.assert_close(found, torch.autograd.grad(plain.square().sum(), (q, k, v)))


def test_two_keys_by_hand() -> None:
    q = torch.tensor([[[[1.0, 0.0]]]])
    k = torch.tensor([[[[math.log(3.0), 5.0], [0.0, 7.0]]]])
    v = torch.tensor([[[[4.0, 0.0], [0.0, 8.0]]]])
    mixed, hooks = explicit(q, k, v, torch.ones(1, 1, 1, 2, dtype=torch.bool), scale=1.0)
    weights = hooks.records[Site("encoder", 0, "self", "weights")].flatten()
    assert torch.allclose(weights, torch.tensor([0.75, 0.25]))
    assert torch.allclose(mixed.flatten(), torch.tensor([3.0, 2.0]))


def test_scores_are_recorded_before_and_after_the_mask() -> None:
    q, k, v = torch.randn(3, 1, 2, 3, 4).unbind()
    mask = torch.ones(3, 3, dtype=torch.bool).tril()[None, None]
    _, hooks = explicit(q, k, v, mask, scale=0.5)
    scores = hooks.records[Site("encoder", 0, "self", "scores")]
    masked = hooks.records[Site("encoder", 0, "self", "masked_scores")]
    assert torch.allclose(scores, q @ k.transpose(-2, -1) / 2)
    assert torch.equal(masked == -math.inf, ~mask.expand_as(masked))
    assert torch.equal(masked[mask.expand_as(masked)], scores[mask.expand_as(scores)])


@pytest.mark.parametrize(("rule", "size"), [("head", 8), ("model", 32), ("none", 1)])
def test_score_scale(rule: str, size: int) -> None:
    config = ModelConfig(source_vocab_size=9, target_vocab_size=9, d_model=32, heads=4, score_scale=rule)
    attention = MultiHeadAttention(config)
    x, hooks = torch.randn(1, 5, 32), Hooks(["encoder.0.self.*"])
    tap = hooks.at("encoder", 0, "self")
    attention(attention.queries(x, tap), attention.keys_values(x, tap), Mask(), None, tap)
    q, k, scores = (hooks.records[Site("encoder", 0, "self", kind)] for kind in ("q", "k", "scores"))
    assert torch.allclose(scores, q @ k.transpose(-2, -1) / math.sqrt(size), atol=1e-6)


def test_changing_one_token_changes_only_its_own_query_in_every_head() -> None:
    config = ModelConfig(source_vocab_size=9, target_vocab_size=9, d_model=32, heads=4)
    attention, x = MultiHeadAttention(config), torch.randn(1, 5, 32)
    changed = x.clone()
    changed[0, 4] += 1.0
    before, after = attention.keys_values(x)[0], attention.keys_values(changed)[0]
    assert torch.equal(before[:, :, :4], after[:, :, :4])
    assert (before[:, :, 4] != after[:, :, 4]).all(dim=-1).all()
