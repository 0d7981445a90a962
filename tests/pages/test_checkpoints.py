"""The Checkpoints page: gallery, inside a model, two models' options, and an import that strangers may try."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

Open = Callable[..., AppTest]


def words(app: AppTest) -> str:
    """Everything the page wrote as HTML, after checking that nothing was raised."""
    assert not app.exception, [error.value for error in app.exception]
    return "\n".join(
        element.proto.body
        for element in app.get("html")
        if not element.proto.body.lstrip().startswith("<style>")
    )


def test_the_gallery_shows_every_checkpoint(open_app: Open, checkpoints: Path) -> None:
    card = checkpoints / "tiny" / "card.json"
    found = json.loads(card.read_text())
    found["description"] = "<script>alert(1)</script>"
    found["limits"] = ["Only two sentences."]
    found["figures"] = {"quality": {"test": {"bleu": 12.34, "beam": 5, "sentences": 1000}, "odd": 3}}
    card.write_text(json.dumps(found))
    (checkpoints / "broken").mkdir()
    said = words(open_app("checkpoints"))
    assert "2+2 layers · 2 heads" in said
    assert "BLEU 12.3" in said and "test, beam 5, 1,000 sentences" in said
    assert "Only two sentences." in said
    assert "&lt;script&gt;" in said and "<script" not in said
    assert "broken" in said and "atlas-mistake" in said


def test_a_card_leads_inside_its_model(open_app: Open) -> None:
    app = open_app("checkpoints")
    words(app.button(key="widget_inspect_0").click().run())
    selection = app.session_state["selection"]
    assert (selection.checkpoint, selection.desk) == ("tiny", "inspect")


@pytest.mark.parametrize("desk", ["gallery", "inspect", "differ", "import"])
def test_every_desk_is_a_link(open_app: Open, desk: str) -> None:
    app = open_app("checkpoints", {} if desk == "gallery" else {"desk": desk})
    assert "atlas-title" in words(app)
    assert app.session_state["selection"].desk == desk


def test_uploads_are_off_unless_they_are_on(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_app("checkpoints", {"desk": "import"})
    assert "Uploads are off for your browser." in words(app)
    assert not app.get("file_uploader")
    monkeypatch.setenv("ATLAS_UPLOADS", "on")
    app = open_app("checkpoints", {"desk": "import"})
    assert "1 · Pick the files" in words(app)
    assert len(app.get("file_uploader")) == 2  # the files, and rules of one's own
