"""The wrappers: what is sent to the browser, what is accepted back, and no way for a token to become HTML."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.decoding.strategies import cut_off
from core.model.config import ModelConfig
from tests.mounted import sent, softmax
from ui.app import navigation
from ui.shared import decode, mount
from ui.shared.decode import Cut, Extra, StepData
from ui.translate import stage

ATTACK = "<img src=x onerror=alert(1)>"


STEP = StepData((4, 7), ("du", "de"), (0.71, 0.11), (7998, 0.18), chosen=4)


def test_quantised_weights_keep_their_numbers() -> None:
    weights = softmax(1, 1, 5, 9)
    sent = mount.quantise(weights)
    assert sent.dtype == np.uint16 and sent.shape == (45,)
    assert np.abs(sent / 65535 - weights.ravel()).max() <= 0.5 / 65535 + 1e-12
    assert mount.quantise(np.zeros((0, 3))).size == 0
    for bad in (np.array([np.nan]), np.array([-0.2]), np.array([1.5])):
        with pytest.raises(ValueError, match="must lie in 0..1"):
            mount.quantise(bad)


def _stage(weights: np.ndarray, **changes: object) -> stage.StageData:
    arguments: dict[str, object] = {
        "source": ["a", ATTACK, "⟨end⟩"],
        "target": ["du", "vélo"],
        "full": weights,
        "distributions": [STEP, STEP],
        "position": 9,
        "layer": 1,
        "head": None,
    }
    return stage.StageData(**{**arguments, **changes})  # type: ignore[arg-type]


def test_stage_sends_every_head_once_and_labels_untouched() -> None:
    data = _stage(softmax(2, 4, 2, 3))
    assert data.shape == (2, 4, 2, 3) and data.weights.shape == (48,)
    assert data.source == ["a", ATTACK, "⟨end⟩"]
    assert data.position == 2
    assert sent(data)["subjects"] == [
        ["the mean of 8 heads", *(f"the mean of head {head} in 2 layers" for head in range(4))],
        *(
            [f"the mean of 4 heads in layer {layer}", *(f"head {layer}.{head}" for head in range(4))]
            for layer in range(2)
        ),
    ]


def test_stage_sends_only_the_chosen_map_when_there_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "MAX_NUMBERS", 10)
    weights = softmax(2, 4, 2, 3)
    data = _stage(weights)
    assert data.shape == (1, 1, 2, 3) and (data.layers, data.heads) == (2, 4)
    sent = data.weights.reshape(2, 3) / 65535
    assert np.allclose(sent, weights[1].mean(0), atol=1e-5)
    one = _stage(weights, layer=0, head=3)
    assert np.allclose(one.weights.reshape(2, 3) / 65535, weights[0, 3], atol=1e-5)


def test_stage_names_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match=r"\(2, 4, 5, 3\).*2 target tokens"):
        _stage(softmax(2, 4, 5, 3))
    with pytest.raises(ValueError, match="layer 7 does not exist; choose 0 to 1"):
        _stage(softmax(2, 4, 2, 3), layer=7)
    with pytest.raises(ValueError, match="1 distributions for 2"):
        _stage(softmax(2, 4, 2, 3), distributions=[STEP])


def test_stage_says_what_opens_and_what_its_numbers_are() -> None:
    data = _stage(
        softmax(2, 4, 2, 3),
        opens=stage.OpensHead(1, 3, "because"),
        grown=[(0, "du"), (2, " vélo")],
        writes=True,
    )
    assert sent(data)["opens"] == {"layer": 1, "head": 3, "why": "because"}
    assert sent(data)["grown"] == [[0, "du"], [2, " vélo"]] and data.writes
    assert [name for name, _ in data.metrics] == ["weight", "probability", "rank"]
    assert all(definition for _, definition in data.metrics)


def test_stage_before_the_first_word() -> None:
    data = _stage(np.zeros((2, 4, 0, 3)), target=[], distributions=[replace(STEP, chosen=None)])
    assert data.position == 0 and data.weights.size == 0


def test_events_from_the_browser_are_checked() -> None:
    drawn = _stage(softmax(2, 4, 5, 3), target=list("abcde"), distributions=[STEP] * 5)
    read = stage.STAGE.answer
    look = read("view", {"position": 99, "layer": 1, "head": 12}, drawn)
    assert look == stage.StageLook(position=5, layer=1, head=None)
    for nonsense in (None, 3, "x", {"position": -1}, {"position": True}, {"position": "2"}, {}):
        assert read("view", nonsense, drawn) is None
    chosen = read("forced", {"position": 3, "id": 8, "label": ATTACK}, drawn)
    assert chosen == stage.Forced(3, 8, ATTACK)
    for wrong in (None, {}, {"id": 1}, {"id": -1, "position": 0}, {"id": "1", "position": 0}):
        assert read("forced", wrong, drawn) is None


PROBABILITIES = np.array([0.05, 0.5, 0.3, 0.1, 0.04, 0.01])


def test_next_word_sums_the_rest_and_finds_the_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "TOP", 3)
    of, kept = StepData.from_probabilities, cut_off(PROBABILITIES, top_k=4, top_p=0.9)
    step = of(PROBABILITIES, str, chosen=5, forced=True, kept=kept, limit="p")
    assert step.ids == (1, 2, 3) and step.labels == ("1", "2", "3")
    assert step.cut == Cut(3, "p") and step.barred == () and step.forced
    assert step.extra == Extra("5", pytest.approx(0.01), 6)  # type: ignore[arg-type]
    assert step.rest == (2, pytest.approx(0.09))
    assert of(PROBABILITIES, str).cut is None and of(PROBABILITIES, str, kept=kept).cut is None
    third = replace(STEP, probabilities=(2 / 3, 1e-9), rest=(1, 1 / 3)).rounded()
    assert (third.probabilities, third.rest) == ((0.666667, 0.0), (1, 0.333333))
    with pytest.raises(ValueError, match="as many ids, labels and probabilities, got 2, 1 and 2"):
        replace(STEP, labels=("du",))


def test_a_banned_word_among_the_best_is_barred_and_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "TOP", 4)
    kept = cut_off(PROBABILITIES, top_k=2, banned=(1,))
    step = StepData.from_probabilities(
        PROBABILITIES, str, chosen=2, kept=kept, limit="top 2", banned=(0, 1), fixed=2
    )
    assert step.cut == Cut(2, "top 2") and step.barred == (1, 0) and step.fixed == 2


def test_tree_checks_its_nodes() -> None:
    def node(number: int, parent: int | None) -> decode.BeamNode:
        return decode.BeamNode(number, parent, int(parent is not None), "x", -1.0, -1.0, True, False, False)

    data = stage.TreeData([node(0, None), node(1, 0)], 2, selected=9)
    assert data.selected is None
    with pytest.raises(ValueError, match="share an id"):
        stage.TreeData([node(0, None), node(0, None)], 2)
    with pytest.raises(ValueError, match="node 1 names parent 5"):
        stage.TreeData([node(0, None), node(1, 5)], 2)


def test_map_strip_says_the_sizes_in_words() -> None:
    config = ModelConfig(
        source_vocab_size=8000, target_vocab_size=8000, d_model=256, encoder_layers=4, decoder_layers=6
    )
    blocks = navigation.map_data(config, source_tokens=1, lit=["cross"]).blocks
    assert tuple(blocks) == navigation.BLOCKS
    assert blocks["source"].fact == "1 token" and blocks["memory"].fact == "1 vector"
    assert blocks["decoder"].title == "decoder × 6" and blocks["next"].fact == "softmax over 8,000"


def _page() -> None:
    import numpy as np

    from core.model.config import ModelConfig
    from ui.app.navigation import ARCHITECTURE, map_data
    from ui.shared.decode import BeamNode, StepData
    from ui.shared.mount import mount
    from ui.style.theme import inject_shell
    from ui.translate.stage import STAGE, TREE, StageData, TreeData

    inject_shell(presenter=True)
    step = StepData((1, 2), ("a", "b"), (0.6, 0.3), (5, 0.1), chosen=1)
    full = np.full((2, 2, 1, 3), 1 / 3)
    words = ["x", "<b>y</b>", "⟨end⟩"]
    mount(ARCHITECTURE, map_data(ModelConfig(source_vocab_size=9, target_vocab_size=9)), key="strip")
    stage = StageData(source=words, target=["a"], full=full, distributions=[step], position=1, layer=1)
    mount(STAGE, stage, key="stage", forced=print, view=print)
    root = BeamNode(0, None, 0, "⟨start⟩", 0.0, 0.0, True, False, True)
    mount(TREE, TreeData([root], beam=2), key="tree", picked=print)


def test_every_wrapper_mounts_in_an_app() -> None:
    app = AppTest.from_function(_page).run()
    assert not app.exception
    assert len(app.get("bidi_component")) == 3
