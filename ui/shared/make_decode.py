"""How a decode is made: run as a selection says, or read from a checkpoint's stored example, and checked.

Depends on the core and the views' data, not on Streamlit. Torch is imported inside functions only, so a stored
example can be shown before it is loaded.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from core.analysis.familiarity import Scored, scored
from core.analysis.maps import ROUNDING, map_gap, row_error, weight_ahead
from core.analysis.roles import card_heads
from core.decoding.example import load_example
from core.decoding.inputs import choices, forced_token, never_written
from core.decoding.strategies import log_probabilities, writable
from core.errors import InputError
from core.language import message
from core.model.hooks import ATTENTION, LOGITS
from core.model.trace import Trace
from core.tokenizer import Reading, Tokenizer
from ui.session.selection import Selection
from ui.shared.decode import BeamNode, Decode, Fact, StepData

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle
    from core.decoding.session import DecodeSession
    from core.model.config import ModelConfig

RECORD: Final = ("*.weights", str(LOGITS))


def options(selection: Selection) -> tuple[Any, ...]:
    """The part of a selection that decides what is written, as a cache key."""
    match selection.strategy:
        case "sample":
            chosen: tuple[Any, ...] = (
                selection.temperature,
                selection.top_k,
                selection.top_p,
                selection.seed,
            )
        case "beam":
            chosen = (selection.beam, selection.node)
        case "given":
            chosen = (selection.target,)
        case _:
            chosen = ()
    return (selection.strategy, *chosen, selection.force)


def stored_example(
    path: Path,
    key: tuple[Any, ...],
    config: ModelConfig,
    tokenizers: tuple[Tokenizer, Tokenizer],
    read: Callable[[str], Reading],
    card: Mapping[str, Any],
) -> Decode:
    """The worked example of a checkpoint folder with this configuration and card; `read` its text. Raises `AtlasError` when the file is not usable."""
    trace = load_example(path, config)
    source, _target = tokenizers
    return assemble(
        key=key,
        source=read(source.decode(trace.source_ids)),
        trace=trace,
        tokenizers=tokenizers,
        selection=Selection(),
        stored=True,
        card=card,
    )


HEAVY: Final = 120
"""Tokens of the source times hypotheses from which on a decode is heavy: some seconds of a beam."""


def is_heavy(source: Reading, selection: Selection) -> bool:
    """Whether a decode has to wait for others of its kind, so that it keeps no short sentence waiting."""
    wide = selection.beam if selection.strategy == "beam" else 1
    return wide * len(source.ids) >= HEAVY or wide > WIDE


WIDE: Final = 6
"""A beam wider than this is heavy for every sentence."""


def run(
    checkpoint: Bundle,
    source: Reading,
    selection: Selection,
    key: tuple[Any, ...],
    look: Callable[[], None] = lambda: None,
) -> Decode:
    """Decode a text as the selection says, to the end, and compare with a full pass.

    `look` is called before every step; an exception from it ends the decode. Raises `AtlasError` with one sentence for an
    unusable word or option.
    """
    from core.api import trace_ids

    session, tree = _written(checkpoint, source, selection, look)
    stepped = session.trace
    if not stepped.written_ids:
        raise InputError.tr("This hypothesis has no word yet; choose a later one.")
    full = trace_ids(checkpoint, stepped.source_ids, stepped.written_ids, ("*.weights",))
    length = len(stepped.written_ids)
    return assemble(
        key=key,
        source=source,
        trace=stepped,
        tokenizers=(checkpoint.source_tokenizer, checkpoint.target_tokenizer),
        selection=selection,
        forced=tuple(position for position, _ in selection.force if position < length),
        full=full,
        tree=tree,
        card=checkpoint.card,
    )


def _written(
    checkpoint: Bundle, source: Reading, selection: Selection, look: Callable[[], None]
) -> tuple[DecodeSession, tuple[BeamNode, ...]]:
    """The finished session, and the beam's tree if there is one."""
    from core.decoding.inputs import target_ids
    from core.decoding.session import DecodeSession

    if selection.strategy == "given":
        if selection.target:
            ids = target_ids(checkpoint, selection.target)
            return DecodeSession.stepped(checkpoint, source, ids, max_steps=len(ids), record=RECORD), ()
        selection = dataclasses.replace(selection, strategy="greedy")
    session = DecodeSession(
        checkpoint,
        source,
        selection.strategy,
        selection.temperature,
        selection.top_k,
        selection.top_p,
        beam_size=selection.beam,
        seed=selection.seed,
        record=RECORD,
    )
    wanted = dict(selection.force)
    while not session.finished:
        look()
        if session.step_index in wanted:
            session.force(wanted[session.step_index])
        else:
            session.step()
    if selection.strategy != "beam":
        return session, ()
    tree, ids = _tree(session), session.ids
    if selection.node is not None and 0 < selection.node < len(tree):
        ids = session.search.beam.ids(selection.node)
    # A beam keeps no rows: its words are stepped through again, so that what is shown was stepped.
    return DecodeSession.stepped(checkpoint, source, ids, max_steps=session.limit, record=RECORD), tree


def _tree(session: DecodeSession) -> tuple[BeamNode, ...]:
    return tuple(
        BeamNode(
            id=node.id,
            parent=node.parent,
            step=node.step,
            label=node.label,
            logprob=node.total,
            score=node.score,
            kept=node.kept,
            finished=node.finished,
            best=node.best,
        )
        for node in session.tree
    )


