"""Watch it learn: a stored training played again, two trainings that differ in the mask, or a tiny one as it runs.

A live training has a task, which is chosen, started, paused and stopped; its model opens on every page. Where the server
trains as many as it may, a training waits for its turn (`ui.learn.trainings`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.errors import AtlasError
from core.language import message, numeral, plural, tr
from core.learning import trials
from core.learning.trials import SHOWN_STEPS, Training, TwoTrainings
from core.training.live_run import SECONDS, TASKS, LiveRun, Progress
from core.training.recorded import Recorded, recorded
from ui.app import navigation
from ui.learn import dynamics as data
from ui.learn import trainings
from ui.learn.dynamics import DYNAMICS, dynamics_data, looked, replay, rest, sentences
from ui.learn.trainings import Held
from ui.session import state
from ui.session.selection import Selection
from ui.session.state import to_params
from ui.shared import cards, checkpoints
from ui.shared.context import CheckpointView
from ui.shared.mount import View, mount
from ui.style import screen_text

# -- a tiny model trained live --------------------------------------------------------------------------------


@dataclass(frozen=True)
class RunTokenData:
    """The token that the tab is to keep; when the run is `gone` it forgets what it keeps."""

    token: str
    gone: bool = False


RUN_TOKEN = View("run_token", RunTokenData, claimed=str)
"""It answers what a tab kept that this session knows nothing of."""


TASK_LABELS: Final = {
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
    held = trainings.mine()
    active = held is not None and not held.over
    name = trainings.listed(lambda: [entry.name for entry in checkpoints.entries()])

    @st.fragment(run_every=_EVERY_S if active else None)
    def draw() -> None:
        now = trainings.mine()
        if active != (now is not None and not now.over):
            st.rerun(scope="app")
        _controls(shown.now(), now, name)
        selection = shown.now().selection
        if now is not None and now.run is not None and now.run.progress.dynamics is not None:
            _drawn(shown.now(), now.run)
        else:
            _before(selection, now.task if now is not None and not now.over else selection.task)

    draw()
    kept = RunTokenData(held.token if held else "", gone=_gone(held))
    mount(RUN_TOKEN, kept, key="run_token", claimed=trainings.claim)


def _gone(held: Held | None) -> bool:
    """Whether there is nothing left that a reload could find."""
    return held is not None and held.run is not None and held.run.progress.phase in ("stopped", "failed")


def _controls(shown: CheckpointView, held: Held | None, name: str) -> None:
    with cards.card("live", fill=False):
        if held is None or held.over:
            _choose(shown.selection, held.run.progress if held and held.run else None, name)
        elif held.run is None:
            _waiting(held)
        else:
            _running(held.run, held.run.progress)


def _waiting(held: Held) -> None:
    """The place in the queue, and the way out of it."""
    cards.title(
        tr("In the queue: {task}", task=tr(TASK_LABELS[held.task])),
        plural(
            "This server trains {count} model at a time. Yours begins by itself; keep this tab open",
            "This server trains {count} models at a time. Yours begins by itself; keep this tab open",
            trainings.at_once(),
        ),
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="live_waiting"):
        cards.status(trainings.turn_of(held).words)
        st.button(tr("Leave the queue"), on_click=trainings.discard, key="live_leave")


def _choose(selection: Selection, before: Progress | None, name: str) -> None:
    task = TASKS[selection.task]
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="live_choose"):
        cards.title(
            tr("Train a model of 2 + 2 layers and 4 heads: {task}", task=tr(TASK_LABELS[selection.task]))
        )
        cards.choice(tr("Task"), {name: tr(label) for name, label in TASK_LABELS.items()}, state.bind("task"))
        if before is not None and before.unfinished:
            label = tr("Continue at step {step}", step=numeral(before.step, ","))
            st.button(label, type="primary", on_click=_begin, args=(trainings.go_on,), key="live_go_on")
        look: Literal["primary", "secondary"] = "secondary" if before and before.unfinished else "primary"
        start = partial(trainings.start, selection.task)
        st.button(tr("Train"), type=look, on_click=_begin, args=(start,), key="live_start")
    cards.quiet(
        tr(
            "{task}; {expected} · about a minute on one free core",
            task=tr(task.says),
            expected=tr(task.expect),
        )
    )
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
        tr("Paused: {task}", task=tr(TASK_LABELS[run.task]))
        if held
        else tr("Learning: {task}", task=tr(TASK_LABELS[run.task])),
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
        st.button(tr("Discard"), on_click=trainings.discard, key="live_discard", type="tertiary")


def _words(progress: Progress) -> str:
    if progress.phase in _PHASES:
        return tr(_PHASES[progress.phase])
    parts = [
        tr("Step {step} of {steps}", step=numeral(progress.step, ","), steps=numeral(progress.steps, ","))
    ]
    if progress.curve:
        parts.append(tr("loss {loss}", loss=numeral(progress.curve[-1][1], ".2f")))
    if progress.exact:
        parts.append(tr("{share} % exact", share=numeral(progress.exact[-1][1], ".0f")))
    return " · ".join([*parts, f"{numeral(progress.seconds, '.0f')} s"])


def _done(name: str, before: Progress | None) -> str:
    """That the training is done, with its steps and what it gets right."""
    if before is None:
        return tr("{name} is done. It is in the list of checkpoints until you close this tab.", name=name)
    steps = numeral(before.step, ",")
    if before.unfinished:
        words = {"name": name, "step": steps, "steps": numeral(before.steps, ",")}
        if before.ended == "time":
            return tr(
                "The limit of {minutes} minutes ended {name} after {step} of {steps} steps. It is in the list of checkpoints "
                "until you close this tab, and can continue.",
                minutes=SECONDS // 60,
                **words,
            )
        return tr(
            "You ended {name} after {step} of {steps} steps. It is in the list of checkpoints until you close this tab, and "
            "can continue.",
            **words,
        )
    words = {"name": name, "steps": steps}
    if not before.exact:
        return tr(
            "{name} is done after {steps} steps. It is in the list of checkpoints until you close this tab.",
            **words,
        )
    return tr(
        "{name} is done after {steps} steps, {share} % of held-out pairs exact. It is in the list of checkpoints until you "
        "close this tab.",
        share=numeral(before.exact[-1][1], ".0f"),
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
        dynamics_data(
            dynamics,
            kind=cards.kind_of(shown.selection.kind),
            probe=data.probe_of(dynamics, shown.selection),
            looked=looked(dynamics, shown.selection),
            curve=progress.curve,
            exact=progress.exact,
            total=progress.steps,
            live=not progress.over,
            about=tr("Learning: {task}", task=tr(TASK_LABELS[run.task])),
            file=f"live-{run.task}",
        ),
        key="dynamics_live",
        looked=rest,
    )


def _stored(task: str) -> tuple[Recorded, str] | None:
    """A stored run of a task, and the sentence above it; of dates it is the training of the shipped model."""
    try:
        if task == checkpoints.FROM_NOTHING:
            entry = next(each for each in checkpoints.entries() if each.name == checkpoints.FROM_NOTHING)
            about = tr(
                "Below: the stored training of the shipped model “{name}”. Yours takes its place.",
                name=checkpoints.FROM_NOTHING,
            )
            return Recorded(data.stored(entry), (), ()), about
        run = recorded(task)
    except (AtlasError, StopIteration):
        return None
    return run, tr("Below: a stored run of the same task. Yours takes its place.")


def _before(selection: Selection, task: str) -> None:
    """A stored run of the same task, to be played while the reader's own has not begun."""
    stored = _stored(task)
    if stored is None:
        return
    run, about = stored
    cards.quiet(about)
    mount(
        DYNAMICS,
        dynamics_data(
            run.dynamics,
            kind=cards.kind_of(selection.kind),
            probe=data.probe_of(run.dynamics, selection),
            looked=looked(run.dynamics, selection),
            curve=run.curve,
            exact=run.exact,
            plays=selection.at is None,
            about=tr(TASK_LABELS[task]),
            file=f"learning-{task}",
        ),
        key=f"dynamics_before_{task}",
        looked=rest,
    )


