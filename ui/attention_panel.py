"""The Attention page's two views and the controls beside them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.analysis import wording
from core.analysis.maps import only_allowed
from core.config import ModelConfig
from core.sites import ATTENTION
from ui import attention_view as view
from ui import resources, state, takeaway
from ui.attention_view import Maps
from ui.components import furniture
from ui.components.compare_view import Side, compare_data, compare_view
from ui.components.head_detail import DetailResult, HeadMap, Viewed, detail_data, head_detail
from ui.components.head_wall import WallResult, head_wall
from ui.components.wall_data import Arranged, wall_data
from ui.decode import Decode
from ui.frame import Shown
from ui.selection import MEAN, OVERLAY_LIMIT, PIN_LIMIT, Selection

KIND_LABELS = {**{key: kind.label for key, kind in ATTENTION.items()}, "joint": "joint"}
DRAW_LABELS = {"weights": "weights", "scores": "scores", "masked": "masked scores"}
WALL_HEIGHT = 610


@dataclass(frozen=True)
class Open:
    """The map in hand: layer and head (MEAN for all), its numbers (T, S) and labels, and the heads laid over it.

    `hidden (T,)` is what each row gave to hidden tokens.
    """

    layer: int
    head: int
    values: NDArray[np.float64]
    queries: tuple[str, ...]
    keys: tuple[str, ...]
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


def kind_pills() -> None:
    """One of the three kinds of attention, or all of them joined."""
    with st.container(key="kinds", width="content"):
        furniture.choice("kind", KIND_LABELS, state.bind("kind"))


def wall(maps: Maps, selection: Selection) -> None:
    """Every head as a small picture; a click opens it beside."""

    def picked(result: WallResult) -> None:
        if result.picked is not None:
            (layer, head), *over = result.picked
            state.update(layer=layer, head=head, overlay=tuple(over[:OVERLAY_LIMIT]))
        elif result.closed:
            state.update(layer=MEAN, head=MEAN, overlay=())

    def arranged(found: Arranged) -> None:
        state.update(sort=found.sort, badge=found.badge, least=found.least, tone=found.tone)

    head_wall(
        wall_data(
            maps.weights,
            maps.queries.labels,
            maps.keys.labels,
            kind=maps.kind,
            scores=view.scores(maps),
            arranged=Arranged(selection.sort, selection.badge, selection.least, selection.tone),
            whole=(selection.how, view.who(MEAN, MEAN, selection.how, maps)),
            title=f"All {maps.shape[0] * maps.shape[1]} heads",
            hidden=maps.hidden,
            tall=WALL_HEIGHT,
            file_name=f"{maps.kind}-heads",
        ),
        on_change=picked,
        on_arranged=arranged,
        key=f"wall_{maps.kind}",
    )


def opened(shown: Shown, decode: Decode, maps: Maps, selection: Selection) -> Open:
    """The numbers of the open head, or of the mean or maximum in its place."""
    layer, head = view.chosen(selection, maps)
    overlaid = view.overlaid(selection, maps)
    if selection.draw == "weights":
        found = view.opened(maps, layer, head, selection.how)
        laid = [(view.opened(maps, *pair, "mean"), pair) for pair in overlaid]
        over = tuple(HeadMap(one.values, *pair, hidden=one.hidden) for one, pair in laid)
        return Open(layer, head, found.values, maps.queries.labels, maps.keys.labels, over, found.hidden)
    trace = resources.recorded(shown.entry, decode, view.score_sites(maps.kind), shown.device)
    values = view.raw_scores(trace, maps.kind, masked=selection.draw == "masked")
    queries, keys = view.axes(decode, maps.kind, False, str, str)  # scores belong to tokens: never merged
    over = tuple(HeadMap(values[pair], *pair) for pair in overlaid)
    drawn = view.one_map(values, layer, head, selection.how)
    return Open(layer, head, drawn, queries.labels, keys.labels, over)


def detail(shown: Shown, found: Open, maps: Maps, selection: Selection) -> None:
    """The open head, or several, with their numbers."""
    layer, head = found.layer, found.head
    subject = view.who(layer, head, selection.how, maps)
    mode = selection.draw

    def pinned(result: DetailResult) -> None:
        if result.pinned_rows is not None and result.pinned_columns is not None:
            pins = view.pins_of(maps, result.pinned_rows, result.pinned_columns)
            kept = [row for row in result.pinned_rows if row < len(maps.queries.groups)][:PIN_LIMIT]
            state.update(pins=pins, token=view.token_of(maps, kept[-1]) if kept else "")

    def viewed(found: Viewed) -> None:
        scale = None if found.log is None else "log" if found.log else "weight"
        state.update(threshold=found.threshold, scale=scale, zoom=found.zoom)

    whole = None if layer == MEAN else layer, None if head == MEAN else head
    rows, columns = view.pinned(maps, selection)
    head_detail(
        detail_data(
            [HeadMap(found.values, *whole, subject=subject, hidden=found.hidden), *found.over],
            found.queries,
            found.keys,
            kind=maps.kind,
            mode=mode,
            title=None if found.single else subject[0].upper() + subject[1:],
            subtitle=_subtitle(shown.entry.config, maps, selection),
            writing=maps.writing,
            distribution=selection.how == "mean" or found.single,
            pinned_rows=rows,
            pinned_columns=columns,
            viewed=Viewed(
                selection.threshold,
                None if selection.scale is None else selection.scale == "log",
                selection.zoom,
            ),
            report=True,
        ),
        on_pins=pinned,
        on_viewed=viewed,
        key=f"detail_{maps.kind}",
    )


def _subtitle(config: ModelConfig, maps: Maps, selection: Selection) -> str:
    if selection.draw == "weights":
        return view.hiding(maps, *view.chosen(selection, maps), selection.how)
    masked = ", −∞ where masked" if selection.draw == "masked" else ""
    return f"{wording.scores(config, maps.kind)}, before the softmax, one token a cell{masked}"


def controls(shown: Shown, decode: Decode, found: Open, maps: Maps) -> None:
    """One line above the views: what is drawn, which head, words, specials, a second head, and taking it away."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="view_options"):
        _drawn(maps, found.layer, found.head)
        compare_pick(maps, found)
        cells = only_allowed(found.values, maps.kind == "causal", state.selection().draw)
        csv = takeaway.csv_source(cells, found.queries, found.keys)
        takeaway.buttons(shown, decode, csv, f"{maps.kind}-{found.name}-{state.selection().draw}")


