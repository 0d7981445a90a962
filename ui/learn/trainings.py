"""The trainings of all sessions: which run, which wait for their turn, how long that takes, and how a reload finds one again.

Each session has at most one, the server a few at a time; the others wait in a queue in the order of their start. A training
ends with its session. The browser tab keeps its token, so that a reload, which makes a new session, finds it again: it passes
to the session with the token once the old one is disconnected.
"""

from __future__ import annotations

import atexit
import contextlib
import heapq
import os
import re
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from core.errors import InputError
from core.language import plural, tr
from core.training.live_run import LiveRun, Progress
from ui import uploads
from ui.session import state

SWITCH: Final = "ATLAS_TRAININGS"
_AT_ONCE: Final = 2
MOST_WAITING: Final = 20
MOST_RESULTS: Final = 6
"""Finished trainings that a session keeps; the oldest leaves."""
TYPICAL_S: Final = 60.0
"""Seconds of a training that has not begun, and at most of one that has hardly."""
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{22}")


@dataclass
class Held:
    """A training: its task and folder, the token that finds it again, its run once it has begun, the name of its
    checkpoint once that is listed, and the run that it goes on from.
    """

    task: str
    folder: Path
    token: str
    run: LiveRun | None = None
    name: str = ""
    before: LiveRun | None = None

    @property
    def over(self) -> bool:
        """Whether it has run to its end."""
        return self.run is not None and self.run.progress.over


@dataclass(frozen=True)
class Turn:
    """A place in the queue: how many wait before it, and the seconds until its turn, as far as one can tell."""

    before: int
    seconds: float

    @property
    def words(self) -> str:
        """`2 before you, about 1 minute`."""
        minutes = max(1, round(self.seconds / 60))
        long = plural("about {count} minute", "about {count} minutes", minutes)
        if not self.before:
            return tr("You are next, {long}", long=long)
        return plural("{count} before you, {long}", "{count} before you, {long}", self.before, long=long)


_held: dict[str, Held] = {}  # in the order of their start
_lock = threading.Lock()


def at_once() -> int:
    """How many trainings the server runs at a time; 0: none."""
    text = os.environ.get(SWITCH, "").strip()
    return int(text) if re.fullmatch(r"\d{1,3}", text, re.ASCII) else _AT_ONCE


def mine() -> Held | None:
    """The training of this session: waiting, running or finished. Those whose turn has come begin."""
    token = state.training()
    _advance()
    with _lock:
        return None if token is None else _held.get(token)


def start(task: str) -> Held:
    """Begin a training, or put it into the queue. Raises `InputError` where this session has one, or the queue is full."""
    before = mine()
    if before is not None and not before.over:
        raise InputError.tr("A training is already running; stop it first.")
    if not at_once():
        raise InputError.tr("Trainings are off on this server.")
    _check_queue()
    if before is not None and before.run is not None and before.run.progress.phase != "done":
        uploads.remove_folder(before.folder)
    token = secrets.token_urlsafe(16)
    folder = uploads.new_folder(lambda: _forget(token), lambda: _at_work(token))
    held = Held(task, folder, token)
    with _lock:
        _held[token] = held
    _advance()
    state.training.set(token)
    return held


def go_on() -> Held:
    """Let this session's training go on where it ended, when its turn comes. Raises `InputError` where it cannot."""
    held = mine()
    if held is None or held.run is None or not held.run.progress.unfinished:
        raise InputError.tr("There is no training to continue; start one.")
    if not at_once():
        raise InputError.tr("Trainings are off on this server.")
    _check_queue()
    state.drop_imported(held.run.checkpoint)
    with _lock:
        held.before, held.run, held.name = held.run, None, ""
        _held[held.token] = _held.pop(held.token)  # at the end of the queue
    _advance()
    return held


def _check_queue() -> None:
    with _lock:
        if sum(each.run is None for each in _held.values()) >= MOST_WAITING:
            raise InputError.tr("{count} trainings are already waiting; try again later.", count=MOST_WAITING)


def _advance() -> None:
    """Begin the trainings whose turn has come: the first of the queue, as many as there is room for."""
    with _lock:
        room = at_once() - sum(each.run is not None and not each.over for each in _held.values())
        for each in [each for each in _held.values() if each.run is None][: max(0, room)]:
            with contextlib.suppress(OSError):  # no process can be had now: it keeps its place
                each.run = LiveRun(each.task, each.folder, each.before)


def turn_of(held: Held) -> Turn:
    """The place of a waiting training, and when its turn will come if every other one takes its usual time."""
    with _lock:
        ends = [seconds_left(each.run.progress) for each in _held.values() if each.run and not each.over]
        waiting = [each.token for each in _held.values() if each.run is None]
    before = waiting.index(held.token) if held.token in waiting else 0
    heapq.heapify(ends)
    while len(ends) < at_once():
        heapq.heappush(ends, 0.0)
    for _ in range(before):
        heapq.heapreplace(ends, ends[0] + TYPICAL_S)
    return Turn(before, ends[0] if ends else 0.0)


def seconds_left(progress: Progress) -> float:
    """How long a running training still takes at its pace so far."""
    if progress.share < 0.05:
        return TYPICAL_S
    return progress.seconds * (1 - progress.share) / progress.share


def discard() -> None:
    """End this session's training, or leave the queue; nothing of it stays."""
    held = mine()
    if held is not None:
        state.training.set(None)
        uploads.remove_folder(held.folder)


def claim(token: object) -> bool:
    """Take over the training of a token whose session has gone; whether there was one."""
    if not isinstance(token, str) or not _TOKEN.fullmatch(token) or mine() is not None:
        return False
    with _lock:
        held = _held.get(token)
    if held is None or not uploads.adopt(held.folder):
        return False
    state.training.set(token)
    held.name = ""  # the new session's list does not have it yet
    return True


def listed(names: Callable[[], list[str]]) -> str:
    """The name under which this session's finished training is listed, put there now if it was not; "" without one.

    `names` gives those that are taken.
    """
    held = mine()
    if held is None or held.run is None or held.run.progress.phase != "done":
        return ""
    if not held.name:
        held.name = uploads.free_name(f"live-{held.task}", names())
        state.add_imported(held.name, held.run.checkpoint)
        _keep_few()
    return held.name


def _keep_few() -> None:
    """Drop the oldest results of this session."""
    with _lock:
        ours = {held.run.checkpoint: held.folder for held in _held.values() if held.run is not None}
    own = [path for _, path in state.imported() if path in ours]
    for path in own[:-MOST_RESULTS]:
        state.drop_imported(path)
        uploads.remove_folder(ours[path])


def _at_work(token: str) -> bool:
    """Whether the training of this token holds a place, running or waiting. Without the lock."""
    held = _held.get(token)
    return held is not None and not held.over


def _forget(token: str) -> None:
    """The folder of a training goes: so does the training."""
    with _lock:
        held = _held.pop(token, None)
    if held is not None and held.run is not None:
        held.run.cancel()
    _advance()


@atexit.register
def end_all() -> None:
    """End every training: the server goes."""
    with _lock:
        ended = list(_held.values())
        _held.clear()
    for held in ended:
        if held.run is not None:
            held.run.cancel()
