"""The wall: every head as a small picture."""

from __future__ import annotations

from ui.components.head_wall import WallResult, head_wall
from ui.components.wall_data import Arranged, wall_data
from ui.data import maps as view
from ui.data.maps import Maps
from ui.session import state
from ui.session.selection import MEAN, OVERLAY_LIMIT, Selection

WALL_HEIGHT = 610


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
