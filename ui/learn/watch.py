"""Watch it learn: a stored training played again, or a tiny one as it runs."""

from __future__ import annotations

import contextlib
from typing import Final

import streamlit as st

from core.errors import AtlasError
from ui.app import navigation
from ui.learn import dynamics_view as data
from ui.learn.live import live_training
from ui.learn.replay import replay, sentences
from ui.session import state
from ui.shared import cards
from ui.shared.context import CheckpointView

LABELS: Final = {"replay": "replay", "live": "live"}


@st.fragment
def watching(shown: CheckpointView) -> None:
    """The choice between the two, and the one chosen."""
    shown = shown.now()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="learning_options"):
        cards.choice("watch", LABELS, state.bind("watch"))
        navigation.kind_pills(shown.selection)
        if shown.selection.watch == "replay":
            with contextlib.suppress(AtlasError):  # the page says why below
                sentences(data.stored(shown.entry), shown.selection)
    if shown.selection.watch == "replay":
        replay(shown)
    else:
        live_training(shown)
