"""What speaks against a translation, handed to the stage that shows it: computed after the stage is drawn, shown in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from ui.components.base import register

_mount = register("trouble")


class StripData(TypedDict):
    """The lines of one decode, and what their numbers are: (name, definition)."""

    decode: str
    lines: list[str]
    told: list[list[str]]


def strip_data(decode: str, lines: Sequence[str], told: Sequence[tuple[str, str]] = ()) -> StripData:
    """`decode` is the name that the stage has for the same path."""
    return {"decode": decode, "lines": list(lines), "told": [list(each) for each in told]}


def trouble_strip(strip: StripData, key: str = "trouble_strip") -> None:
    """Hand the lines to the stage of the page; takes no room itself."""
    _mount(key=key, data=strip)
