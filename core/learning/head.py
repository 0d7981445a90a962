"""One head as its cards read it: where it is, what was recorded of it, and the tokens on both sides."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.analysis.readout import isolated
from core.learning.card import Axis
from core.learning.run import Run

PART: Final = "attention"


def dimensions(count: int) -> tuple[str, ...]:
    """Names of the places of a vector."""
    return tuple(map(str, range(count)))


def quoted(label: str) -> str:
    """A token in a sentence."""
    return f"“{isolated(label)}”"


class Head:
    """One head of one attention. `x` is the key of the card whose numbers the queries read, with the numbers; `memory` those that
    keys and values are made of.
    """

    def __init__(
        self, run: Run, x: tuple[str, NDArray[np.floating]], memory: tuple[str, NDArray[np.floating]]
    ) -> None:
        self.run, self.x, self.memory = run, x, memory
        config, spot = run.config, run.spot
        self.head, self.token, self.size = spot.head, spot.token, config.d_head
        self.band = (spot.head * self.size, (spot.head + 1) * self.size)
        stack, layer, block = spot.place
        self.prefix = f"{stack}_layers.{layer}.{block}_attention"
        self.asking = Axis("tokens that ask", run.asking)
        self.asked = Axis("tokens attended to", run.asked)

    def seen(self, kind: str) -> NDArray[np.floating]:
        """What was recorded of this attention."""
        return self.run.seen(*self.run.spot.place, kind)

    def one(self, kind: str) -> NDArray[np.floating]:
        """The same of the head in hand alone."""
        found: NDArray[np.floating] = self.seen(kind)[self.head]
        return found

    def side_by_side(self, kind: str) -> NDArray[np.floating]:
        """The same of all heads beside one another, (H, T, d_h) → (T, H·d_h)."""
        heads = self.seen(kind)
        return heads.transpose(1, 0, 2).reshape(heads.shape[1], -1)
