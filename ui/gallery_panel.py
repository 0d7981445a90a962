"""The gallery of the Checkpoints page: one card a model."""

from __future__ import annotations

import streamlit as st

from ui import card_view, resources, state
from ui.components import facts, furniture
from ui.summary import Entry

TRANSLATE = "pages/translate.py"


def draw(opened: str) -> None:
    """Every checkpoint this session can see, two beside each other; `opened` names the one in use."""
    listed = resources.entries()
    left, right = st.columns(2, gap="small")
    for place, entry in enumerate(listed):
        with (left, right)[place % 2], st.container(key=f"shelf_{place}"):
            _card(place, entry, entry.name == opened)


def _card(place: int, entry: Entry, in_use: bool) -> None:
    with furniture.card(f"checkpoint_{place}"):
        pair = f" {entry.languages}" if entry.languages else ""
        furniture.title([(entry.name, "b"), (pair, "muted")], "" if entry.problem else card_view.does(entry))
        if entry.problem:
            furniture.mistake(entry.problem)
            return
        furniture.quiet(card_view.shape_line(entry))
        if scores := card_view.figures(entry):
            facts.table(scores, name="scores")
        if examples := card_view.examples(entry):
            with st.expander(f"{len(examples)} examples" if len(examples) > 1 else "one example"):
                facts.table(examples, ("source", "what the model writes"), name="pairs")
        _terms(entry)
        _buttons(place, entry, in_use)


def _terms(entry: Entry) -> None:
    card = entry.usable.card
    rows = [
        (name, line)
        for key, name in (("data", "data"), ("terms", "terms"), ("limits", "limits"), ("trained", "trained"))
        for name, line in zip([name] + [""] * 20, card_view.texts(card.get(key)), strict=False)
    ]
    if rows:
        with st.expander("data, terms and limits"):
            facts.table(rows)


def _buttons(place: int, entry: Entry, in_use: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(
            "Open", key=f"widget_open_{place}", type="primary", help="Use this model and translate with it"
        ):
            state.update(checkpoint=entry.name)
            st.switch_page(TRANSLATE, query_params=state.link_params())
        st.button("Inspect", key=f"widget_inspect_{place}", on_click=state.look_inside, args=(entry.name,))
        if in_use:
            furniture.lamp("in use")
