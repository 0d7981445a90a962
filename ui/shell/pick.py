"""A short list of layers or heads beside what they change."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from ui.session import state
from ui.session.selection import MEAN, Selection
from ui.style.theme import PRESENTER_SCALE


def pick(field: str, value: int, places: Iterable[int], one: str, every: str = "") -> None:
    """A list of layers or heads; `every` names all of them together, where that can be chosen."""
    bound = state.bind(field, shown=value)
    st.selectbox(
        field,
        [MEAN, *places] if every else list(places),
        format_func=lambda index: every if index == MEAN else one.format(index),
        label_visibility="collapsed",
        width=pick_width(state.selection()),
        **bound,
    )


def pick_width(selection: Selection, pixels: int = 118) -> int:
    """How wide a short list is, in CSS pixels; presenter size needs more."""
    return round(pixels * (PRESENTER_SCALE if selection.presenter else 1))
