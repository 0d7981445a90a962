"""Attention: the explicit and the fused path agree, fully masked rows give zeros; masks; the cache of a decode."""

from __future__ import annotations

import math
import random

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from core.api import Checkpoint
from core.model.attention import (
    DecodeState,
    Mask,
    MultiHeadAttention,
    attend,
    causal_mask,
    padding_mask,
    source_mask,
    target_mask,
)
from core.model.config import ModelConfig
from core.model.hooks import MAP_KINDS, Hooks, Site


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


@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize("shared", [1, 2])
def test_weights_are_the_same_in_the_memory_of_the_scores(hidden: bool, shared: int) -> None:
    """Without a gradient and where scores are not recorded, the softmax writes where it reads."""
    q, (k, v) = torch.randn(4, 2, 5, 8), torch.randn(2, 4 // shared, 2, 7, 8)
    allowed = torch.rand(4, 1, 5, 7) > 0.5 if hidden else torch.ones(1, 1, 5, 7, dtype=torch.bool)
    given = [each.clone() for each in (q, k, v)]
    alone, together = Hooks(["encoder.0.self.weights"]), Hooks(["encoder.0.self.*"])
    with torch.inference_mode():
        mixed, expected = (
            attend(q, k, v, Mask.of(allowed), scale=0.5, tap=hooks.at("encoder", 0, "self"))
            for hooks in (alone, together)
        )
    site = Site("encoder", 0, "self", "weights")
    assert torch.equal(mixed, expected)
    assert torch.equal(alone.records[site], together.records[site])
    assert all(map(torch.equal, (q, k, v), given))


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


# -- masks ----------


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


# -- the cache of a decode ----------


def state(batch: int = 2) -> DecodeState:
    cross = [(torch.randn(batch, 3, 5, 4), torch.randn(batch, 3, 5, 4)) for _ in range(2)]
    return DecodeState(cross, Mask(torch.ones(batch, 1, 1, 5, dtype=torch.bool)))


def put(cache: DecodeState, count: int, rows: int = 2) -> list[Tensor]:
    keys = [torch.randn(rows, 3, 1, 4) for _ in range(count)]
    for k in keys:
        for layer in range(2):
            cache.extend(layer, k, 2 * k)
        cache.advance()
    return keys


def test_positions_come_back_in_order_beyond_the_first_capacity() -> None:
    cache = state()
    keys = put(cache, 60)
    k, v = cache.extend(1, torch.ones(2, 3, 1, 4), torch.zeros(2, 3, 1, 4))
    assert cache.length == 60
    assert torch.equal(k, torch.cat([*keys, torch.ones(2, 3, 1, 4)], dim=2))
    assert torch.equal(v[:, :, :60], 2 * torch.cat(keys, dim=2))


def test_truncate_overwrites_what_came_after() -> None:
    cache = state()
    keys = put(cache, 6)
    cache.truncate(3)
    more = put(cache, 1)
    k, _ = cache.extend(0, torch.ones(2, 3, 1, 4), torch.ones(2, 3, 1, 4))
    assert torch.equal(k[:, :, :4], torch.cat([*keys[:3], *more], dim=2))


@pytest.mark.parametrize("length", [-1, 4])
def test_truncate_cannot_go_forward(length: int) -> None:
    cache = state()
    put(cache, 3)
    with pytest.raises(ValueError, match=f"cannot truncate 3 positions to {length}"):
        cache.truncate(length)


def test_select_reorders_repeats_and_leaves_the_original() -> None:
    cache = state()
    keys = put(cache, 3)
    chosen = cache.select(torch.tensor([1, 1, 0]))
    extra = torch.ones(3, 3, 1, 4)
    k, _ = chosen.extend(0, extra, extra)
    assert torch.equal(k[:, :, :3], torch.cat(keys, dim=2)[[1, 1, 0]])
    assert torch.equal(chosen.cross[0][0], cache.cross[0][0][[1, 1, 0]])
    assert chosen.source_mask.allowed is not None and chosen.source_mask.allowed.shape[0] == 3
    again, _ = cache.extend(0, torch.zeros(2, 3, 1, 4), torch.zeros(2, 3, 1, 4))
    assert torch.equal(again[:, :, :3], torch.cat(keys, dim=2))


def test_rows_go_on_from_others_in_place() -> None:
    cache = state().select(torch.tensor([0, 0, 0, 1, 1, 1]))
    keys = torch.cat(put(cache, 3, rows=6), dim=2)
    parents = [0, 0, 2, 4, 4, 4]
    cache.reorder(parents)
    for layer in range(2):
        extra = torch.ones(6, 3, 1, 4)
        k, v = cache.extend(layer, extra, 3 * extra)
        assert torch.equal(k[:, :, :3], keys[parents])
        assert torch.equal(v[:, :, :3], 2 * keys[parents])
        assert torch.equal(v[:, :, 3:], 3 * extra)


@pytest.mark.parametrize("seed", range(5))
def test_rows_that_go_on_from_one_another_for_long_hold_what_they_read(seed: int) -> None:
    """Only what differs is copied; going back and leaving rows out between must not hide a difference."""
    draw = random.Random(seed)
    cache = state().select(torch.tensor([0, 0, 0, 1, 1, 1]))
    read: list[list[float]] = [[] for _ in range(6)]
    for number in range(40):
        kept = [[draw.choice([row, first]) for row in range(first, first + 3)] for first in (0, 3)]
        turn = draw.choice(["reorder", "reorder", "back", "select", ""])
        length = cache.length
        if turn == "back":
            length = draw.randint(0, length)
            cache.truncate(length)
        rows = [*kept[0], *kept[1]] if turn in ("reorder", "select") else list(range(6))
        if turn == "reorder":
            cache.reorder(rows)
        elif turn == "select":
            cache = cache.select(torch.tensor(rows))
        read = [read[row][:length] for row in rows]
        for row, each in enumerate(read):
            each.append(100.0 * row + number)
        new = torch.tensor([each[-1] for each in read])[:, None, None, None].expand(6, 3, 1, 4)
        for layer in range(2):
            k, v = cache.extend(layer, new, -new)
            assert k[:, 0, :, 0].tolist() == read and torch.equal(v, -k)
        cache.advance()


@pytest.mark.parametrize("parents", [[0, 1, 2, 2, 4, 5], [1, 2, 2, 3, 4, 5], [0, 1, 2, 3]])
def test_rows_do_not_go_on_from_another_sentence_or_from_one_that_moves(parents: list[int]) -> None:
    cache = state().select(torch.tensor([0, 0, 0, 1, 1, 1]))
    put(cache, 3, rows=6)
    with pytest.raises(ValueError, match="cannot go on from the rows"):
        cache.reorder(parents)


def test_several_positions_at_once_are_the_same_as_one_by_one() -> None:
    single, block = state(), state()
    keys = put(single, 20)
    for layer in range(2):
        block.extend(layer, torch.cat(keys, dim=2), 2 * torch.cat(keys, dim=2))
    block.advance(20)
    last = torch.ones(2, 3, 1, 4)
    for one, other in zip(single.extend(0, last, last), block.extend(0, last, last), strict=True):
        assert torch.equal(one, other)


def test_hypotheses_of_one_sentence_share_its_memory() -> None:
    cache = state()
    beams = cache.select(torch.tensor([0, 0, 0, 1, 1, 1]))
    assert beams.rows == 6
    assert beams.cross[0][0] is cache.cross[0][0]
    reordered = beams.select(torch.tensor([2, 0, 0, 5, 4, 3]))
    assert reordered.cross[1][1] is cache.cross[1][1]
    last = reordered.select(torch.tensor([3, 4, 4]))  # the first sentence is done
    assert torch.equal(last.cross[0][0], cache.cross[0][0][1:])
    uneven = reordered.select(torch.tensor([0, 3, 4]))
    assert torch.equal(uneven.cross[0][0], cache.cross[0][0][[0, 1, 1]])


def test_a_state_of_hypotheses_steps_as_one_with_copies_of_the_memory(kind: Checkpoint) -> None:
    source = torch.tensor([[5, 6, 7, 2, 0, 0], [8, 9, 10, 11, 12, 2]])
    memory = kind.model.encode(source)
    shared = kind.model.start(memory, source).select(torch.tensor([0, 0, 0, 1, 1, 1]))
    copied = kind.model.start(memory[[0, 0, 0, 1, 1, 1]], source[[0, 0, 0, 1, 1, 1]])
    hooks = Hooks(["*"]), Hooks(["*"])
    for _ in range(3):
        tokens = torch.randint(4, 16, (6,))
        found = [
            kind.model.step(tokens, each, seen) for each, seen in zip((shared, copied), hooks, strict=True)
        ]
        assert torch.allclose(found[0], found[1], atol=1e-5)
    for site, tensor in hooks[1].records.items():
        if site.block == "cross" and site.kind in MAP_KINDS:
            assert torch.allclose(hooks[0].records[site], tensor, atol=1e-4), site
