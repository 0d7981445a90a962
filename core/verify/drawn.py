"""The numbers that pages draw compared with the model's records: traces, traces of a corpus, and a session's rows.

Each is compared with the records of a direct call of the model on the same tokens, one sentence alone, which the other
checks verify link by link. Labels are derived again from the ids, rows cut again from full maps.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import torch

from core.decoding.session import DecodeSession
from core.decoding.tracing import trace_ids, trace_many_ids
from core.model.hooks import ATTENTION_MAPS, Hooks, Site
from core.model.trace import Trace
from core.tokenizer import Reading
from core.verify.expected_choices import log_softmax
from core.verify.gaps import array_gap, worst

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle

_EVERYTHING: Final = ("*",)
_LOGITS: Final = Site("decoder", 0, "final", "logits")
_LISTED: Final = 5  # candidates
Records = Mapping[Site, np.ndarray]


class Pair(NamedTuple):
    """A source and its translation, as ids."""

    source: list[int]
    written: list[int]


def drawn_gap(checkpoint: Bundle, readings: Sequence[Reading], written: Sequence[Sequence[int]]) -> float:
    """The largest difference between drawn and recorded numbers; infinite where a label differs.

    `written` are words to write after each of `readings`, none of them special.
    """
    pairs = [
        Pair(list(reading.ids), [*words, checkpoint.config.eos_id])
        for reading, words in zip(readings, written, strict=True)
    ]
    # Shorter on both sides, so that the batch is always padded and not in the order of its lengths.
    source, words = pairs[0]
    pairs.insert(1, Pair([*source[: len(source) // 2], source[-1]], [*words[: len(words) // 2], words[-1]]))
    expected = [_recorded(checkpoint, pair) for pair in pairs]
    gaps = [_trace_gap(checkpoint, trace_ids(checkpoint, *pairs[0], _EVERYTHING), pairs[0], expected[0])]
    gaps.append(_stored_gap(checkpoint, pairs[1], expected[1]))
    drawn = list(trace_many_ids(checkpoint, pairs, record=_EVERYTHING))
    gaps += [_trace_gap(checkpoint, *each) for each in zip(drawn, pairs, expected, strict=True)]
    return worst([*gaps, _session_gap(checkpoint, readings[0], pairs[0], expected[0])])


def _recorded(checkpoint: Bundle, pair: Pair) -> Records:
    """Everything that the model records for one pair, read from its hooks, without the batch axis, float64."""
    device, hooks = checkpoint.device, Hooks(_EVERYTHING)
    read = [checkpoint.config.bos_id, *pair.written[:-1]]
    checkpoint.model(torch.tensor([pair.source], device=device), torch.tensor([read], device=device), hooks)
    return {site: tensor[0].cpu().double().numpy() for site, tensor in hooks.records.items()}


def _trace_gap(checkpoint: Bundle, trace: Trace, pair: Pair, expected: Records) -> float:
    """Labels, ids, every map by its layer and head, and every other record of `trace`."""
    if not _labelled(checkpoint, trace, pair):
        return math.inf
    if set(trace.records) != set(expected):
        return math.inf
    gaps = [array_gap(trace.array(site), values) for site, values in expected.items()]
    return worst([*gaps, *_map_gaps(trace, expected)])


def _map_gaps(trace: Trace, expected: Records) -> list[float]:
    """The maps as the pages read them, all layers of a kind at once."""
    gaps = []
    for stack, block in ATTENTION_MAPS:
        layers = range(trace.config.layers(stack))
        if not layers:
            continue
        drawn = [("weights", trace.weights(stack, block))]
        if Site(stack, 0, block, "scores") in expected:
            drawn.append(("scores", trace.scores(stack, block)))
            drawn.append(("masked_scores", trace.scores(stack, block, masked=True)))
        for kind, maps in drawn:
            stacked = np.stack([expected[Site(stack, layer, block, kind)] for layer in layers])
            gaps.append(array_gap(maps.numpy(), stacked))
    return gaps


def _labelled(checkpoint: Bundle, trace: Trace, pair: Pair) -> bool:
    """Whether every label belongs to its token: row t reads the token before the one that it writes."""
    read = [checkpoint.config.bos_id, *pair.written[:-1]]
    spell = checkpoint.target_tokenizer.labels
    ids = (trace.source_ids, trace.target_ids, trace.written_ids)
    return ids == (tuple(pair.source), tuple(read), tuple(pair.written)) and tuple(trace.tokens) == (
        tuple(checkpoint.source_tokenizer.labels(pair.source)),
        tuple(spell(read)),
        tuple(spell(pair.written)),
    )


def _stored_gap(checkpoint: Bundle, pair: Pair, expected: Records) -> float:
    """A trace of weights that is stored and read again, like the example of a folder."""
    weights = {site: values for site, values in expected.items() if site.kind == "weights"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.npz"
        trace_ids(checkpoint, *pair, ("*.weights",)).save(path)
        return _trace_gap(checkpoint, Trace.load(path), pair, weights)


def _session_gap(checkpoint: Bundle, reading: Reading, pair: Pair, expected: Records) -> float:
    """A session that writes the pair token by token, one restored halfway, and one stepped without a choice."""
    half = len(pair.written) // 2
    begun = Pair(pair.source, pair.written[:half])
    options: dict[str, Any] = {"max_steps": len(pair.written), "record": _EVERYTHING}
    session = DecodeSession(checkpoint, reading, **options)
    gaps = []
    for step, token in enumerate(pair.written):
        gaps.append(array_gap(session.distribution, np.exp(log_softmax(expected[_LOGITS][step]))))
        if step == half:
            gaps.append(_pending_gap(checkpoint, session, begun, expected))
        if session.force(token) != token:
            return math.inf
    gaps.append(_trace_gap(checkpoint, session.trace, pair, expected))
    gaps += [_row_gap(checkpoint, session, step, expected) for step in range(len(pair.written))]
    if half:
        restored = DecodeSession.replay(checkpoint, reading, begun.written, **options)
        until = _recorded(checkpoint, begun)
        gaps.append(_trace_gap(checkpoint, restored.trace, begun, until))
        for token in pair.written[half:]:
            restored.force(token)
        gaps.append(_trace_gap(checkpoint, restored.trace, pair, expected))
        stepped = DecodeSession.stepped(checkpoint, reading, begun.written, **options)
        gaps.append(_trace_gap(checkpoint, stepped.trace, begun, until))
    return worst(gaps)


def _pending_gap(checkpoint: Bundle, session: DecodeSession, begun: Pair, expected: Records) -> float:
    """The trace with the row being written, which has no written token yet."""
    trace = session.assemble(pending=True)
    if trace.written_ids[-1:] != (-1,):
        return math.inf
    rows = len(begun.written) + 1
    gaps = []
    for stack, block in ATTENTION_MAPS:
        for layer in range(trace.config.layers(stack)):
            full = expected[Site(stack, layer, block, "weights")]
            if stack == "decoder":
                full = full[:, :rows, :rows] if block == "self" else full[:, :rows]
            gaps.append(array_gap(trace.array(Site(stack, layer, block, "weights")), full))
    # The labels are those of the tokens written, and of the token that the pending row reads.
    read = [checkpoint.config.bos_id, *begun.written]
    labels = (tuple(checkpoint.target_tokenizer.labels(each)) for each in (read, begun.written))
    same = (trace.tokens.target, trace.tokens.written[:-1]) == tuple(labels)
    same = same and (trace.target_ids, trace.written_ids[:-1]) == (tuple(read), tuple(begun.written))
    return worst([*gaps, 0.0 if same else math.inf])


def _row_gap(checkpoint: Bundle, session: DecodeSession, step: int, expected: Records) -> float:
    """One row: its index, the token it reads, its weights, its logits, and its list of candidates."""
    row, spelled = session.row(step), checkpoint.target_tokenizer
    read = [checkpoint.config.bos_id, *session.ids][step]
    if (row.index, row.input_id) != (step, read):
        return math.inf
    probability = np.exp(log_softmax(expected[_LOGITS][step]))
    gaps = [
        array_gap(row.logits, expected[_LOGITS][step]),
        array_gap(session.distribution_at(step), probability),
    ]
    for site, values in row.records.items():
        if site.kind == "weights":
            full = expected[site][:, step]
            gaps.append(array_gap(values, full[:, : step + 1] if site.block == "self" else full))
    listed = session.candidates(_LISTED, step)
    best = -np.sort(-probability)[:_LISTED]
    gaps.append(array_gap(np.array([each.probability for each in listed]), best))
    gaps.append(array_gap(probability[[each.id for each in listed]], best))
    named = [(spelled.label(each.id), rank) for rank, each in enumerate(listed)]
    return worst([*gaps, 0.0 if named == [(each.label, each.rank) for each in listed] else math.inf])
