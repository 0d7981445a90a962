"""The importance of a model's heads on some translations: by leaving one out, by gradient, by keeping the best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from core.decoding.batch import translate_batch
from core.decoding.inputs import source_ids
from core.errors import AtlasError, InputError
from core.experiments.edits import Head, Kind
from core.experiments.importance import Kept, by_gradient, keep_only, leave_one_out, ranked, spearman
from core.experiments.what_if import Pair

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle
    from core.model.transformer import Transformer


@dataclass(frozen=True)
class Survey:
    """How far a survey has come. `sentences` is how many it is about.

    `left_out` and `gradient` are the tables (L, H) a kind, `kept` the quality with the best heads of each of the two
    rankings alone ("left_out", "gradient"); empty until they are measured. `complete`: every head was left out of every
    sentence; until then a table may be of some heads or some sentences.
    """

    sentences: int
    left_out: Mapping[Kind, np.ndarray]
    gradient: Mapping[Kind, np.ndarray]
    kept: Mapping[str, Kept]
    done: int
    total: int
    complete: bool = False

    @property
    def agreement(self) -> float:
        """Spearman's rank correlation of the two tables over all heads; NaN until both are there."""
        return spearman(*self._both()) if self.left_out and self.gradient else float("nan")

    @property
    def agreement_in_size(self) -> float:
        """The same with the size of what leaving out changes: the gradient's table has no sign."""
        if not self.left_out or not self.gradient:
            return float("nan")
        left, gradient = self._both()
        return spearman(np.abs(left), gradient)

    def _both(self) -> tuple[np.ndarray, np.ndarray]:
        left, gradient = (
            np.concatenate([tables[kind].ravel() for kind in self.left_out])
            for tables in (self.left_out, self.gradient)
        )
        return left, gradient

    def ranking(self, name: str = "left_out") -> list[Head]:
        """Heads from the most important to the least; `name`: "left_out" or "gradient"."""
        return ranked(self.left_out if name == "left_out" else self.gradient)


def survey(model: Transformer, pairs: Sequence[Pair], batch: int = 32) -> Iterator[Survey]:
    """Measure `pairs`; each step of the iterator is one pass.

    The two curves of the heads kept are at 32 numbers of heads. Raises `InputError` for no pairs, or one without
    a token.
    """
    survey = Survey(len(pairs), {}, {}, {}, 0, 0)
    done = 0
    total = _total(model, pairs, batch)
    for step in by_gradient(model, pairs):
        done += 1
        survey = replace(survey, gradient=step.tables, done=done, total=total)
        yield survey
    for step in leave_one_out(model, pairs, batch):
        done += 1
        survey = replace(
            survey, left_out=step.tables, complete=step.done == step.total, done=done, total=total
        )
        yield survey
    for name in ("left_out", "gradient"):
        for curve in keep_only(model, pairs, survey.ranking(name), batch):
            done += 1
            survey = replace(survey, kept={**survey.kept, name: curve}, done=done, total=total)
            yield survey


def _total(model: Transformer, pairs: Sequence[Pair], batch: int) -> int:
    """How many passes a survey makes."""
    config = model.config
    heads = config.heads * (config.encoder_layers + 2 * config.decoder_layers)
    kept = min(32, heads + 1)
    return len(pairs) * (1 + -(-(heads + 1) // batch) + 2 * -(-kept // batch))


def written_pairs(checkpoint: Bundle, sources: Sequence[str]) -> list[Pair]:
    """Each of `sources` that the model can read, with what it writes for it. Raises `InputError` when there is none."""
    rows = []
    for text in sources:
        try:
            rows.append(tuple(source_ids(checkpoint, text)))
        except AtlasError:
            continue
    if not rows:
        raise InputError("None of the example sentences can be read; give at least one that can.")
    written = translate_batch(checkpoint.model, rows)
    return [Pair(source, tuple(ids)) for source, ids in zip(rows, written, strict=True)]
