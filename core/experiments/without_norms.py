"""The same model with every norm taken out: how long each token's vector gets, and what is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd
from torch import Tensor

from core.analysis.norms import RECORD, norm_sites, stream_table
from core.decoding.tracing import trace_ids
from core.experiments.what_if import greedy
from core.model.hooks import Edit, Site

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle
    from core.model.config import ModelConfig


@dataclass(frozen=True)
class WithoutNorms:
    """`stream` is `core.analysis.norms.stream_table` without norms; `written` the first tokens that greedy search writes."""

    stream: pd.DataFrame
    written: tuple[int, ...]


def without_norms(checkpoint: Bundle, source: Sequence[int], written: Sequence[int]) -> WithoutNorms:
    """Run a source and its translation with every norm giving back its input.

    Writes no more tokens than `written` has: a model without its norms often repeats a word without end.
    """
    trace = trace_ids(checkpoint, source, written, RECORD, passing_norms(checkpoint.config))
    text = greedy(checkpoint, source, passing_norms(checkpoint.config), len(written))
    return WithoutNorms(stream_table(trace), tuple(text))


def passing_norms(config: ModelConfig) -> dict[Site | str, Edit]:
    """Edits of one pass, after which the output of every norm is its input."""
    edits: dict[Site | str, Edit] = {}
    for site in norm_sites(config):
        entered: list[Tensor] = []  # a pass visits `norm_input` and then `norm_output`

        def enter(values: Tensor, entered: list[Tensor] = entered) -> Tensor:
            entered[:] = [values]
            return values

        def leave(values: Tensor, entered: list[Tensor] = entered) -> Tensor:
            return entered.pop()

        edits[Site(*site, "norm_input")], edits[Site(*site, "norm_output")] = enter, leave
    return edits
