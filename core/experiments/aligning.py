"""Word alignments of a corpus from cross-attention: the links of one head, or every head and layer against a gold file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from core.analysis.alignment import READINGS, STEPS, Gold, Reading, pharaoh
from core.analysis.readout import how_many
from core.analysis.word_links import Counted, WordAxes, by_weight, counted, word_links
from core.decoding.trace_stream import trace_many
from core.errors import InputError
from core.experiments.gold_survey import axes_of

if TYPE_CHECKING:
    from core.api import Checkpoint
    from core.model.trace import Trace


def linked(
    checkpoint: Checkpoint, pairs: Sequence[tuple[str, str]], head: tuple[int, int], reading: Reading
) -> Iterator[str]:
    """One line a sentence: `0-0 1-2`, words counted from 0 as they stand between spaces, source first."""
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
                found = total.of(reading, layer, head)
                rows.append(
                    {"layer": layer, "head": head, "reading": reading,
                     "aer": found.aer, "precision": found.precision, "recall": found.recall, "links": found.found}
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
