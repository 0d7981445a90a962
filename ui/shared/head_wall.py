"""The wall of heads in the browser, and what the reader does with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ui.shared.head_detail import MOST_HEADS
from ui.shared.mount import View
from ui.shared.wall_data import Arranged, WallData
from ui.web.contract import AtMost

Head = tuple[int, int]
"""Layer and head, counted from 0."""


@dataclass(frozen=True)
class Opened:
    """The heads that stand open, the first and those laid over it; none when the reader closed them."""

    heads: Annotated[tuple[Head, ...], AtMost(MOST_HEADS)]


# Which heads are outlined the wall hears from the open head in the browser, so that opening one sends no wall.
WALL = View("wall", WallData, picked=Opened, arranged=Arranged)
