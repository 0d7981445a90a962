"""The import's pages: what waits for an answer is said once; a full disk is a sentence, not the end of the page."""

from __future__ import annotations

import errno
from io import BytesIO
from pathlib import Path

import pytest

from core.importing.options import Question
from ui import uploads
from ui.models import importing
from ui.models.import_progress import DraftImport
from ui.models.importing import unanswered


def question(name: str, blocking: bool) -> Question:
    return Question(name, f"{name} is not in the file.", f"--{name}", None if blocking else "relu")


ASKED = [question("heads", True), question("norm", True), question("activation", False)]


@pytest.mark.parametrize("empty", [None, ""])
def test_an_empty_answer_says_so(empty: str | None) -> None:
    told = unanswered(ASKED, {"heads": empty, "norm": "pre", "activation": empty})
    assert told.startswith("heads is still empty.")
    assert "heads, norm" in unanswered(ASKED, {"heads": empty, "activation": "relu"})


def test_zero_and_no_are_answers() -> None:
    assert unanswered(ASKED, {"heads": 0, "norm": False, "activation": ""}) == ""


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the page says; no folder can be made."""

    def full() -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    said: list[str] = []
    monkeypatch.setattr(uploads, "new_folder", full)
    monkeypatch.setattr(importing.cards, "mistake", said.append)
    return said


def test_a_file_that_there_is_no_folder_for(told: list[str]) -> None:
    draft, file = DraftImport(), BytesIO(b"x")
    file.name = "model.pt"
    importing._read(draft, [file], 1, "auto", None)
    importing._problem(draft, "pick")
    assert told == ["The server has no room for these files."]


def test_a_checkpoint_that_there_is_no_folder_for(told: list[str]) -> None:
    importing._write(DraftImport(), "mine")
    assert told == ["The server has no room for these files."]
