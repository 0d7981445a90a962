"""A GPU without memory left, as a visitor meets it: the page is drawn, and one line says why it is slower."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import Open
from tests.ui.shared.test_no_room import Gpu
from ui.app.frame import NO_ROOM
from ui.shared import make_decode, models

pytestmark = pytest.mark.usefixtures("checkpoints")  # begin with empty caches


def notices(app: AppTest) -> list[str]:
    """What stands in the page's line for notices."""
    written = "\n".join(str(element.proto.body) for element in app.get("html"))
    return re.findall(r'<p class="atlas-notice"[^>]*>(.*?)</p>', written)


@pytest.fixture(params=["load", "run"])
def full(request: pytest.FixtureRequest, checkpoints: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every device but the CPU has no room, for the weights or for what is computed with them."""
    Gpu(monkeypatch).full = {request.param}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("page", ["translate", "attention", "layer_norm"])
def test_the_page_is_drawn_and_says_once_why_it_is_slower(full: None, open_app: Open, page: str) -> None:
    app = open_app(page, {"checkpoint": "tiny", "text": "I am tired."})
    assert not app.exception
    assert notices(app) == [NO_ROOM]
    assert app.get("bidi_component"), "the views are there"
    assert notices(app.run()) == [NO_ROOM], "and still says so in the next run"


@pytest.mark.thorough
def test_what_turned_out_while_the_page_was_drawn_is_said(
    checkpoints: Path, monkeypatch: pytest.MonkeyPatch, open_app: Open
) -> None:
    # When the page looks there is room; after that the decode finds none.
    full: list[bool] = []
    run = make_decode.run
    monkeypatch.setattr(make_decode, "run", lambda *given: (full.append(True), run(*given))[1])
    monkeypatch.setattr(models, "crowded", lambda entry: bool(full))
    app = open_app("translate", {"checkpoint": "tiny", "text": "I am tired."})
    assert notices(app) == [NO_ROOM]
