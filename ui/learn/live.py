"""Train a tiny model live: choose a task, start, pause, stop, and open the finished model on every page.

Each session has at most one training, the server a few, and a training ends with its session. The browser tab keeps a
run's token, so that a reload, which makes a new session, finds the run again: it passes to the session with the token
once the old one is disconnected.
"""

from __future__ import annotations

import atexit
import os
import re
import secrets
import threading
from dataclasses import dataclass
from typing import Final

import streamlit as st

from core.errors import AtlasError, InputError
from core.training.live_run import TASKS, LiveRun, Progress
from ui.learn import dynamics_view as data
from ui.learn.dynamics_view import DYNAMICS, DynamicsData
from ui.learn.replay import looked, rest, sentences
from ui.session import state
from ui.session.link import to_params
from ui.session.selection import Selection
from ui.shared import cards, checkpoints
from ui.shared.context import CheckpointView
from ui.shared.mount import View, mount
from ui.style import screen_text
from ui.uploads import gate, policy


@dataclass(frozen=True)
class RunTokenData:
    """The token that the tab is to keep; when the run is `gone` it forgets what it keeps."""

    token: str
    gone: bool = False


RUN_TOKEN = View("run_token", RunTokenData, claimed=str)
"""It answers what a tab kept that this session knows nothing of."""


LABELS: Final = {name: name for name in TASKS}
_EVERY_S: Final = 1.5
_PHASES: Final = {
    "starting": "Getting ready: reading the task, building the model …",
    "finishing": "Finishing: scoring it, writing the checkpoint …",
}
_AFTER: Final = {
    "pages/attention.py": "its heads",
    "pages/translate.py": "let it write",
    "pages/learning.py": "replay it",
}


def live_training(shown: CheckpointView) -> None:
    """The whole of it; while a training runs it draws itself again."""
    held = mine()
    running = held is not None and not held.run.progress.over
    name = listed([entry.name for entry in checkpoints.entries()])

    @st.fragment(run_every=_EVERY_S if running else None)
    def draw() -> None:
        now = mine()
        if running != (now is not None and not now.run.progress.over):
            st.rerun(scope="app")
        _controls(shown.now(), now.run if now else None, name)
        if now is not None:
            _drawn(shown.now(), now.run)

    draw()
    kept = RunTokenData(held.token if held else "", gone=_gone(held))
    mount(RUN_TOKEN, kept, key="run_token", claimed=claim)


def _gone(held: Held | None) -> bool:
    """Whether there is nothing left that a reload could find."""
    return held is not None and held.run.progress.phase in ("stopped", "failed")


def _controls(shown: CheckpointView, run: LiveRun | None, name: str) -> None:
    progress = run.progress if run else None
    with cards.card("live", fill=False):
        if run is None or progress is None or progress.over:
            _choose(shown.selection, progress, name)
        else:
            _running(run, progress)


def _choose(selection: Selection, before: Progress | None, name: str) -> None:
    task = TASKS[selection.task]
    cards.title(
        ["Train a model of 2 + 2 layers, 4 heads, on ", (selection.task, "b")],
        f"{task.says}; {task.expect} · about a minute on one free core",
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="live_choose"):
        cards.choice("task", LABELS, state.bind("task"))
        st.button("Train", type="primary", on_click=_start, args=(selection.task,), key="live_start")
    if problem := state.training_problem():
        cards.mistake(problem)
    if before is not None and before.problem:
        cards.mistake(before.problem)
    if name:
        exact = f", {before.exact[-1][1]:.0f} % of held-out pairs exact" if before and before.exact else ""
        steps = f" after {before.step:,} steps{exact}" if before else ""
        cards.quiet(
            [(name, "b"), f" is done{steps}. It stands in the list of checkpoints until you close this tab."]
        )
        with st.container(horizontal=True, gap="medium", key="live_open"):
            for path, label in _AFTER.items():
                params = to_params(Selection(checkpoint=name, presenter=selection.presenter))
                st.page_link(path, label=label, query_params=params, width="content")


def _running(run: LiveRun, progress: Progress) -> None:
    held = progress.phase == "paused"
    cards.title(
        ["Learning to ", (run.task, "b"), ", held" if held else ""],
        f"{TASKS[run.task].says}; {TASKS[run.task].expect}",
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="live_running"):
        st.progress(progress.share, _words(progress))
        if progress.phase in ("training", "paused"):
            label, press = ("go on", run.resume) if held else ("hold", run.pause)
            st.button(label, on_click=press, key="live_hold")
            st.button("stop here", on_click=run.stop, key="live_stop", help="keeps what has been learnt")
        st.button("discard", on_click=discard, key="live_discard", type="tertiary")


def _words(progress: Progress) -> str:
    if progress.phase in _PHASES:
        return _PHASES[progress.phase]
    loss = f" · loss {progress.curve[-1][1]:.2f}" if progress.curve else ""
    exact = f" · {progress.exact[-1][1]:.0f} % exact" if progress.exact else ""
    return f"step {progress.step:,} of {progress.steps:,}{loss}{exact} · {progress.seconds:.0f} s"


def _drawn(shown: CheckpointView, run: LiveRun) -> None:
    """The training recorded so far, drawn like a finished one."""
    progress = run.progress
    dynamics = progress.dynamics
    if dynamics is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="live_sentence"):
        sentences(dynamics, shown.selection)
    mount(
        DYNAMICS,
        DynamicsData(
            dynamics,
            kind=cards.kind_of(shown.selection.kind),
            probe=data.probe_of(dynamics, shown.selection),
            looked=looked(dynamics, shown.selection),
            curve=progress.curve,
            exact=progress.exact,
            total=progress.steps,
            live=not progress.over,
            about=f"learning to {run.task}",
            file=f"live-{run.task}",
        ),
        key="dynamics_live",
        looked=rest,
    )


def _start(task: str) -> None:
    try:
        start(task)
        state.training_problem.set("")
    except (AtlasError, OSError) as error:
        state.training_problem.set(screen_text.sentence(error))


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
    state.training.set(token)
    return held


def discard() -> None:
    """End this session's training and leave nothing of it."""
    held = mine()
    if held is not None:
        state.training.set(None)
        gate.remove_folder(held.run.folder)


def claim(token: object) -> bool:
    """Take over the run of a token whose session has gone; whether there was one."""
    if not isinstance(token, str) or not _TOKEN.fullmatch(token) or mine() is not None:
        return False
    with _lock:
        held = _held.get(token)
    if held is None or not gate.adopt(held.run.folder):
        return False
    state.training.set(token)
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
    """Drop the oldest results of this session."""
    with _lock:
        ours = {held.run.checkpoint: held.run.folder for held in _held.values()}
    own = [path for _, path in state.imported() if path in ours]
    for path in own[:-MOST_RESULTS]:
        state.drop_imported(path)
        gate.remove_folder(ours[path])


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
