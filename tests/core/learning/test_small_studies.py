"""The small experiments of lessons: measured again on the shipped model, and against other ways to count them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import torch

import core
from core.api import Checkpoint
from core.experiments.lenses import decoder_lens
from core.learning.small_studies import LAYERS_TEXT, SWAPPED_TEXT, TEXT, count_passes, stored, study
from core.learning.study import ids
from core.model.hooks import Hooks

SHIPPED = Path(__file__).parents[3] / "checkpoints"


@cache
def shipped() -> Checkpoint:
    return core.load(SHIPPED / "en-fr")


def test_the_studies_are_measured_again() -> None:
    again, result = study(shipped()), stored()
    assert again.stepped_off == pytest.approx(result.stepped_off, abs=1e-4)
    for name in ("checkpoint", "encoder_passes", "decoder_passes", "stepped_changed", "by_layer", "swapped"):
        assert getattr(again, name) == getattr(result, name), name


def test_the_decoder_runs_once_for_each_token_and_the_encoder_once() -> None:
    written = core.trace(shipped(), TEXT).written_ids
    assert count_passes(shipped(), TEXT) == {"encoder": 1, "decoder": len(written)}


def test_a_step_hides_nothing() -> None:
    """Every key that a step reads has a weight, in every head: there is no mask."""
    model, trace = shipped().model, core.trace(shipped(), TEXT)
    source = ids(model, trace.source_ids)
    with torch.inference_mode():
        state = model.start(model.encode(source), source)
        for number, token in enumerate(trace.target_ids, start=1):
            hooks = Hooks(["decoder.*.self.weights"])
            model.step(ids(model, [token])[0], state, hooks)
            for weights in hooks.records.values():
                assert weights.shape[-2:] == (1, number) and float(weights.min()) > 0


def test_the_replaced_words_are_those_of_the_lesson() -> None:
    result = stored()
    texts = (SWAPPED_TEXT, "Her sister is happy.", "His brother is happy.")
    assert tuple(shipped().translate(list(texts))) == result.swapped
    assert result.swap_changed(0) == 0 < result.swap_changed(1)
    assert [text.split()[0] for text in result.swapped] == ["Sa", "Sa", "Son"]


def test_the_layers_count_from_the_embedding() -> None:
    result = stored()
    assert len(result.by_layer) == shipped().config.encoder_layers + 1
    assert result.by_layer[result.enough] == result.by_layer[-1]
    assert all(text != result.by_layer[-1] for text in result.by_layer[: result.enough])
    written = decoder_lens(shipped(), shipped().encode_source(LAYERS_TEXT))
    assert tuple(shipped().target_tokenizer.decode(row).strip() for row in written) == result.by_layer
    assert result.layers_changed(shipped().config.encoder_layers) == 0 < result.layers_changed(1)
