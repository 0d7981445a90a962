"""What each swap of two positions costs a translation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from core.decoding.inputs import choices
from core.experiments.edits import Edits, SwapPositions
from core.experiments.what_if import passed

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle

NEAREST: Final = 12
"""Partners that are tried; each takes a pass."""


def candidates(token: int, count: int) -> list[int]:
    """The tokens of a source of `count` that `token` is tried with: the nearest ones, its end token left out."""
    others = [other for other in range(count - 1) if other != token] or [
        other for other in range(count) if other != token
    ]
    return sorted(sorted(others, key=lambda other: abs(other - token))[:NEAREST])


def swap_costs(
    checkpoint: Bundle, source: Sequence[int], written: Sequence[int], token: int
) -> dict[int, float]:
    """Log-probability of `written` when `token` swaps positions with each of its candidates, by candidate."""
    free = list(choices(checkpoint.config, written))
    ids = [written[position] for position in free]
    costs: dict[int, float] = {}
    for other in candidates(token, len(source)):
        edits = Edits((SwapPositions("source", *sorted((token, other))),))
        after = passed(checkpoint, source, written, edits)
        costs[other] = float(np.asarray(after.log_probabilities, dtype=np.float64)[free, ids].sum())
    return costs
