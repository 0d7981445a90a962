"""The wall: every head of one attention kind as a small picture with its score; a click opens one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from ui.components.base import event, register
from ui.components.map_parts import PARTS
from ui.components.wall_data import wall_data
from ui.theme import Kind

_mount = register("head_wall", uses=PARTS)


@dataclass(frozen=True)
class WallResult:
    """What the reader did in this run: opened a head, closed the open one, or neither."""

    picked: tuple[int, int] | None = None
    closed: bool = False


def head_wall(
    weights: ArrayLike,
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    *,
    kind: Kind,
    scores: Mapping[str, ArrayLike] | None = None,
    badge: str | None = None,
    selected: tuple[int, int] | None = None,
    title: str = "All heads",
    subtitle: str = "click one to open it",
    rows: int | None = None,
    tall: int = 620,
    file_name: str = "heads",
    on_change: Callable[[WallResult], None] | None = None,
    key: str = "head_wall",
) -> WallResult:
    """Draw all heads of `weights (L, H, T, S)`; returns what was picked in this run.

    `scores` maps names (those of core.analysis.glossary get its words) to `(L, H)` arrays, NaN where
    unknown; `badge` is the one written under each head at first. `selected` is outlined. `rows` is the
    number of rows to draw when the decode has not written them all yet. Above 128 tokens a side the
    pictures are reduced and each cell shows its strongest weight. `tall` is the height aimed at in CSS
    pixels. `on_change(result)` is called before the run, for pages that keep state in callbacks.
    """

    def changed() -> None:
        if on_change:
            on_change(_result(event(key, "picked")))

    data = wall_data(
        weights,
        query_labels,
        key_labels,
        kind=kind,
        scores=scores,
        badge=badge,
        selected=selected,
        title=title,
        subtitle=subtitle,
        rows=rows,
        tall=tall,
        file_name=file_name,
    )
    mounted = _mount(key=key, data=data, on_picked_change=changed)
    return _result(mounted.get("picked"))


def _result(value: object) -> WallResult:
    """The browser's message as a result; anything unexpected counts as nothing."""
    if not isinstance(value, Mapping):
        return WallResult()
    layer, head = value.get("layer"), value.get("head")
    if isinstance(layer, (int, float)) and isinstance(head, (int, float)):
        return WallResult(picked=(int(layer), int(head)))
    return WallResult(closed=True)
