"""A tiny model trained while one watches: choose a task, start, hold, stop, and open the result on every page."""

from __future__ import annotations

from typing import Final

import streamlit as st

from core.errors import AtlasError
from core.training.live_recipe import TASKS
from core.training.live_run import LiveRun, Progress
from ui.components.dynamics_view import dynamics_data, dynamics_view
from ui.components.run_token import run_token
from ui.data import dynamics as data
from ui.data import live, resources
from ui.learn.replay import looked, rest, sentences
from ui.session import state
from ui.session.link import to_params
from ui.session.selection import Selection
from ui.shell import cards
from ui.shell.frame import Shown
from ui.style import screen_text

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


def live_training(shown: Shown) -> None:
    """The whole of it; while a training runs it draws itself again."""
    held = live.mine()
    running = held is not None and not held.run.progress.over
    name = live.listed([entry.name for entry in resources.entries()])

    @st.fragment(run_every=_EVERY_S if running else None)
    def draw() -> None:
        now = live.mine()
        if running != (now is not None and not now.run.progress.over):
            st.rerun(scope="app")
        _controls(shown.now(), now.run if now else None, name)
        if now is not None:
            _drawn(shown.now(), now.run)

    draw()
    run_token(held.token if held else "", gone=_gone(held), on_claimed=live.claim)


def _gone(held: live.Held | None) -> bool:
    """Whether there is nothing left that a reload could find."""
    return held is not None and held.run.progress.phase in ("stopped", "failed")


def _controls(shown: Shown, run: LiveRun | None, name: str) -> None:
    progress = run.progress if run else None
    with cards.card("live", fill=False):
        if run is None or progress is None or progress.over:
            _choose(shown.selection, progress, name)
        else:
            _running(run, progress)


def _choose(selection: Selection, before: Progress | None, name: str) -> None:
    told = TASKS[selection.task]
    cards.title(
        ["Train a model of 2 + 2 layers, 4 heads, on ", (selection.task, "b")],
        f"{told.says}; {told.expect} · about a minute on one free core",
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
        st.button("discard", on_click=live.discard, key="live_discard", type="tertiary")


def _words(progress: Progress) -> str:
    if progress.phase in _PHASES:
        return _PHASES[progress.phase]
    loss = f" · loss {progress.curve[-1][1]:.2f}" if progress.curve else ""
    exact = f" · {progress.exact[-1][1]:.0f} % exact" if progress.exact else ""
    return f"step {progress.step:,} of {progress.steps:,}{loss}{exact} · {progress.seconds:.0f} s"


def _drawn(shown: Shown, run: LiveRun) -> None:
    """What has been recorded so far, drawn as a finished training is."""
    progress = run.progress
    found = progress.dynamics
    if found is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="live_sentence"):
        sentences(found, shown.selection)
    dynamics_view(
        dynamics_data(
            found,
            kind=cards.kind_of(shown.selection.kind),
            probe=data.probe_of(found, shown.selection),
            looked=looked(found, shown.selection),
            curve=progress.curve,
            exact=progress.exact,
            total=progress.steps,
            live=not progress.over,
            about=f"learning to {run.task}",
            file_name=f"live-{run.task}",
        ),
        on_looked=rest,
        key="dynamics_live",
    )


def _start(task: str) -> None:
    try:
        live.start(task)
        state.set_training_problem("")
    except (AtlasError, OSError) as error:
        state.set_training_problem(screen_text.sentence(error))
