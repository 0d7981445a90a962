"""Two attention maps side by side and, where the words are the same, their difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, field, replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from core.analysis.glossary import MEASURES
from core.analysis.maps import largest_change
from core.errors import InputError
from ui.session import state
from ui.session.selection import Cell, Selection
from ui.shared.checks import axis_labels, file_stem, kind_name, read_labels, shares
from ui.shared.map_pairs import Pair, Side
from ui.shared.mount import View, mount
from ui.style.theme import Kind
from ui.web.contract import Between, derive

_TIPS = ("weight", "weight", "difference", "sureness")
"""What explains the numbers of the two maps, of their difference, and of a title about maps that have none."""


@dataclass(frozen=True)
class Moved:
    """A weight that the reader gave to a cell of the second map."""

    row: int
    column: int
    thousandths: Annotated[int, Between(0, 1000)]

    def fitted(self, drawn: CompareData) -> Moved | None:
        """The same, or None for a cell that is not there or may not be moved."""
        return self if self.row < len(drawn.rows[1]) and self.column in drawn.moves else None


@dataclass(frozen=True)
class PairLook:
    """The pinned cell, and whether colours are logarithmic."""

    cell: Cell | None = None
    log: bool = False

    def fitted(self, drawn: CompareData) -> PairLook | None:
        """The same, or None where the cell names no map, or neither row nor column."""
        fits = self.cell is None or (self.cell[0] <= 2 and self.cell[1:] != (None, None))
        return self if fits else None


@dataclass(frozen=True)
class CompareData:
    """Two sides, and second − first where their words are the same (two sentences have their own).

    The cell of `looked` is left out where it does not
    exist; `report` sends the reader's own to Python. `tall`: pixels of the design that one map may take. `moves`: of the
    second map, the columns whose weights the reader may move. In the browser names, rows and so on are of both sides;
    `heads` are the words written where the rows are heads, and `positions` the decoder's at those steps; `tips` explain the numbers, and `largest` is row and column of
    the largest difference, and whether special tokens with a larger one were passed over. Raises `InputError` for maps
    that are no weights of shape (queries, keys) or do not fit their labels.
    """

    sides: InitVar[tuple[Side, Side]]
    _: KW_ONLY
    kind: Kind
    title: str
    subtitle: str = ""
    looked: PairLook = PairLook()
    report: bool = False
    tall: int = 460
    file: str = "compare"
    moves: Sequence[int] = ()
    names: tuple[str, str] = field(init=False)
    subjects: tuple[str, str] = field(init=False)
    heads: tuple[str, str] | None = field(init=False)
    positions: tuple[int, int] = field(init=False)
    distribution: tuple[bool, bool] = field(init=False)
    hidden: tuple[tuple[float, ...] | None, tuple[float, ...] | None] = field(init=False)
    reads: tuple[Sequence[str], Sequence[str]] = field(init=False)
    rows: tuple[Sequence[str], Sequence[str]] = field(init=False)
    cols: tuple[Sequence[str], Sequence[str]] = field(init=False)
    comparable: bool = field(init=False)
    tips: tuple[str, ...] = field(init=False)
    largest: tuple[int, int, bool] | None = field(init=False)
    first: NDArray[np.float32] = field(init=False)
    second: NDArray[np.float32] = field(init=False)

    def __post_init__(self, sides: tuple[Side, Side]) -> None:
        first, second = maps = [_map(side, self.kind) for side in sides]
        rows = [axis_labels(side.queries, len(full), "query") for side, full in zip(sides, maps, strict=True)]
        cols = [axis_labels(side.keys, full.shape[1], "key") for side, full in zip(sides, maps, strict=True)]
        comparable = rows[0] == rows[1] and cols[0] == cols[1]
        cell = self.looked.cell
        derive(
            self,
            kind=kind_name(self.kind),
            looked=replace(self.looked, cell=cell if cell and _exists(cell, maps, comparable) else None),
            file=file_stem(self.file),
            moves=[column for column in self.moves if column < len(cols[1])],
            names=tuple(side.name for side in sides),
            subjects=tuple(side.subject or side.name for side in sides),
            heads=tuple(side.word for side in sides) if sides[0].word else None,
            positions=tuple(side.position for side in sides),
            distribution=tuple(side.distribution for side in sides),
            hidden=tuple(shares(side.hidden, len(full)) for side, full in zip(sides, maps, strict=True)),
            reads=tuple(read_labels(side.reads, len(full)) for side, full in zip(sides, maps, strict=True)),
            rows=tuple(rows),
            cols=tuple(cols),
            comparable=comparable,
            tips=tuple(MEASURES[name].tip for name in _TIPS),
            largest=_largest(first, second, rows[0], cols[0]) if comparable else None,
            first=first,
            second=second,
        )


COMPARE = View("compare", CompareData, viewed=PairLook, moved=Moved)


def _largest(
    first: NDArray[np.float32], second: NDArray[np.float32], queries: Sequence[str], keys: Sequence[str]
) -> tuple[int, int, bool] | None:
    """Row and column of the largest difference of what is drawn, and whether special tokens with a larger one were passed over."""
    change = largest_change(first, second, queries, keys)
    if change is None:
        return None
    further = np.nan_to_num(np.abs(second - first)).max()
    return change.query, change.key, bool(further > abs(change.second - change.first))


def _exists(cell: Cell, maps: Sequence[NDArray[np.float32]], comparable: bool) -> bool:
    pane, row, column = cell
    if pane == 2 and not comparable:  # maps over different words have no difference
        return False
    rows, columns = maps[min(pane, 1)].shape
    return (row is None or row < rows) and (column is None or column < columns)


def _map(side: Side, kind: Kind) -> NDArray[np.float32]:
    full = np.asarray(side.values, dtype=np.float32)
    if full.ndim != 2 or 0 in full.shape:
        raise InputError(f"A map has shape {full.shape}; a comparison takes one (queries, keys) map a side.")
    drawn = full[~np.isnan(full).all(axis=1)]
    if not np.isfinite(drawn).all() or drawn.min(initial=0) < -1e-3 or drawn.max(initial=0) > 1 + 1e-3:
        raise InputError("Maps to compare must hold weights from 0 to 1; pass them after the softmax.")
    return side.cells(kind).astype(np.float32)


def two_maps(selection: Selection, pair: Pair, *, key: str, file: str) -> None:
    """Draw a pair, with the cell and the colours of the link; both follow the reader."""
    data = CompareData(
        (pair.first, pair.second),
        kind=pair.kind,
        title=pair.title,
        subtitle=pair.subtitle,
        looked=looked_at(selection),
        report=True,
        file=file,
    )
    mount(COMPARE, data, key=key, viewed=keep)


def looked_at(selection: Selection) -> PairLook:
    """The cell and the colours of the link."""
    return PairLook(selection.cell, selection.scale == "log")


def keep(looked: PairLook) -> None:
    """Keep which cell the reader pinned, and whether the colours are logarithmic."""
    state.update(cell=looked.cell, scale="log" if looked.log else "weight")
