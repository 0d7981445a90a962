"""Attributions sum to what they attribute, on every kind of model, and single parts are what removing them by hand gives."""

from __future__ import annotations

import copy
import dataclasses

import numpy as np
import pytest
import torch

import core
from core.api import Checkpoint
from core.decoding.search import translate_batch
from core.errors import InputError
from core.experiments.attribution import direct, gradient_times_input, integrated_gradients
from core.model.hooks import Hooks, Site
from core.model.layers import Norm
from tests.core.conftest import KINDS


def sentence(checkpoint: Checkpoint) -> tuple[list[int], list[int]]:
    return checkpoint.encode_source("abc def."), checkpoint.target_tokenizer.encode("bad cafe")


@pytest.mark.parametrize("other", [None, 7])
@pytest.mark.parametrize("step", [0, 4])
def test_the_parts_sum_to_the_logit(kind: Checkpoint, step: int, other: int | None) -> None:
    source, written = sentence(kind)
    found = direct(kind, source, written, step, 9, other)
    assert found.sum == pytest.approx(found.total, abs=1e-5 * max(1.0, abs(found.total)))
    decoder = kind.config.of("decoder")
    assert len(found.heads) == 2 * kind.config.decoder_layers * decoder.heads
    with torch.inference_mode():
        prefix = torch.tensor([[kind.config.bos_id, *written[:step]]])
        logits = kind.model(torch.tensor([source]), prefix)[0, -1]
    expected = float(logits[9] - (0 if other is None else logits[other]))
    assert found.total == pytest.approx(expected, abs=1e-4)


def test_a_part_is_what_is_lost_without_it_while_the_norm_is_held(build: object) -> None:
    """The last layer's head of a pre-norm model: set to zero with the final norm's statistics as they were."""
    checkpoint: Checkpoint = build(**KINDS["pre"])  # type: ignore[operator]
    source, written = sentence(checkpoint)
    found = direct(checkpoint, source, written, 3, 9)
    ids = torch.tensor([source]), torch.tensor([[checkpoint.config.bos_id, *written[:3]]])
    site = Site("decoder", 1, "cross", "head_output")
    whole, without = (
        Hooks(["decoder.1.ffn.output", "decoder.final.norm_*"]),
        Hooks(["decoder.1.cross.output"]),
    )

    def off(output: torch.Tensor) -> torch.Tensor:
        return output * torch.tensor([1.0, 0.0, 1.0, 1.0])[:, None, None]

    with torch.inference_mode():
        kept = Hooks(["decoder.1.cross.output"])
        before = checkpoint.model(*ids, kept)
        checkpoint.model(*ids, whole)
        without = Hooks(["decoder.1.cross.output"], {site: off})
        checkpoint.model(*ids, without)
        del before
    cross = Site("decoder", 1, "cross", "output")
    lost = (kept.records[cross] - without.records[cross])[0, -1].double()
    norm = checkpoint.model.decoder_norm
    assert isinstance(norm, Norm)
    variance = whole.records[Site("decoder", 0, "final", "norm_var")][0, -1].double()
    direction = (lost - lost.mean()) / (variance + norm.eps).sqrt() * norm.weight.double()
    table = checkpoint.model.target_embedding.table
    assert found.heads["cross", 1, 1] == pytest.approx(float(direction @ table[9].double()), abs=1e-5)


@pytest.mark.sampled(3)
def test_integrated_gradients_are_complete(kind: Checkpoint) -> None:
    """To 2 % on random models with kinks (ReLU), which need more points than a trained one."""
    source, written = sentence(kind)
    found = integrated_gradients(kind, source, written, 4, 9, 7)
    assert found.source.shape == (len(source),) and found.prefix.shape == (5,)
    assert found.gap < 0.02


def test_they_are_complete_on_the_shipped_model() -> None:
    checkpoint = core.load("checkpoints/en-fr")
    source = checkpoint.encode_source("The cat is sleeping on the red sofa.")
    written = translate_batch(checkpoint.model, [source])[0]
    other = checkpoint.target_tokenizer.encode("fauteuil")[0]
    found = integrated_gradients(checkpoint, source, written, 5, written[5], other)
    assert found.gap < 0.01


def test_gradients_are_finite_differences(tiny: Checkpoint) -> None:
    source, written = sentence(tiny)
    found = gradient_times_input(tiny, source, written, 2, 9, 7)
    exact = dataclasses.replace(
        tiny, model=copy.deepcopy(tiny.model).double()
    )  # differences this small need float64
    ids = torch.tensor([source]), torch.tensor([[tiny.config.bos_id, *written[:2]]])

    def odds(factor: float) -> float:
        def scaled(embedding: torch.Tensor) -> torch.Tensor:
            changed = embedding.clone()
            changed[:, 3] *= factor
            return changed

        with torch.inference_mode():
            hooks = Hooks(edit={Site("encoder", 0, "embed", "token_embedding"): scaled})
            logits = exact.model(*ids, hooks)[0, -1]
        return float(logits[9] - logits[7])

    slope = (odds(1 + 1e-4) - odds(1 - 1e-4)) / 2e-4
    assert found.source[3] == pytest.approx(slope, rel=1e-3)
    assert found.value == pytest.approx(odds(1.0), abs=1e-4)


def test_what_does_not_exist_is_refused(tiny: Checkpoint) -> None:
    source, written = sentence(tiny)
    with pytest.raises(InputError, match="no step 99"):
        direct(tiny, source, written, 99, 9)
    with pytest.raises(InputError, match="Token 9999"):
        integrated_gradients(tiny, source, written, 1, 9999)
    with pytest.raises(InputError, match="same"):
        gradient_times_input(tiny, source, written, 1, 9, 9)
    with pytest.raises(InputError, match="baseline 'mean' is unknown; choose one of padding, zero"):
        integrated_gradients(tiny, source, written, 1, 9, baseline="mean")
    assert np.isfinite(direct(tiny, source, written, len(written), 9).total)
