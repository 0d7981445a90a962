"""Whole translations of a padded batch, greedy and by beam search, compared with each sentence alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import torch
from torch import Tensor

from core.decoding.batch import assign_rows, padded, translate_batch
from core.decoding.beam import BeamSearch
from core.model.transformer import Transformer
from core.verify.beams import PENALTY, SIZE, end_raised
from core.verify.expected import costs_nothing, greedy_gap, log_softmax
from core.verify.gaps import relative_gap, worst
from core.verify.runs import full_logits, in_double

if TYPE_CHECKING:
    from core.model.attention import DecodeState
    from core.model.hooks import Hooks

_LONGEST: Final = 6  # tokens by beam search


def batch_gap(model: Transformer, sources: Sequence[Sequence[int]], words: Sequence[int]) -> float:
    """The difference of the translations of `sources` in one batch from those of each alone, in nats.

    Shorter sentences are added, so that rows are padded and leave the batch at different steps.
    """
    first = sources[0]
    several = [
        first,
        [*first[: len(first) // 2], first[-1]],
        *sources[1:],
        [*first[: len(first) // 3], first[-1]],
    ]
    end = model.config.eos_id
    by_token, by_all = (
        cast("Transformer", _EndingEarly(model, change))
        for change in (_ended_by_token(end), _ended_by_all(end))
    )
    gaps = [_cache_gap(model, several[:3], words), _rows_gap()]
    return worst([*gaps, _greedy_gap(by_token, several), _beam_gap(by_all, several[:2])])


def _cache_gap(model: Transformer, sources: Sequence[Sequence[int]], words: Sequence[int]) -> float:
    """Steps of a batch whose rows are exchanged, repeated and removed as in a search, each compared with a full pass alone.

    Two rows of each of three sentences write different words; the choices of a strategy play no part.
    """
    turns = ("", "", "reorder", "", "select", "")[: model.config.max_length]
    device = next(model.parameters()).device
    source = padded(sources, model.config.source_padding, device)
    rows = torch.arange(len(sources)).repeat_interleave(2)
    state = model.start(model.encode(source), source).select(rows)
    owners = rows.tolist()
    read: list[list[int]] = [[model.config.bos_id] for _ in owners]
    gaps = []
    for turn in turns if words else ():
        if turn == "reorder":  # rows that continue the other row of their sentence
            parents = [0, 0, 2, 2, 5, 5][: len(owners)]
            state.reorder(parents)
            read = [list(read[parent]) for parent in parents]
        elif turn == "select":  # a sentence leaves, and a row is repeated
            chosen = [1, 0, 4, 4] if len(sources) > 2 else [2, 2]
            state = state.select(torch.tensor(chosen))
            read, owners = [list(read[row]) for row in chosen], [owners[row] for row in chosen]
        logits = model.step(torch.tensor([each[-1] for each in read], device=device), state)
        for owner in set(owners):
            own = [row for row, each in enumerate(owners) if each == owner]
            alone = model(
                torch.tensor([list(sources[owner])] * len(own), device=device),
                torch.tensor([read[row] for row in own], device=device),
            )[:, -1]
            gaps.append(relative_gap(logits[own].cpu().double(), alone.cpu().double()))
        for row, each in enumerate(read):
            each.append(words[(row + len(each)) % len(words)])
    return worst(gaps)


def _rows_gap() -> float:
    """Infinite if new hypotheses get rows that are taken, or that do not continue their parents' rows."""
    for held, parents in (([0, 1, 2], [1, 0, 1]), ([2, 0, 1], [2, 2, 2]), ([1, 2], [1, 1, 0]), ([0], [0, 0])):
        taken, goes_on_from = assign_rows(held, parents, 3)
        right = [goes_on_from[row] for row in taken] == [held[parent] for parent in parents]
        stays = all(goes_on_from[origin] == origin for origin in goes_on_from)
        if not right or not stays or len(set(taken)) != len(parents):
            return math.inf
    return 0.0


class _EndingEarly:
    """A model whose predictions are changed so that sentences end at different steps; all else is unchanged."""

    def __init__(self, model: Transformer, change: Callable[[Tensor, Tensor], Tensor]) -> None:
        self.model, self.change = model, change

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def __call__(self, source: Tensor, target: Tensor) -> Tensor:
        """Changed logits of a full pass, as `Transformer.forward`."""
        return self.change(self.model(source, target), target)

    def step(self, tokens: Tensor, state: DecodeState, hooks: Hooks | None = None) -> Tensor:
        """Changed logits of a step, as `Transformer.step`."""
        return self.change(self.model.step(tokens, state, hooks), tokens)


def _ended_by_token(end: int) -> Callable[[Tensor, Tensor], Tensor]:
    """⟨end⟩ is first after every token whose id is divisible by 5, whatever the rounding."""

    def change(logits: Tensor, read: Tensor) -> Tensor:
        raised = logits.clone()
        raised[..., end] = torch.where(read % 5 == 0, raised.amax(dim=-1) + 1.0, raised[..., end])
        return raised

    return change


def _ended_by_all(end: int) -> Callable[[Tensor, Tensor], Tensor]:
    """⟨end⟩ nearly as probable as the best other token, everywhere."""

    def change(logits: Tensor, read: Tensor) -> Tensor:
        return end_raised(logits, end, -0.2)

    return change


def _greedy_gap(model: Transformer, sources: Sequence[Sequence[int]]) -> float:
    """The largest loss of probability, in nats, of greedy search in a padded batch against the best token."""
    config, gaps = model.config, [0.0]
    for source, ids in zip(sources, translate_batch(model, sources), strict=True):
        limit = min(config.max_length, 2 * len(source) + 20)
        if len(ids) > limit or config.eos_id in ids[:-1] or (ids[-1] != config.eos_id and len(ids) < limit):
            return math.inf
        gaps.append(greedy_gap(config, full_logits(model, source, ids[:-1]), ids))
    return worst(gaps)


def _beam_gap(model: Transformer, sources: Sequence[Sequence[int]]) -> float:
    """The difference of the score of a batch's best hypothesis from that of a search for its sentence alone.

    Two hypotheses whose scores differ by less than rounding may be exchanged; then both are compared in double
    precision.
    """
    gap = _batch_score_gap(model, sources)
    if gap == 0.0 or next(model.parameters()).dtype == torch.float64:
        return gap
    return _batch_score_gap(_in_double(model), sources)


def _batch_score_gap(model: Transformer, sources: Sequence[Sequence[int]]) -> float:
    limit = min(model.config.max_length, _LONGEST)
    together = translate_batch(model, sources, SIZE, limit, PENALTY)
    gaps = [0.0]
    for source, ids in zip(sources, together, strict=True):
        search = BeamSearch(model, source, limit, SIZE, PENALTY)
        for _ in search:
            pass
        if ids != search.ids:
            one, other = (_score(model, source, each) for each in (ids, search.ids))
            gaps.append(max(abs(one - other), np.finfo(float).tiny))
    return worst(gaps)


def _in_double(model: Transformer) -> Transformer:
    if isinstance(model, _EndingEarly):
        return cast("Transformer", _EndingEarly(in_double(model.model), model.change))
    return in_double(model)


def _score(model: Transformer, source: Sequence[int], ids: Sequence[int]) -> float:
    rows = log_softmax(full_logits(model, source, ids[:-1]))
    free = costs_nothing(model.config, 0)
    costs = [row[token] for row, token in zip(rows, ids, strict=True)][1 if free else 0 :]
    return float(sum(costs) / len(ids) ** PENALTY)
