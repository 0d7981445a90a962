"""Positions: what tells the model where a word stands, drawn for the sentence in hand."""

from __future__ import annotations

import streamlit as st

from core.analysis import wording
from ui.app import frame
from ui.app.frame import Shown
from ui.inside import positions
from ui.shared import cards
from ui.shared.decode import Decode
from ui.shared.mount import theme_watch


def main(shown: Shown, decode: Decode) -> None:
    views(shown, decode)
    cards.explain(*wording.positions(shown.entry.config))


@st.fragment
def views(shown: Shown, decode: Decode) -> None:
    """The cards for this model's kind of positions."""
    positions.draw(shown.now(), decode)
    theme_watch()


frame.with_decode(main)
