"""The passes of the trust report: one padded batch with everything recorded, and each sentence step by step."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor

from core.model.config import ModelConfig
from core.model.hooks import ATTENTION_MAPS, Hooks, Site
from core.model.transformer import Transformer
from core.verify.expected_choices import allowed_tokens
from core.verify.gaps import relative_gap, worst

SHORTEST: Final = 8  # decoder steps, at least, so that a model that stops at once is still tested

Edits = Mapping[Site | str, Callable[[Tensor], Tensor]]


@dataclass(frozen=True)
class Run:
    """One batch through the model, recorded and not, with what each row may attend to.

    The last row of the batch has a source of padding only. Shapes: source (B, S), target (B, T),
    allowed[map] broadcastable to (B, 1, T, S), logits (B, T, V).
    """

    source: Tensor
    target: Tensor
    allowed: Mapping[tuple[str, str], Tensor]
    records: Mapping[Site, Tensor]
    recorded: Tensor
    fused: Tensor

    def weights(self, stack: str, block: str) -> list[Tensor]:
        """Every layer's weights of one attention map, (B, H, T_query, T_key) each."""
        return [
            t
            for site, t in self.records.items()
            if (site.stack, site.block, site.kind) == (stack, block, "weights")
        ]

    def has(self, stack: str, layer: int, block: str, kind: str) -> bool:
        """Whether the site was recorded."""
        return Site(stack, layer, block, kind) in self.records

    def seen(self, stack: str, layer: int, block: str, kind: str) -> Tensor:
        """The record at a site, float64 on the CPU. Raises `KeyError` if the model never passed it."""
        return self.records[Site(stack, layer, block, kind)].cpu().double()


@dataclass(frozen=True)
class Stepped:
    """A greedy decode: its inputs, full-forward logits (1, T, V), and the deviation of the steps from it."""

    inputs: list[int]
    full: Tensor
    gap: float


def decode_stepwise(model: Transformer, source_ids: Sequence[int]) -> Stepped:
    """Decode greedily with the cache, then run the same inputs in one forward pass."""
    config = model.config
    device = next(model.parameters()).device
    source = torch.tensor([source_ids], device=device)
    state = model.start(model.encode(source), source)
    inputs, logits, maps = [config.bos_id], [], []
    for _ in range(min(config.max_length - 1, 2 * len(source_ids) + SHORTEST)):
        hooks = Hooks(record=("decoder.*.weights",))
        logits.append(model.step(torch.tensor(inputs[-1:], device=device), state, hooks))
        maps.append(hooks.records)
        # A full forward pass masks padding tokens, so none may be written.
        allowed = torch.from_numpy(allowed_tokens(config, len(inputs) - 1))
        chosen = int(allowed[logits[-1][0].cpu()[allowed].argmax()])
        if chosen == config.eos_id and len(inputs) >= SHORTEST:
            break
        inputs.append(chosen)
    inputs = inputs[: len(logits)]
    hooks = Hooks(record=("decoder.*.weights",))
    full = model(source, torch.tensor([inputs], device=device), hooks)
    gaps = [relative_gap(torch.stack(logits, dim=1), full)]
    gaps += [row_gap(records, hooks.records, step) for step, records in enumerate(maps)]
    fused = model(source, torch.tensor([inputs], device=device))
    return Stepped(inputs, fused, worst(gaps))


def row_gap(records: Mapping[Site, Tensor], full: Mapping[Site, Tensor], step: int) -> float:
    """The difference of the maps of one step from row `step` of a full pass, which also has future keys."""
    gaps = []
    for site, row in records.items():
        full_row = full[site][..., step, :].cpu().double()
        ahead = full_row.shape[-1] - row.shape[-1]
        if ahead < 0:
            return math.inf  # the step attended to more keys than there are
        # A step has no future keys: their weight must be 0 in the full pass.
        padded = torch.nn.functional.pad(row[..., 0, :].cpu().double(), (0, ahead))
        gaps.append(relative_gap(padded, full_row))
    return worst(gaps)


def plain_words(config: ModelConfig, words: Sequence[int], most: int) -> list[int]:
    """`most` different tokens that are not special, `words` first and then others; fewer where there are no more."""
    special = {config.pad_id, config.bos_id, config.eos_id}
    known = dict.fromkeys([*words, *range(min(config.target_vocab_size, 4 * most + 8))])
    return [token for token in known if token not in special][:most]


def full_logits(model: Transformer, source: Sequence[int], written: Sequence[int]) -> np.ndarray:
    """One full pass over the start token and `written` → logits (1 + len(written), V) float64."""
    device = next(model.parameters()).device
    inputs = torch.tensor([[model.config.bos_id, *written]], device=device)
    logits = model(torch.tensor([list(source)], device=device), inputs)
    return np.asarray(logits[0].cpu().double())


def run_batch(
    model: Transformer,
    sources: Sequence[Sequence[int]],
    targets: Sequence[Sequence[int]],
    edit: Edits | None,
) -> Run:
    """Run all pairs in one padded batch, once with `edit` and every site recorded and once without either."""
    device, config = next(model.parameters()).device, model.config
    source = _padded([*sources, []], config.source_padding, config.max_length, device)
    target = _padded([*targets, targets[0]], config.pad_id, config.max_length, device)
    hooks = Hooks(record=("*",), edit=edit)
    recorded = model(source, target, hooks)
    real_source = (source != config.source_padding)[:, None, None, :]
    real_target = (target != config.pad_id)[:, None, None, :].clone()
    real_target[..., 0] = True  # the start token, even where it is the padding token
    past = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool, device=device).tril()
    allowed = (real_source, real_target & past, real_source)
    return Run(
        source,
        target,
        dict(zip(ATTENTION_MAPS, allowed, strict=True)),
        hooks.records,
        recorded,
        model(source, target),
    )


def _padded(rows: Sequence[Sequence[int]], pad_id: int, limit: int, device: torch.device) -> Tensor:
    """Rows padded to one token more than the longest, if the model's length allows it, (B, T) int64."""
    width = min(max(map(len, rows)) + 1, max(limit, *map(len, rows)))
    return torch.tensor([[*row, *[pad_id] * (width - len(row))] for row in rows], device=device)


def in_double(model: Transformer) -> Transformer:
    """A copy in double precision, on the CPU where the model's device has none."""
    device = next(model.parameters()).device
    exact = copy.deepcopy(model).to("cpu" if device.type == "mps" else device)
    return exact.double()
