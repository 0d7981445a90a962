"""The heads that open first: chosen once per checkpoint, over its probe sentences, and kept in its card."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from core.analysis.head_choice import READINGS, Counted, Shown, anchored, best, consensus, outward
from core.checkpoints import files
from core.decoding.tracing import trace
from core.errors import AtlasError, InputError
from core.model.trace import Trace

if TYPE_CHECKING:
    from core.api import Checkpoint

PROBES: Final = 20  # sentences of the card that are run
_RECORD: Final = ("*.weights",)


def default_heads(checkpoint: Checkpoint, sources: Sequence[str] | None = None) -> dict[str, dict[str, Any]]:
    """The head to open for each attention kind, as the card keeps it: kind → layer, head, share, words, sentences.

    `sources` (default: the examples of the card) are decoded greedily with all attention weights recorded; nothing
    but the running sums is kept. Sentences the model cannot read are passed over. Empty when none is left.
    """
    traces = [
        found for text in _probes(checkpoint, sources) if (found := _traced(checkpoint, text)) is not None
    ]
    chosen: dict[str, Shown] = {}
    if checkpoint.config.decoder_layers:
        _put(chosen, "cross", [_cross(each) for each in traces], _reading(traces))
        _put(chosen, "decoder-self", [_self(each, "decoder") for each in traces])
    if checkpoint.config.encoder_layers:
        _put(chosen, "encoder-self", [_self(each, "encoder") for each in traces])
    return {
        kind: {name: value for name, value in asdict(shown).items() if value != ""}
        for kind, shown in chosen.items()
    }


def write_default_heads(checkpoint: Checkpoint) -> dict[str, dict[str, Any]]:
    """Choose the heads of a stored checkpoint and put them into its card, the rest of which stays as it is.

    Raises `InputError` if it has no folder or the card cannot be written.
    """
    if checkpoint.path is None:
        raise InputError("This checkpoint has no folder; save it first.")
    heads = default_heads(checkpoint)
    file = checkpoint.path / files.CARD
    scratch = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    text = json.dumps({**checkpoint.card, "default_heads": heads}, indent=2, ensure_ascii=False) + "\n"
    try:
        scratch.write_text(text, encoding="utf-8")
        scratch.replace(file)
    except OSError as error:
        scratch.unlink(missing_ok=True)
        reason = error.strerror or "the disk refused it"
        raise InputError(f"{file} cannot be written ({reason}); choose a folder you can write to.") from error
    return heads


def _probes(checkpoint: Checkpoint, sources: Sequence[str] | None) -> list[str]:
    if sources is None:
        listed = checkpoint.card.get("examples")
        rows = listed if isinstance(listed, list) else []
        texts = [row.get("source") if isinstance(row, dict) else row for row in rows]
        sources = [text for text in texts if isinstance(text, str)]
    return [text for text in sources if text.strip()][:PROBES]


def _traced(checkpoint: Checkpoint, text: str) -> Trace | None:
    try:
        return trace(checkpoint, text, record=_RECORD)
    except AtlasError:
        return None


def _cross(found: Trace) -> Counted:
    return consensus(found.stacked("decoder", "cross", "weights"), found.tokens.written, found.tokens.source)


def _self(found: Trace, stack: str) -> Counted:
    tokens = found.tokens.source if stack == "encoder" else found.tokens.target
    return outward(found.stacked(stack, "self", "weights"), tokens)


def _reading(traces: Sequence[Trace]) -> dict[str, list[Counted]]:
    return {
        reading: [
            anchored(
                found.stacked("decoder", "cross", "weights"),
                found.tokens.written,
                found.tokens.source,
                reading,
            )
            for found in traces
        ]
        for reading in READINGS
    }


def _put(
    chosen: dict[str, Shown],
    kind: str,
    counts: Sequence[Counted],
    anchors: dict[str, list[Counted]] | None = None,
) -> None:
    """Add the winner of one kind, unless nothing was counted."""
    if not counts:
        return
    total = sum(counts[1:], counts[0])
    if not total.total:
        return
    layer, head = best(total)
    reading = ""
    if anchors is not None:
        shares = {name: sum(each[1:], each[0]).share[layer, head] for name, each in anchors.items()}
        reading = max(
            READINGS, key=lambda name: shares[name]
        )  # the first, writing, when nothing tells them apart
    sentences = sum(bool(count.total) for count in counts)
    chosen[kind] = Shown(
        layer, head, round(float(total.share[layer, head]), 4), total.total, sentences, reading
    )
