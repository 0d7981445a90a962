"""The key/value cache: grows, goes back, is reordered, and takes several positions at once."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from core.api import Checkpoint
from core.model.attention import Mask
from core.model.cache import DecodeState
from core.model.hooks import MAP_KINDS, Hooks


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
