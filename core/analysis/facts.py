"""What must hold in every decode, measured on its maps: how far rows are from 1, what looks ahead, how far two ways differ.

`ROUNDING` is how exact is exact, for the pages and for the trust report alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from core.model.sites import ATTENTION_MAPS
from core.model.trace import Trace

ROUNDING: Final = 1e-5
"""How far two ways to the same numbers may differ in single precision, a whole model deep."""


def row_error(trace: Trace) -> float:
    """The largest distance of a row's sum from 1, in any map; NaN where a weight is NaN."""
    return _largest({place: np.abs(maps.sum(axis=-1) - 1) for place, maps in _maps(trace).items()})


def weight_ahead(full: Trace) -> float:
    """The largest weight that a decoder position gives to a later one.

    `full` must come from one pass over all inputs: a decode that was stepped has no keys ahead, and zeros fill them in.
    """
    return _largest(
        {
            place: np.abs(np.triu(maps, 1))
            for place, maps in _maps(full).items()
            if place == ("decoder", "self")
        }
    )


def map_gap(one: Trace, other: Trace) -> float:
    """The largest difference of a weight between two traces of the same tokens, in any map."""
    others = _maps(other)
    return _largest({place: np.abs(maps - others[place]) for place, maps in _maps(one).items()})


def _maps(trace: Trace) -> dict[tuple[str, str], np.ndarray]:
    """Every attention map the model has, (L, H, T, S) each, float64."""
    return {
        place: trace.stacked(*place, "weights").astype(np.float64)
        for place in ATTENTION_MAPS
        if trace.config.layers(place[0])
    }


def _largest(found: Mapping[tuple[str, str], np.ndarray]) -> float:
    return float(np.max([0.0, *(np.max(values, initial=0.0) for values in found.values())]))
