"""The open head: alone, with others laid over it, or beside a second one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.analysis import wording
from core.model.config import ModelConfig
from ui.session import state
from ui.session.selection import MEAN, PIN_LIMIT, Selection
from ui.shared import maps as view
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.head_detail import HEAD, HeadData, HeadMap, Pins, Viewed
from ui.shared.map_pairs import Side
from ui.shared.maps import Axis, Maps
from ui.shared.mount import mount
from ui.shared.two_maps import COMPARE, CompareData


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


def detail(shown: CheckpointView, open_head: Open, maps: Maps, selection: Selection) -> None:
    """The open head, with the heads laid over it, and its numbers."""
    layer, head = open_head.layer, open_head.head
    subject = view.who(layer, head, selection.how, maps)
    mode = selection.draw

    def pinned(pins: Pins) -> None:
        kept = [row for row in pins.rows if row < len(maps.queries.groups)][:PIN_LIMIT]
        token = view.token_of(maps, kept[-1]) if kept else ""
        both = pins.rows, pins.columns
        state.update(pins=view.pins_of(maps, *both), pin=view.pin_of(maps, *both), token=token)

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
            mode=mode,
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
        ),
        key=f"detail_{maps.kind}",
        pinned=pinned,
        viewed=viewed,
    )


def _subtitle(config: ModelConfig, maps: Maps, selection: Selection) -> str:
    if selection.draw == "weights":
        return view.hiding(maps, *view.chosen(selection, maps), selection.how)
    masked = ", −∞ where masked" if selection.draw == "masked" else ""
    return f"{wording.scores(config, maps.kind)}, before the softmax, one token a cell{masked}"


def compare(maps: Maps, selection: Selection) -> None:
    """The open head and the one it is compared with, and their difference; nothing without a second head."""
    layer, head = view.chosen(selection, maps)
    if not selection.against or MEAN in (layer, head):
        return
    other_layer, other_head = (int(part) for part in selection.against.split("."))
    if other_layer >= maps.shape[0] or other_head >= maps.shape[1]:
        return
    first, second = (
        Side(
            one_map.values,
            maps.queries.labels,
            maps.keys.labels,
            f"head {pair[0]}.{pair[1]}",
            hidden=one_map.hidden,
            reads=maps.queries.reads,
        )
        for pair in ((layer, head), (other_layer, other_head))
        for one_map in [view.opened(maps, *pair, "mean")]
    )
    title = f"{first.name} and {second.name}"
    drawn = CompareData((first, second), kind=maps.kind, title=title)
    mount(COMPARE, drawn, key="compare_view")
