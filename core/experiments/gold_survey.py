"""AER of every head, layer and reading over a gold file, sentence by sentence, by weight and by contribution at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from core.analysis.alignment import Gold
from core.analysis.gold_file import GoldFile
from core.analysis.word_links import By, Counted, WordAxes, by_contribution, by_weight, counted
from core.decoding.inputs import source_ids, target_ids
from core.decoding.trace_stream import trace_many_ids
from core.errors import AtlasError, InputError
from core.experiments import contributions
from core.tokenizer.spaced import spaced_words

if TYPE_CHECKING:
    from core.api import Checkpoint

RECORD: Final = (
    "decoder.*.cross.weights",
    "decoder.*.cross.v",
    "decoder.*.cross.residual_before",
    "decoder.*.cross.norm_var",
)
"""What contributions of cross-attention need of a trace."""


@dataclass(frozen=True)
class GoldSurvey:
    """What was counted over `done` of `total` sentences. `left_out`: (line, why) of those the model cannot read."""

    done: int
    total: int
    counts: Mapping[By, Counted]
    left_out: tuple[tuple[int, str], ...] = ()


def gold_survey(checkpoint: Checkpoint, file: GoldFile) -> Iterator[GoldSurvey]:
    """One stage a sentence. Raises `InputError` when the model can read no sentence of the file."""
    readable: list[tuple[list[int], list[int], WordAxes, Gold]] = []
    left_out: list[tuple[int, str]] = []
    for number, ((source, target), gold) in enumerate(zip(file.pairs, file.gold, strict=True), start=1):
        try:
            ids = source_ids(checkpoint, source), target_ids(checkpoint, target)
            readable.append((*ids, axes_of(checkpoint, *ids, source, target), gold))
        except AtlasError as error:
            left_out.append((number, str(error)))
    if not readable:
        raise InputError(f"The model can read no sentence of the gold file. Line 1: {left_out[0][1]}")
    traces = trace_many_ids(checkpoint, [pair[:2] for pair in readable], record=RECORD)
    totals: dict[By, Counted] = {}
    for done, ((_, _, axes, gold), trace) in enumerate(zip(readable, traces, strict=True), start=1):
        layers = contributions.layers(checkpoint.model, trace, "cross")
        found: dict[By, Counted] = {
            "weight": counted(by_weight(trace.stacked("decoder", "cross", "weights")), axes, gold),
            "contribution": counted(by_contribution(layers), axes, gold),
        }
        totals = {by: totals[by] + each if by in totals else each for by, each in found.items()}
        yield GoldSurvey(done, len(readable), dict(totals), tuple(left_out))


def axes_of(checkpoint: Checkpoint, ids: list[int], written: list[int], source: str, target: str) -> WordAxes:
    """The words between spaces of a pair and their tokens. Raises `InputError` where tokens do not spell the words."""
    own = checkpoint.source_tokenizer
    return WordAxes.of(
        spaced_words(checkpoint.target_tokenizer, written, target),
        spaced_words(own, ids, source),
        ids,
        own.eos_id,
    )
