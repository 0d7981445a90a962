"""Word alignments of a corpus from cross-attention: the links of one head, or every head and layer against a gold file.

AER of every head, layer and reading over a gold file, sentence by sentence, by weight and by contribution at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from core.analysis.alignment import (
    READINGS,
    STEPS,
    By,
    Counted,
    Gold,
    GoldFile,
    Reading,
    WordAxes,
    by_contribution,
    by_weight,
    counted,
    pharaoh,
    word_links,
)
from core.analysis.readout import how_many
from core.decoding.inputs import source_ids, target_ids
from core.decoding.tracing import trace_many, trace_many_ids
from core.errors import AtlasError, InputError
from core.experiments import contributions
from core.tokenizer.tokenizer import spaced_words

if TYPE_CHECKING:
    from core.api import Checkpoint
    from core.model.trace import Trace


def linked(
    checkpoint: Checkpoint, pairs: Sequence[tuple[str, str]], head: tuple[int, int], reading: Reading
) -> Iterator[str]:
    """One line a sentence: `0-0 1-2`, words between spaces, counted from 0, source first."""
    for axes, trace in _traced(checkpoint, pairs):
        yield pharaoh(word_links(trace.array(f"decoder.{head[0]}.cross.weights")[head[1]], axes, reading))


def check_gold(gold: Sequence[Gold], pairs: Sequence[tuple[str, str]]) -> None:
    """Raise `InputError` for a gold file with another number of sentences."""
    if len(gold) != len(pairs):
        raise InputError(
            f"The gold file has {how_many(len(gold), 'line')} for {how_many(len(pairs), 'sentence')}; give one a sentence."
        )


def measured(
    checkpoint: Checkpoint, pairs: Sequence[tuple[str, str]], gold: Sequence[Gold]
) -> Iterator[Counted]:
    """Every head, layer and all layers of each sentence against its gold; the counts of a corpus are their sum.

    Raises `InputError` for a gold file with another number of sentences.
    """
    check_gold(gold, pairs)
    for one, (axes, trace) in zip(gold, _traced(checkpoint, pairs), strict=True):
        yield counted(by_weight(trace.stacked("decoder", "cross", "weights")), axes, one)


def _traced(checkpoint: Checkpoint, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[WordAxes, Trace]]:
    """The words between spaces of each pair, and its cross-attention."""
    traces = trace_many(checkpoint, pairs, record=("decoder.*.cross.weights",))
    for (source, target), trace in zip(pairs, traces, strict=True):
        read, written = list(trace.source_ids), list(trace.written_ids)
        yield axes_of(checkpoint, read, written, source, target), trace


def best_first(total: Counted) -> list[dict[str, Any]]:
    """A row a layer, head and reading with its precision, recall and AER, the best AER first."""
    layers, heads = total.heads.shape[1:3]
    rows = []
    for layer in range(layers):
        for head in range(heads):
            for reading in READINGS:
                counted = total.of(reading, layer, head)
                rows.append(
                    {"layer": layer, "head": head, "reading": reading,
                     "aer": counted.aer, "precision": counted.precision, "recall": counted.recall, "links": counted.predicted}
                )  # fmt: skip
    return sorted(rows, key=lambda row: row["aer"])


def by_layer(total: Counted) -> list[str]:
    """AER of every layer, its heads together, and of all layers, in both readings: a table in lines of text."""
    layers = range(total.layers.shape[1])
    lines = [f"{'AER by layer':<14}" + "".join(f"{layer:>7}" for layer in layers) + f"{'all':>7}"]
    for reading in READINGS:
        rates = [*total.by_layer(reading), total.of(reading, None, None).aer]
        lines.append(f"{STEPS[reading]:<14}" + "".join(f"{rate:>7.3f}" for rate in rates))
    return lines


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
        counts: dict[By, Counted] = {
            "weight": counted(by_weight(trace.stacked("decoder", "cross", "weights")), axes, gold),
            "contribution": counted(by_contribution(layers), axes, gold),
        }
        totals = {by: totals[by] + each if by in totals else each for by, each in counts.items()}
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
