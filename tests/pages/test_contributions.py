"""Contributions and lenses under the test driver: every measure of every kind, long sentences, and links."""

from __future__ import annotations

import html
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.test_pages import Open, shown, sound, words
from ui.session.selection import Selection
from ui.session.state import parse, to_params
from ui.shared import contributions

TEXT = "I am tired."
MEASURES = ("lengths", "residual", "alti", "zeroing", "rollout")


def looked(app: AppTest, **changes: Any) -> AppTest:
    found = app.session_state["selection"]
    assert isinstance(found, Selection)
    app.session_state["selection"] = replace(found, **changes)
    return sound(app.run())


def test_every_measure_of_every_kind_is_drawn_and_says_whose_it_is(open_app: Open) -> None:
    app = sound(open_app("attention", {"text": TEXT, "measure": "lengths"}))
    for measure in MEASURES:
        for kind in ("cross", "encoder", "causal", "joint"):
            looked(app, measure=measure, kind=kind, words=kind == "encoder", presenter=False)
            said = words(app)
            assert "atlas-mistake" not in said
            of_layer = "This measure belongs to a layer, not to a head." in said
            assert of_layer == (measure != "lengths"), (measure, kind)
            if kind != "joint":
                assert ("sum to the output of every attention" in said) == (
                    measure in ("lengths", "residual", "alti")
                )
    looked(app, measure="alti", kind="cross", presenter=True, layer=99, head=99)
    looked(app, measure="lengths", kind="cross", layer=-1, head=-1, how="max", pins=("q0", "k99"))


def test_a_sentence_too_long_for_a_measure_is_one_sentence(
    open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contributions, "PARTS_LIMIT", 100)
    monkeypatch.setattr(contributions, "ZEROING_LIMIT", 10)
    app = sound(open_app("attention", {"text": "A man.", "measure": "alti"}))
    assert "In this model, ALTI+ is computed for up to" in words(app)
    for measure, says in (
        ("zeroing", "Value zeroing runs every layer"),
        ("residual", "Shorten the sentence"),
    ):
        assert says in words(looked(app, measure=measure))
    assert "Shorten the sentence" in words(looked(app, kind="joint"))


def test_a_link_holds_the_measure_and_the_cell_of_the_lens(open_app: Open) -> None:
    link = {"checkpoint": "tiny", "text": TEXT, "measure": "rollout", "lens": "2.1"}
    app = sound(open_app("lenses", link))
    assert to_params(shown(app)) == link
    assert "The bar marks the layer from which the word stays on top." in html.unescape(words(app))
    for name, bad in (("measure", "loud"), ("lens", "2"), ("lens", "2.x"), ("lens", "-1.0")):
        found, refused = parse({name: bad})
        assert refused == (name,) and found == Selection()
    assert Selection(lens="2.1").changed(text="other").lens == ""
    assert Selection(badge="mixing").changed(measure="alti").badge == ""
