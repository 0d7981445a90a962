"""Reading a known prefix in one pass, with the cache left as steps would leave it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import torch

from core.model.hooks import Edit, Hooks
from core.model.sites import Site

if TYPE_CHECKING:
    from torch import Tensor

    from core.model.cache import DecodeState
    from core.model.transformer import Transformer


def prefill(
    model: Transformer,
    state: DecodeState,
    inputs: Sequence[Sequence[int]],
    memory: Tensor,
    source: Tensor,
    record: Sequence[Site | str] = (),
    edit: Mapping[Site | str, Edit] | None = None,
) -> tuple[Tensor, Hooks]:
    """Read `inputs` (B rows of one length, start token first) into a fresh `state`; memory (B, S, d_model).

    → the logits (B, T, V) and the hooks with what was recorded, self-attention's keys and values among it.
    """
    layers = range(model.config.decoder_layers)
    keys_values = [Site("decoder", layer, "self", kind) for layer in layers for kind in ("k", "v")]
    hooks = Hooks((*record, *keys_values), edit)
    logits = model.decode(
        torch.tensor([list(row) for row in inputs], device=memory.device), memory, source, hooks
    )
    for layer in layers:
        k, v = (hooks.records[Site("decoder", layer, "self", kind)] for kind in ("k", "v"))
        state.extend(layer, k, v)
    state.advance(len(inputs[0]))
    return logits, hooks
