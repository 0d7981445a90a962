"""The first visit, while the model is loading: what is known is drawn before it, and told honestly."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.test_pages import sound, words
from ui.app import frame, navigation
from ui.app.navigation import MapData
from ui.shared import checkpoints as listing
from ui.shared import context, models
from ui.shared.entry import Entry

pytestmark = pytest.mark.usefixtures("checkpoints")  # begin with empty caches

Open = Callable[..., AppTest]
TEXT = "I am tired."


@pytest.mark.parametrize("page", ["translate", "attention"])
def test_strip_and_sentence_do_not_wait_for_the_model(
    open_app: Open, checkpoints: object, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    drawn: list[str] = []
    strip, model = navigation.mount, models.model

    def drawn_strip(view: Any, data: MapData, /, **given: Any) -> object:
        drawn.append(f"strip of {data.blocks['source'].fact}")
        return strip(view, data, **given)

    def loads(entry: Entry, device: str | None = None) -> object:
        drawn.append("model")
        return model(entry, device)

    told: list[tuple[str, str]] = []
    loading = frame.loading

    def told_loading(name: str, text: str, waits: bool, **more: Any) -> Any:
        told.extend([(name, text)] if waits else [])
        return loading(name, text, waits, **more)

    monkeypatch.setattr(frame, "loading", told_loading)
    monkeypatch.setattr(navigation, "mount", drawn_strip)
    monkeypatch.setattr(models, "preload", lambda *_: None)
    monkeypatch.setattr(models, "model", loads)
    app = open_app("translate", {"checkpoint": "tiny"})  # the stored example: nothing is loaded for it
    assert "model" not in drawn
    drawn.clear()
    if page != "translate":
        app.switch_page(f"pages/{page}.py")
    app.query_params["text"] = TEXT
    sound(app.run())
    tokens = len(context.read_text(listing.find("tiny")[0], TEXT).ids)
    assert drawn[:2] == [f"strip of {tokens} tokens", "model"]
    said = html.unescape(words(app))
    assert "atlas-mistake" not in said
    assert "<bdi>…</bdi>" not in said, "what stood there while it was loading has given way"
    assert told == [("tiny", TEXT)], "once, by name and sentence"
    assert "atlas-loading" not in said
    sound(app.run())
    assert told == [("tiny", TEXT)] and "atlas-loading" not in words(app)
