"""The wall: every head of one attention kind as a small picture with its score; a click opens one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from ui.session.selection import Sort, Tone
from ui.session.state import reported
from ui.shared.head_detail import MOST_HEADS
from ui.shared.mount import register
from ui.shared.wall_data import Arranged, WallData

_mount = register("wall")


@dataclass(frozen=True)
class WallResult:
    """What the reader did: opened heads (the first, and those laid over it), closed all, or neither."""

    picked: tuple[tuple[int, int], ...] | None = None
    closed: bool = False


def head_wall(
    wall: WallData,
    *,
    on_change: Callable[[WallResult], None] | None = None,
    on_arranged: Callable[[Arranged], None] | None = None,
    on_switched: Callable[[frozenset[tuple[int, int]]], None] | None = None,
    key: str = "head_wall",
) -> None:
    """Draw the wall; `on_change` gets what is opened, `on_arranged` how the reader sorts, filters and colours it.

    On a wall of switches `on_switched` gets all heads (layer, head) that are off after a click.

    Which heads are outlined the wall hears from `head_detail` in the browser, so that opening one sends no wall.
    """

    def changed() -> None:
        if on_change:
            on_change(_result(reported(key, "picked")))

    def rearranged() -> None:
        found = _arranged(reported(key, "arranged"))
        if on_arranged and found is not None:
            on_arranged(found)

    def switched() -> None:
        found = _off(reported(key, "switched"), wall["meta"]["layers"], wall["meta"]["heads"])
        if on_switched and found is not None:
            on_switched(found)

    _mount(
        key=key,
        data=wall,
        on_picked_change=changed,
        on_arranged_change=rearranged,
        on_switched_change=switched,
    )


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


def _off(value: object, layers: int, heads: int) -> frozenset[tuple[int, int]] | None:
    """The browser's list of heads that are off, or None when it is not one."""
    if not isinstance(value, (list, tuple)) or len(value) > layers * heads:
        return None
    pairs = [_pair(head) for head in value]
    found = frozenset(pair for pair in pairs if pair is not None)
    return found if len(found) == len(pairs) and all(a < layers and b < heads for a, b in found) else None


def _pair(value: object) -> tuple[int, int] | None:
    numbers = list(value) if isinstance(value, (list, tuple)) else []
    whole = len(numbers) == 2 and all(isinstance(n, (int, float)) and 0 <= n < 1e6 for n in numbers)
    return (int(numbers[0]), int(numbers[1])) if whole else None


def _arranged(value: object) -> Arranged | None:
    """The browser's arrangement, or None when it is not one."""
    if not isinstance(value, (list, tuple)) or len(value) != 4:
        return None
    sort, badge, least, tone = value
    named = sort in get_args(Sort) and (tone is None or tone in get_args(Tone))
    if not named or not isinstance(badge, str | None) or not isinstance(least, int | float | None):
        return None
    if least is not None and not abs(least) < 1e9:  # also what is no number
        return None
    return Arranged(sort, badge or "", None if least is None else float(least), tone)
