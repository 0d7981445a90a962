"""Two attention maps side by side and, where the words are the same, their difference.

Two maps beside each other and their difference, as the pages that compare draw them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from core.analysis.glossary import MEASURES
from core.analysis.maps import largest_change
from core.errors import InputError
from ui.session import state
from ui.session.selection import Cell, Selection
from ui.session.state import reported
from ui.shared.checks import axis_labels, file_stem, kind_name, shares
from ui.shared.map_pairs import Pair, Side
from ui.shared.mount import register
from ui.style.theme import Kind

_TIPS = ("weight", "weight", "difference", "sureness")
"""What explains the numbers of the two maps, of their difference, and of a title about maps that have none."""
_mount = register("compare")


class Moved(NamedTuple):
    """A weight that the reader gave to a cell of the second map."""

    row: int
    column: int
    thousandths: int


class CompareData(TypedDict):
    """Two maps as the browser gets them: words in `meta`, weights row by row as float32."""

    meta: dict[str, Any]
    first: NDArray[np.float32]
    second: NDArray[np.float32]


def compare_data(
    first: Side,
    second: Side,
    *,
    kind: Kind,
    title: str,
    subtitle: str = "",
    writing: bool = True,
    cell: Cell | None = None,
    log: bool = False,
    report: bool = False,
    tall: int = 460,
    file_name: str = "compare",
    moves: Sequence[int] = (),
) -> CompareData:
    """Two sides, and second − first where their words are the same (two sentences have their own).

    `writing` False: the row labels are tokens read, not written. `cell` is pinned (left out where it does not
    exist), `log` draws in logarithmic colour, and `report` sends the reader's own to Python. `tall`: pixels of the
    design that one map may take. `moves`: of the second map, the columns whose weights the reader may move. Raises `InputError` for maps that are no
    weights of shape (queries, keys) or do not fit their labels.
    """
    sides = (first, second)
    of_heads = bool(first.word)
    maps = [_map(side, kind) for side in sides]
    rows = [axis_labels(side.queries, len(values), "query") for side, values in zip(sides, maps, strict=True)]
    columns = [
        axis_labels(side.keys, values.shape[1], "key") for side, values in zip(sides, maps, strict=True)
    ]
    comparable = rows[0] == rows[1] and columns[0] == columns[1]
    pinned = cell if cell is not None and _exists(cell, maps, comparable) else None
    meta = {
        "kind": kind_name(kind),
        "title": title,
        "subtitle": subtitle,
        "names": [side.name for side in sides],
        "subjects": [side.subject or side.name for side in sides],
        "heads": [side.word for side in sides] if of_heads else None,
        "distribution": [side.distribution for side in sides],
        "hidden": [shares(side.hidden, len(values)) for side, values in zip(sides, maps, strict=True)],
        "verb": "Reading" if kind == "encoder" or not writing else "Writing",
        "rows": rows,
        "cols": columns,
        "view": [None if pinned is None else list(pinned), log],
        "report": report,
        "tall": tall,
        "comparable": comparable,
        "moves": [column for column in moves if column < len(columns[1])],
        "tips": [MEASURES[name].tip for name in _TIPS],
        "largest": _largest(maps[0], maps[1], rows[0], columns[0]) if comparable else None,
        "file": file_stem(file_name),
    }
    return {"meta": meta, "first": maps[0].ravel(), "second": maps[1].ravel()}


def _largest(
    first: NDArray[np.float32], second: NDArray[np.float32], queries: Sequence[str], keys: Sequence[str]
) -> tuple[int, int, bool] | None:
    """Row and column of the largest difference of what is drawn, and whether special tokens with a larger one were passed over."""
    change = largest_change(first, second, queries, keys)
    if change is None:
        return None
    further = np.nan_to_num(np.abs(second - first)).max()
    return change.query, change.key, bool(further > abs(change.second - change.first))


def compare_view(
    pair: CompareData,
    on_viewed: Callable[[Cell | None, bool], None] | None = None,
    on_moved: Callable[[Moved], None] | None = None,
    key: str = "compare_view",
) -> None:
    """Draw both maps and their difference, with a scale centred on 0.

    `on_viewed(cell, log)` is called before a run that the reader's pin or colour scale asked for, `on_moved` before one
    for a weight of the second map.
    """

    def seen() -> None:
        found = _viewed(reported(key, "viewed"))
        if on_viewed and found is not None:
            on_viewed(*found)

    def pulled() -> None:
        moved = parse_moved(reported(key, "moved"), pair)
        if on_moved and moved is not None:
            on_moved(moved)

    _mount(key=key, data=pair, on_viewed_change=seen, on_moved_change=pulled)


def parse_moved(value: object, pair: CompareData) -> Moved | None:
    """A weight that was moved on the second map, or None when it is something else, or of a cell that is not there."""
    if not isinstance(value, (list, tuple)) or len(value) != 3:
        return None
    if any(isinstance(part, bool) or not isinstance(part, (int, float)) or part % 1 for part in value):
        return None  # NaN % 1 is NaN, which counts as true
    row, column, thousandths = value
    fits = (
        0 <= row < len(pair["meta"]["rows"][1])
        and column in pair["meta"]["moves"]
        and 0 <= thousandths <= 1000
    )
    return Moved(int(row), int(column), int(thousandths)) if fits else None


def _exists(cell: Cell, maps: Sequence[NDArray[np.float32]], comparable: bool) -> bool:
    pane, row, column = cell
    if pane == 2 and not comparable:  # maps over different words have no difference
        return False
    rows, columns = maps[min(pane, 1)].shape
    return (row is None or row < rows) and (column is None or column < columns)


def _viewed(value: object) -> tuple[Cell | None, bool] | None:
    """The browser's pin and colour scale, or None when they are something else."""
    if not isinstance(value, (list, tuple)) or len(value) != 2 or not isinstance(value[1], bool):
        return None
    cell, log = value
    if cell is None:
        return None, log
    places = list(cell) if isinstance(cell, (list, tuple)) else []
    fits = all(place is None or (isinstance(place, (int, float)) and 0 <= place < 1e5) for place in places)
    if len(places) != 3 or not fits or places[0] not in (0, 1, 2) or places[1:] == [None, None]:
        return None
    row, column = (None if place is None else int(place) for place in places[1:])
    return (int(places[0]), row, column), log


def _map(side: Side, kind: Kind) -> NDArray[np.float32]:
    full = np.asarray(side.values, dtype=np.float32)
    if full.ndim != 2 or 0 in full.shape:
        raise InputError(f"A map has shape {full.shape}; a comparison takes one (queries, keys) map a side.")
    drawn = full[~np.isnan(full).all(axis=1)]
    if not np.isfinite(drawn).all() or drawn.min(initial=0) < -1e-3 or drawn.max(initial=0) > 1 + 1e-3:
        raise InputError("Maps to compare must hold weights from 0 to 1; pass them after the softmax.")
    return side.cells(kind).astype(np.float32)


def two_maps(selection: Selection, pair: Pair, *, key: str, file_name: str) -> None:
    """Draw a pair, with the cell and the colours of the link; both follow the reader."""
    data = compare_data(
        pair.first,
        pair.second,
        kind=pair.kind,
        title=pair.title,
        subtitle=pair.subtitle,
        writing=pair.writing,
        cell=selection.cell,
        log=selection.scale == "log",
        report=True,
        file_name=file_name,
    )
    compare_view(data, looked, key=key)


def looked(cell: Cell | None, log: bool) -> None:
    """Keep which cell the reader pinned, and whether the colours are logarithmic."""
    state.update(cell=cell, scale="log" if log else "weight")
