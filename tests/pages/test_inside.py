"""The page Inside a head: what it opens with, links into it, what does not exist, and every kind of model's cards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.mounted import Mounted, watch
from tests.pages.test_pages import Open, sound, words
from ui.inside import head as page

TEXT = "I am tired."


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Mounted:
    """What the page hands to its views."""
    return watch(monkeypatch, page)


def card(drawn: Mounted, key: str) -> tuple[dict[str, Any], np.ndarray]:
    """A card as the browser gets it, with its numbers."""
    for card in drawn["inside"]["cards"]:
        if card["key"] == key:
            return card, card["values"].reshape(len(card["rows"]), len(card["cols"]))
    raise AssertionError(f"there is no card {key}")


def test_it_opens_with_why_the_strongest_weight_is_so_large(open_app: Open, drawn: Mounted) -> None:
    app = sound(open_app("inside", {"text": TEXT}))
    answer = drawn["answer"]
    assert answer["kind"] == "cross" and "inside" not in drawn
    chosen = answer["lines"][answer["chosen"]]
    assert chosen["key"] == answer["column"]
    best = max((line["sizes"][-1], line["key"]) for line in answer["lines"])
    assert best[1] == answer["column"]
    # All operations are one level down, at the same number.
    app.button(key="widget_operations").click().run()
    meta, why = drawn["inside"], drawn["inside_terms"]["why"]
    assert meta["picked"] == {"card": "weights", "cell": [answer["row"], answer["column"]]}
    assert (why["card"], why["row"], why["column"], why["stamp"]) == (
        *("weights", answer["row"], answer["column"]),
        meta["stamp"],
    )
    assert why["value"] == pytest.approx(best[0], abs=1e-6)
    _, weights = card(drawn, "weights")
    assert np.allclose(weights.sum(axis=1), 1, atol=1e-5)
    drawn.clear()
    app.button(key="widget_operations").click().run()
    assert "answer" in drawn and "inside" not in drawn


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["encoder", "causal", "cross"])
def test_the_pinned_pair_is_the_question(open_app: Open, drawn: Mounted, kind: str) -> None:
    pins = {"encoder": "s3-s0", "causal": "t3-t1", "cross": "t3-s0"}
    link = {"text": TEXT, "kind": kind, "layer": "1", "head": "1", "token": "t1", "pin": pins[kind]}
    app = sound(open_app("inside", link))
    answer = drawn["answer"]
    assert (answer["row"], answer["column"]) == (3, int(pins[kind][-1]))
    app.selectbox(key="widget_row").select_index(2).run()
    row = drawn["answer"]
    assert (
        row["row"] == 2
        and row["column"]
        == max((each["sizes"][-1], each["key"]) for each in row["lines"] if each["key"] is not None)[1]
    )
    app.selectbox(key="widget_column").select_index(1).run()
    assert (drawn["answer"]["row"], drawn["answer"]["column"]) == (2, 1)
    app.selectbox(key="widget_head").select_index(0).run()
    assert (drawn["answer"]["row"], drawn["answer"]["column"]) == (2, 1)
    assert drawn["answer"]["file"] == f"inside-{kind}-0.0"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["encoder", "causal", "cross"])
def test_a_link_opens_the_same_number(open_app: Open, drawn: Mounted, kind: str) -> None:
    link = {"kind": kind, "layer": "1", "head": "1", "token": "s2" if kind == "encoder" else "t2"}
    sound(open_app("inside", {"text": TEXT, **link, "card": "q_head", "number": "1.3"}))
    meta = drawn["inside"]
    assert (meta["kind"], meta["layer"], meta["head"], meta["picked"]) == (
        kind,
        1,
        1,
        {"card": "q_head", "cell": [1, 3]},
    )
    told, values = card(drawn, "q_head")
    assert told["focus"] == 2
    assert drawn["inside_terms"]["why"]["shown"] == pytest.approx(float(values[1, 3]))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "link",
    [
        {"card": "nothing", "number": "1.1"},
        {"card": "weights", "number": "99.99"},
        {"card": "weights", "number": "0.99999"},
        {"card": "biased"},
    ],
)
def test_an_operation_that_is_not_there_falls_back(
    open_app: Open, drawn: Mounted, link: dict[str, str]
) -> None:
    app = sound(open_app("inside", {"text": TEXT, **link}))
    assert "atlas-mistake" not in words(app)
    meta = drawn["inside"]
    told, values = card(drawn, meta["picked"]["card"])
    assert meta["picked"]["card"] == "weights" and 0 <= told["focus"] < len(values)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "link",
    [
        {"layer": "99", "head": "99", "token": "t999"},
        {"layer": "mean", "head": "mean", "kind": "joint"},
        {"kind": "encoder", "token": "t3"},
        {"pin": "t999-s0"},
        {"pin": "t1-s999"},
        {"kind": "causal", "pin": "t1-t4"},
    ],
)
def test_a_head_or_row_that_is_not_there_falls_back(
    open_app: Open, drawn: Mounted, link: dict[str, str]
) -> None:
    app = sound(open_app("inside", {"text": TEXT, **link}))
    assert "atlas-mistake" not in words(app)
    answer = drawn["answer"]
    assert answer["lines"][answer["chosen"]]["key"] == answer["column"]


def test_the_row_in_hand_is_that_of_the_step_shown(open_app: Open, drawn: Mounted) -> None:
    sound(open_app("inside", {"text": TEXT, "step": "3"}))
    assert drawn["answer"]["row"] == 2
    sound(open_app("inside", {"text": TEXT, "step": "3", "card": "weights"}))
    assert card(drawn, "weights")[0]["focus"] == 2
    assert card(drawn, "v")[0]["focus"] is None
