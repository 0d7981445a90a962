"""The numbers of maps, and tables, as CSV. No Streamlit here: figures and notebooks use it too."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from core.errors import InputError
from ui.web.contract import axis_labels

_FORMULA: Final = re.compile("[=+\\-@\t\r\n＝＋－＠]")
_NUMBER: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)


MAP_COLUMNS: Final = ("query_position", "query_reads", "query_writes", "key_position", "key", "value")
"""The columns of a map's cells; ui/web/maps/sheet.ts writes the same."""


def query_cells(
    labels: Sequence[str], reads: Sequence[str], of_encoder: bool = True
) -> list[tuple[str, str]]:
    """What each row reads and what it writes; a row of the encoder writes nothing."""
    if reads:
        return list(zip(reads, labels, strict=True))
    return [(label, "") if of_encoder else ("", label) for label in labels]


def csv_of(
    values: ArrayLike, query_labels: Sequence[str], key_labels: Sequence[str], query_reads: Sequence[str] = ()
) -> str:
    """The numbers of a map `(T, S)` as CSV, a line per cell, with the columns `MAP_COLUMNS`.

    With `query_reads` the labels of the rows are the words written; without, the words read by the encoder.

    Nine digits keep float32 exact; a cell that may not be attended has an empty value. Raises `InputError` when
    the map is not two-dimensional or does not fit its labels.
    """
    full = np.asarray(values, dtype=np.float64)
    if full.ndim != 2:
        raise InputError(f"A map has shape {full.shape}; one head is (queries, keys).")
    queries = axis_labels(query_labels, full.shape[0], "query")
    keys = axis_labels(key_labels, full.shape[1], "key")
    rows = (
        [i, *query, j, key, number(full[i, j])]
        for i, query in enumerate(query_cells(queries, query_reads))
        for j, key in enumerate(keys)
    )
    return csv_text(MAP_COLUMNS, rows)


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as CSV; no cell of it is a formula to a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(head)
    writer.writerows([harmless(str(value)) for value in row] for row in rows)
    return out.getvalue()


def harmless(text: str) -> str:
    """A cell's text; what a spreadsheet would run as a formula begins with an apostrophe (as in base/export.ts).

    tests/csv_cells.json says how cells are written, here and in the browser.
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def number(value: float) -> str:
    """A number of a map in a CSV; empty where attending is forbidden (NaN, see `only_allowed`)."""
    return f"{value:.9g}" if np.isfinite(value) else ""
