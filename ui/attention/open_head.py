"""The open head, alone or with others laid over it, and the best heads for the pinned pair."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.analysis import wording
from core.experiments.edits import UNEDITED, HeadsStep
from core.language import message, plural, tr
from core.model.config import ModelConfig
from ui.attention.wall import Scored
from ui.session import state
from ui.session.codec import UNPINNED
from ui.session.selection import MEAN, PIN_LIMIT, Selection
from ui.shared import cards
from ui.shared import maps as view
from ui.shared.context import DecodeView
from ui.shared.head_detail import HEAD, HeadData, HeadMap, Pins, Viewed
from ui.shared.maps import Axis, Maps
from ui.shared.mount import mount
from ui.shared.pin_heads import PIN_HEADS


@dataclass(frozen=True)
class Open:
    """The map in hand: layer and head (MEAN for all), its numbers (T, S) and labels, and the heads laid over it.

    `hidden (T,)` is what each row gave to hidden tokens.
    """

    layer: int
    head: int
    values: NDArray[np.float64]
    queries: Axis
    keys: Axis
    over: tuple[HeadMap, ...] = ()
    hidden: NDArray[np.float64] | None = None

    @property
    def single(self) -> bool:
        """Whether it is one head."""
        return MEAN not in (self.layer, self.head)

    @property
    def name(self) -> str:
        """Short: 2.5, or mean."""
        return f"{self.layer}.{self.head}" if self.single else "all"


def opened(shown: DecodeView, maps: Maps, selection: Selection) -> Open:
    """The values of the open head, or the mean or maximum over several heads."""
    layer, head = view.chosen(selection, maps)
    overlaid = view.overlaid(selection, maps)
    if selection.draw == "weights":
        one_map = view.opened(maps, layer, head, selection.how)
        laid = [(view.opened(maps, *pair, "mean"), pair) for pair in overlaid]
        over = tuple(HeadMap(one.values, *pair, hidden=one.hidden) for one, pair in laid)
        return Open(layer, head, one_map.values, maps.queries, maps.keys, over, one_map.hidden)
    trace = shown.recorded(view.score_sites(maps.kind))
    values = view.raw_scores(trace, maps.kind, masked=selection.draw == "masked")
    queries, keys = view.axes(
        shown.decode, maps.kind, False, str, str
    )  # scores belong to tokens: never merged
    over = tuple(HeadMap(values[pair], *pair) for pair in overlaid)
    drawn = view.one_map(values, layer, head, selection.how)
    return Open(layer, head, drawn, queries, keys, over)


def card(shown: DecodeView, open_head: Open, maps: Maps, scored: Scored) -> None:
    """The open head, and for a pinned pair its best heads and where to go on from here."""
    with cards.card("head"):
        detail(shown, open_head, maps, scored)
        if scored.pair is not None and scored.ranking:
            _best(scored)
            _next(shown, open_head, maps, scored)


def _best(scored: Scored) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="best_heads"):
        cards.quiet(tr("Best three for this pair"), width="content")
        for layer, head in scored.ranking[:PIN_HEADS]:
            opens = {"layer": layer, "head": head, "overlay": ()}
            st.button(f"{layer}.{head}", key=f"best_{layer}_{head}", on_click=partial(state.update, **opens))


def _next(shown: DecodeView, open_head: Open, maps: Maps, scored: Scored) -> None:
    """To What if with the best heads ablated, and to the computation of this cell inside the open head."""
    best = scored.ranking[:PIN_HEADS]
    edits = UNEDITED
    for layer, head in best:
        edits = edits.then(HeadsStep(maps.kind, layer, (head,)))
    label = plural("Ablate this head", "Ablate these {count} heads", len(best))
    with st.container(horizontal=True, gap="small", key="pair_actions"):
        parameters = state.params_with(edits=edits)
        st.page_link("pages/what_if.py", label=label, query_params=parameters, width="stretch")
        if open_head.single:
            at = state.params_with(layer=open_head.layer, head=open_head.head)
            st.page_link("pages/inside.py", label=tr("How is it computed?"), query_params=at, width="stretch")


def detail(shown: DecodeView, open_head: Open, maps: Maps, scored: Scored) -> None:
    """The open head, with the heads laid over it, and its numbers."""
    selection = shown.selection
    layer, head = open_head.layer, open_head.head
    subject = view.who(layer, head, selection.how, maps)

    def pinned(pins: Pins) -> None:
        kept = [row for row in pins.rows if row < len(maps.queries.groups)][:PIN_LIMIT]
        token = view.token_of(maps, kept[-1]) if kept else ""
        both = pins.rows, pins.columns
        cell = view.pin_of(maps, *both)
        state.update(
            pins=view.pins_of(maps, *both), pin=cell or (UNPINNED if not any(both) else None), token=token
        )

    def viewed(settings: Viewed) -> None:
        scale = None if settings.log is None else "log" if settings.log else "weight"
        state.update(threshold=settings.threshold, scale=scale, zoom=settings.zoom)

    whole = None if layer == MEAN else layer, None if head == MEAN else head
    rows, columns = view.pinned(maps, selection)
    mount(
        HEAD,
        HeadData(
            [HeadMap(open_head.values, *whole, subject=subject, hidden=open_head.hidden), *open_head.over],
            open_head.queries.labels,
            open_head.keys.labels,
            kind=maps.kind,
            mode=selection.draw,
            title="" if open_head.single else subject[0].upper() + subject[1:],
            subtitle=_subtitle(shown.entry.config, maps, selection),
            reads=open_head.queries.reads,
            distribution=selection.how == "mean" or open_head.single,
            pins=Pins(tuple(rows), tuple(columns)),
            viewed=Viewed(
                selection.threshold,
                None if selection.scale is None else selection.scale == "log",
                selection.zoom,
            ),
            report=True,
            ranking=scored.ranking,
            bare=True,
        ),
        key=f"detail_{maps.kind}",
        pinned=pinned,
        viewed=viewed,
    )


_WEIGHTS: Final = {
    "encoder": message("Encoder self-attention weights, in % of a row"),
    "causal": message("Causal self-attention weights, in % of a row"),
    "cross": message("Cross-attention weights, in % of a row"),
}


def _subtitle(config: ModelConfig, maps: Maps, selection: Selection) -> str:
    if selection.draw == "weights":
        drawn = tr(_WEIGHTS[maps.kind])
        rows = "" if maps.kind == "encoder" else tr("reads → writes")
        hiding = view.hiding(maps, *view.chosen(selection, maps), selection.how)
        return " · ".join(filter(None, (drawn, rows, hiding)))
    formula = wording.scores(config, maps.kind)
    if selection.draw == "masked":
        return tr("{formula}, before the softmax, one token per cell, −∞ where masked", formula=formula)
    return tr("{formula}, before the softmax, one token per cell", formula=formula)
