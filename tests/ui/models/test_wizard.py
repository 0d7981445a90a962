"""A disk without room for even a folder is a sentence of the wizard, not the end of the page."""

from __future__ import annotations

import errno
from io import BytesIO
from pathlib import Path

import pytest

from ui.models import importing
from ui.models.import_progress import DraftImport
from ui.uploads import gate


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the page says; no folder can be made."""

    def full() -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    said: list[str] = []
    monkeypatch.setattr(gate, "new_folder", full)
    monkeypatch.setattr(importing.cards, "mistake", said.append)
    return said


def test_a_file_that_there_is_no_folder_for(told: list[str]) -> None:
    draft, file = DraftImport(), BytesIO(b"x")
    file.name = "model.pt"
    importing._read(draft, [file], 1, "auto", None)
    importing._problem(draft, "pick")
    assert told == ["There is no room for these files here."]


def test_a_checkpoint_that_there_is_no_folder_for(told: list[str]) -> None:
    importing._write(DraftImport(), "mine")
    assert told == ["There is no room for these files here."]
