"""Folders of uploads: private, kept while their session may come back, and gone soon after."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from ui.uploads import gate
from ui.uploads.gate import GRACE_S, Keeper


class Sessions:
    """Sessions that open and close, and a clock that is set by hand."""

    def __init__(self) -> None:
        self.open = {"a", "b"}
        self.now = 0.0
        self.keeper = Keeper(lambda session: session in self.open, lambda: self.now)

    def after(self, seconds: float) -> None:
        self.now += seconds
        self.keeper.look()


@pytest.fixture
def sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sessions:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return Sessions()


def test_a_folder_is_private_and_removed_on_request(sessions: Sessions) -> None:
    folder, other = sessions.keeper.new("a"), sessions.keeper.new("a")
    (folder / "model.pt").write_bytes(b"x")
    assert folder.stat().st_mode & 0o077 == 0
    sessions.keeper.remove(folder)
    sessions.keeper.remove(folder)
    assert not folder.exists()
    assert other.exists()


def test_a_folder_goes_when_its_session_stays_away(sessions: Sessions) -> None:
    left, stayed = sessions.keeper.new("a"), sessions.keeper.new("b")
    (left / "model.pt").write_bytes(b"x")
    sessions.after(10 * GRACE_S)
    assert left.exists()
    sessions.open.remove("a")
    sessions.after(1)
    sessions.after(GRACE_S - 1)
    assert left.exists(), "the browser may still come back"
    sessions.after(1)
    assert not left.exists()
    assert stayed.exists()


def test_what_is_at_work_in_a_folder_ends_within_twenty_seconds(sessions: Sessions) -> None:
    """A training takes one of few places; a checkpoint that was brought waits longer for its browser."""
    ended: list[str] = []
    at_work = [True]
    work = sessions.keeper.new("a", lambda: ended.append("a"), lambda: at_work[0])
    rest, stays = sessions.keeper.new("a"), sessions.keeper.new("b", at_work=lambda: True)
    sessions.open.remove("a")
    for _ in range(round(20 / gate.LOOK_S)):  # as `watch` looks
        sessions.after(gate.LOOK_S)
    assert ended == ["a"] and not work.exists() and rest.exists() and stays.exists()
    sessions.open.remove("b")
    sessions.after(1)
    sessions.after(8)
    assert stays.exists(), "a reload of the page takes a few seconds"


def test_a_session_that_comes_back_keeps_its_folder(sessions: Sessions) -> None:
    folder = sessions.keeper.new("a")
    sessions.open.remove("a")
    sessions.after(GRACE_S - 1)
    sessions.open.add("a")
    sessions.after(1)
    sessions.open.remove("a")
    sessions.after(GRACE_S - 1)
    assert folder.exists(), "the time away begins again"
    sessions.after(GRACE_S)
    assert not folder.exists()


def test_a_browser_finds_its_model_again_once_its_session_has_gone(sessions: Sessions) -> None:
    folder = sessions.keeper.new("a")
    model = ("mine", folder / "checkpoint")
    sessions.keeper.holds(folder, "browser 1", model)
    assert sessions.keeper.take_back("b", "browser 1") == [], "the session is still there"
    sessions.open.remove("a")
    assert sessions.keeper.take_back("b", "browser 2") == [], "another browser's"
    assert sessions.keeper.take_back("b", "") == [], "a browser that is not known"
    sessions.open.add("b")
    sessions.after(gate.GRACE_S / 2)
    assert sessions.keeper.take_back("b", "browser 1") == [model]
    assert sessions.keeper.take_back("b", "browser 1") == [], "it has it already"
    sessions.after(3 * gate.GRACE_S)
    assert folder.exists(), "it is the new session's"
    sessions.open.remove("b")
    sessions.after(1)
    sessions.after(gate.GRACE_S)
    assert not folder.exists()


def test_a_model_of_no_known_browser_is_nobodys(sessions: Sessions) -> None:
    folder = sessions.keeper.new("a")
    sessions.keeper.holds(folder, "", ("mine", folder))
    sessions.open.remove("a")
    assert sessions.keeper.take_back("b", "") == []


def test_the_watch_removes_without_being_asked(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "LOOK_S", 0.01)
    folder = sessions.keeper.new("gone")
    sessions.keeper.watch()
    time.sleep(0.1)
    assert folder.exists()
    sessions.now += 2 * GRACE_S
    deadline = time.monotonic() + 10
    while folder.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not folder.exists()


def test_folders_of_a_server_that_was_killed_are_swept_and_nothing_else(
    sessions: Sessions, tmp_path: Path
) -> None:
    dead, foreign, fresh = (tmp_path / name for name in (f"{gate.PREFIX}dead", "foreign", "fresh"))
    fresh = tmp_path / f"{gate.PREFIX}fresh"
    own = sessions.keeper.new("a")
    long_ago = time.time() - 48 * 3600
    for each in (dead, foreign, fresh):
        each.mkdir()
    for each in (dead, foreign, own):
        os.utime(each, (long_ago, long_ago))
    (tmp_path / f"{gate.PREFIX}link").symlink_to(foreign)
    sessions.keeper.new("b")
    assert not dead.exists()
    assert foreign.exists() and fresh.exists()
    assert own.exists(), "a session that was left open for days is still a session"


def test_folders_go_with_the_server(tmp_path: Path) -> None:
    script = (
        f"import tempfile; tempfile.tempdir = {str(tmp_path)!r}\n"
        "from ui.uploads.gate import Keeper\n"
        "keeper = Keeper(lambda session: True)\n"
        "folder = keeper.new('a'); (folder / 'model.pt').write_bytes(b'x')\n"
        "assert folder.exists()"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    assert list(tmp_path.iterdir()) == []


def test_what_works_in_a_folder_is_ended_before_it_goes(sessions: Sessions) -> None:
    seen: list[bool] = []
    folder = sessions.keeper.new("a", lambda: seen.append(folder.exists()))
    sessions.open.remove("a")
    sessions.after(1)
    sessions.after(GRACE_S)
    assert seen == [True] and not folder.exists()
    sessions.keeper.remove(folder)
    assert seen == [True], "once"


def test_a_folder_is_taken_over_only_from_who_has_gone(sessions: Sessions) -> None:
    folder = sessions.keeper.new("a")
    assert not sessions.keeper.adopt(folder, "b"), "its owner is there"
    assert sessions.keeper.adopt(folder, "a")
    sessions.open.remove("a")
    sessions.after(GRACE_S - 1)
    assert sessions.keeper.adopt(folder, "b")
    sessions.after(10 * GRACE_S)
    assert folder.exists(), "its new owner stays"
    sessions.open.remove("b")
    sessions.after(1)
    sessions.after(GRACE_S)
    assert not folder.exists() and not sessions.keeper.adopt(folder, "b")
