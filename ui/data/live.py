"""Trainings that visitors watch: one a session, a few on the server, gone with their session.

A run is kept here by a token that its browser tab remembers, so that a reload, which makes a new session, finds it again:
whoever brings the token takes the run over, once the session it belonged to is no longer connected.
"""

from __future__ import annotations

import atexit
import os
import re
import secrets
import threading
from dataclasses import dataclass
from typing import Final

from core.errors import InputError
from core.training.live_run import LiveRun
from ui.session import state
from ui.uploads import gate, policy

SWITCH: Final = "ATLAS_TRAININGS"
_AT_ONCE: Final = 2
MOST_RESULTS: Final = 6
"""Finished trainings that a session keeps; the oldest leaves."""
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{22}")


@dataclass
class Held:
    """A run, the token that finds it again, and the name of its checkpoint once that is listed."""

    run: LiveRun
    token: str
    name: str = ""


_held: dict[str, Held] = {}
_lock = threading.Lock()


def at_once() -> int:
    """How many trainings the server runs at a time; 0: none."""
    text = os.environ.get(SWITCH, "").strip()
    return int(text) if re.fullmatch(r"\d{1,3}", text, re.ASCII) else _AT_ONCE


def mine() -> Held | None:
    """The training of this session, running or finished."""
    token = state.training()
    with _lock:
        return None if token is None else _held.get(token)


def start(task: str) -> Held:
    """Begin a training. Raises `InputError` where one is running already, or the server runs as many as it may."""
    before = mine()
    if before is not None and not before.run.progress.over:
        raise InputError("A training is running already; stop it first.")
    if before is not None and before.run.progress.phase != "done":
        gate.remove_folder(before.run.folder)
    with _lock:
        running = sum(not held.run.progress.over for held in _held.values())
        if running >= at_once():
            raise InputError(
                "Trainings are off on this server."
                if not at_once()
                else f"The server trains {running} models already; try again in a minute."
            )
        token = secrets.token_urlsafe(16)
        folder = gate.new_folder(lambda: _forget(token), lambda: _runs(token))
        held = _held[token] = Held(LiveRun(task, folder), token)
    state.set_training(token)
    return held


def discard() -> None:
    """End this session's training and leave nothing of it."""
    held = mine()
    if held is not None:
        state.set_training(None)
        gate.remove_folder(held.run.folder)


def claim(token: object) -> bool:
    """Take over the run of a token whose session has gone; whether there was one."""
    if not isinstance(token, str) or not _TOKEN.fullmatch(token) or mine() is not None:
        return False
    with _lock:
        held = _held.get(token)
    if held is None or not gate.adopt(held.run.folder):
        return False
    state.set_training(token)
    held.name = ""  # the new session's list does not have it yet
    return True


def listed(names: list[str]) -> str:
    """The name under which this session's finished training is listed, put there now if it was not; "" without one.

    `names` are those that are taken.
    """
    held = mine()
    if held is None or held.run.progress.phase != "done":
        return ""
    if not held.name:
        held.name = policy.free_name(f"live-{held.run.task}", names)
        state.add_imported(held.name, held.run.checkpoint)
        _keep_few()
    return held.name


def _keep_few() -> None:
    """Let the oldest results of this session go."""
    with _lock:
        ours = {held.run.checkpoint: held.run.folder for held in _held.values()}
    own = [place for _, place in state.imported() if place in ours]
    for place in own[:-MOST_RESULTS]:
        state.drop_imported(place)
        gate.remove_folder(ours[place])


def _runs(token: str) -> bool:
    """Whether the run of this token still trains. Without the lock: `start` holds it while it makes the folder."""
    held = _held.get(token)
    return held is not None and not held.run.progress.over


def _forget(token: str) -> None:
    """The folder of a run goes: so does the run."""
    with _lock:
        held = _held.pop(token, None)
    if held is not None:
        held.run.cancel()


@atexit.register
def end_all() -> None:
    """End every training: the server goes."""
    with _lock:
        tokens = list(_held)
    for token in tokens:
        _forget(token)
