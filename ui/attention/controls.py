"""The one row of controls of the Attention page: kind, score, order, measures and what is saved."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager

import streamlit as st

from core.analysis.contributions import CONTRIBUTIONS, READINGS
from core.analysis.glossary import SCORES
from core.analysis.maps import hides_later, only_allowed
from core.language import message, tr
from ui.app import navigation
from ui.attention.wall import Open, Scored
from ui.export import menu
from ui.export.figure import Rows, figure, of_map
from ui.export.vector import Figure
from ui.session import state
from ui.session.selection import MEAN
from ui.shared import cards
from ui.shared.cards import pick, pick_width
from ui.shared.context import DecodeView
from ui.shared.map_data import PAIR, Arranged
from ui.shared.maps import Maps

_DRAWN = {
    "weights": message("Attention weights"),
    "scores": message("Scores"),
    "masked": message("Masked scores"),
}
_ORDERS = {"high": message("highest first"), "low": message("lowest first"), "model": message("by layer")}
_TONES = {"weight": message("linear"), "log": message("logarithmic"), "each": message("per head")}


def measure_labels() -> dict[str, str]:
    """What maps can hold: weights and the contributions, by name."""
    return {
        name: tr("Attention weight") if name == "weight" else tr(entry.label)
        for name, entry in CONTRIBUTIONS.items()
    }


def line() -> AbstractContextManager[object]:
    """The container of the row."""
    return st.container(horizontal=True, vertical_alignment="center", gap="small", key="view_options")


def row(shown: DecodeView, open_head: Open, maps: Maps, scored: Scored) -> None:
    """Kind, score, order, more measures, files."""
    selection = shown.selection
    with line():
        navigation.kind_pills(selection)
        score_and_order(scored.scores, scored.arranged, scored.cell.score if scored.cell else "")
        with more():
            measure()
            cards.choice(
                tr("Numbers"), {name: tr(label) for name, label in _DRAWN.items()}, state.bind("draw")
            )
            heads(maps.shape, open_head.layer, open_head.head)
            st.toggle(tr("Merge pieces into words"), **state.bind("words"))
            st.toggle(tr("Hide special tokens"), **state.bind("hide"))
            tones()
        cells = only_allowed(open_head.values, hides_later(maps.kind, open_head.values), selection.draw)
        csv = menu.csv_source(cells, open_head.queries, open_head.keys)
        figures = _figures(shown, open_head, maps) if selection.draw == "weights" else None
        menu.buttons(shown, csv, f"{maps.kind}-{open_head.name}-{selection.draw}", figures)


def _figures(shown: DecodeView, open_head: Open, maps: Maps) -> menu.Drawn:
    """The open map as it is shown, and the wall of every head."""
    kind, decode = maps.kind, shown.decode
    subject = tr("head {name}", name=open_head.name) if open_head.single else tr("the mean of all heads")
    queries = open_head.queries
    rows = Rows(
        queries.reads or queries.labels, queries.labels if queries.reads else (), open_head.keys.labels
    )
    cells = only_allowed(open_head.values, hides_later(kind, open_head.values), "weights")

    def opened(width: float) -> Figure:
        sentence = (decode.source_text, decode.text)
        return of_map(
            cells,
            rows,
            kind,
            subject=subject,
            sentence=sentence,
            model=shown.entry.name,
            config=shown.entry.config,
            width=width,
        )

    def every(width: float) -> Figure:
        return figure(decode.trace, kind, width=width, model=shown.entry.name)

    return {subject: opened, tr("all heads"): every}


def score_and_order(names: Iterable[str], arranged: Arranged, pair: str = "") -> None:
    """The score under the heads, and the order of the wall; `pair` names the score by the pinned pair."""
    listed = list(names)
    if not listed:
        return
    presenter = state.selection()
    badge = arranged.badge if arranged.badge in listed else listed[0]

    def label(name: str) -> str:
        entry = SCORES.get(name) or READINGS.get(name)
        words = pair if name == PAIR else tr(entry.label) if entry else name.replace("_", " ")
        return tr("Score: {name}", name=words)

    st.selectbox(
        tr("Score under each head"),
        listed,
        format_func=label,
        label_visibility="collapsed",
        width=pick_width(presenter, 218),
        **state.hold("badge", badge, lambda name: state.update(badge=name, sort=arranged.sort)),
    )
    st.selectbox(
        tr("Order of the heads"),
        list(_ORDERS),
        format_func=lambda name: tr("Sort: {order}", order=tr(_ORDERS[name])),
        label_visibility="collapsed",
        width=pick_width(presenter, 168),
        **state.hold("sort", arranged.sort, lambda name: state.update(sort=name, badge=badge)),
    )


def more() -> AbstractContextManager[object]:
    """What few need, one level down."""
    return st.popover(tr("More measures"), width="content")


def measure() -> None:
    """What the maps hold."""
    cards.choice(tr("What the maps show"), measure_labels(), state.bind("measure"))


def heads(shape: tuple[int, int], layer: int, head: int) -> None:
    """Which head is open: one, or the mean or maximum of several."""
    with st.container(horizontal=True, gap="small"):
        pick("layer", layer, range(shape[0]), tr("layer {}"), tr("all layers"))
        pick("head", head, range(shape[1]), tr("head {}"), tr("all heads"))
        if MEAN in (layer, head):
            cards.choice(
                tr("Several heads as"), {"mean": tr("mean"), "max": tr("maximum")}, state.bind("how")
            )


def tones() -> None:
    """How the wall's colours are scaled."""
    tone = state.selection().tone or "weight"
    cards.choice(
        tr("Colours of the wall"),
        {name: tr(label) for name, label in _TONES.items()},
        state.bind("tone", shown=tone),
    )
