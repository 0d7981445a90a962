"""A Transformer drawn as boxes in the browser, its choices marked where they are not the paper's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from core.learning.tutorials import Block, Column
from ui.components.base import register
from ui.components.checks import file_stem

_mount = register("anatomy")


class AnatomyData(TypedDict):
    """The drawing as the browser gets it."""

    meta: dict[str, Any]


def anatomy_data(columns: Sequence[Column], *, title: str, subtitle: str, file_name: str) -> AnatomyData:
    """Stacks of boxes, each from the bottom up."""
    return {
        "meta": {
            "title": title,
            "subtitle": subtitle,
            "file": file_stem(file_name),
            "columns": [
                {
                    "title": each.title,
                    "kind": each.kind,
                    "before": _blocks(each.before),
                    "layer": _blocks(each.layer),
                    "times": each.times,
                    "timesDiffer": each.times_differ,
                    "after": _blocks(each.after),
                }
                for each in columns
            ],
        }
    }


def _blocks(blocks: Sequence[Block]) -> list[dict[str, Any]]:
    return [
        {"name": each.name, "kind": each.kind, "lines": [list(line) for line in each.lines]}
        for each in blocks
    ]


def anatomy_view(drawn: AnatomyData, key: str = "anatomy_view") -> None:
    """Draw it."""
    _mount(key=key, data=drawn)
