"""Word alignments of a corpus from cross-attention: the links of one head, or every head against a gold file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from core.analysis.alignment import READINGS, Gold, Link, Measured, Reading, links, measure, pharaoh, word_map
from core.analysis.readout import how_many
from core.decoding.trace_stream import trace_many
from core.errors import InputError
from core.tokenizer.spaced import spaced_words

if TYPE_CHECKING:
    import numpy as np

    from core.api import Checkpoint
    from core.model.trace import Trace

Counted = dict[tuple[int, int, Reading], Measured]
"""Counts of links by layer, head and reading."""


def linked(
    checkpoint: Checkpoint, pairs: Sequence[tuple[str, str]], head: tuple[int, int], reading: Reading
) -> Iterator[str]:
    """One line a sentence: `0-0 1-2`, words counted from 0 as they stand between spaces, source first."""
    for (source, target), trace in zip(
        pairs, trace_many(checkpoint, pairs, record=("decoder.*.cross.weights",)), strict=True
    ):
        words = _Words(checkpoint, trace, source, target)
        weights = trace.array(f"decoder.{head[0]}.cross.weights")[head[1]]
        yield pharaoh(words.links(weights, reading))


def measured(
    checkpoint: Checkpoint, pairs: Sequence[tuple[str, str]], gold: Sequence[Gold]
) -> list[dict[str, Any]]:
    """Every layer, head and reading with its precision, recall and AER over the corpus, the best AER first.

    Raises `InputError` for a gold file with another number of sentences.
    """
    check_gold(gold, pairs)
    totals: Counted = {}
    for found in counted(checkpoint, pairs, gold):
        for key, one in found.items():
            totals[key] = totals.get(key, Measured()) + one
    return best_first(totals)


def check_gold(gold: Sequence[Gold], pairs: Sequence[tuple[str, str]]) -> None:
    """Raise `InputError` for a gold file with another number of sentences."""
    if len(gold) != len(pairs):
        raise InputError(
            f"The gold file has {how_many(len(gold), 'line')} for {how_many(len(pairs), 'sentence')}; give one a sentence."
        )


def counted(
    checkpoint: Checkpoint, pairs: Sequence[tuple[str, str]], gold: Sequence[Gold]
) -> Iterator[Counted]:
    """The same for each sentence by itself; the counts of a corpus are their sum."""
    traces = trace_many(checkpoint, pairs, record=("decoder.*.cross.weights",))
    for (source, target), one, trace in zip(pairs, gold, traces, strict=True):
        words = _Words(checkpoint, trace, source, target)
        weights = trace.stacked("decoder", "cross", "weights")
        yield {
            (layer, head, reading): measure(words.links(weights[layer, head], reading), one)
            for layer in range(weights.shape[0])
            for head in range(weights.shape[1])
            for reading in READINGS
        }


def best_first(totals: Counted) -> list[dict[str, Any]]:
    """A row a layer, head and reading with its precision, recall and AER, the best AER first."""
    rows = [
        {"layer": layer, "head": head, "reading": reading,
         "aer": total.aer, "precision": total.precision, "recall": total.recall, "links": total.found}
        for (layer, head, reading), total in totals.items()
    ]  # fmt: skip
    return sorted(rows, key=lambda row: row["aer"])


class _Words:
    """The words of a pair as they stand between spaces, and the tokens of each."""

    def __init__(self, checkpoint: Checkpoint, trace: Trace, source: str, target: str) -> None:
        self.source = spaced_words(checkpoint.source_tokenizer, trace.source_ids, source)
        self.target = spaced_words(checkpoint.target_tokenizer, trace.written_ids, target)
        self._end = checkpoint.source_tokenizer.eos_id
        self._source_ids = trace.source_ids

    def links(self, weights: np.ndarray, reading: Reading) -> set[Link]:
        """The links of one head's weights (T, S)."""
        rows, columns = (_groups(words) for words in (self.target, self.source))
        merged = word_map(weights, rows, columns, reading)
        end = next(
            (place for place, group in enumerate(columns)
             if self.source[group[0]] < 0 and self._source_ids[group[0]] == self._end), None
        )  # fmt: skip
        real = [[place for place, group in enumerate(groups) if words[group[0]] >= 0]
                for groups, words in ((rows, self.target), (columns, self.source))]  # fmt: skip
        return links(merged, real[0], real[1], end)


def _groups(words: Sequence[int]) -> list[list[int]]:
    from core.analysis.maps import word_groups

    return word_groups(words)
