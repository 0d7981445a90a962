"""The aligned pair: words joined by links beside the map the links come from, with gold marked and markable."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.alignment import Gold, Link
from core.errors import InputError
from ui.session.selection import GOLD_LIMIT, PIN_LIMIT
from ui.session.state import reported
from ui.shared.checks import axis_labels, file_stem
from ui.shared.mount import register

_mount = register("alignment")
Part = str | dict[str, str]
"""Words of a sentence for the browser: plain, or {"strong" | "kind" | "muted": words}."""


class AlignmentData(TypedDict):
    """The pair as the browser gets it: words in `meta`, the map row by row as float32."""

    meta: dict[str, Any]
    values: NDArray[np.float32]


def alignment_data(
    values: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    target: Sequence[int],
    source: Sequence[int],
    links: Collection[Link],
    gold: Gold | None = None,
    by_hand: bool = False,
    title: Sequence[Part],
    subtitle: str = "",
    subject: str,
    reading: bool = False,
    what: str = "weight",
    told: Sequence[Part] = (),
    pins: tuple[Sequence[int], Sequence[int]] = ((), ()),
    heads: Sequence[tuple[int, int]] = (),
    file_name: str = "alignment",
) -> AlignmentData:
    """One map (rows, columns) of words with its links.

    `target` and `source` are the rows and columns that hold words: links (source word, target word) count those.
    `by_hand`: the gold was marked here and can be cleared. `reading`: a row is what was given when the word was read.
    `what` a row's numbers are, "weight" or "share". `heads` are outlined on the wall. Raises `InputError` for a map that
    does not fit its words, and for links beyond them.
    """
    full = np.asarray(values, dtype=np.float32)
    if full.ndim != 2 or not np.isfinite(full).all():
        raise InputError(
            f"The map has shape {full.shape}; an alignment needs one finite (rows, columns) map."
        )
    meta = {
        "rows": axis_labels(rows, full.shape[0], "written word"),
        "cols": axis_labels(columns, full.shape[1], "source word"),
        "target": list(target),
        "source": list(source),
        "links": [[*cell] for cell in sorted(_cells(links, target, source))],
        "gold": _gold_cells(gold, target, source),
        "byHand": by_hand,
        "title": list(title),
        "subtitle": subtitle,
        "subject": subject,
        "verb": "Reading" if reading else "Writing",
        "what": what,
        "told": list(told),
        "pins": [list(pins[0]), list(pins[1])],
        "pairs": [list(head) for head in heads],
        "file": file_stem(file_name),
    }
    return {"meta": meta, "values": full.ravel()}


def alignment_view(
    data: AlignmentData,
    *,
    on_pins: Callable[[list[int], list[int]], None] | None = None,
    on_marked: Callable[[Gold], None] | None = None,
    key: str = "alignment_view",
) -> None:
    """Draw the pair; `on_pins` gets pinned rows and columns, `on_marked` the gold alignment after a click on a cell."""
    meta = data["meta"]

    def pinned() -> None:
        found = _pins(reported(key, "pinned"), len(meta["rows"]), len(meta["cols"]))
        if on_pins and found is not None:
            on_pins(*found)

    def marked() -> None:
        found = marked_gold(reported(key, "marked"), meta["target"], meta["source"])
        if on_marked and found is not None:
            on_marked(found)

    _mount(key=key, data=data, on_pinned_change=pinned, on_marked_change=marked)


def _cells(links: Collection[Link], target: Sequence[int], source: Sequence[int]) -> set[tuple[int, int]]:
    """Links as (row, column)."""
    if any(s >= len(source) or t >= len(target) for s, t in links):
        raise InputError("A link names a word that is not there; count the words of both sides from 0.")
    return {(target[t], source[s]) for s, t in links}


def _gold_cells(gold: Gold | None, target: Sequence[int], source: Sequence[int]) -> list[list[Any]]:
    """Gold links as [row, column, sure]."""
    if gold is None:
        return []
    sure = _cells(gold.sure, target, source)
    return [[*cell, cell in sure] for cell in sorted(_cells(gold.possible | gold.sure, target, source))]


def marked_gold(value: object, target: Sequence[int], source: Sequence[int]) -> Gold | None:
    """The browser's marks as a gold alignment, or None when they are none of these words."""
    if not isinstance(value, (list, tuple)) or len(value) > GOLD_LIMIT:
        return None
    rows, columns = ({place: number for number, place in enumerate(side)} for side in (target, source))
    sure, possible = set(), set()
    for cell in value:
        if not isinstance(cell, (list, tuple)) or len(cell) != 3 or not isinstance(cell[2], bool):
            return None
        row, column, is_sure = cell
        if row not in rows or column not in columns:
            return None
        link = (columns[column], rows[row])
        possible.add(link)
        if is_sure:
            sure.add(link)
    return Gold(frozenset(sure), frozenset(possible))


def _pins(value: object, rows: int, columns: int) -> tuple[list[int], list[int]] | None:
    """Pinned rows and columns, or None when the browser's message is none."""
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        return None
    found = []
    for side, size in zip(value, (rows, columns), strict=True):
        if not isinstance(side, (list, tuple)) or len(side) > PIN_LIMIT:
            return None
        if not all(isinstance(place, (int, float)) and 0 <= place < size for place in side):
            return None
        found.append([int(place) for place in side])
    return found[0], found[1]
