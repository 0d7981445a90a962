"""Replay of a finished training: the stored dynamics of the selected checkpoint."""

from __future__ import annotations

import streamlit as st

from core.errors import AtlasError
from core.language import message, tr
from core.training.dynamics import Dynamics
from ui.learn import dynamics_view as data
from ui.learn.dynamics_view import DYNAMICS, FIRST_SCORE, DynamicsData, TrainingLook
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cards, checkpoints
from ui.shared.context import CheckpointView
from ui.shared.mount import mount
from ui.style import screen_text

WHAT = message(
    "Each line is a head, from the first step to the last; the small maps are the same heads at the chosen step."
)
WHY = message(
    "Heads often specialise abruptly: from diffuse to focused within a few steps; others change gradually."
)
MORE = message(
    "**Took shape**: the normalised entropy of a head, $H / \\log(\\text{allowed keys})$, is 1 where it looks everywhere and 0 "
    "where it looks at one token. A head is marked where it loses 0.15 or more within one doubling of the steps; the thick part "
    "of its line is that fall (sudden drops of attention entropy: Zhai et al. 2023, *Stabilizing Transformer Training by "
    "Preventing Attention Entropy Collapse*, who read a collapse of all heads as a sign of trouble).\n\n"
    "**Scores** are means over held-out sentences, measured at the recorded steps, which are spaced logarithmically as the axis is. "
    "**Maps** are of one sentence with its reference translation, kept in one byte a weight: a percentage can be off by 0.4 points.\n\n"
    "**Losses** are in nats a target token; the one of training holds label smoothing and R-Drop where the recipe has them."
)
FROM_NOTHING = "dates"
"""The checkpoint whose record begins with random weights; it is replayed where none was chosen."""
_LONGEST = 70  # characters of a sentence in the chooser


def replay(shown: CheckpointView) -> None:
    """The recorded training of the selected checkpoint, or one sentence why there is none."""
    try:
        dynamics = data.stored(shown.entry)
    except AtlasError as error:
        cards.notice(screen_text.sentence(error, shown.entry.path))
        _offer(shown)
        return
    kind, began = cards.kind_of(shown.selection.kind), data.went_on_from(shown.entry)
    selection = shown.selection
    if began:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="began"):
            cards.quiet(began, width="content")
            _offer(shown)
    mount(
        DYNAMICS,
        DynamicsData(
            dynamics,
            kind=kind,
            probe=data.probe_of(dynamics, selection),
            looked=looked(dynamics, selection),
            trained=bool(began),
            plays=not selection.checkpoint and selection.at is None and not selection.lesson,
            about=shown.entry.name,
            file=f"learning-{shown.entry.name}",
        ),
        key="dynamics",
        looked=rest,
    )
    cards.explain(tr(WHAT), tr(WHY), tr(MORE), name="learning")


def _offer(shown: CheckpointView) -> None:
    """A link to the record that begins with random weights."""
    if shown.entry.name != FROM_NOTHING and FROM_NOTHING in {each.name for each in checkpoints.entries()}:
        label = tr("Replay “{name}”, which begins with random weights", name=FROM_NOTHING)
        st.button(label, on_click=state.update, kwargs={"checkpoint": FROM_NOTHING, "watch": "replay"})


def looked(dynamics: Dynamics, selection: Selection) -> TrainingLook:
    """The step, head and score the link selects in this training."""
    layer, head = data.head_of(dynamics, cards.kind_of(selection.kind), selection)
    return TrainingLook(selection.at, layer, head, selection.badge or FIRST_SCORE)


def rest(new: TrainingLook) -> None:
    """Keep where the reader came to rest."""
    state.update(
        at=new.step, layer=new.layer, head=new.head, badge="" if new.score == FIRST_SCORE else new.score
    )


def sentences(dynamics: Dynamics, selection: Selection) -> None:
    """A picker of the recorded sentences."""
    names = [screen_text.plain(probe.source, _LONGEST) for probe in dynamics.probes]
    st.selectbox(
        tr("Sentence"),
        range(len(names)),
        format_func=names.__getitem__,
        label_visibility="collapsed",
        **state.bind("sentence", shown=data.probe_of(dynamics, selection)),
    )
