"""The folders of uploaded files: each has one owner and is removed soon after the owner's session ends.

Streamlit keeps a closed session for two minutes, so that a browser that lost its connection finds it again, and then
drops it without a callback; its objects remain until a garbage collection. So folders are registered here by session, and
a thread removes those whose session has been away longer than that.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PREFIX: Final = "attention-atlas-upload-"
GRACE_S = 130.0
"""How long a session may be away before its folders go; longer than Streamlit waits for a browser to come back."""
WORK_GRACE_S = 12.0
"""The same for a folder in which something is at work: a reload of the page takes fewer seconds."""
LOOK_S = 3.0
"""Seconds between two looks, so that a folder outlives its session by at most its grace and twice as many."""
_OLDEST_HOURS: Final = 24


@dataclass
class _Kept:
    owner: str
    folder: tempfile.TemporaryDirectory[str]
    away_since: float | None = None
    gone: Callable[[], None] = lambda: None
    at_work: Callable[[], bool] = lambda: False
    browser: str = ""
    model: tuple[str, Path] | None = None  # name and place of the checkpoint in it


class Keeper:
    """Upload folders by owner. `is_open` says whether a session is connected; thread-safe."""

    def __init__(self, is_open: Callable[[str], bool], clock: Callable[[], float] = time.monotonic) -> None:
        self._is_open, self._clock = is_open, clock
        self._kept: dict[Path, _Kept] = {}
        self._lock = threading.Lock()

    def new(
        self,
        owner: str,
        gone: Callable[[], None] = lambda: None,
        at_work: Callable[[], bool] = lambda: False,
    ) -> Path:
        """A new folder of `owner` that only this process may read; it goes with its owner, or with the server.

        `gone` is called before it is removed: whatever works in it has to end. `at_work` says whether something does.
        """
        with self._lock:
            sweep(spare=frozenset(self._kept))
            folder = tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True)
            self._kept[Path(folder.name)] = _Kept(owner, folder, gone=gone, at_work=at_work)
            return Path(folder.name)

    def remove(self, folder: Path) -> None:
        """Remove a folder of ours; nothing happens if it has gone."""
        with self._lock:
            kept = self._kept.pop(folder, None)
        if kept is not None:
            kept.gone()
            kept.folder.cleanup()

    def adopt(self, folder: Path, owner: str) -> bool:
        """Give a folder to another owner, whose browser came back as a new session; not while its owner is connected."""
        with self._lock:
            kept = self._kept.get(folder)
            if kept is None or (kept.owner != owner and self._is_open(kept.owner)):
                return False
            kept.owner, kept.away_since = owner, None
            return True

    def holds(self, folder: Path, browser: str, model: tuple[str, Path]) -> None:
        """Note that a folder of ours holds a checkpoint (name, place), and by which browser it came ("": not known)."""
        with self._lock:
            if (kept := self._kept.get(folder)) is not None:
                kept.browser, kept.model = browser, model

    def take_back(self, owner: str, browser: str) -> list[tuple[str, Path]]:
        """Move the checkpoints of this browser's closed sessions, as after a reload, to `owner` and return them."""
        taken = []
        with self._lock:
            for kept in self._kept.values():
                theirs = kept.model is not None and browser and kept.browser == browser
                if theirs and kept.owner != owner and not self._is_open(kept.owner):
                    kept.owner, kept.away_since = owner, None
                    taken.append(kept.model)
        return [model for model in taken if model is not None]

    def look(self) -> None:
        """Remove folders whose owners have been away for GRACE_S, or WORK_GRACE_S while work is running."""
        with self._lock:
            now, gone = self._clock(), []
            for folder, kept in self._kept.items():
                if self._is_open(kept.owner):
                    kept.away_since = None
                elif kept.away_since is None:
                    kept.away_since = now
                grace = WORK_GRACE_S if kept.at_work() else GRACE_S
                if kept.away_since is not None and now - kept.away_since >= grace:
                    gone.append(folder)
        for folder in gone:
            self.remove(folder)

    def watch(self) -> None:
        """Look every LOOK_S seconds, in a thread of its own, for as long as the server runs."""

        def work() -> None:
            while True:
                time.sleep(LOOK_S)
                self.look()

        threading.Thread(target=work, name="upload-folders", daemon=True).start()


def sweep(hours: float = _OLDEST_HOURS, spare: frozenset[Path] = frozenset()) -> None:
    """Remove folders left by killed servers: ours by name and user, unmodified for `hours`, not in `spare`."""
    for folder in Path(tempfile.gettempdir()).glob(PREFIX + "*"):
        try:
            status = folder.lstat()
        except OSError:
            continue
        ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and folder not in spare
        if ours and time.time() - status.st_mtime > hours * 3600:
            shutil.rmtree(folder, ignore_errors=True)
