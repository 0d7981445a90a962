"""The code beside the pictures of lessons: each line runs, and its result is what the model recorded; a wrong line is noticed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import core
from core.learning.scene_code import CODE, Place, SceneCode, fits
from core.learning.tutorials import preset
from core.model.hooks import Site
from core.training.objective import smoothed_loss

SHIPPED = Path(__file__).parents[3] / "checkpoints"
TEXTS = {"en-fr": "The cat is sleeping on the red sofa.", "dates": "3rd of May, 1979"}
HEAD = (1, 2)


@cache
def place_of(name: str, checkpoint: str = "en-fr") -> Place:
    loaded = core.load(SHIPPED / checkpoint)
    trace = core.trace(loaded, TEXTS[checkpoint], record=["*"])
    return Place(loaded, trace, TEXTS[checkpoint], HEAD)


def results(code: SceneCode, place: Place) -> dict[int, Any]:
    return dict(enumerate(code.run(place)))


def off(code: SceneCode, place: Place) -> dict[str, float]:
    """How far the result of each line is from what the model recorded, relative to the largest number there."""
    far = {}
    for line, result in zip(code.lines, code.run(place), strict=True):
        if line.site:
            recorded = place.at(line.site)
            if recorded.dim() > result.dim():
                recorded = recorded[place.head[1]]
            assert recorded.shape == result.shape, line.code
            finite = torch.isfinite(recorded)
            assert torch.equal(finite, torch.isfinite(result)), line.code
            scale = max(1.0, float(recorded[finite].abs().max()))
            far[line.code] = float((recorded - result)[finite].abs().max()) / scale
    return far


@pytest.mark.parametrize("checkpoint", TEXTS)
@pytest.mark.parametrize("name", CODE)
def test_the_lines_compute_what_the_model_recorded(name: str, checkpoint: str) -> None:
    code, place = CODE[name], place_of(name, checkpoint)
    assert 5 <= len(code.lines) <= 12
    assert all(len(line.code) <= 42 for line in code.lines)  # the panel's width
    assert all(far < 1e-5 for far in off(code, place).values()), off(code, place)
    for line, result in zip(code.lines, code.run(place), strict=True):
        assert np.ndim(result) == len(line.axes), line.code


@pytest.mark.parametrize("name", [name for name in CODE if name not in ("loss", "by_hand")])
def test_each_scene_ends_in_numbers_of_the_model(name: str) -> None:
    assert any(line.site for line in CODE[name].lines) and off(CODE[name], place_of(name))


def test_the_ids_are_those_that_the_model_reads() -> None:
    place = place_of("ids")
    pieces, ids, *_ = CODE["ids"].run(place)
    assert tuple(pieces) == tuple(ids.tolist()) == place.trace.source_ids


@pytest.mark.parametrize("checkpoint", TEXTS)
def test_the_losses_are_those_of_torch_and_of_the_training(checkpoint: str) -> None:
    place = place_of("loss", checkpoint)
    result = dict(zip([line.name for line in CODE["loss"].lines], CODE["loss"].run(place), strict=True))
    logits, targets = place.at("decoder.final.logits"), torch.tensor(place.trace.written_ids)
    assert float(result["loss"]) == pytest.approx(float(F.cross_entropy(logits, targets)), abs=1e-5)
    smooth = F.cross_entropy(logits, targets, label_smoothing=0.05)
    assert float(result["smooth"]) == pytest.approx(float(smooth), abs=1e-5)
    assert float(result["smooth"]) == pytest.approx(
        float(smoothed_loss(logits, targets, 0.05)) / len(targets), abs=1e-5
    )


@pytest.mark.parametrize("checkpoint", TEXTS)
def test_the_words_are_those_that_greedy_search_wrote(checkpoint: str) -> None:
    place = place_of("choose", checkpoint)
    result = dict(zip([line.name for line in CODE["choose"].lines], CODE["choose"].run(place), strict=True))
    assert tuple(result["greedy"].tolist()) == place.trace.written_ids
    log_p = F.log_softmax(place.at("decoder.final.logits"), -1)
    wanted = float(log_p[range(len(log_p)), list(place.trace.written_ids)].sum())
    assert float(result["total"]) == pytest.approx(wanted, abs=1e-4)


WRONG = {
    "scores": (" / d ** 0.5", ""),
    "mixed": ("transpose(0, 1)", "contiguous()"),
    "positions": ("10000", "1000"),
    "mask": ("triu(1)", "tril(1)"),
    "stream": (".relu()", ".abs()"),
    "ids": ("d ** 0.5", "d"),
    "choose": ("x @ table.T", "x @ table.T * 2"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_line_is_noticed(name: str) -> None:
    code = CODE[name]
    lines = tuple(line._replace(code=line.code.replace(*WRONG[name])) for line in code.lines)
    assert lines != code.lines
    try:
        far = off(replace(code, lines=lines), place_of(name))
    except (RuntimeError, AssertionError):  # shapes that do not fit are noticed too
        return
    assert max(far.values()) > 1e-3


def test_lines_are_shown_of_models_that_compute_like_them() -> None:
    shown = {path.name for path in SHIPPED.iterdir() if (path / "config.json").exists()}
    assert shown >= set(TEXTS) and all(fits(core.load(SHIPPED / name).config) for name in TEXTS)
    assert not any(fits(preset(name)) for name in ("paper", "t5", "tutorial-a", "tutorial-e"))


def test_what_a_scene_records_is_enough_for_it() -> None:
    full = place_of("scores")
    for code in CODE.values():
        wanted = {Site.parse(site) for site in code.sites(HEAD[0])}
        kept = {site: values for site, values in full.trace.records.items() if site in wanted}
        assert set(kept) == wanted
        part = replace(full, trace=replace(full.trace, records=kept))
        assert len(code.run(part)) == len(code.lines) and len(code.run(part, 2)) == 2
