"""The heads that link the pinned pair, by the weight that they give it."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.errors import AtlasError
from core.experiments.edits import Head
from ui.shared import contributions
from ui.shared import maps as view
from ui.shared.context import DecodeView
from ui.style.theme import Kind

PIN_HEADS: Final = 3
"""Heads of a pinned pair that pages name as the best ones."""


def weights(shown: DecodeView, kind: Kind) -> NDArray[np.float64] | None:
    """The weight (L, H) that each head gives the pinned pair; None without a pin of this kind."""
    cell = cell_of(shown, kind)
    if cell is None:
        return None
    maps = np.asarray(shown.decode.trace.stacked(*view.PLACES[kind], "weights"), dtype=np.float64)
    return maps[:, :, cell[0], cell[1]]


def cell_of(shown: DecodeView, kind: Kind) -> tuple[int, int] | None:
    """Row and column of the pinned pair in the maps of a kind; None where it is of another, or not in this sentence."""
    pin = shown.selection.pin
    if pin is None or pin.kind != kind or pin.query < 0:
        return None
    shape = shown.decode.trace.stacked(*view.PLACES[kind], "weights").shape
    return (pin.query, pin.key) if pin.query < shape[2] and pin.key < shape[3] else None


def ranking(shown: DecodeView, kind: Kind) -> list[Head]:
    """The heads of a kind by the pinned pair's weight; equal percentages by contribution, then by layer. Empty without a pin."""
    from core.experiments.pair_heads import rank_for_pair

    of_pair, cell = weights(shown, kind), cell_of(shown, kind)
    if of_pair is None or cell is None:
        return []
    second = None
    if shown.is_loaded:
        try:
            second = contributions.measured(shown, "lengths", kind).values[:, :, cell[0], cell[1]]
        except AtlasError:  # too long for it: ties go by layer
            second = None
    return rank_for_pair(kind, of_pair, second)
