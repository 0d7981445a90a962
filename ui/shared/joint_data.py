"""What the joint view sends to the browser; needs no Streamlit, so that notebooks can use it too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError
from core.model.hooks import ATTENTION
from ui.shared.checks import axis_labels, file_stem
from ui.style.theme import Kind
from ui.web.contract import derive


@dataclass(frozen=True)
class JointData:
    """The three kinds together, one head (or a mean) of each.

    `encoder (S, S)`, `cross (T, S)` and `causal (T, T)` are weights; row t of the last two wrote `written[t]`,
    `inputs[t]` is what it read. In the browser `target` has the start token first, then the token written by each step.
    `at` 1…T is the step shown first (all by default, 0: nothing written). `keys`: arrows step and space plays anywhere
    on the page. With `report` a step chosen by hand is sent to Python. `measure` names what stands in place of weights,
    and `tops` say, where they are lengths, the number by kind that 1 stands for. Raises `InputError` for maps whose shapes
    do not fit each other or their labels, or that hold no weights.
    """

    encoder: NDArray[np.float32]
    cross: NDArray[np.float32]
    causal: NDArray[np.float32]
    source: Sequence[str]
    inputs: InitVar[Sequence[str]]
    written: InitVar[Sequence[str]]
    _: KW_ONLY
    subject: str = "the decoder"
    title: str = ""
    subtitle: str = ""
    at: InitVar[int | None] = None
    keys: bool = True
    report: bool = False
    file: str = "joint"
    measure: str = "weight"
    tops: Mapping[Kind, float] = field(default_factory=dict)
    target: Sequence[str] = field(init=False)
    steps: int = field(init=False)
    step: int = field(init=False)
    labels: Mapping[Kind, str] = field(init=False)
    mode: Literal["weights", "contribution", "length"] = field(init=False)

    def __post_init__(self, inputs: Sequence[str], written: Sequence[str], at: int | None) -> None:
        encoder, cross, causal = (_map(getattr(self, kind), kind) for kind in ("encoder", "cross", "causal"))
        source, steps = encoder.shape[1], cross.shape[0]
        if (
            encoder.shape != (source, source)
            or cross.shape != (steps, source)
            or causal.shape != (steps, steps)
        ):
            raise InputError(
                f"The maps have shapes {encoder.shape}, {cross.shape} and {causal.shape}; "
                "the joint view needs encoder (S, S), cross (T, S) and causal (T, T)."
            )
        read = axis_labels(inputs, steps, "decoder input")
        derive(
            self,
            encoder=encoder,
            cross=cross,
            causal=causal,
            source=axis_labels(self.source, source, "source"),
            target=[read[0] if read else "⟨start⟩", *axis_labels(written, steps, "written token")],
            steps=steps,
            step=steps if at is None else max(0, min(steps, at)),
            labels={key: kind.label for key, kind in ATTENTION.items()},
            file=file_stem(self.file),
            mode="length" if self.tops else "weights" if self.measure == "weight" else "contribution",
            tops=dict(self.tops) if self.tops else dict.fromkeys(ATTENTION, 1.0),
        )


def _map(values: ArrayLike, name: str) -> NDArray[np.float32]:
    full = np.asarray(values, dtype=np.float32)
    if full.ndim != 2:
        raise InputError(
            f"The {name} map has shape {full.shape}; the joint view needs one (queries, keys) map."
        )
    if full.size and not (np.isfinite(full).all() and full.min() >= -1e-3 and full.max() <= 1 + 1e-3):
        raise InputError(f"The {name} map must hold weights from 0 to 1; pass them after the softmax.")
    return full
