"""The wall of heads and the controls of the Attention page: which kind, which head, how it is drawn."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import streamlit as st

from core.analysis.contribution_glossary import CONTRIBUTIONS
from core.analysis.maps import only_allowed
from ui.attention.open_head import Open
from ui.export import menu
from ui.session import state
from ui.session.selection import MEAN, OVERLAY_LIMIT, Selection
from ui.shared import cards
from ui.shared import maps as view
from ui.shared.context import DecodeView
from ui.shared.head_wall import WALL, Opened
from ui.shared.maps import Maps
from ui.shared.mount import mount
from ui.shared.pickers import pick, pick_width
from ui.shared.wall_data import AllHeads, Arranged, WallData

WALL_HEIGHT = 610


def wall(maps: Maps, selection: Selection) -> None:
    """Every head as a small picture; a click opens it beside the wall."""

    def picked(opened: Opened) -> None:
        (layer, head), *over = opened.heads or ((MEAN, MEAN),)
        state.update(layer=layer, head=head, overlay=tuple(over[:OVERLAY_LIMIT]))

    def arranged(arrangement: Arranged) -> None:
        state.update(
            sort=arrangement.sort, badge=arrangement.badge, least=arrangement.least, tone=arrangement.tone
        )

    mount(
        WALL,
        WallData(
            maps.weights,
            maps.queries.labels,
            maps.keys.labels,
            kind=maps.kind,
            reads=maps.queries.reads,
            scores_of=view.scores(maps),
            arranged=Arranged(selection.sort, selection.badge, selection.least, selection.tone),
            all_heads=AllHeads(selection.how, view.who(MEAN, MEAN, selection.how, maps)),
            title=f"All {maps.shape[0] * maps.shape[1]} heads",
            hidden=maps.hidden,
            tall=WALL_HEIGHT,
            file=f"{maps.kind}-heads",
        ),
        key=f"wall_{maps.kind}",
        picked=picked,
        arranged=arranged,
    )


MEASURE_LABELS = {
    name: entry.label if name != "weight" else "weight" for name, entry in CONTRIBUTIONS.items()
}
DRAW_LABELS = {"weights": "weights", "scores": "scores", "masked": "masked scores"}


def switch(selection: Selection) -> None:
    """What the maps hold: pills, or a short list in a hall, where every line is taken from the pictures."""
    bound = state.bind("measure")
    if selection.presenter:
        st.selectbox(
            "what the maps hold",
            list(MEASURE_LABELS),
            format_func=MEASURE_LABELS.__getitem__,
            label_visibility="collapsed",
            width=pick_width(selection, 150),
            **bound,
        )
    else:
        cards.choice("what the maps hold", MEASURE_LABELS, bound)


def controls(shown: DecodeView, open_head: Open, maps: Maps) -> None:
    """The row above the views: what is drawn, which head, words, special tokens, a second head, and downloads."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="view_options"):
        if state.selection().presenter:
            switch(state.selection())
        _drawn(maps, open_head.layer, open_head.head)
        with folded():
            st.toggle("words", **state.bind("words"))
            st.toggle("hide specials", **state.bind("hide"))
            compare_pick(maps, open_head)
        cells = only_allowed(open_head.values, maps.kind == "causal", state.selection().draw)
        csv = menu.csv_source(cells, open_head.queries, open_head.keys)
        menu.buttons(shown, csv, f"{maps.kind}-{open_head.name}-{state.selection().draw}")


def folded() -> AbstractContextManager[object]:
    """Where rarer choices stand: in the line itself, behind a button in a hall, where every line is taken from the pictures."""
    return st.popover("more choices") if state.selection().presenter else nullcontext()


def _drawn(maps: Maps, layer: int, head: int) -> None:
    count_layers, count_heads = maps.shape
    cards.choice("draw", DRAW_LABELS, state.bind("draw"))
    pick("layer", layer, range(count_layers), "layer {}", "all layers")
    pick("head", head, range(count_heads), "head {}", "all heads")
    if MEAN in (layer, head):
        cards.choice("how", {"mean": "mean", "max": "max"}, state.bind("how"))


def compare_pick(maps: Maps, open_head: Open) -> None:
    """Pick a second head to compare with; only single heads can be compared."""
    if not open_head.single:
        return
    heads = [f"{layer}.{head}" for layer in range(maps.shape[0]) for head in range(maps.shape[1])]
    against = state.selection().against
    bound = state.bind("against", shown=against if against in heads else "")
    st.selectbox(
        "compare with",
        ["", *(head for head in heads if head != open_head.name)],
        format_func=lambda head: f"compared with {head}" if head else "compare with …",
        label_visibility="collapsed",
        width=pick_width(state.selection(), 160),
        **bound,
    )
