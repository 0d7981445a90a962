"""The wall: every head of one attention kind as a small picture with its score; a click opens one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from numpy.typing import ArrayLike

from ui.components.base import event, register
from ui.components.head_detail import MOST_HEADS
from ui.components.map_parts import WALL_PARTS
from ui.components.wall_data import Arranged, wall_data
from ui.selection import Sort, Tone
from ui.theme import Kind

_mount = register("head_wall", uses=WALL_PARTS)


@dataclass(frozen=True)
class WallResult:
    """What the reader did in this run: opened heads (the first, and those laid over it), closed all, or neither."""

    picked: tuple[tuple[int, int], ...] | None = None
    closed: bool = False


def head_wall(
    weights: ArrayLike,
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    *,
    kind: Kind,
    scores: Mapping[str, ArrayLike] | None = None,
    arranged: Arranged = Arranged(),  # noqa: B008 (frozen)
    whole: tuple[str, str] = ("mean", "the mean of all heads"),
    title: str = "All heads",
    subtitle: str = "click opens one, Shift-click lays more over it",
    rows: int | None = None,
    tall: int = 620,
    file_name: str = "heads",
    on_change: Callable[[WallResult], None] | None = None,
    on_arranged: Callable[[Arranged], None] | None = None,
    key: str = "head_wall",
) -> WallResult:
    """Draw all heads of `weights (L, H, T, S)`; returns what was picked in this run.

    `scores` maps names (those of core.analysis.glossary get its words) to `(L, H)` arrays, NaN where
    unknown. `arranged` is how the wall is sorted, badged, filtered and coloured; the reader's changes go to
    `on_arranged`. `whole` says what stands open when no head does: "mean" or "max" over all heads, and its
    name. Which heads are outlined the wall hears from `head_detail` in the browser, so that opening one sends
    no wall. `rows` is the number of rows to draw when the decode has not written them all yet. Above 128
    tokens a side the pictures are reduced and each cell shows its strongest weight. `tall` is the height aimed
    at in CSS pixels. `on_change(result)` is called before the run, for pages that keep state in callbacks.
    """

    def changed() -> None:
        if on_change:
            on_change(_result(event(key, "picked")))

    def rearranged() -> None:
        found = _arranged(event(key, "arranged"))
        if on_arranged and found is not None:
            on_arranged(found)

    data = wall_data(
        weights,
        query_labels,
        key_labels,
        kind=kind,
        scores=scores,
        arranged=arranged,
        whole=whole,
        title=title,
        subtitle=subtitle,
        rows=rows,
        tall=tall,
        file_name=file_name,
    )
    mounted = _mount(key=key, data=data, on_picked_change=changed, on_arranged_change=rearranged)
    return _result(mounted.get("picked"))


def _result(value: object) -> WallResult:
    """The browser's message as a result; anything unexpected counts as nothing."""
    heads = value.get("heads") if isinstance(value, Mapping) else None
    if not isinstance(heads, Sequence) or len(heads) > MOST_HEADS:
        return WallResult()
    pairs = [_pair(head) for head in heads]
    found = tuple(pair for pair in pairs if pair is not None)
    if len(found) < len(pairs):
        return WallResult()
    return WallResult(picked=found) if found else WallResult(closed=True)


def _pair(value: object) -> tuple[int, int] | None:
    numbers = list(value) if isinstance(value, (list, tuple)) else []
    whole = len(numbers) == 2 and all(isinstance(n, (int, float)) and n >= 0 for n in numbers)
    return (int(numbers[0]), int(numbers[1])) if whole else None


def _arranged(value: object) -> Arranged | None:
    """The browser's arrangement, or None when it is not one."""
    if not isinstance(value, (list, tuple)) or len(value) != 4:
        return None
    sort, badge, least, tone = value
    named = sort in get_args(Sort) and (tone is None or tone in get_args(Tone))
    if not named or not isinstance(badge, str | None) or not isinstance(least, int | float | None):
        return None
    return Arranged(sort, badge or "", None if least is None else float(least), tone)
