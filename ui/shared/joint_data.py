"""What the joint view sends to the browser; needs no Streamlit, so that notebooks can use it too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError
from core.model.hooks import ATTENTION
from ui.shared.checks import axis_labels, file_stem


class JointData(TypedDict):
    """The three maps as the browser gets them: words in `meta`, weights row by row as float32."""

    meta: dict[str, Any]
    encoder: NDArray[np.float32]
    cross: NDArray[np.float32]
    causal: NDArray[np.float32]


def joint_data(
    encoder: ArrayLike,
    cross: ArrayLike,
    causal: ArrayLike,
    source_labels: Sequence[str],
    input_labels: Sequence[str],
    written_labels: Sequence[str],
    *,
    subject: str = "the decoder",
    title: str | None = None,
    subtitle: str = "",
    step: int | None = None,
    keys: bool = True,
    report_step: bool = False,
    file_name: str = "joint",
    measure: str = "weight",
    tops: Mapping[str, float] | None = None,
) -> JointData:
    """One head (or a mean) of each kind.

    `encoder (S, S)`, `cross (T, S)` and `causal (T, T)` are weights; row t of the last two wrote
    `written_labels[t]`, `input_labels[t]` is what it read. `step` 1…T is the step shown first (all by
    default, 0: nothing written). `keys`: arrows step and space plays anywhere on the page. With
    `report_step` the step reached by hand is sent to Python. `measure` names what stands in place of
    weights, and `tops` say, where they are lengths, the number by kind that 1 stands for. Raises `InputError` for maps whose shapes do not
    fit each other or their labels, or that hold no weights.
    """
    read, between, own = _map(encoder, "encoder"), _map(cross, "cross"), _map(causal, "causal")
    source, steps = read.shape[1], between.shape[0]
    if read.shape != (source, source) or between.shape != (steps, source) or own.shape != (steps, steps):
        raise InputError(
            f"The maps have shapes {read.shape}, {between.shape} and {own.shape}; "
            "the joint view needs encoder (S, S), cross (T, S) and causal (T, T)."
        )
    inputs = axis_labels(input_labels, steps, "decoder input")
    written = axis_labels(written_labels, steps, "written token")
    meta = {
        "source": axis_labels(source_labels, source, "source"),
        # Position 0 is the start token; position t the token written by step t, which the next step reads.
        "target": [inputs[0] if inputs else "⟨start⟩", *written],
        "steps": steps,
        "step": steps if step is None else max(0, min(steps, step)),
        "labels": {key: kind.label for key, kind in ATTENTION.items()},
        "subject": subject,
        "title": title,
        "subtitle": subtitle,
        "keys": keys,
        "report": report_step,
        "file": file_stem(file_name),
        "measure": measure,
        "mode": "length" if tops else "weights" if measure == "weight" else "contribution",
        "tops": dict(tops) if tops else dict.fromkeys(ATTENTION, 1.0),
    }
    return {"meta": meta, "encoder": read.ravel(), "cross": between.ravel(), "causal": own.ravel()}


def _map(values: ArrayLike, name: str) -> NDArray[np.float32]:
    full = np.asarray(values, dtype=np.float32)
    if full.ndim != 2:
        raise InputError(
            f"The {name} map has shape {full.shape}; the joint view needs one (queries, keys) map."
        )
    if full.size and not (np.isfinite(full).all() and full.min() >= -1e-3 and full.max() <= 1 + 1e-3):
        raise InputError(f"The {name} map must hold weights from 0 to 1; pass them after the softmax.")
    return full
