"""The first visit, while the model is loading: what is known is drawn before it, and told honestly."""

from __future__ import annotations

import html
from typing import Any

import pytest

from core.analysis.readout import Rewriting
from core.errors import CheckpointError
from tests.pages.conftest import Open
from tests.pages.test_pages import sound, words
from ui.app import frame, navigation
from ui.app.navigation import MapData
from ui.shared import checkpoints as listing
from ui.shared import context, models
from ui.shared.checkpoints import Entry
from ui.what_if import changes, page

pytestmark = pytest.mark.usefixtures("checkpoints")  # begin with empty caches

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


def test_what_if_shows_the_translation_and_the_heads_before_the_model_is_there(
    open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    lines, switches, model = page.two_lines, changes.switches, models.model

    def drawn_lines(change: Rewriting, after: str = "") -> str:
        drawn.append(f"{' '.join(word.text for word in change.before)} → {after or 'the model’s'}")
        return lines(change, after)

    def drawn_switches(*given: Any, **named: Any) -> None:
        drawn.append("heads")
        switches(*given, **named)

    def loads(entry: Entry, device: str | None = None) -> object:
        drawn.append("model")
        return model(entry, device)

    monkeypatch.setattr(page, "two_lines", drawn_lines)
    monkeypatch.setattr(changes, "switches", drawn_switches)
    monkeypatch.setattr(models, "preload", lambda *_: None)
    monkeypatch.setattr(models, "model", loads)
    app = sound(open_app("what_if", {"checkpoint": "tiny"}))
    first = drawn[: drawn.index("model")]
    assert len(first) == 2 and first[0].endswith(" → …") and first[1] == "heads"
    then = [each for each in drawn[len(first) :] if each != "model"]
    assert then == [first[0].replace("…", "the model’s"), "heads"], "drawn again once"
    assert "the model writes …" not in html.unescape(words(app))


def test_a_model_that_what_if_cannot_load_is_one_sentence(
    open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: object) -> object:
        raise CheckpointError("The weights cannot be read.")

    monkeypatch.setattr(models, "preload", lambda *_: None)
    monkeypatch.setattr(models, "model", refuses)
    app = open_app("what_if", {"checkpoint": "tiny"})
    assert not app.exception
    assert "The weights cannot be read." in words(app)
