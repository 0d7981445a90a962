"""Faults of a beam search are seen where the model is not peaked: there hypotheses of several parents compete."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import core.decoding.search
from core.api import Checkpoint
from core.decoding.search import Beam, continuations
from core.verify.beams import beam_gap


@pytest.fixture(scope="module")
def flat(build: Callable[..., Checkpoint]) -> Checkpoint:
    """The most probable token has less than a fifth of the probability, and the best four less than a half."""
    checkpoint = build(tie_output=False)
    with torch.no_grad():
        for name, weight in checkpoint.model.named_parameters():
            if "output" in name and weight.shape[0] == checkpoint.config.target_vocab_size:
                weight.mul_(0.2)
    return checkpoint


def source(checkpoint: Checkpoint) -> list[int]:
    return checkpoint.encode_source("abc")


def test_a_sound_search_passes_and_its_hypotheses_have_several_parents(flat: Checkpoint) -> None:
    ids = torch.tensor([source(flat)])
    with torch.inference_mode():
        assert 1 / 9 < float(flat.model(ids, ids[:, :1]).softmax(-1).sort().values[0, 0, -4:].sum()) < 1 / 2
        assert beam_gap(flat, source(flat)) < 1e-5


def _continuations(change: Callable[[list[Any]], list[Any]]) -> Callable[..., list[list[Any]]]:
    return lambda *args, **options: [change(each) for each in continuations(*args, **options)]


FAULTS: dict[str, Callable[[list[Any]], list[Any]]] = {
    "children of the best hypothesis alone": lambda found: [each for each in found if each[1] == 0],
    "one child of each": lambda found: list({each[1]: each for each in reversed(found)}.values())[::-1],
    "the second is passed over": lambda found: found[:1] + found[2:],
    "two in the wrong order": lambda found: [found[0], *found[2:3], *found[1:2], *found[3:]],
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_search_is_seen(flat: Checkpoint, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    monkeypatch.setattr(core.decoding.search, "continuations", _continuations(FAULTS[fault]))
    with torch.inference_mode():
        assert not beam_gap(flat, source(flat)) < 1e-3


@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0])
def test_a_wrong_length_penalty_is_seen(
    flat: Checkpoint, monkeypatch: pytest.MonkeyPatch, exponent: float
) -> None:
    made = Beam.__init__

    def careless(self: Beam, size: int, bos: int, eos: int | None, limit: int, penalty: float) -> None:
        made(self, size, bos, eos, limit, exponent)

    monkeypatch.setattr(Beam, "__init__", careless)
    with torch.inference_mode():
        assert not beam_gap(flat, source(flat)) < 1e-3
