"""The importance of a model's heads on some translations: by leaving one out, by gradient, by keeping the best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from core.decoding.inputs import source_ids
from core.decoding.search import translate_batch
from core.errors import AtlasError, InputError
from core.experiments.importance import by_gradient, keep_only, leave_one_out
from core.experiments.rankings import Survey
from core.experiments.what_if import Pair

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle
    from core.model.transformer import Transformer


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
