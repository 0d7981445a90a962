"""The Compare page's pickers: what is compared, and the heads, steps, sentences or checkpoints of its two sides."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from ui.attention.controls import folded
from ui.data import maps as view
from ui.data.maps import Maps
from ui.session import link, state
from ui.session.selection import MEAN, How, Selection
from ui.shell import cards
from ui.style.theme import Kind

VERSUS: Final = {
    "head": "two heads",
    "sentence": "two sentences",
    "step": "two steps",
    "checkpoint": "two checkpoints",
}


def versus_pills() -> None:
    """Heads, sentences, steps or checkpoints."""
    with st.container(key="versus", width="content"):
        cards.choice("compare", VERSUS, state.bind("versus"))


def kind_of(selection: Selection) -> Kind:
    """The kind compared: the selection's; the joint view has no single map, so cross-attention stands in."""
    return cards.kind_of(selection.kind)


def row() -> Any:
    """Pickers beside each other."""
    found = st.container(horizontal=True, vertical_alignment="center", gap="small", key="compare_options")
    if state.selection().presenter:  # one line in a hall, where every line is taken from the maps
        with found:
            versus_pills()
    return found


def pick(label: str, options: list[Any], value: Any, named: Any, take: Any, width: int) -> None:
    """A list of choices; `take` gets the one picked."""
    st.selectbox(
        label,
        options,
        format_func=named,
        label_visibility="collapsed",
        width=width,
        **state.hold(f"compare_{label.replace(' ', '_')}", value, take),
    )


def pick_head(label: str, maps: Maps, head: tuple[int, int], take: Any, every: How | None = None) -> None:
    """One of the heads; or all of them, taken together as `every` says."""
    layers, heads = maps.shape
    options = [(layer, each) for layer in range(layers) for each in range(heads)]
    if every:
        options = [(MEAN, MEAN), *options]
        options += [] if head in options else [head]

    def named(pair: tuple[int, int]) -> str:
        layer, each = pair
        if pair == (MEAN, MEAN):
            return view.who(layer, each, every or "mean").removeprefix("the ")
        return view.who(layer, each, every or "mean", maps)

    pick(label, options, head, named, take, 170)


def sentence_field(label: str, text: str, take: Any) -> None:
    """A sentence to type; a link holds no more than the field takes."""
    name = label.replace(" ", "_")

    def typed(words: str) -> None:
        if words.strip():
            take(words)

    with st.container(key=f"field_{name}"):
        st.text_input(
            label,
            max_chars=link.TEXT_LIMIT,
            label_visibility="collapsed",
            placeholder=label,
            **state.hold(f"compare_{name}", text[: link.TEXT_LIMIT], typed),
        )


def options() -> None:
    """How all maps are drawn."""
    with folded():
        st.toggle("words", **state.bind("words"))
        st.toggle("hide specials", **state.bind("hide"))
