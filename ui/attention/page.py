"""The views of the Attention page, side by side, and what they mean."""

from __future__ import annotations

import streamlit as st

from core.analysis import wording
from core.model.hooks import ATTENTION
from ui.attention import controls, measures
from ui.attention import controls as wall
from ui.attention import open_head as panel
from ui.attention.joint import joint
from ui.shared import cards
from ui.shared import maps as view
from ui.shared.context import DecodeView
from ui.shared.decode import Decode

SWITCHES = (
    "\n\n**Words** sums the columns of a word's pieces and averages its rows. **Hide specials** takes ⟨start⟩ and ⟨end⟩ "
    "out and lets the rest of a row sum to 1 again, which is no longer what the model computed: the column “hidden” "
    "says what each row gave to them, and a row with less than 5 % left is shown empty. Means over heads are taken "
    "before that. A badge scores one head on this sentence, nothing hidden. Numbers beside a head are layer.head, "
    "counted from 0. "
)
KEYS = {
    "← ↑ → ↓": "from head to head on the wall, from cell to cell in the open map, a step back or on in the joint view",
    "Enter": "opens the head, pins the cell",
    "Shift + Enter": "lays a head over the open one, up to eight; a layer's name lays all of its heads",
    "Esc": "lets go of the pins; once more: back to the mean of all heads",
    "Space": "plays the joint view",
}


def _which_opens(decode: Decode, kind: str) -> str:
    """Why this head stands open where none was chosen: the checkpoint's own, or this sentence's most confident."""
    if kind not in ATTENTION:
        return ""
    stated = decode.default_heads.get(ATTENTION[kind].name)
    if stated is None:
        return "Where no head was chosen, the one that is most confident about words stands open."
    return f"{stated.because} It is the same for every sentence."


@st.fragment
def views(shown: DecodeView) -> None:
    """The wall and the open head, or the joint view. Opening a head never runs the model again."""
    shown = shown.now()
    selection = shown.selection
    what, why, formula = wording.attention(shown.entry.config, selection.kind)
    explained = (what, why, formula + SWITCHES + _which_opens(shown.decode, selection.kind))
    if not selection.presenter:
        controls.switch(selection)
    if selection.kind == "joint":
        joint(shown, selection)
        cards.explain(
            *(explained if selection.measure == "weight" else measures.explained(selection.measure)),
            keys=KEYS,
        )
        return
    if selection.measure != "weight":
        measures.views(shown, cards.kind_of(selection.kind))
        return
    maps = view.maps_of(
        shown.decode,
        cards.kind_of(selection.kind),
        shown.entry.tokenizers,
        words=selection.words,
        hide=selection.hide,
    )
    open_head = panel.opened(shown, maps, selection)
    controls.controls(shown, open_head, maps)
    if sentence := view.missing(selection, maps):
        cards.quiet(sentence)
    # In presenter mode the open head is the slide and the wall selects the next one.
    left, right = st.columns([0.78, 1] if selection.presenter else [1.25, 1], gap="small")
    with left:
        wall.wall(maps, selection)
        cards.explain(*explained, keys=KEYS)
    with right:
        panel.detail(shown, open_head, maps, selection)
    panel.compare(maps, selection)
