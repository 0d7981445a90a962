"""One sentence pair under many small changes at once: a batch whose rows differ in what is switched off."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

from core.experiments.edits import Head, Kind
from core.model.hooks import Edit, Hooks
from core.model.sites import ATTENTION, Site

if TYPE_CHECKING:
    from core.model.config import ModelConfig
    from core.model.transformer import Transformer

BATCH: Final = 32
"""Variants in one pass."""


class Pair(NamedTuple):
    """A source and what was written for it, both with their end token."""

    source: tuple[int, ...]
    written: tuple[int, ...]


class Variant(NamedTuple):
    """What is switched off: heads (their output is zero), source words and prefix words (nobody else looks at them).

    Prefix words count the decoder's inputs, the start token first.
    """

    heads: frozenset[Head] = frozenset()
    source: frozenset[int] = frozenset()
    prefix: frozenset[int] = frozenset()


def all_heads(config: ModelConfig) -> list[Head]:
    """Every head of the model: encoder, then decoder, then cross-attention."""
    return [
        (kind, layer, head)  # type: ignore[misc]
        for kind, place in ATTENTION.items()
        for layer in range(config.layers(place.stack))
        for head in range(config.heads)
    ]


def by_kind(config: ModelConfig, values: Mapping[Head, float]) -> dict[Kind, np.ndarray]:
    """One number a head as one array (L, H) a kind, NaN where there is none."""
    tables: dict[Kind, np.ndarray] = {
        kind: np.full((config.layers(place.stack), config.heads), np.nan)  # type: ignore[misc]
        for kind, place in ATTENTION.items()
        if config.layers(place.stack)
    }
    for (kind, layer, head), value in values.items():
        tables[kind][layer, head] = value
    return tables


def run_variants(
    model: Transformer,
    pair: Pair,
    variants: Sequence[Variant],
    take: Callable[[Tensor], Tensor],
    batch: int = BATCH,
) -> Iterator[np.ndarray]:
    """`take` of the log-probabilities (B, T, V) of each batch of variants, in order, as numpy with B rows."""
    config, device = model.config, next(model.parameters()).device
    source = torch.tensor([list(pair.source)], device=device)
    read = torch.tensor([[config.bos_id, *pair.written[:-1]]], device=device)
    for start in range(0, len(variants), batch):
        chosen = variants[start : start + batch]
        hooks = Hooks(edit=_edits(config, chosen, len(pair.source), read.shape[1], device))
        with torch.inference_mode():
            logits = model(source.expand(len(chosen), -1), read.expand(len(chosen), -1), hooks)
            yield take(logits.float().log_softmax(-1)).cpu().numpy()


def _edits(
    config: ModelConfig, variants: Sequence[Variant], source: int, target: int, device: torch.device
) -> dict[Site | str, Edit]:
    found: dict[Site | str, Edit] = {}
    gates = head_gates(config, variants, device)
    for kind, table in gates.items():
        found |= gated(kind, table)
    own = torch.eye(source, dtype=torch.bool, device=device)
    words = _marked([variant.source for variant in variants], source, device)[:, None, None, :]
    later = torch.ones(target, target, dtype=torch.bool, device=device).tril(-1)
    prefix = _marked([variant.prefix for variant in variants], target, device)[:, None, None, :]
    for kind, closed in (("encoder", words & ~own), ("cross", words), ("causal", prefix & later)):
        if bool(closed.any()):
            place = ATTENTION[kind]
            found |= {
                Site(place.stack, layer, place.block, name): edit
                for layer in range(config.layers(place.stack))
                for name, edit in (("masked_scores", _closing(closed)), ("weights", torch.nan_to_num))
            }
    return found


def _closing(closed: Tensor) -> Edit:
    return lambda scores: scores.masked_fill(closed, -torch.inf)


def _marked(places: Sequence[frozenset[int]], length: int, device: torch.device) -> Tensor:
    """(B, length) bool."""
    marked = torch.zeros(len(places), length, dtype=torch.bool)
    for row, those in enumerate(places):
        marked[row, sorted(those)] = True
    return marked.to(device)


def head_gates(config: ModelConfig, variants: Sequence[Variant], device: torch.device) -> dict[str, Tensor]:
    """1 for a head that computes, 0 for one that is off: (L, B, H) a kind, where any is off."""
    gates: dict[str, Tensor] = {}
    for row, variant in enumerate(variants):
        for kind, layer, head in variant.heads:
            layers = config.layers(ATTENTION[kind].stack)
            table = gates.setdefault(kind, torch.ones(layers, len(variants), config.heads))
            table[layer, row, head] = 0.0
    return {kind: table.to(device) for kind, table in gates.items()}


def gated(kind: str, table: Tensor) -> dict[Site | str, Edit]:
    """Edits that multiply head outputs (B, H, T, d_h) by `table` (L, B, H); by 1 they stay as they are, to the bit."""
    place = ATTENTION[kind]

    def gate(rows: Tensor) -> Edit:
        return lambda output: output * rows[:, :, None, None].to(output.dtype)

    return {
        Site(place.stack, layer, place.block, "head_output"): gate(rows) for layer, rows in enumerate(table)
    }
