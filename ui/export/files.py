"""The numbers of a map as they leave the app (pictures are made in the browser, the report in ui/export/report.py)."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from core.errors import InputError
from ui.components.checks import axis_labels


def csv_of(values: ArrayLike, query_labels: Sequence[str], key_labels: Sequence[str]) -> str:
    """The numbers of a map `(T, S)`, a line a cell: query_position, query, key_position, key, value.

    Nine digits keep float32 exact; a cell that may not be attended has an empty value. Raises `InputError` when
    the map is not two-dimensional or does not fit its labels.
    """
    full = np.asarray(values, dtype=np.float64)
    if full.ndim != 2:
        raise InputError(f"A map has shape {full.shape}; one head is (queries, keys).")
    queries = axis_labels(query_labels, full.shape[0], "query")
    keys = axis_labels(key_labels, full.shape[1], "key")
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["query_position", "query", "key_position", "key", "value"])
    for i, query in enumerate(queries):
        for j, key in enumerate(keys):
            writer.writerow([i, query, j, key, cell(full[i, j])])
    return out.getvalue()


def cell(value: float) -> str:
    """A number of a map in a CSV; empty where attending is forbidden (NaN, see `only_allowed`)."""
    return f"{value:.9g}" if np.isfinite(value) else ""
