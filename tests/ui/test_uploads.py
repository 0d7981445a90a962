"""Who may upload, how much, and what becomes of the folders."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import pytest

from ui import uploads


@pytest.mark.parametrize(
    ("switch", "address", "allowed"),
    [
        ("", "localhost", True),
        ("", "127.0.0.1", True),
        ("", None, False),
        ("", "0.0.0.0", False),
        ("on", None, True),
        ("OFF", "localhost", False),
        ("maybe", "10.0.0.1", False),
    ],
)
def test_uploads_are_on_for_localhost_or_by_the_operator(
    monkeypatch: pytest.MonkeyPatch, switch: str, address: str | None, allowed: bool
) -> None:
    monkeypatch.setenv(uploads.SWITCH, switch)
    assert uploads.allowed(address) is allowed


@pytest.mark.parametrize(("text", "limit"), [("", 500), ("20", 20), ("-3", 500), ("many", 500)])
def test_the_limit_is_the_operators(monkeypatch: pytest.MonkeyPatch, text: str, limit: int) -> None:
    monkeypatch.setenv(uploads.LIMIT, text)
    assert uploads.limit_mb() == limit


def test_folders_are_private_and_go(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = uploads.new_folder()
    place = Path(folder.name)
    assert place.stat().st_mode & 0o077 == 0
    long_ago = time.time() - 48 * 3600
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    for each in (place, foreign):
        os.utime(each, (long_ago, long_ago))
    uploads.sweep()
    assert not place.exists()
    assert foreign.exists()
    again = uploads.new_folder()
    kept = Path(again.name)
    del again
    assert not kept.exists()


@pytest.mark.parametrize(
    ("wished", "name"),
    [
        ("my model", "my-model"),
        ("../../etc", "etc"),
        ("", "imported"),
        ("مثال", "imported"),
        ("tiny", "tiny-2"),
    ],
)
def test_names_are_plain_and_free(wished: str, name: str) -> None:
    assert uploads.free_name(wished, ["tiny"]) == name


def test_answers_are_read_as_what_they_are() -> None:
    assert [uploads.answer_value(text) for text in ("8", "true", "0.5", " <pad> ")] == [8, True, 0.5, "<pad>"]
