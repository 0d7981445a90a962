"""Attention: every head of one kind at a glance, one head in the hand."""

from __future__ import annotations

import streamlit as st

from core.analysis import wording
from ui import attention_panel as panel
from ui import attention_view as view
from ui import frame, state
from ui.components import furniture
from ui.components.architecture_map import Block
from ui.decode import Decode
from ui.frame import Shown
from ui.joint_panel import joint

LIT: dict[str, Block] = {"encoder": "encoder", "causal": "decoder", "cross": "cross", "joint": "cross"}
SWITCHES = (
    "\n\n**Words** sums the columns of a word's pieces and averages its rows. **Hide specials** takes ⟨start⟩ and ⟨end⟩ "
    "out and lets the rest of a row sum to 1 again, which is no longer what the model computed: the column “hidden” "
    "says what each row gave to them, and a row with less than 5 % left is shown empty. Means over heads are taken "
    "before that. Where no head was chosen, the one that is most confident about words stands open. A badge scores one head on this sentence, nothing hidden. Numbers beside a head are layer.head, "
    "counted from 0."
)
KEYS = (
    "\n\n| key | |\n|---|---|\n"
    "| ← ↑ → ↓ | from head to head on the wall, from cell to cell in the open map, a step back or on in the joint view |\n"
    "| Enter | opens the head, pins the cell |\n"
    "| Shift + click or Enter | lays a head over the open one, up to eight; a layer's name lays all of its heads |\n"
    "| Esc | lets go of the pins; once more: back to the mean of all heads |\n"
    "| Space | plays the joint view |\n"
)


def main(shown: Shown, decode: Decode) -> None:
    """Header, strip and views. The kind changes the strip, so it reruns the page; heads rerun `views` alone."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        frame.sentence(decode)
        panel.kind_pills()
    frame.strip(shown, decode, LIT[state.selection().kind])
    views(shown, decode)


@st.fragment
def views(shown: Shown, decode: Decode) -> None:
    """The wall and the open head, or the joint view; never runs the model for a head."""
    shown = shown.now()
    selection = shown.selection
    what, why, formula = wording.attention(shown.entry.config, selection.kind)
    explained = (what, why, formula + SWITCHES + KEYS)
    if selection.kind == "joint":
        joint(shown, decode, selection)
        furniture.explain(*explained)
        return
    maps = view.maps_of(
        decode,
        furniture.kind_of(selection.kind),
        shown.entry.tokenizers,
        words=selection.words,
        hide=selection.hide,
    )
    found = panel.opened(shown, decode, maps, selection)
    panel.controls(shown, decode, found, maps)
    if sentence := view.missing(selection, maps):
        furniture.quiet(sentence)
    if selection.presenter:  # in a lecture hall the open head is the slide, the wall the way to the next one
        panel.detail(shown, found, maps, selection)
        panel.wall(maps, selection)
        furniture.explain(*explained)
    else:
        left, right = st.columns([1.25, 1], gap="small")
        with left:
            panel.wall(maps, selection)
            furniture.explain(*explained)
        with right:
            panel.detail(shown, found, maps, selection)
    panel.compare(maps, selection)


frame.with_decode(main)
