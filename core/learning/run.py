"""What the cards of a head read: the recorded numbers, the model's parameters, and who is looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.learning.why import Why, normed
from core.model.sites import ATTENTION, Attention, Site
from core.model.trace import Trace

if TYPE_CHECKING:
    from torch import Tensor

    from core.model.config import ModelConfig

BLOCKS = {"encoder": ("self", "ffn"), "decoder": ("self", "cross", "ffn")}
SIDE = {"encoder": "source", "decoder": "target"}


@dataclass(frozen=True)
class Spot:
    """Which head is looked into, and at which token: row `token` of the sequence that asks."""

    kind: str
    layer: int
    head: int
    token: int

    @property
    def attention(self) -> Attention:
        """The kind of attention, with its stack and block."""
        return ATTENTION[self.kind]

    @property
    def place(self) -> tuple[str, int, str]:
        """The attention's stack, layer and block."""
        return self.attention.stack, self.layer, self.attention.block


@dataclass(frozen=True)
class Run:
    """One pass over one sentence: `trace`, the model's `state` (its parameters by name), and the names of target tokens."""

    trace: Trace
    state: Mapping[str, Tensor]
    spot: Spot
    label: Callable[[int], str]

    @property
    def config(self) -> ModelConfig:
        return self.trace.config

    @property
    def asking(self) -> tuple[str, ...]:
        """Labels of the sequence that asks."""
        tokens = self.trace.tokens
        return tokens.source if self.spot.attention.stack == "encoder" else tokens.target

    @property
    def asked(self) -> tuple[str, ...]:
        """Labels of the sequence that is attended to."""
        return self.trace.tokens.target if self.spot.kind == "causal" else self.trace.tokens.source

    def seen(self, stack: str, layer: int, block: str, kind: str) -> NDArray[np.floating]:
        """What was recorded at a site."""
        return self.trace.array(Site(stack, layer, block, kind))

    def numbers(self, name: str, *index: Any) -> NDArray[np.float64]:
        """A part of a parameter, float64."""
        return np.asarray(self.state[name][index].detach().cpu().double().numpy())

    def number(self, name: str, *index: int) -> float | None:
        """One number of a parameter, None where the model has no such parameter."""
        return float(self.numbers(name, *index)) if name in self.state else None

    def bias(self, name: str, place: int) -> list[tuple[str, str, float | None]]:
        """The step that adds a projection's bias; none where it has none."""
        number = self.number(name, place)
        return [] if number is None else [("+", f"b of column {place}", number)]

    def norm(self, stack: str, layer: int, block: str, formula: str) -> Callable[[int, int], Why]:
        """Why the output of a norm is what it is, by row and column."""
        prefix = {
            "embed": f"{SIDE[stack]}_embedding.norm",
            "final": f"{stack}_norm",
        }.get(block, f"{stack}_layers.{layer}.{block}_residual.norm")

        def why(row: int, column: int) -> Why:
            x = self.seen(stack, layer, block, "norm_input")[row]
            gain = self.number(f"{prefix}.weight", column)
            assert gain is not None, f"{prefix} has no γ"
            shift = self.number(f"{prefix}.bias", column)
            return normed(formula, x, column, self.config.norm_formula, self.config.norm_eps, gain, shift)

        return why

    def check(self) -> None:
        """Raise `InputError` for a layer, head or token that is not there."""
        layers, heads = self.config.layers(self.spot.attention.stack), self.config.heads
        for name, value, count in (
            ("layer", self.spot.layer, layers),
            ("head", self.spot.head, heads),
            ("token", self.spot.token, len(self.asking)),
        ):
            if not 0 <= value < count:
                raise InputError(
                    f"There is no {name} {value} here; this {self.spot.attention.label} attention has {name}s "
                    f"0 to {count - 1}."
                )
