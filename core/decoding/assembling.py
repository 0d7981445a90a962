"""What a session shows: the tokens a step can write, and the trace of what it saw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.decoding.path import Path
from core.decoding.strategies import CutOff, by_probability
from core.model.trace import Tokens, Trace

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle

UNWRITTEN = "…"  # the label, with id -1, of what the pending row has not written yet


@dataclass(frozen=True)
class Candidate:
    """One token that a step can write."""

    id: int
    label: str
    probability: float
    kept: bool  # whether the strategy may choose it
    rank: int  # 0 is the most probable


def candidates(
    probability: np.ndarray, cut: CutOff, label: Callable[[int], str], count: int
) -> list[Candidate]:
    """The `count` most probable tokens of `probability` (V,), best first."""
    kept = set(cut.ids)
    best = by_probability(probability)[:count].tolist()
    return [
        Candidate(token, label(token), float(probability[token]), token in kept, rank)
        for rank, token in enumerate(best)
    ]


def assemble(path: Path, checkpoint: Bundle, source_ids: Sequence[int], pending: bool) -> Trace:
    """The trace of the tokens written on `path`; with `pending`, of the row being written too."""
    extra = pending and path.pending is not None
    written = [*path.ids, *((-1,) if extra else ())]
    read = [path.config.bos_id, *path.ids][: len(written)]
    spell = checkpoint.target_tokenizer.labels
    tokens = Tokens(
        tuple(checkpoint.source_tokenizer.labels(source_ids)),
        tuple(spell(read)),
        (*spell(path.ids), *((UNWRITTEN,) if extra else ())),
    )
    return Trace(
        path.config, tokens, tuple(source_ids), tuple(read), tuple(written), path.records(len(written))
    )
