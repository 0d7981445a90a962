"""The DecoderLens ladder in the browser: a text a layer of the encoder, with what differs from the last one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from ui.components.base import register
from ui.components.checks import file_stem
from ui.data.lenses import Rung

_mount = register("ladder")


class LadderData(TypedDict):
    """The rungs, the lowest layer first, and the words around them."""

    rungs: list[dict[str, Any]]
    title: str
    subtitle: str
    note: str
    file: str


def ladder_data(
    rungs: Sequence[Rung], *, title: str, subtitle: str = "", note: str = "", file_name: str = "decoder-lens"
) -> LadderData:
    """The ladder of `rungs`."""
    listed = [
        {
            "name": each.name,
            "text": each.text,
            "parts": [list(part) for part in each.difference],
            "shared": each.shared,
        }
        for each in rungs
    ]
    return {"rungs": listed, "title": title, "subtitle": subtitle, "note": note, "file": file_stem(file_name)}


def ladder_view(ladder: LadderData, key: str = "ladder_view") -> None:
    """Draw the ladder."""
    _mount(key=key, data=ladder)
