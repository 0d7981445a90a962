"""A GPU without memory left, as a visitor meets it: the page is drawn, and one line says why it is slower."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from streamlit.testing.v1 import AppTest

from core import api
from tests.pages.conftest import Open
from ui.app.frame import NO_ROOM
from ui.shared import make_decode, models

pytestmark = pytest.mark.usefixtures("checkpoints")  # begin with empty caches

FULL = "CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 7.79 GiB."


def notices(app: AppTest) -> list[str]:
    """What stands in the page's line for notices."""
    written = "\n".join(str(element.proto.body) for element in app.get("html"))
    return re.findall(r'<p class="atlas-notice"[^>]*>(.*?)</p>', written)


@pytest.fixture(params=["load", "run"])
def full(request: pytest.FixtureRequest, checkpoints: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every device but the CPU has no room, for the weights or for what is computed with them."""
    load: Callable[..., Any] = api.load
    run = make_decode.run
    on_gpu: set[int] = set()

    def loads(path: Path, device: str | None = None) -> api.Checkpoint:
        if request.param == "load" and device != "cpu":
            raise torch.OutOfMemoryError(FULL)
        found: api.Checkpoint = load(path, device="cpu")
        if device != "cpu":
            on_gpu.add(id(found))
        return found

    def runs(checkpoint: api.Checkpoint, *given: Any) -> Any:
        if id(checkpoint) in on_gpu:
            raise torch.OutOfMemoryError(FULL)
        return run(checkpoint, *given)

    monkeypatch.setattr(api, "load", loads)
    monkeypatch.setattr(make_decode, "run", runs)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("page", ["translate", "attention", "layer_norm"])
def test_the_page_is_drawn_and_says_once_why_it_is_slower(full: None, open_app: Open, page: str) -> None:
    app = open_app(page, {"checkpoint": "tiny", "text": "I am tired."})
    assert not app.exception
    assert notices(app) == [NO_ROOM]
    assert app.get("bidi_component"), "the views are there"
    assert notices(app.run()) == [NO_ROOM], "and still says so in the next run"


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


def test_the_line_is_one_sentence_without_the_words_of_the_driver() -> None:
    assert NO_ROOM.count(".") == 1 and NO_ROOM.endswith(".")
    assert "CPU" in NO_ROOM and "CUDA" not in NO_ROOM
    assert len(NO_ROOM) < 120