def _drawn(maps: Maps, layer: int, head: int) -> None:
    count_layers, count_heads = maps.shape
    furniture.choice("draw", DRAW_LABELS, state.bind("draw"))
    pick("layer", layer, range(count_layers), "layer {}", "all layers")
    pick("head", head, range(count_heads), "head {}", "all heads")
    if MEAN in (layer, head):
        furniture.choice("how", {"mean": "mean", "max": "max"}, state.bind("how"))
    st.toggle("words", **state.bind("words"))
    st.toggle("hide specials", **state.bind("hide"))


def pick(field: str, value: int, places: Iterable[int], one: str, every: str = "") -> None:
    """A list of layers or heads; `every` names all of them together, where that can be chosen."""
    bound = state.bind(field)
    st.session_state[bound["key"]] = value
    st.selectbox(
        field,
        [MEAN, *places] if every else list(places),
        format_func=lambda index: every if index == MEAN else one.format(index),
        label_visibility="collapsed",
        width=view.pick_width(state.selection()),
        **bound,
    )


def compare_pick(maps: Maps, found: Open) -> None:
    """Choose a second head; only weights can be compared."""
    if not found.single:
        return
    heads = [f"{layer}.{head}" for layer in range(maps.shape[0]) for head in range(maps.shape[1])]
    bound = state.bind("against")
    if st.session_state[bound["key"]] not in heads:
        st.session_state[bound["key"]] = ""
    st.selectbox(
        "compare with",
        ["", *(head for head in heads if head != found.name)],
        format_func=lambda head: f"compared with {head}" if head else "compare with …",
        label_visibility="collapsed",
        width=view.pick_width(state.selection(), 160),
        **bound,
    )


def compare(maps: Maps, selection: Selection) -> None:
    """Two heads side by side and their difference, when a second one is chosen."""
    layer, head = view.chosen(selection, maps)
    if not selection.against or MEAN in (layer, head):
        return
    other_layer, other_head = (int(part) for part in selection.against.split("."))
    if other_layer >= maps.shape[0] or other_head >= maps.shape[1]:
        return
    first, second = (
        Side(
            found.values,
            maps.queries.labels,
            maps.keys.labels,
            f"head {pair[0]}.{pair[1]}",
            hidden=found.hidden,
        )
        for pair in ((layer, head), (other_layer, other_head))
        for found in [view.opened(maps, *pair, "mean")]
    )
    title = f"{first.name} and {second.name}"
    compare_view(compare_data(first, second, kind=maps.kind, title=title, writing=maps.writing))
