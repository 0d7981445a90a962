"""The aligned pair: words joined by links beside the map the links come from, with gold marked and markable."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from core.analysis.alignment import Gold, Link
from core.errors import InputError
from ui.session.selection import GOLD_LIMIT
from ui.shared.checks import axis_labels, file_stem, read_labels
from ui.shared.head_detail import NO_PINS, Pins
from ui.shared.mount import View
from ui.web.contract import AtMost, Piece, derive

Cell = tuple[int, int]
"""Row and column of the map."""


@dataclass(frozen=True)
class Marked:
    """The gold alignment after a click on a cell: (row, column, whether it is sure)."""

    cells: Annotated[tuple[tuple[int, int, bool], ...], AtMost(GOLD_LIMIT)]

    def fitted(self, drawn: AlignmentData) -> Marked | None:
        """The same, or None where a cell is of no word."""
        there = all(row in drawn.target and column in drawn.source for row, column, _ in self.cells)
        return self if there else None

    def gold(self, target: Sequence[int], source: Sequence[int]) -> Gold:
        """The marks as links between words."""
        links = {(source.index(column), target.index(row)): sure for row, column, sure in self.cells}
        return Gold(frozenset(link for link, sure in links.items() if sure), frozenset(links))


@dataclass(frozen=True)
class AlignmentData:
    """One map (rows, columns) of words with its links.

    `target` and `source` are the rows and columns that hold words: `linked` (source word, target word) counts those, and
    so does `marked`, the gold; in the browser `links` are (row, column) and `gold` has whether each is sure.
    `by_hand`: the gold was marked here and can be cleared. `reading`: a row is what was given when the word was read.
    `reads` and `writes` are the words that each row reads and writes, as its file has them. `what` a row's numbers are. `summary` stands under the map. `pairs` are heads to outline on the wall. Raises
    `InputError` for a map that does not fit its words, and for links beyond them.
    """

    values: NDArray[np.float32]
    rows: Sequence[str]
    cols: Sequence[str]
    _: KW_ONLY
    target: Sequence[int]
    source: Sequence[int]
    linked: InitVar[Collection[Link]]
    marked: InitVar[Gold | None] = None
    by_hand: bool = False
    reads: Sequence[str] = ()
    writes: Sequence[str] = ()
    title: Sequence[Piece]
    subtitle: str = ""
    subject: str
    reading: InitVar[bool] = False
    what: Literal["weight", "share"] = "weight"
    summary: Sequence[Piece] = ()
    pins: Pins = NO_PINS
    pairs: Sequence[tuple[int, int]] = ()
    file: str = "alignment"
    links: tuple[Cell, ...] = field(init=False)
    gold: tuple[tuple[int, int, bool], ...] = field(init=False)
    verb: Literal["Reading", "Writing"] = field(init=False)

    def __post_init__(self, linked: Collection[Link], marked: Gold | None, reading: bool) -> None:
        full = np.asarray(self.values, dtype=np.float32)
        if full.ndim != 2 or not np.isfinite(full).all():
            raise InputError(
                f"The map has shape {full.shape}; an alignment needs one finite (rows, columns) map."
            )
        sure = self._cells(marked.sure) if marked else set()
        possible = self._cells(marked.possible | marked.sure) if marked else set()
        derive(
            self,
            values=full,
            rows=axis_labels(self.rows, full.shape[0], "written word"),
            cols=axis_labels(self.cols, full.shape[1], "source word"),
            reads=read_labels(self.reads, len(full)),
            writes=axis_labels(self.writes or self.rows, len(full), "written word"),
            file=file_stem(self.file),
            links=tuple(sorted(self._cells(linked))),
            gold=tuple((*cell, cell in sure) for cell in sorted(possible)),
            verb="Reading" if reading else "Writing",
        )

    def _cells(self, links: Collection[Link]) -> set[Cell]:
        """Links as (row, column)."""
        if any(s >= len(self.source) or t >= len(self.target) for s, t in links):
            raise InputError("A link names a word that is not there; count the words of both sides from 0.")
        return {(self.target[t], self.source[s]) for s, t in links}


ALIGNMENT = View("alignment", AlignmentData, pinned=Pins, marked=Marked)
