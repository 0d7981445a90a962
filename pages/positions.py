"""Positions: what tells the model where a word stands, drawn for the sentence in hand."""

from __future__ import annotations

import streamlit as st

from core.analysis import wording
from ui import frame, positions_panel
from ui.components import furniture
from ui.components.theme_watch import theme_watch
from ui.decode import Decode
from ui.frame import Shown


def main(shown: Shown, decode: Decode) -> None:
    frame.sentence(decode)
    frame.strip(shown, decode, "source")
    views(shown, decode)
    furniture.explain(*wording.positions(shown.entry.config))


@st.fragment
def views(shown: Shown, decode: Decode) -> None:
    """The cards for this model's kind of positions."""
    positions_panel.draw(shown.now(), decode)
    theme_watch()


frame.with_decode(main)
