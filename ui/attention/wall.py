"""The wall of heads: scored by the pinned pair, or by a number of this sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.analysis.readout import quoted
from core.language import plural, tr
from ui.session import state
from ui.session.selection import MEAN, OVERLAY_LIMIT, Selection
from ui.shared import maps as view
from ui.shared import pin_heads
from ui.shared.context import DecodeView
from ui.shared.head_wall import WALL, Opened
from ui.shared.maps import Maps
from ui.shared.mount import mount
from ui.shared.pinned import PinnedPair, pinned_pair
from ui.shared.wall_data import PAIR, AllHeads, Arranged, PinnedCell, WallData

WALL_HEIGHT = 560
MOSTLY = 0.5
"""A head looks mostly at a token that gets more than this of its weight."""


@dataclass(frozen=True)
class Scored:
    """The scores of a wall by name, (L, H) each, its arrangement, and the pinned pair where there is one in these maps.

    `ranking` are all heads (layer, head) by that pair, the best first.
    """

    scores: Mapping[str, NDArray[np.floating]]
    arranged: Arranged
    title: str
    subtitle: str = ""
    pair: PinnedPair | None = None
    cell: PinnedCell | None = None
    ranking: tuple[tuple[int, int], ...] = ()


def scored(shown: DecodeView, maps: Maps) -> Scored:
    """How the heads of one kind are scored, sorted and summed up in a title."""
    selection, scores = shown.selection, view.scores(maps)
    rows, columns = view.pinned(maps, selection)
    pair = pinned_pair(shown.decode, selection)
    if pair is None or pair.pin.kind != maps.kind or not (len(rows) == len(columns) == 1):
        arranged = Arranged(
            selection.sort,
            "" if selection.badge == PAIR else selection.badge,
            selection.least,
            selection.tone,
        )
        return Scored(scores, arranged, _focused(maps))
    shares = maps.weights[:, :, rows[0], columns[0]]
    ranking = tuple((layer, head) for _, layer, head in pin_heads.ranking(shown, maps.kind))
    heads = maps.shape[1]
    name = tr("{query} on {key}", query=pair.query, key=pair.key)
    cell = PinnedCell(
        rows[0], columns[0], pair.short, name, tuple(layer * heads + head for layer, head in ranking)
    )
    of_pair = selection.badge in ("", PAIR)
    badge = PAIR if of_pair else selection.badge
    sort = "high" if not selection.badge and selection.sort == "model" else selection.sort
    return Scored(
        {PAIR: shares, **scores},
        Arranged(sort, badge, selection.least, selection.tone),
        linking(maps, pair, shares),
        tr("Sorted by this weight") if of_pair and sort == "high" else "",
        pair,
        cell,
        ranking,
    )


def linking(maps: Maps, pair: PinnedPair, shares: NDArray[np.floating]) -> str:
    """How many heads look mostly at the pinned key in the pinned row: the wall's title."""
    count, total = int((shares > MOSTLY).sum()), shares.size
    words = {"total": total, "key": quoted(pair.key), "query": quoted(pair.query)}
    if maps.kind == "encoder":
        return plural(
            "{count} of {total} heads looks mostly at {key} from {query}",
            "{count} of {total} heads look mostly at {key} from {query}",
            count,
            **words,
        )
    return plural(
        "{count} of {total} heads looks mostly at {key} when it writes {query}",
        "{count} of {total} heads look mostly at {key} when they write {query}",
        count,
        **words,
    )


def _focused(maps: Maps) -> str:
    """How many heads are focused on this sentence: the wall's title without a pinned pair."""
    largest = maps.computed.weights.max(axis=-1).mean(axis=-1)
    return plural(
        "{count} of {total} heads is focused: it gives one token over half of its weight",
        "{count} of {total} heads are focused: they give one token over half of their weight",
        int((largest > MOSTLY).sum()),
        total=largest.size,
    )


def wall(maps: Maps, scored: Scored, selection: Selection) -> None:
    """Every head as a small picture; a click opens it beside the wall."""

    def picked(opened: Opened) -> None:
        (layer, head), *over = opened.heads or ((MEAN, MEAN),)
        state.update(layer=layer, head=head, overlay=tuple(over[:OVERLAY_LIMIT]))

    mount(
        WALL,
        WallData(
            maps.weights,
            maps.queries.labels,
            maps.keys.labels,
            kind=maps.kind,
            reads=maps.queries.reads,
            scores_of=scored.scores,
            arranged=scored.arranged,
            all_heads=AllHeads(selection.how, view.who(MEAN, MEAN, selection.how, maps)),
            title=scored.title,
            subtitle=scored.subtitle,
            hidden=maps.hidden,
            tall=WALL_HEIGHT,
            file=f"{maps.kind}-heads",
            pair=scored.cell,
            controls=False,
        ),
        key=f"wall_{maps.kind}",
        picked=picked,
    )
