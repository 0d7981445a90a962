"""How much a model needs each of its heads: left out one at a time, by gradient, and with only the best ones kept.

Losses are −log p(translation | source) of a whole example, in nats; a table is the mean over the examples. A token
that the configuration always writes there is no choice of the model's and does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from core.decoding.inputs import choices
from core.decoding.search import greedy_tokens
from core.errors import InputError
from core.experiments.edits import Head, Kind
from core.experiments.rankings import Kept
from core.experiments.what_if import Pair, Variant, all_heads, by_kind, gated, run_variants
from core.model.hooks import ATTENTION, Edit, Hooks, Site

if TYPE_CHECKING:
    from core.model.config import ModelConfig
    from core.model.transformer import Transformer


@dataclass(frozen=True)
class Importance:
    """How far a measurement over heads has come.

    `tables` (L, H) a kind: the mean over what was measured so far, NaN for a head that was not met yet. `done` of
    `total` passes are made; the last one of a run has done = total.
    """

    tables: Mapping[Kind, np.ndarray]
    done: int
    total: int


def leave_one_out(model: Transformer, pairs: Sequence[Pair], batch: int = 32) -> Iterator[Importance]:
    """The rise of the loss when one head gives zeros, one head a step of the iterator."""
    heads = all_heads(model.config)
    variants = [Variant(), *(Variant(frozenset({head})) for head in heads)]
    _check(pairs)
    rises: dict[Head, list[float]] = {head: [] for head in heads}
    total, done = len(pairs) * -(-len(variants) // batch), 0
    for pair in pairs:
        losses: list[float] = []
        for batch_losses in run_variants(model, pair, variants, _loss_of(pair, model.config), batch):
            first = len(losses)
            losses += batch_losses.tolist()
            for number in range(max(1, first), len(losses)):
                rises[heads[number - 1]].append(losses[number] - losses[0])
            done += 1
            yield Importance(_means(model, rises), done, total)


def by_gradient(model: Transformer, pairs: Sequence[Pair]) -> Iterator[Importance]:
    """|∂L/∂ξ| of each head's gate ξ at 1, where ξ multiplies its output (Michel et al. 2019, equation 5).

    Which is |Attᵀ ∂L/∂Att|. L is the loss of one example; the table is the mean over the examples.
    """
    _check(pairs)
    config, device = model.config, next(model.parameters()).device
    rises: dict[Head, list[float]] = {head: [] for head in all_heads(config)}
    for done, pair in enumerate(pairs, start=1):
        for kind, slopes in _slopes(model, pair, device).items():
            for (layer, head), slope in np.ndenumerate(slopes):
                rises[kind, layer, head].append(abs(float(slope)))  # type: ignore[index]
        yield Importance(_means(model, rises), done, len(pairs))


def _slopes(model: Transformer, pair: Pair, device: torch.device) -> dict[str, np.ndarray]:
    """∂L/∂ξ of one example, (L, H) a kind."""
    config = model.config
    gates = {
        kind: torch.ones(config.layers(attention.stack), 1, config.heads, device=device, requires_grad=True)
        for kind, attention in ATTENTION.items()
        if config.layers(attention.stack)
    }
    edits: dict[Site | str, Edit] = {}
    with torch.inference_mode(False), torch.enable_grad():
        for kind, table in gates.items():
            edits |= gated(kind, table)
        logits = model(
            torch.tensor([list(pair.source)], device=device),
            torch.tensor([[config.bos_id, *pair.written[:-1]]], device=device),
            Hooks(edit=edits),
        )
        loss = _loss_of(pair, config)(logits.float().log_softmax(-1)).sum()
        slopes = torch.autograd.grad(loss, list(gates.values()))
    return {kind: slope[:, 0].cpu().numpy() for kind, slope in zip(gates, slopes, strict=True)}


def keep_only(
    model: Transformer, pairs: Sequence[Pair], ranking: Sequence[Head], batch: int = 32, points: int = 32
) -> Iterator[Kept]:
    """Switch all heads off but the first k of `ranking`, for about `points` values of k from 0 to all of them."""
    _check(pairs)
    if sorted(ranking) != sorted(all_heads(model.config)):
        raise InputError("The ranking must name every head of this model once.")
    counts = sorted({round(k) for k in np.linspace(0, len(ranking), min(points, len(ranking) + 1))})
    variants = [Variant(frozenset(ranking[count:])) for count in counts]
    sums, tokens = np.zeros((2, len(counts))), 0
    total, done = len(pairs) * -(-len(variants) // batch), 0
    for pair in pairs:
        batches = []
        for rows in run_variants(model, pair, variants, _quality_of(pair, model.config), batch):
            batches.append(rows)
            done += 1
            if done % -(-len(variants) // batch):
                yield Kept(tuple(counts), *_over(sums, tokens), done, total)
        sums += np.concatenate(batches).T
        tokens += len(choices(model.config, pair.written))
        yield Kept(tuple(counts), *_over(sums, tokens), done, total)


def _over(sums: np.ndarray, tokens: int) -> tuple[np.ndarray, np.ndarray]:
    mean = sums / tokens if tokens else np.full_like(sums, np.nan)
    return mean[0], mean[1]


def _loss_of(pair: Pair, config: ModelConfig) -> Callable[[Tensor], Tensor]:
    """−log p of the pair's translation, (B,), from log-probabilities (B, T, V)."""
    return lambda logs: -choice_scores(logs, pair, config).sum(-1)


def _quality_of(pair: Pair, config: ModelConfig) -> Callable[[Tensor], Tensor]:
    """(B, 2): log p of the translation, and how many of its tokens are the first choice."""

    def take(logs: Tensor) -> Tensor:
        kept = torch.zeros(len(logs), device=logs.device)
        for step in choices(config, pair.written):
            kept += greedy_tokens(logs[:, step].clone(), config, step) == pair.written[step]
        return torch.stack([choice_scores(logs, pair, config).sum(-1), kept], dim=-1)

    return take


def choice_scores(logs: Tensor, pair: Pair, config: ModelConfig) -> Tensor:
    """log p of each token that the model chose, (B, choices), from log-probabilities (B, T, V)."""
    places = list(choices(config, pair.written))
    written = torch.tensor([pair.written[position] for position in places], device=logs.device)
    return logs[:, places].gather(-1, written[None, :, None].expand(len(logs), -1, 1))[..., 0]


def _means(model: Transformer, values: Mapping[Head, Sequence[float]]) -> dict[Kind, np.ndarray]:
    return by_kind(model.config, {head: float(np.mean(each)) for head, each in values.items() if each})


def _check(pairs: Sequence[Pair]) -> None:
    if not pairs or not all(pair.written for pair in pairs):
        raise InputError("Importance is measured on translations; give at least one with a token in each.")
