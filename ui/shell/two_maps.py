"""Two maps beside each other and their difference, as the pages that compare draw them."""

from __future__ import annotations

from ui.components.compare_view import compare_data, compare_view
from ui.data.pairs import Pair
from ui.session import state
from ui.session.selection import Cell, Selection


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
