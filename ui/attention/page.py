"""The views of the Attention page: every head, or the three kinds together."""

from __future__ import annotations

import streamlit as st

from core.analysis import wording
from core.language import tr
from core.model.hooks import ATTENTION
from ui.attention import controls, measures, open_head, wall
from ui.attention.joint import joint
from ui.shared import cards
from ui.shared import maps as view
from ui.shared.context import DecodeView
from ui.shared.decode import Decode


def _switches() -> str:
    """What the switches of “More measures” do, as Markdown."""
    return "\n\n" + tr(
        "**Merge pieces into words** sums the columns of a word's pieces and averages its rows. **Hide special tokens** "
        "removes ⟨start⟩ and ⟨end⟩ and rescales each row to 1, which is not what the model computed. The column “hidden” "
        "shows what each row gave to them; a row with less than 5 % left is empty. Means over heads are taken first. "
        "A score describes one head on this sentence, with no token hidden. Heads are named layer.head, counted from 0."
    )


def keys() -> dict[str, str]:
    """What the keyboard does here."""
    return {
        "← ↑ → ↓": tr(
            "Move between heads, between cells of the open map, or between steps of the joint view"
        ),
        "Enter": tr("Open the head, pin the cell"),
        "Shift + Enter": tr("Overlay a head on the open one, up to eight; on a layer's name, all its heads"),
        "Esc": tr("Unpin; once more: show the mean of all heads"),
        tr("Space"): tr("Play the joint view"),
    }


def _which_opens(decode: Decode, kind: str) -> str:
    """Why this head is open where none was chosen: the checkpoint's own, or this sentence's most confident."""
    if kind not in ATTENTION:
        return ""
    stated = decode.default_heads.get(ATTENTION[kind].name)
    if stated is None:
        return " " + tr("With no head chosen, the one most confident about words opens.")
    return f" {stated.because}"


@st.fragment
def views(shown: DecodeView) -> None:
    """The wall and the open head, or the joint view. Opening a head never runs the model again."""
    shown = shown.now()
    selection = shown.selection
    what, why, formula = wording.attention(shown.entry.config, selection.kind)
    explained = (what, why, formula + _switches() + _which_opens(shown.decode, selection.kind))
    if selection.kind == "joint":
        joint(shown, selection)
        of_measure = selection.measure != "weight"
        cards.explain(*(measures.explained(selection.measure) if of_measure else explained), keys=keys())
        return
    kind = cards.kind_of(selection.kind)
    if selection.measure != "weight":
        measures.views(shown, kind)
        return
    maps = view.maps_of(
        shown.decode, kind, shown.entry.tokenizers, words=selection.words, hide=selection.hide
    )
    opened = open_head.opened(shown, maps, selection)
    scored = wall.scored(shown, maps)
    controls.row(shown, opened, maps, scored)
    if sentence := view.missing(selection, maps):
        cards.quiet(sentence)
    # In presenter mode the open head is the slide and the wall selects the next one.
    left, right = st.columns([0.78, 1] if selection.presenter else [1.32, 1], gap="small")
    with left:
        wall.wall(maps, scored, selection)
        cards.explain(*explained, keys=keys())
    with right:
        open_head.card(shown, opened, maps, scored)
