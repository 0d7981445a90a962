"""Watch it learn: a stored training played again, or a tiny one as it runs."""

from __future__ import annotations

import contextlib
from typing import Final

import streamlit as st

from core.errors import AtlasError
from core.language import message, tr
from ui.app import navigation
from ui.learn import dynamics_view as data
from ui.learn.live import live_training
from ui.learn.replay import FROM_NOTHING, replay, sentences
from ui.learn.two_trainings import two_trainings
from ui.session import state
from ui.shared import cards, checkpoints
from ui.shared.context import CheckpointView

LABELS: Final = {
    "replay": message("Replay"),
    "live": message("Live"),
    "mask": message("With and without the mask"),
}


def opening(shown: CheckpointView) -> CheckpointView:
    """The view whose training is replayed: that of `FROM_NOTHING` where no checkpoint was chosen and no lesson is open."""
    selection = shown.selection
    if selection.checkpoint or selection.lesson:
        return shown
    listed = {entry.name: entry for entry in checkpoints.entries()}
    if FROM_NOTHING not in listed:
        return shown
    return CheckpointView(listed[FROM_NOTHING], selection, shown.device)


@st.fragment
def watching(shown: CheckpointView) -> None:
    """The choice between the two, and the one chosen."""
    shown = opening(shown.now())
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="learning_options"):
        cards.choice(tr("training"), {name: tr(label) for name, label in LABELS.items()}, state.bind("watch"))
        if shown.selection.watch != "mask":
            navigation.kind_pills(shown.selection)
        if shown.selection.watch == "replay":
            with contextlib.suppress(AtlasError):  # the page says why below
                sentences(data.stored(shown.entry), shown.selection)
    if shown.selection.watch == "replay":
        replay(shown)
    elif shown.selection.watch == "mask":
        two_trainings()
    else:
        live_training(shown)
