"""What a pitfall is, and what it comes to on one sentence: two maps, the shapes at the fault, the symptom in numbers.

Imports no torch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.model.config import ModelConfig
from core.model.trace import Trace

if TYPE_CHECKING:
    from core.model.transformer import Transformer

Kind = Literal["encoder", "causal", "cross"]
Unit = Literal["share", "number", "count", "nats", "rows"]
Spell = Callable[[Sequence[int]], Sequence[str]]


# In the order in which a reader meets the operations: heads, positions, masks, the stream, the maps themselves.
IDS: Final = (
    *("head-split-view", "heads-attend-heads", "merge-without-transpose", "scale-by-d-model"),
    *("cross-qkv-swapped", "no-embedding-scale", "pe-exponent-doubled", "pe-in-feed-forward"),
    *("no-causal-mask", "target-padding-unmasked", "mask-truth-value", "masked-row-nan", "mask-leaks"),
    *("dropout-after-norm", "std-plus-eps"),
    *("axes-swapped", "beams-not-reordered", "alignment-layer-ignored"),
)


@dataclass(frozen=True)
class Sentence:
    """What a pitfall is shown on: ids and labels of one pair. `target_ids` are the decoder's inputs, T of them."""

    source_ids: tuple[int, ...]
    target_ids: tuple[int, ...]
    source: tuple[str, ...]
    target: tuple[str, ...]
    written: tuple[str, ...]
    spell: Spell

    @classmethod
    def of(cls, trace: Trace, spell: Spell) -> Sentence:
        """The pair of a trace; `spell` gives labels of target ids. Raises `InputError` where nothing is written yet."""
        if not trace.target_ids or not trace.source_ids:
            raise InputError("Nothing is written of this sentence yet; step the decoder first.")
        return cls(trace.source_ids, trace.target_ids, *trace.tokens, spell)


@dataclass(frozen=True)
class Map:
    """One picture: rows attend to columns, in 0..1; a row of NaN holds nothing. `where` says what it is of."""

    values: NDArray[np.float32]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    kind: Kind
    where: str


@dataclass(frozen=True)
class Shape:
    """A tensor at the place of the fault: its axes in letters and its sizes, correct and as written."""

    name: str
    right: str
    wrong: str


@dataclass(frozen=True)
class Number:
    """A symptom, measured: what, in the correct model, and as written. NaN where there is nothing to measure."""

    what: str
    right: float
    wrong: float
    unit: Unit = "number"

    @classmethod
    def both(cls, what: str, values: Iterable[float], unit: Unit = "number") -> Number:
        """From the two values in their order: the correct model's, and as written."""
        right, wrong = values
        return cls(what, right, wrong, unit)


@dataclass(frozen=True)
class Study:
    """A pitfall on one sentence. `said`: what Python itself says about the code, where it says anything."""

    right: Map
    wrong: Map
    shapes: tuple[Shape, ...]
    numbers: tuple[Number, ...]
    said: str = ""

    @classmethod
    def of(
        cls, maps: Iterable[Map], *, shapes: tuple[Shape, ...], numbers: tuple[Number, ...], said: str = ""
    ) -> Study:
        """From the two maps in their order: the correct model's, and as written."""
        right, wrong = maps
        return cls(right, wrong, shapes, numbers, said)


def always(config: ModelConfig) -> str:
    """For a pitfall that any model can show."""
    return ""


@dataclass(frozen=True)
class Pitfall:
    """A mistake by name. `unfit` says in one sentence why a model of this configuration cannot show it, or nothing.

    `sketch` is what was written, in our own words of Python; `test` is the line that would have caught it.
    """

    id: str
    title: str
    found_in: str
    explanation: str
    see: str
    sketch: str
    test: str
    study: Callable[[Transformer, Sentence], Study]
    unfit: Callable[[ModelConfig], str] = always
