"""`Card`: one operation inside a head, with its formula, its tensor and the reason of every number in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.learning.why import Why

Look = Literal["signed", "share"]


@dataclass(frozen=True)
class Axis:
    """One axis of a matrix: what runs along it, and what each place is called."""

    name: str
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Card:
    """One operation.

    `values` (rows, columns) is the tensor drawn; `shape` says in words of which tensor that is a part. `focus` is the row of
    the token in hand, None where the rows are those of the other sequence. `band` are the columns (from, to) that belong to the
    head in hand, where all heads stand side by side. `reads` are the keys of the cards whose numbers it is computed from.
    """

    key: str
    part: str
    title: str
    formula: str
    says: str
    shape: str
    rows: Axis
    columns: Axis
    values: NDArray[np.floating]
    explain: Callable[[int, int], Why] = field(repr=False)
    focus: int | None = None
    look: Look = "signed"
    band: tuple[int, int] | None = None
    reads: tuple[str, ...] = ()

    def why(self, row: int, column: int) -> Why:
        """The terms that make one number. Raises `InputError` for a cell that is not there."""
        rows, columns = self.values.shape
        if not (0 <= row < rows and 0 <= column < columns):
            raise InputError(
                f"The card “{self.title}” has {rows} rows and {columns} columns; it has no cell {row}, {column}."
            )
        return self.explain(row, column)
