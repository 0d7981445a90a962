"""Pickers: short lists of layers or heads, and one token of a decode, as pills or, if there are many, a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import streamlit as st

from core.language import tr
from ui.session import state
from ui.session.selection import MEAN, Selection
from ui.style import screen_text
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


_UNSEEN: Final = "\u2060"  # a word joiner
_PILLS = 32  # on one side; more would fill the screen


def token_picker(sides: Sequence[tuple[str, Sequence[str]]], chosen: str) -> None:
    """Picker of the selected token. `sides` are ("s" or "t", labels); `chosen` is the current token, such as "s3"."""
    options = [f"{side}{index}" for side, labels in sides for index in range(len(labels))]
    names = {f"{side}{index}": label for side, labels in sides for index, label in enumerate(labels)}
    if all(len(labels) <= _PILLS for _, labels in sides):
        for side, labels in sides:
            _pills(side, [f"{side}{index}" for index in range(len(labels))], names, chosen)
        return
    bound = state.bind("token", shown=chosen)
    st.selectbox(
        tr("token"),
        options,
        format_func=lambda option: (
            f"{names[option]}  ({tr('source') if option[0] == 's' else tr('target')} {option[1:]})"
        ),
        label_visibility="collapsed",
        **bound,
    )


def _pills(side: str, options: list[str], names: dict[str, str], chosen: str) -> None:
    def take(picked: str | None) -> None:
        if picked:
            state.update(token=picked)

    label = tr("source") if side == "s" else tr("target")
    shown = distinct([screen_text.label(names[option]) for option in options])
    with st.container(
        horizontal=True, wrap=False, vertical_alignment="top", gap="small", key=f"tokens_{side}"
    ):
        st.html(f'<p class="atlas-quiet atlas-side">{label}</p>', width=46)
        st.pills(
            label,
            options,
            format_func=lambda option: shown[options.index(option)],
            label_visibility="collapsed",
            wrap=True,
            width="stretch",
            **state.hold(f"token_{side}", chosen if chosen in options else None, take),
        )


def distinct(labels: Sequence[str]) -> list[str]:
    """Labels of which no two are alike: the browser tells which was pressed by its label. What is added cannot be seen."""
    seen = Counter[str]()
    apart = []
    for label in labels:
        apart.append(label + _UNSEEN * seen[label])
        seen[label] += 1
    return apart
