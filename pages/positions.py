"""Positions: what tells the model where a word stands, drawn for the sentence in hand."""

from __future__ import annotations

import streamlit as st

from core.analysis import wording
from ui.components.theme_watch import theme_watch
from ui.data.decode import Decode
from ui.positions import overview
from ui.shell import cards, frame
from ui.shell.frame import Shown


def main(shown: Shown, decode: Decode) -> None:
    views(shown, decode)
    cards.explain(*wording.positions(shown.entry.config))


@st.fragment
def views(shown: Shown, decode: Decode) -> None:
    """The cards for this model's kind of positions."""
    overview.draw(shown.now(), decode)
    theme_watch()


frame.with_decode(main)
