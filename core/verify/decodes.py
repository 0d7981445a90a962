"""Decodes and what is drawn of them, compared with full passes, which use no cache.

Steps undone, decodes restored, the choices of each strategy; then traces, traces of a corpus, and a session's rows. Each
is compared with the records of a direct call of the model on the same tokens, one sentence alone, which the other checks
verify link by link. Labels are derived again from the ids, rows cut again from full maps.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import torch

from core.api import trace_ids, trace_many_ids
from core.decoding import path as paths
from core.decoding.session import DecodeSession
from core.model.config import ModelConfig
from core.model.hooks import ATTENTION_MAPS, LOGITS, Hooks, Site
from core.model.trace import Trace
from core.model.transformer import Transformer
from core.tokenizer import Reading
from core.verify.expected import allowed_tokens, costs_nothing, greedy_gap, log_softmax
from core.verify.runs import (
    SHORTEST,
    Passes,
    array_gap,
    full_logits,
    plain_words,
    relative_gap,
    row_gap,
    worst,
)

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle


_SEEN: Final = ("decoder.*.weights",)
_WORDS: Final = 5  # of which three are undone


def back_gap(model: Transformer, source: Sequence[int], words: Sequence[int]) -> float:
    """Write `words`, undo all but two and write others; start again; restore and do the same.

    Each is compared with a full pass, row by row. The words after those undone read the remaining cache, and those
    after a restored decode read the cache filled by one pass.
    """
    first, other = _first_and_other(model.config, words)
    if not other:
        return 0.0  # the vocabulary or the length allows no other word
    path = paths.Path(model, source, model.config.max_length, _SEEN)
    _write(path, first)
    gaps = [_turn_gap(model, source, path, other)]
    path.reset()
    _write(path, other)
    gaps.append(_path_gap(model, source, path))
    restored = paths.Path(model, source, model.config.max_length, _SEEN, prefix=first)
    return worst([*gaps, _path_gap(model, source, restored), _turn_gap(model, source, restored, other)])


def _turn_gap(model: Transformer, source: Sequence[int], path: paths.Path, other: Sequence[int]) -> float:
    """Undo as many words as `other` has and write those."""
    for _ in other:
        path.back()
    _write(path, other)
    return _path_gap(model, source, path)


def _write(path: paths.Path, words: Sequence[int]) -> None:
    for token in words:
        path.write(token)


def _first_and_other(config: ModelConfig, words: Sequence[int]) -> tuple[list[int], list[int]]:
    """Words to write, and others in place of all but the first two; fewer where the model's length is shorter."""
    known = dict.fromkeys([*words, *plain_words(config, (), 2 * _WORDS)])
    most = min(_WORDS, config.max_length - 1, (len(known) + 2) // 2)
    return list(known)[:most], list(known)[most : max(most, 2 * most - 2)]


def _path_gap(model: Transformer, source: Sequence[int], path: paths.Path) -> float:
    """The difference of the logits and maps of all rows of `path` from a full pass, which also has future keys."""
    inputs = [model.config.bos_id, *path.ids][: len(path.rows)]
    if len(inputs) < len(path.rows):
        return math.inf  # a row without an input
    passes, gaps = Passes(model, source, inputs, _SEEN), []
    for step, row in enumerate(path.rows):
        logits, full = passes.at(step)
        gaps.append(relative_gap(torch.from_numpy(row.logits).double(), logits.cpu().double()))
        records = {site: torch.from_numpy(array)[None, :, None] for site, array in row.records.items()}
        gaps.append(row_gap(records, full, step))
    return worst(gaps)


_TEMPERATURE: Final = 20.0  # so that even a sure model has more than one token to draw
_TOP_K: Final = 6
_TOP_P: Final = 0.8
_SEED: Final = 5
_SAMPLED: Final = 5  # tokens


def chosen_gap(checkpoint: Bundle, reading: Reading) -> float:
    """The deviation of sessions from their strategies' rules, in nats (greedy) or probability (sampling)."""
    limit = min(checkpoint.config.max_length, SHORTEST)
    greedy = DecodeSession(checkpoint, reading, max_steps=limit, record=())
    gaps = []
    while not greedy.finished:
        cut = greedy.cut_off()
        gaps.append(0.0 if (cut.ids, cut.probabilities) == ((greedy.step(),), (1.0,)) else math.inf)
    gaps.append(greedy_gap(checkpoint.config, _logits(checkpoint, reading, greedy.ids), greedy.ids))
    gaps.append(0.0 if _ends(checkpoint, greedy.ids, limit) else math.inf)
    return worst([*gaps, _sampling_gap(checkpoint, reading), _free_gap(checkpoint, reading)])


def _sampling_gap(checkpoint: Bundle, reading: Reading) -> float:
    """Sampled tokens: the allowed ones, their probabilities, and the token of each random number."""
    config = checkpoint.config
    session = DecodeSession(
        checkpoint,
        reading,
        "sample",
        _TEMPERATURE,
        _TOP_K,
        _TOP_P,
        seed=_SEED,
        max_steps=min(config.max_length, _SAMPLED),
        record=(),
    )
    session.run()
    logits, gaps = _logits(checkpoint, reading, session.ids), []
    for step, token in enumerate(session.ids):
        probability = np.exp(log_softmax(logits[step], _TEMPERATURE))
        gaps.append(array_gap(session.distribution_at(step), probability))
        cut = session.cut_off(step)
        if costs_nothing(config, step):
            gaps.append(0.0 if cut.ids == (token,) == (config.forced_bos_id,) else math.inf)
            continue
        gaps.append(_cut_gap(probability, allowed_tokens(config, step), np.array(cut.ids), cut))
        if token not in cut:
            return math.inf
        # The random number must lie in the written token's interval of the cumulative probabilities.
        draw = np.random.default_rng((_SEED, step)).random()
        end = float(np.cumsum(cut.probabilities)[cut.ids.index(token)])
        start = end - cut.probabilities[cut.ids.index(token)]
        gaps.append(max(0.0, start - draw, draw - end))
    return worst(gaps)


def _cut_gap(probability: np.ndarray, allowed: np.ndarray, ids: np.ndarray, cut: object) -> float:
    """The tokens left by top-k and top-p: most probable first, neither fewer nor more than needed, renormalised."""
    probabilities, mass = np.array(cut.probabilities), float(cut.mass)  # type: ignore[attr-defined]
    if not np.isin(ids, allowed).all() or len(set(ids.tolist())) != len(ids):
        return math.inf
    best = -np.sort(-probability[allowed])[:_TOP_K]
    reach = np.cumsum(best / best.sum())
    before = reach[len(ids) - 2] if len(ids) > 1 else 0.0
    if len(ids) > len(best):
        return math.inf
    return worst(
        [
            array_gap(probability[ids], best[: len(ids)]),
            max(0.0, float(before) - _TOP_P),  # one token fewer would have been enough
            max(0.0, _TOP_P - float(reach[len(ids) - 1])) if len(ids) < len(best) else 0.0,
            array_gap(probabilities, probability[ids] / probability[ids].sum()),
            abs(mass - float(probability[ids].sum())),
        ]
    )


def _free_gap(checkpoint: Bundle, reading: Reading) -> float:
    """Without a cut-off every token may be drawn that may be written at all; and a forced token is the one written."""
    config = checkpoint.config
    session = DecodeSession(checkpoint, reading, "sample", max_steps=min(config.max_length, 2), record=())
    if set(session.cut_off().ids) != set(allowed_tokens(config, 0).tolist()):
        return math.inf
    plain = np.setdiff1d(allowed_tokens(config, 1), [] if config.eos_id is None else [config.eos_id])
    likely = int(session.distribution.argmax())
    for token in [int(token) for token in plain if token != likely][:1]:
        session.force(token)
        if session.ids != [token]:
            return math.inf
        if not session.finished and set(session.cut_off().ids) != set(allowed_tokens(config, 1).tolist()):
            return math.inf
    return 0.0


def _logits(checkpoint: Bundle, reading: Reading, ids: Sequence[int]) -> np.ndarray:
    return full_logits(checkpoint.model, reading.ids, ids[:-1])


def _ends(checkpoint: Bundle, ids: Sequence[int], limit: int) -> bool:
    """Whether a decode ends at its first end token, or at the limit."""
    end = checkpoint.config.eos_id
    return end not in ids[:-1] and (ids[-1] == end or len(ids) == limit)


_EVERYTHING: Final = ("*",)
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
    end = checkpoint.config.eos_id
    pairs = [
        Pair(list(reading.ids), [*words, *([] if end is None else [end])])
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

    def until_step(step: int) -> Records:
        """The records whose row `step` the step must equal: without a causal mask, of a pass over the inputs so far."""
        if checkpoint.config.causal:
            return expected
        return _recorded(checkpoint, Pair(pair.source, pair.written[: step + 1]))

    half = len(pair.written) // 2
    begun = Pair(pair.source, pair.written[:half])
    options: dict[str, Any] = {"max_steps": len(pair.written), "record": _EVERYTHING}
    session = DecodeSession(checkpoint, reading, **options)
    gaps = []
    for step, token in enumerate(pair.written):
        gaps.append(array_gap(session.distribution, np.exp(log_softmax(until_step(step)[LOGITS][step]))))
        if step == half:
            gaps.append(_pending_gap(checkpoint, session, begun, until_step(half)))
        if session.force(token) != token:
            return math.inf
    gaps.append(_trace_gap(checkpoint, session.trace, pair, expected))
    gaps += [_row_gap(checkpoint, session, step, until_step(step)) for step in range(len(pair.written))]
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
    probability = np.exp(log_softmax(expected[LOGITS][step]))
    gaps = [
        array_gap(row.logits, expected[LOGITS][step]),
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
