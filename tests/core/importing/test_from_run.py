"""The attention of modules in anybody's style is read while they run, and equals what a plain loop computes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import core
from core.errors import InputError

HEADS, WIDTH = 2, 8
SOURCE, TARGET = ["the", "cat", "sat"], ["<s>", "le", "chat", "dort"]
SRC, TGT = torch.tensor([[4, 5, 6]]), torch.tensor([[1, 7, 8, 9]])


def softmax_of_heads(scores: Tensor, values: Tensor) -> Tensor:
    return torch.softmax(scores, dim=-1) @ values


def module_of_heads(scores: Tensor, values: Tensor) -> Tensor:
    return nn.Softmax(dim=-1)(scores) @ values


def heads_in_the_batch(scores: Tensor, values: Tensor) -> Tensor:
    flat = scores.flatten(0, 1).softmax(-1)
    return torch.bmm(flat, values.flatten(0, 1)).unflatten(0, scores.shape[:2])


class Theirs(nn.Module):
    """An encoder-decoder of two layers without norms, whose mixing of values is given; `None` is torch's fused attention."""

    def __init__(self, mix: Callable[[Tensor, Tensor], Tensor] | None) -> None:
        super().__init__()
        self.mix = mix
        self.table = nn.Embedding(10, WIDTH)
        self.blocks = nn.ModuleList(nn.Linear(WIDTH, 3 * WIDTH) for _ in range(6))
        self.kept: list[Tensor] = []

    def attend(self, block: int, x: Tensor, memory: Tensor, causal: bool = False) -> Tensor:
        project = self.blocks[block]
        parts = (project(x)[..., :WIDTH], *project(memory)[..., WIDTH:].chunk(2, -1))
        q, k, v = (each.unflatten(-1, (HEADS, -1)).transpose(1, 2) for each in parts)
        scores = q @ k.transpose(-2, -1) / math.sqrt(WIDTH // HEADS)
        if causal:
            scores = scores + torch.full(scores.shape[-2:], -torch.inf).triu(1)
        self.kept.append((scores.double() - scores.double().logsumexp(-1, keepdim=True)).exp()[0])
        mixed = (
            F.scaled_dot_product_attention(q, k, v, is_causal=causal)
            if self.mix is None
            else self.mix(scores, v)
        )
        return x + mixed.transpose(1, 2).flatten(2)

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        x, y = self.table(src), self.table(tgt)
        for block in (0, 1):
            x = self.attend(block, x, x)
        for block in (2, 4):
            y = self.attend(block + 1, self.attend(block, y, y, causal=True), x)
        return (y @ self.table.weight.t()).softmax(-1)


@pytest.mark.parametrize("mix", [softmax_of_heads, module_of_heads, heads_in_the_batch, None])
def test_the_maps_are_those_that_the_module_computes(mix: Callable[[Tensor, Tensor], Tensor] | None) -> None:
    torch.manual_seed(0)
    model = Theirs(mix)
    trace = core.from_run(lambda: model(SRC, TGT), SOURCE, TARGET)
    encoder, decoder = model.kept[:2], model.kept[2:]
    for kind, stack, block in (
        ("encoder", "encoder", "self"),
        ("causal", "decoder", "self"),
        ("cross", "decoder", "cross"),
    ):
        expected = {"encoder": encoder, "causal": decoder[::2], "cross": decoder[1::2]}[kind]
        assert np.abs(trace.weights(stack, block) - np.stack(expected)).max() < 1e-6


def test_torchs_own_layers_and_a_decoder_alone_are_read() -> None:
    torch.manual_seed(0)
    model = nn.Transformer(WIDTH, HEADS, 2, 3, 16, batch_first=True).eval()
    trace = core.from_run(lambda: model(torch.randn(1, 3, WIDTH), torch.randn(1, 4, WIDTH)), SOURCE, TARGET)
    assert trace.weights("encoder", "self").shape == (2, HEADS, 3, 3)
    assert trace.weights("decoder", "cross").shape == (3, HEADS, 4, 3)
    alone = core.from_run(
        lambda: Theirs(None).attend(0, *[torch.randn(1, 4, WIDTH)] * 2, causal=True), target=TARGET
    )
    assert alone.kinds == ("causal",)


def test_heads_that_share_keys_are_read() -> None:
    torch.manual_seed(0)
    queries, keys = torch.randn(1, 4, 3, WIDTH), torch.randn(1, 2, 3, WIDTH)
    trace = core.from_run(
        lambda: F.scaled_dot_product_attention(queries, keys, keys, enable_gqa=True), SOURCE
    )
    scores = queries[0].double() @ keys[0, [0, 0, 1, 1]].double().transpose(-2, -1) / math.sqrt(WIDTH)
    assert np.abs(trace.weights("encoder", "self")[0] - np.array(scores.softmax(-1))).max() < 1e-6


@pytest.mark.parametrize(
    ("run", "source", "target", "said"),
    [
        (lambda: None, SOURCE, SOURCE, "3 tokens each"),
        (lambda: None, SOURCE, TARGET, "computed no attention of 3 source and 4 target tokens"),
        (
            lambda: Theirs(None).attend(0, *[torch.randn(2, 3, WIDTH)] * 2),
            SOURCE,
            TARGET,
            "for 2 sentences, which do not fit 1",
        ),
        (lambda: Theirs(None)(SRC, TGT), SOURCE, TARGET[1:] + ["."] * 2, "4 × 4 weights .* 5 target tokens"),
        (lambda: None, "the cat", TARGET, "source is one text"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(
    run: Callable[[], object], source: list[str], target: list[str], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        core.from_run(run, source, target)
