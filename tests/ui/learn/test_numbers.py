"""Measures of a step in the app: of the row, head and token that its page shows, and of the model and sentence in use."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.learning.lesson import Step
from ui.learn.shelf import Numbers, opened_by_step
from ui.session.selection import Selection
from ui.session.state import parse
from ui.shared import checkpoints as listing
from ui.shared import maps, models
from ui.shared.context import CheckpointView

TEXT = "The dog is chasing a white ball."
EOS = 2


@pytest.fixture
def shown(checkpoints: Path) -> CheckpointView:
    entry, _ = listing.find("tiny")
    models.model(entry)
    return CheckpointView(entry, Selection(text=TEXT), None)


def of(shown: CheckpointView, **params: str) -> Numbers:
    return Numbers(CheckpointView(shown.entry, parse({"text": TEXT, **params})[0], None))


def test_the_row_is_the_one_that_the_page_speaks_of(shown: CheckpointView) -> None:
    forced = {"force": "0:20,1:21,2:22,3:23"}  # the model by itself writes one word over and over
    tokens = of(shown, **forced).shown.decoded.decode.trace.tokens
    assert len(set(tokens.written[:5])) == 5 and len(set(tokens.source[3:6])) == 3
    assert of(shown, step="3", **forced).value("word") == tokens.written[2]
    assert of(shown, kind="causal", step="3", **forced).value("word") == tokens.target[2]
    assert of(shown, kind="causal", pins="q1", **forced).value("word") == tokens.target[1]
    assert of(shown, kind="encoder", token="s4", **forced).value("word") == tokens.source[4]
    assert of(shown, pins="q0,q2", **forced).value("word") == tokens.written[0]
    ended = {"force": f"{forced['force']},4:{EOS}"}
    assert tokens.written[4] != (last := of(shown, **ended).shown.decoded.decode.trace.tokens.written[-1])
    assert of(shown, **ended).value("word") == last
    assert of(shown, step="9999", **ended).value("word") == last


@pytest.mark.parametrize("kind", ["encoder", "causal", "cross"])
def test_the_head_is_the_one_that_the_page_opens(shown: CheckpointView, kind: str) -> None:
    found = of(shown, kind=kind)
    every = maps.maps_of(found.shown.decoded.decode, kind, shown.entry.tokenizers)  # type: ignore[arg-type]
    layer, head = maps.chosen(found.shown.selection, every)
    assert found.value("head") == f"{layer}.{head}"
    assert of(shown, kind=kind, layer="1", head="0").value("head") == "1.0"
    row = every.weights[1, 0, -1]
    assert of(shown, kind=kind, layer="1", head="0").value("looked_weight") == pytest.approx(row.max())


def test_the_token_is_the_one_that_is_picked(shown: CheckpointView) -> None:
    from core.analysis.norms import RECORD

    found = of(shown, token="s3")
    trace = found.shown.decoded.recorded(RECORD)
    assert found.value("mean_before") == pytest.approx(float(trace.array("encoder.0.self.norm_mean")[3]))
    assert found.value("mean_before") != of(shown, token="s2").value("mean_before")
    assert found.value("mean_after") == pytest.approx(0, abs=1e-5)
    assert found.value("sum_off") == pytest.approx(0, abs=1e-5)


def test_edits_are_those_of_the_step(shown: CheckpointView) -> None:
    assert of(shown).value("words_changed") == 0
    assert of(shown, edits="n", kind="causal").value("ahead_edited") > 0.001  # type: ignore[operator]
    assert of(shown, kind="causal").value("ahead") == 0


def step(**link: str) -> Step:
    return Step((), "attention", link, ())


def test_a_link_is_filled_by_the_model_in_force(shown: CheckpointView) -> None:
    asked = step(text=TEXT, kind="encoder", layer="{sharpest_layer}", head="{sharpest_head}")
    found = opened_by_step(asked, "x.1", shown.selection, shown)
    assert f"{found.layer}.{found.head}" == of(shown, kind="encoder").value("sharpest")
    assert (found.lesson, found.kind) == ("x.1", "encoder")


def test_what_is_the_readers_own_is_kept_and_the_rest_is_the_steps(shown: CheckpointView) -> None:
    now = Selection(
        checkpoint="tiny", presenter=True, language="fr", answers=((1, 2),), kind="causal", layer=1
    )
    found = opened_by_step(step(text=TEXT), "x.2", now, shown)
    assert found == Selection(
        checkpoint="tiny", text=TEXT, presenter=True, language="fr", answers=((1, 2),), lesson="x.2"
    )


def test_a_measure_that_cannot_be_had_is_a_dash_and_leaves_the_page_its_choice(shown: CheckpointView) -> None:
    asked = step(text=TEXT, edits="zc{rewritten}", layer="{sharpest_layer}")
    found = opened_by_step(asked, "x.1", shown.selection, shown)
    assert not found.edits and found.layer is not None
    assert of(shown, edits="zc9").written("rewritten") == "–"
