"""Modules whose forward pass is written as other people write theirs: each is called rightly, or refused in one sentence."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import core
from core.errors import InputError
from core.model.transformer import sinusoid_table

TOKENS, WIDTH = 20, 16


class Model(nn.Module):
    """Embeddings and sinusoids around torch's Transformer; its forward pass is given."""

    def __init__(self, forward: Callable[..., Any]) -> None:
        super().__init__()
        self.source, self.target = nn.Embedding(TOKENS, WIDTH), nn.Embedding(TOKENS, WIDTH)
        self.transformer = nn.Transformer(WIDTH, 2, 1, 1, 24, batch_first=True)
        self.fc_out = nn.Linear(WIDTH, TOKENS)
        self.register_buffer("positions", sinusoid_table(64, WIDTH, "sinusoidal").float())
        self._forward = forward

    def logits(self, source: Tensor, target: Tensor, padding: Tensor | None = None) -> Tensor:
        states = [
            table(ids) * math.sqrt(WIDTH) + self.positions[: ids.shape[1]]
            for table, ids in ((self.source, source), (self.target, target))
        ]
        length = target.shape[1]
        causal = torch.ones(length, length, dtype=torch.bool).triu(1)
        decoded = self.transformer(
            *states, tgt_mask=causal, src_key_padding_mask=padding, memory_key_padding_mask=padding
        )
        return self.fc_out(decoded)


def with_forward(forward: Callable[..., Any]) -> nn.Module:
    torch.manual_seed(1)
    return type("Theirs", (Model,), {"forward": forward})(forward).eval()


STYLES: dict[str, Callable[..., Any]] = {
    "target first": lambda self, tgt, src: self.logits(src, tgt),
    "names that say nothing, target first": lambda self, a, b: self.logits(b, a),
    "a batch as a dict": lambda self, batch: self.logits(batch["src"], batch["tgt"]),
    "a batch as a tuple": lambda self, batch: self.logits(*batch),
    "any arguments": lambda self, *arguments: self.logits(*arguments),
    "any names": lambda self, **named: self.logits(named["source"], named["target"]),
    "names alone": lambda self, *, src, tgt: self.logits(src, tgt),
    "True is kept": lambda self, src, tgt, src_mask: self.logits(src, tgt, ~src_mask),
    "mask before target": lambda self, src, src_mask, tgt, tgt_mask: self.logits(src, tgt),
    "lengths": lambda self, src, src_len, tgt: self.logits(src, tgt),
    "device": lambda self, src, tgt, device, teacher_forcing_ratio: self.logits(src, tgt),
    "last target token dropped": lambda self, src, tgt: self.logits(src, tgt[:, :-1]),
    "one sentence": lambda self, src, tgt: self.logits(src[None], tgt[None])[0],
    "called twice": lambda self, src, tgt: (self.logits(src, tgt).mean(), self.logits(src, tgt)),
    "padding looked for inside": lambda self, src, tgt: self.logits(src, tgt, src == 0),
}


@pytest.mark.parametrize("style", STYLES)
def test_it_is_called_as_it_is_written(style: str) -> None:
    checkpoint = core.wrap(with_forward(STYLES[style]), "numbers", pad=0, bos=1, eos=2)
    assert checkpoint.agreement is not None and checkpoint.agreement.agrees


@pytest.mark.parametrize(
    ("forward", "said"),
    [
        (lambda self, src, tgt: self.logits(src, tgt).argmax(-1), "returns a Tensor for ids"),
        (lambda self, src, tgt: 1 / 0, "could not be called with ids and masks .division by zero"),
        (lambda self, src, tgt, gold_alignment: None, "could not be called"),
        (nn.Module.forward, "has no forward pass"),
    ],
    ids=["chosen tokens", "an error of its own", "something else is needed", "none"],
)
def test_what_cannot_be_called_is_refused_in_a_sentence(forward: Callable[..., Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        core.wrap(with_forward(forward), "numbers", pad=0, bos=1, eos=2)