def trace_again(checkpoint: Bundle, trace: Trace, record: tuple[str, ...]) -> Trace:
    """A full pass over the tokens of `trace` that records `record`."""
    from core.api import trace_ids

    return trace_ids(checkpoint, trace.source_ids, trace.written_ids, record)


def assemble(
    *,
    key: tuple[Any, ...],
    source: Reading,
    trace: Trace,
    tokenizers: tuple[Tokenizer, Tokenizer],
    selection: Selection,
    forced: Sequence[int] = (),
    full: Trace | None = None,
    tree: tuple[BeamNode, ...] = (),
    stored: bool = False,
    card: Mapping[str, Any],
) -> Decode:
    """Put a decode together from its trace; the logits turn into distributions and are not kept."""
    read, target = tokenizers
    steps = distributions(trace, target, selection, forced)
    kept = {site: array for site, array in trace.records.items() if site != LOGITS}
    return Decode(
        key=key,
        source_text=source.text,
        text=target.decode(trace.written_ids),
        trace=dataclasses.replace(trace, records=kept),
        steps=steps,
        facts=facts(trace, full),
        source_words=tuple(read.words(trace.source_ids)),
        written_words=tuple(target.words(trace.written_ids)),
        target_words=tuple(target.words(trace.target_ids)),
        forced=tuple(forced),
        unknown=source.unknown,
        finished=bool(trace.written_ids) and trace.written_ids[-1] == target.eos_id,
        tree=tree,
        node=selection.node if tree else None,
        stored=stored,
        default_heads=card_heads(
            card, {kind.name: trace.config.shape(kind.stack) for kind in ATTENTION.values()}
        ),
        strategy="greedy" if selection.strategy == "given" and not selection.target else selection.strategy,
        grown=grown(target.decode, trace.written_ids),
        scored=_scored(trace),
    )


def _scored(trace: Trace) -> tuple[Scored, ...]:
    """The score at temperature 1 of each token that was a choice."""
    positions = list(choices(trace.config, trace.written_ids))
    rows = log_probabilities(np.asarray(trace.array(LOGITS))[positions])
    return scored(rows, [trace.written_ids[position] for position in positions], never_written(trace.config))


def grown(decode: Callable[[Sequence[int]], str], ids: Sequence[int]) -> tuple[tuple[int, str], ...]:
    """How each of `ids` changes the text: (number of characters that stay, characters added after them)."""
    before, additions = "", []
    for end in range(1, len(ids) + 1):
        text = decode(ids[:end])
        pairs = enumerate(zip(before, text, strict=False))
        stay = next((index for index, (a, b) in pairs if a != b), min(len(before), len(text)))
        additions.append((stay, text[stay:]))
        before = text
    return tuple(additions)


def distributions(
    trace: Trace, target: Tokenizer, selection: Selection, forced: Sequence[int]
) -> tuple[StepData, ...]:
    """The distribution each token was chosen from, with the selected temperature and cut-off."""
    logits = np.asarray(trace.array(LOGITS), dtype=np.float64)  # (T, V)
    strategy = "greedy" if selection.strategy == "given" else selection.strategy
    temperature = selection.temperature if strategy == "sample" else 1.0
    steps = []
    for position, row in enumerate(logits):
        kept = writable(
            row,
            trace.config,
            position,
            strategy,
            temperature=selection.temperature,
            top_k=selection.top_k,
            top_p=selection.top_p,
            beam_size=selection.beam,
        )
        steps.append(
            StepData.from_probabilities(
                np.exp(log_probabilities(row, temperature)),
                target.label,
                chosen=trace.written_ids[position],
                forced=position in forced,
                kept=kept,
                limit=_limit(trace.config, selection, position, len(kept)),
                banned=never_written(trace.config),
                fixed=forced_token(trace.config, position),
            )
        )
    return tuple(steps)


def _limit(config: ModelConfig, selection: Selection, step: int, kept: int) -> str:
    """What limits the words of this step, in words; empty where nothing does that a reader chose."""
    everything = kept + len(never_written(config)) >= config.target_vocab_size
    if selection.strategy != "sample" or everything or forced_token(config, step) is not None:
        return ""
    top_k, nucleus = selection.top_k, f"p = {selection.top_p:.2f}"
    if selection.top_p == 1:
        return f"top {top_k}"
    return f"{nucleus} of the top {top_k}" if top_k else f"nucleus {nucleus}"


def facts(stepped: Trace, full: Trace | None = None) -> tuple[Fact, ...]:
    """Checks of the maps: rows sum to 1; with a full pass, also that nothing looks ahead and that stepping gives the same maps.

    Attention to later tokens is measured in `full` alone: stepping has no later keys, and zeros fill their cells. A stored
    example comes without a full pass, so it has the first check only.
    """
    sums = row_error(stepped)
    checks = [Fact(message("rows sum to 1"), sums <= ROUNDING, sums)]
    if full is not None:
        ahead, gap = weight_ahead(full), map_gap(stepped, full)
        checks += [
            Fact(message("nothing looks ahead"), ahead == 0.0, ahead),
            Fact(message("step by step = all at once"), gap <= ROUNDING, gap),
        ]
    return tuple(checks)