def _begin(start: Callable[[], object]) -> None:
    try:
        start()
        state.training_problem.set("")
    except (AtlasError, OSError) as error:
        state.training_problem.set(screen_text.sentence(error))


# -- two trainings side by side -------------------------------------------------------------------------------


@dataclass(frozen=True)
class TrainingData:
    """One of the two: its name, losses, and at each shown step both maps, step by step, `(steps · T · S)` flat.

    Without the mask, the cells of self-attention that hold the letter to write are outlined.
    """

    title: str
    subtitle: str
    outcome: str
    losses: Sequence[float]
    causal: NDArray[np.float32]
    cross: NDArray[np.float32]
    written: Sequence[str]
    masked: bool


@dataclass(frozen=True)
class TwoTrainingsData:
    """Both trainings on one held-out word. `reads` and `writes` are the labels of rows; `steps` those of the maps."""

    title: str
    subtitle: str
    readout: str
    source: Sequence[str]
    reads: Sequence[str]
    writes: Sequence[str]
    loss_steps: Sequence[int]
    steps: Sequence[int]
    trainings: Sequence[TrainingData]
    about: str


TWO_TRAININGS = View("two_trainings", TwoTrainingsData)
MASK_WHAT: Final = message("Two small models learn to write 4 to 7 letters backwards. Only the mask differs.")
MASK_WHY: Final = message("A low training loss shows nothing if the model sees the answer while it trains.")
MASK_MORE: Final = message(
    "Both begin with the same weights and see the same {batches} batches of 64 words. The maps are of a word that neither was "
    "trained on, with its answer as the decoder’s input, as in training. To write by itself, the model gets only what it has "
    "written: the letters that the unmasked model learned to copy are not there yet. Measured again by "
    "`python -m core.learning.trials`; seed {seed}."
)


