"""Positions: what tells the model where a word stands, drawn for the sentence in hand."""

from __future__ import annotations

import streamlit as st

from core.analysis import wording
from ui.app import frame
from ui.inside import positions
from ui.shared import cards
from ui.shared.context import DecodeView
from ui.shared.mount import theme_watch


def main(shown: DecodeView) -> None:
    positions_page(shown)
    cards.explain(*wording.positions(shown.entry.config))


@st.fragment
def positions_page(shown: DecodeView) -> None:
    """The cards for this model's kind of positions."""
    shown = shown.now()
    positions.draw_positions(shown)
    theme_watch()
    positions.find_swap(shown)


frame.with_decode(main)
