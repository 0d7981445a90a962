"""The logit lens in the browser (a grid of steps and depths, the ten words of a cell) and the DecoderLens ladder (a text
for each layer of the encoder, with what differs from the last one).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from ui.inside.lens_data import LayerText
from ui.shared.checks import axis_labels, file_stem
from ui.shared.mount import View
from ui.web.contract import derive

LensCell = tuple[int, int]
"""Step and depth, counted from 0."""


@dataclass(frozen=True)
class LensData:
    """`tops` and `shares` (depths, steps, k), `ranks` and `finals` (depths, steps); `tops` are indices of `labels`.

    `shares` are the probabilities of the words `tops`, `ranks` and `finals` rank and probability of the word written.
    `choices`: the steps at which the model had a choice. The pinned `cell` is left out where it does not exist. Raises
    `InputError` for numbers that do not fit the words.
    """

    steps: Sequence[str]
    depths: Sequence[str]
    labels: Sequence[str]
    tops: NDArray[np.float32]
    shares: NDArray[np.float32]
    ranks: NDArray[np.float32]
    finals: NDArray[np.float32]
    _: KW_ONLY
    choices: Sequence[int]
    normed: bool
    cell: LensCell | None = None
    report: bool = False
    file: str = "logit-lens"
    k: int = field(init=False)

    def __post_init__(self) -> None:
        tops, shares, ranks, finals = (
            np.asarray(each, dtype=np.float32) for each in (self.tops, self.shares, self.ranks, self.finals)
        )
        if tops.ndim != 3 or tops.shape != shares.shape:
            raise InputError(
                f"The lens has words {tops.shape} and probabilities {shares.shape}; give (depths, steps, k) twice."
            )
        rows, columns, count = tops.shape
        if ranks.shape != (rows, columns) or finals.shape != (rows, columns):
            raise InputError(f"Ranks and probabilities of the words written must be {(rows, columns)}.")
        exists = self.cell is not None and self.cell[0] < columns and self.cell[1] < rows
        derive(
            self,
            steps=axis_labels(self.steps, columns, "step"),
            depths=axis_labels(self.depths, rows, "depth"),
            tops=tops,
            shares=shares,
            ranks=ranks,
            finals=finals,
            cell=self.cell if exists else None,
            file=file_stem(self.file),
            k=count,
        )


@dataclass(frozen=True)
class LadderData:
    """The text of each layer, the lowest first, and the words around them."""

    layers: Sequence[LayerText]
    _: KW_ONLY
    title: str
    subtitle: str = ""
    note: str = ""
    file: str = "decoder-lens"


LENS = View("lens", LensData, picked=LensCell | None)
LADDER = View("ladder", LadderData)
