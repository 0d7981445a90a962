"""The Translate page's stage: lines, next word and map of one decode, played and explored in the browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from core.analysis.glossary import MEASURES
from core.analysis.readout import subject
from core.language import tr
from core.model.hooks import ATTENTION
from ui.shared.decode import NextWord, StepData, step_data
from ui.shared.mount import View, quantise
from ui.style.theme import Kind
from ui.web.contract import derive

MAX_NUMBERS = 600_000
"""Above this many weights (1.2 MB) only the chosen layer and head are sent; the pickers then ask the server."""

Drawn = Literal["weight", "alti"]
_METRICS = ("weight", "probability", "rank")


@dataclass(frozen=True)
class StripData:
    """What speaks against a translation: lines of words, and what their numbers are as (name, definition).

    `decode` is the name that the stage has for the same path; `shares` (T, S) are those of ALTI+, which it can draw.
    """

    decode: str
    lines: Sequence[str]
    measures: Sequence[tuple[str, str]] = ()
    shares: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))


@dataclass(frozen=True)
class StageLook:
    """Where the reader came to rest: tokens written, layer and head (None = mean)."""

    position: int
    layer: int | None = None
    head: int | None = None

    def fitted(self, drawn: StageData) -> StageLook:
        """The same within this decode: a number out of range becomes the end, or the mean."""
        return StageLook(
            min(self.position, len(drawn.target)),
            self.layer if self.layer is not None and self.layer < drawn.layers else None,
            self.head if self.head is not None and self.head < drawn.heads else None,
        )


@dataclass(frozen=True)
class Forced:
    """A candidate clicked: write token `id` at target position `position`, dropping what followed."""

    position: int
    id: int
    label: str = ""


@dataclass(frozen=True)
class OpensHead:
    """The head that opens where none was chosen, and why."""

    layer: int
    head: int
    why: str


@dataclass(frozen=True)
class StageData:
    """A whole decode: every step of every head.

    `source` are S labels of the source tokens, `target` T labels of the tokens written, `reads` those
    read before each (none: not known); `full` is the cross-attention
    (L, H, T, S), row t = what was looked at while writing `target[t]`. `distributions` are what each token was chosen
    from (T, or one for the first token when T is 0). `position`: how many tokens to show at first (a deep link); later
    the browser keeps its own position, and follows this one again when the decode changes. `ended`: the last token is the
    end token; the finished sentence then rests with no row lit. `layer`, `head`: the map shown, None is the mean. `forced`
    are indices of forced tokens, `notes` facts that were checked.

    `id` names the decode, the same for all paths of one search: what is hidden of it stays so. `writes`: the decode
    writes itself, within about two seconds, where the browser shows it for the first time after another one. `grown`: for
    each token, how many characters of the text before it stay, and the text it adds; empty: no sentence is shown.
    `remarks` are about the whole, not shown before the end was reached. `decode` names this very path: a strip
    (`StripData`) of the same name is put under the translation, where room is kept for it; empty: there is none.
    `measure` "alti" draws what the strip brings in place of weights. Until the end was reached, and after “to the start”,
    the browser shows nothing of the tokens to come.

    In the browser `shape` is that of `weights`, which are w · 65535, and `subjects[l][h]` names the map: 0 is the mean
    over layers or heads, n + 1 layer or head n. Raises ValueError when shapes and labels disagree.
    """

    _: KW_ONLY
    source: Sequence[str]
    target: Sequence[str]
    reads: Sequence[str] = ()
    full: InitVar[npt.NDArray[np.floating]]
    distributions: InitVar[Sequence[NextWord]]
    position: int
    layer: int | None = None
    head: int | None = None
    ended: bool = False
    forced: Sequence[int] = ()
    notes: Sequence[str] = ()
    id: str = ""
    writes: bool = False
    grown: Sequence[tuple[int, str]] = ()
    remarks: Sequence[str] = ()
    opens: OpensHead | None = None
    decode: str = ""
    measure: Drawn = "weight"
    kind: Kind = "cross"
    kind_name: str = ATTENTION["cross"].title
    weights: NDArray[np.uint16] = field(init=False)
    shape: tuple[int, int, int, int] = field(init=False)
    layers: int = field(init=False)
    heads: int = field(init=False)
    steps: tuple[StepData, ...] = field(init=False)
    subjects: tuple[tuple[str, ...], ...] = field(init=False)
    metrics: tuple[tuple[str, str], ...] = field(init=False)

    def __post_init__(self, full: npt.NDArray[np.floating], distributions: Sequence[NextWord]) -> None:
        if full.ndim != 4 or full.shape[2:] != (len(self.target), len(self.source)):
            raise ValueError(
                f"weights have shape {full.shape}; expected (layers, heads, {len(self.target)} target tokens,"
                f" {len(self.source)} source tokens)"
            )
        if len(distributions) < len(self.target):
            raise ValueError(
                f"got {len(distributions)} distributions for {len(self.target)} written tokens; give one a token"
            )
        layers, heads = full.shape[:2]
        for name, value, count in (("layer", self.layer, layers), ("head", self.head, heads)):
            if value is not None and not 0 <= value < count:
                raise ValueError(
                    f"{name} {value} does not exist; choose 0 to {count - 1}, or None for the mean"
                )
        sent = _choose(full, self.layer, self.head)
        derive(
            self,
            position=max(0, min(self.position, len(self.target))),
            weights=quantise(sent),
            shape=sent.shape,
            layers=layers,
            heads=heads,
            steps=tuple(step_data(step) for step in distributions),
            subjects=tuple(
                tuple(subject(layer, one, heads=heads, layers=layers) for one in (None, *range(heads)))
                for layer in (None, *range(layers))
            ),
            metrics=tuple(
                (tr(MEASURES[name].label).lower(), tr(MEASURES[name].definition)) for name in _METRICS
            ),
        )


def _choose(
    weights: npt.NDArray[np.floating], layer: int | None, head: int | None
) -> npt.NDArray[np.floating]:
    """All of (L, H, T, S) when small enough; else the chosen slice or mean as (1, 1, T, S)."""
    if weights.size <= MAX_NUMBERS:
        return weights
    layers = weights if layer is None else weights[layer : layer + 1]
    chosen = layers if head is None else layers[:, head : head + 1]
    mean: npt.NDArray[np.floating] = chosen.mean(axis=(0, 1), keepdims=True)
    return mean


STAGE = View("stage", StageData, forced=Forced, view=StageLook, measured=Drawn)
"""The data are sent once, the browser does the rest."""
TROUBLE = View("trouble", StripData)
"""Hands the lines to the stage of the page; takes no room itself."""