def two_trainings() -> None:
    """The card, and what it means."""
    both = trials.stored()
    mount(TWO_TRAININGS, mask_data(both), key="two_trainings")
    cards.explain(
        tr(MASK_WHAT),
        tr(MASK_WHY),
        tr(MASK_MORE, batches=SHOWN_STEPS[-1] + 1, seed=both.seed),
        name="two_trainings",
    )


def mask_data(both: TwoTrainings) -> TwoTrainingsData:
    """What the view draws, with its sentences."""
    end = "⟨end⟩"
    return TwoTrainingsData(
        title=title(both),
        subtitle=tr(
            "Same data, same first weights, {steps} steps. One has the causal mask.", steps=SHOWN_STEPS[-1]
        ),
        readout=readout(both),
        source=[*both.word, end],
        reads=["⟨start⟩", *both.answer],
        writes=[*both.answer, end],
        loss_steps=both.trainings[0].steps,
        steps=[moment.step for moment in both.trainings[0].moments],
        trainings=[_training(each, both.tested) for each in both.trainings],
        about=tr("reverse, {count} letters", count=len(both.word)),
    )


def title(both: TwoTrainings) -> str:
    """What the two trainings show, from their figures."""
    useless = both.trainings[1].right <= 0.1 * both.trainings[0].right
    if useless and both.faster > 0:
        return tr("Without the mask the loss falls faster, and the output is useless")
    if useless:
        return tr("Without the mask the output is useless")
    return tr("Here both models can write")


def readout(both: TwoTrainings) -> str:
    """How much faster, and why it does not help."""
    if both.faster <= 0:
        return tr("Without the mask, a position also sees the letter that it has to write.")
    return tr(
        "Without the mask the loss falls below {bound} nats per token {steps} steps earlier. The outlined cells hold the letter to "
        "write: this model copies it. When it writes by itself, they are empty.",
        bound=trials.ALMOST,
        steps=both.faster,
    )


def _training(each: Training, tested: int) -> TrainingData:
    def flat(maps: Sequence[trials.Rows]) -> NDArray[np.float32]:
        return np.asarray(maps, dtype=np.float32).ravel()

    with_mask = tr("Each position sees only the letters already written.")
    without = tr("Each position also sees the letter it has to write.")
    right = plural(
        "{count} of {tested} new words right",
        "{count} of {tested} new words right",
        each.right,
        tested=tested,
    )
    at_once = tr("{right}: it stops at once", right=right)
    return TrainingData(
        title=tr("With the mask") if each.masked else tr("Without the mask"),
        subtitle=with_mask if each.masked else without,
        outcome=at_once if each.written[:1] == ["⟨end⟩"] else right,
        losses=each.losses,
        causal=flat([moment.causal for moment in each.moments]),
        cross=flat([moment.cross for moment in each.moments]),
        written=each.written,
        masked=each.masked,
    )


# -- the page -------------------------------------------------------------------------------------------------

LABELS: Final = {
    "replay": message("Replay"),
    "live": message("Live"),
    "mask": message("With and without the mask"),
}


def opening(shown: CheckpointView) -> CheckpointView:
    """The view whose training is replayed."""
    name = checkpoints.replayed(shown.selection)
    if not name or name == shown.entry.name or shown.selection.checkpoint:
        return shown
    return CheckpointView(checkpoints.find(name)[0], shown.selection, shown.device)


@st.fragment
def watching(shown: CheckpointView) -> None:
    """The choice between the two, and the one chosen."""
    shown = opening(shown.now())
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="learning_options"):
        cards.choice(tr("training"), {name: tr(label) for name, label in LABELS.items()}, state.bind("watch"))
        replays = shown.selection.watch == "replay" and shown.entry.usable.has_dynamics
        if replays or shown.selection.watch == "live":
            navigation.kind_pills(shown.selection)
        if replays:
            with contextlib.suppress(AtlasError):  # the page says why below
                sentences(data.stored(shown.entry), shown.selection)
    if shown.selection.watch == "replay":
        replay(shown)
    elif shown.selection.watch == "mask":
        two_trainings()
    else:
        live_training(shown)
