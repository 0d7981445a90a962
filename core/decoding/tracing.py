"""`trace`: everything a checkpoint computes for one sentence pair, in one recorded forward pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import torch

from core.decoding import inputs
from core.decoding.batch import translate_batch
from core.decoding.rows import LOGITS, to_cpu
from core.model.hooks import Edit, Hooks
from core.model.sites import Site
from core.model.trace import Tokens, Trace

if TYPE_CHECKING:
    import numpy as np
    from torch import Tensor

    from core.checkpoints.bundle import Bundle
    from core.model.transformer import Transformer


def trace(
    checkpoint: Bundle,
    source: str,
    target: str | None = None,
    record: Iterable[Site | str] = inputs.DEFAULT_RECORD,
    max_steps: int | None = None,
    edit: Mapping[Site | str, Edit] | None = None,
) -> Trace:
    """Run `source` with `target`, or with the model's own greedy output (of at most `max_steps` tokens).

    `record` and `edit` are those of `core.Hooks`. Row t of the decoder's maps reads `tokens.target[t]` and
    writes `tokens.written[t]`. Raises `InputError` for a text that is empty or longer than the model reads.
    """
    source_ids = inputs.source_ids(checkpoint, source)
    if target is not None:
        written = inputs.target_ids(checkpoint, target)
    else:
        limit = inputs.step_limit(checkpoint.config, len(source_ids), max_steps)
        written = translate_batch(checkpoint.model, [source_ids], max_steps=limit)[0]
    return trace_ids(checkpoint, source_ids, written, record, edit)


def trace_ids(
    checkpoint: Bundle,
    source_ids: Sequence[int],
    written_ids: Sequence[int],
    record: Iterable[Site | str] = inputs.DEFAULT_RECORD,
    edit: Mapping[Site | str, Edit] | None = None,
) -> Trace:
    """The same for ids: `written_ids` is what the decoder wrote, so it reads the start token and all but the last."""
    device, hooks = checkpoint.device, Hooks(record, edit)
    read = [checkpoint.config.bos_id, *written_ids[:-1]]
    with torch.inference_mode():
        source, target = (torch.tensor([list(ids)], device=device) for ids in (source_ids, read))
        run_recorded(checkpoint.model, source, target, hooks)
        records = to_cpu(hooks.records)
    return assembled(checkpoint, source_ids, written_ids, records)


def run_recorded(model: Transformer, source: Tensor, target: Tensor, hooks: Hooks) -> None:
    """One pass over source (B, S) and target (B, T) for what `hooks` record; logits are computed only for them."""
    states = model.decode_states(target, model.encode(source, hooks), source, hooks)
    if hooks.wants(LOGITS):
        model.project(states, hooks)


def assembled(
    checkpoint: Bundle,
    source_ids: Sequence[int],
    written_ids: Sequence[int],
    records: Mapping[Site, np.ndarray],
) -> Trace:
    """The trace of one pair's ids and of what was recorded for it, without the batch axis."""
    read = (checkpoint.config.bos_id, *written_ids[:-1])
    spell = checkpoint.target_tokenizer.labels
    tokens = Tokens(
        tuple(checkpoint.source_tokenizer.labels(source_ids)), tuple(spell(read)), tuple(spell(written_ids))
    )
    return Trace(checkpoint.config, tokens, tuple(source_ids), read, tuple(written_ids), records)
