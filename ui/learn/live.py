"""Train a tiny model live: choose a task, start, pause, stop, and open the finished model on every page.

Each session has at most one training, the server a few, and a training ends with its session. The browser tab keeps a
run's token, so that a reload, which makes a new session, finds the run again: it passes to the session with the token
once the old one is disconnected.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import secrets
import threading
from dataclasses import dataclass, replace
from typing import Final

import streamlit as st

from core.errors import AtlasError, InputError
from core.language import message, tr
from core.training.live_run import TASKS, LiveRun, Progress
from ui.learn import dynamics_view as data
from ui.learn.dynamics_view import DYNAMICS, DynamicsData
from ui.learn.replay import FROM_NOTHING, looked, rest, sentences
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


LABELS: Final = {
    "reverse": message("reverse"),
    "copy": message("copy"),
    "sort": message("sort"),
    "dates": message("dates"),
}
_EVERY_S: Final = 1.5
_PHASES: Final = {
    "starting": message("Getting ready: reading the task, building the model …"),
    "finishing": message("Finishing: scoring it, writing the checkpoint …"),
}
_AFTER: Final = {
    "pages/attention.py": message("See its heads"),
    "pages/translate.py": message("Let it write"),
    "pages/learning.py": message("Replay its training"),
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
        else:
            _before(shown.now())

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
        tr("Train a model of 2 + 2 layers and 4 heads: {task}", task=tr(LABELS[selection.task])),
        tr(
            "{task}; {expected} · about a minute on one free core",
            task=tr(task.says),
            expected=tr(task.expect),
        ),
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="live_choose"):
        cards.choice(tr("Task"), {name: tr(label) for name, label in LABELS.items()}, state.bind("task"))
        st.button(tr("Train"), type="primary", on_click=_start, args=(selection.task,), key="live_start")
    if problem := state.training_problem():
        cards.mistake(problem)
    if before is not None and before.problem:
        cards.mistake(before.problem)
    if name:
        cards.quiet(_done(name, before))
        with st.container(horizontal=True, gap="medium", key="live_open"):
            for path, label in _AFTER.items():
                params = to_params(Selection(checkpoint=name, presenter=selection.presenter))
                st.page_link(path, label=tr(label), query_params=params, width="content")


def _running(run: LiveRun, progress: Progress) -> None:
    held = progress.phase == "paused"
    cards.title(
        tr("Paused: {task}", task=tr(LABELS[run.task]))
        if held
        else tr("Learning: {task}", task=tr(LABELS[run.task])),
        tr("{task}; {expected}", task=tr(TASKS[run.task].says), expected=tr(TASKS[run.task].expect)),
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="live_running"):
        st.progress(progress.share, _words(progress))
        if progress.phase in ("training", "paused"):
            label, press = (tr("Resume"), run.resume) if held else (tr("Pause"), run.pause)
            st.button(label, on_click=press, key="live_hold")
            st.button(
                tr("Stop here"), on_click=run.stop, key="live_stop", help=tr("Keeps what has been learned")
            )
        st.button(tr("Discard"), on_click=discard, key="live_discard", type="tertiary")


def _words(progress: Progress) -> str:
    if progress.phase in _PHASES:
        return tr(_PHASES[progress.phase])
    parts = [tr("Step {step} of {steps}", step=f"{progress.step:,}", steps=f"{progress.steps:,}")]
    if progress.curve:
        parts.append(tr("loss {loss}", loss=f"{progress.curve[-1][1]:.2f}"))
    if progress.exact:
        parts.append(tr("{share} % exact", share=f"{progress.exact[-1][1]:.0f}"))
    return " · ".join([*parts, f"{progress.seconds:.0f} s"])


def _done(name: str, before: Progress | None) -> str:
    """That the training is done, with its steps and what it gets right."""
    if before is None:
        return tr("{name} is done. It is in the list of checkpoints until you close this tab.", name=name)
    words = {"name": name, "steps": f"{before.step:,}"}
    if not before.exact:
        return tr(
            "{name} is done after {steps} steps. It is in the list of checkpoints until you close this tab.",
            **words,
        )
    return tr(
        "{name} is done after {steps} steps, {share} % of held-out pairs exact. It is in the list of checkpoints until you "
        "close this tab.",
        share=f"{before.exact[-1][1]:.0f}",
        **words,
    )


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


def _before(shown: CheckpointView) -> None:
    """A recorded training at its first step: what a training looks like before it begins."""
    recorded = next((each for each in checkpoints.entries() if each.name == FROM_NOTHING), None)
    if recorded is None:
        return
    with contextlib.suppress(AtlasError):
        dynamics = data.stored(recorded)
        selection = replace(shown.selection, at=0, sentence=None, layer=None, head=None, badge="")
        cards.quiet(
            tr(
                "Below, the recorded training of “{name}” at its first step: every head looks everywhere. Yours appears here.",
                name=recorded.name,
            )
        )
        mount(
            DYNAMICS,
            DynamicsData(
                dynamics,
                kind=cards.kind_of(selection.kind),
                probe=data.probe_of(dynamics, selection),
                looked=looked(dynamics, selection),
                about=recorded.name,
                file=f"learning-{recorded.name}",
            ),
            key="dynamics_before",
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
        raise InputError(tr("A training is running already; stop it first."))
    if before is not None and before.run.progress.phase != "done":
        gate.remove_folder(before.run.folder)
    with _lock:
        running = sum(not held.run.progress.over for held in _held.values())
        if running >= at_once():
            raise InputError(
                tr("Trainings are off on this server.")
                if not at_once()
                else tr("The server trains {count} models already; try again in a minute.", count=running)
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
