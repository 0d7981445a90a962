"""The worked example of a checkpoint: one greedy decode, stored beside the weights, read without torch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from core.checkpoints import files
from core.decoding.strategies import by_probability
from core.errors import InputError
from core.model.sites import Site

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle

LOGITS = Site("decoder", 0, "final", "logits")
EXACT = 48  # the most probable tokens of a step whose logits are stored as they are
_RECORD = (
    *("*.weights", "*.value_norm", "*.norm_mean", "*.norm_var"),
    *("encoder.embed.*", "decoder.embed.*", str(LOGITS)),
)


def write_example(checkpoint: Bundle, source: str | None = None, folder: str | Path | None = None) -> Path:
    """Decode `source` (default: the first example of the card) and store it as `example.npz` → the file.

    `folder` defaults to the checkpoint's own. Raises `InputError` if there is no sentence or no folder.
    """
    from core.decoding.session import DecodeSession

    place = Path(folder) if folder is not None else checkpoint.path
    if place is None:
        raise InputError("This checkpoint has no folder; save it first, or give the folder to write to.")
    session = DecodeSession(
        checkpoint, _first_example(checkpoint) if source is None else source, record=_RECORD
    )
    session.run()
    trace = session.trace
    logits = {LOGITS: coarse_logits(trace.array(LOGITS))}
    path = place / files.EXAMPLE
    replace(trace, records={**trace.records, **logits}).save(path)
    return path


def coarse_logits(logits: np.ndarray, exact: int = EXACT) -> np.ndarray:
    """Logits (T, V) with all but the `exact` best of each row replaced by one value that holds their total.

    The best tokens keep their probability, the others share theirs evenly, and the file becomes small.
    """
    coarse = logits.astype(np.float32).copy()
    for row in coarse:
        others = by_probability(row)[exact:]
        if len(others):
            values = row[others].astype(np.float64)
            row[others] = values.max() + np.log(np.mean(np.exp(values - values.max())))
    return coarse


def _first_example(checkpoint: Bundle) -> str:
    examples = checkpoint.card.get("examples")
    first = examples[0] if isinstance(examples, list) and examples else None
    text = first.get("source") if isinstance(first, dict) else None
    if not isinstance(text, str):
        raise InputError("The checkpoint's card lists no example sentence; give one.")
    return text
