"""One pinned pair of words: the heads that link it, in order, and the translation with the first n of them ablated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from core.decoding.inputs import choices, step_limit
from core.decoding.search import greedy
from core.errors import InputError
from core.experiments.importance import choice_scores
from core.experiments.what_if import BATCH, Variant, gated, head_gates, run_variants
from core.model.hooks import Edit, Hooks, Site

if TYPE_CHECKING:
    from torch import Tensor

    from core.experiments.edits import Head, Kind
    from core.experiments.what_if import Pair
    from core.model.config import ModelConfig
    from core.model.transformer import Transformer


def rank_for_pair(
    kind: Kind, weights: NDArray[np.floating], contributions: NDArray[np.floating] | None = None
) -> list[Head]:
    """The heads of one kind by the weight (L, H) that they give one pair of tokens, the largest first.

    Weights that print as the same whole percent are a tie: the larger contribution (L, H) comes first, then the lower layer.
    """
    percent = np.round(100 * np.asarray(weights, dtype=np.float64))
    second = np.zeros_like(percent) if contributions is None else np.asarray(contributions, dtype=np.float64)
    if second.shape != percent.shape:
        raise InputError(
            f"{second.shape} contributions do not fit {percent.shape} weights; give one per head."
        )
    cells = list(np.ndindex(percent.shape))
    order = sorted(cells, key=lambda cell: (-percent[cell], -second[cell], cell))
    return [(kind, layer, head) for layer, head in order]


@dataclass(frozen=True)
class Ablated:
    """The translation with the first `heads` heads of a ranking set to zero.

    `written` is what greedy search then writes, end token included. `next_word` (T,) are the log-probabilities of the
    original translation's tokens, each given those before it, in nats; 0 for a token that is always written there.
    """

    heads: int
    written: tuple[int, ...]
    next_word: NDArray[np.float64]


def ablate_in_order(
    model: Transformer, pair: Pair, ranking: Sequence[Head], batch: int = BATCH
) -> Iterator[list[Ablated]]:
    """Set the first 0, 1, … all heads of `ranking` to zero and write again; each step is one batch of counts.

    Raises `InputError` for a translation without a token.
    """
    if not pair.written:
        raise InputError("There is no translation to compare with; write at least one token.")
    for start in range(0, len(ranking) + 1, batch):
        counts = range(start, min(start + batch, len(ranking) + 1))
        variants = [Variant(frozenset(ranking[:count])) for count in counts]
        scores = np.concatenate(
            list(run_variants(model, pair, variants, _scores_of(pair, model.config), batch))
        )
        written = rewrite_variants(model, pair.source, variants)
        yield [
            Ablated(count, tuple(tokens), np.asarray(row, dtype=np.float64))
            for count, tokens, row in zip(counts, written, scores, strict=True)
        ]


@dataclass(frozen=True)
class PairSurvey:
    """How far the measurement of a pair's heads has come: after the first n of `ranking`, for the n in `steps`.

    `alone` (heads,): the rise of −log p(translation) in nats with one head of `ranking` ablated and no other; empty until
    all are measured.
    """

    ranking: tuple[Head, ...]
    steps: tuple[Ablated, ...]
    alone: NDArray[np.float64]
    done: int
    total: int

    @property
    def complete(self) -> bool:
        """Whether everything is measured."""
        return self.done == self.total


def pair_survey(
    model: Transformer, pair: Pair, ranking: Sequence[Head], batch: int = 8
) -> Iterator[PairSurvey]:
    """Ablate the first 0, 1, … all heads of `ranking`, then each alone; each step is one batch.

    Raises `InputError` for a translation without a token.
    """
    total = -(-(len(ranking) + 1) // batch) + 1
    survey = PairSurvey(tuple(ranking), (), np.zeros(0), 0, total)
    for steps in ablate_in_order(model, pair, ranking, batch):
        survey = replace(survey, steps=(*survey.steps, *steps), done=survey.done + 1)
        yield survey
    single = [Variant(frozenset({head})) for head in ranking]
    rows = np.concatenate(list(run_variants(model, pair, single, _scores_of(pair, model.config))))
    rises = survey.steps[0].next_word.sum() - rows.astype(np.float64).sum(axis=1)
    yield replace(survey, alone=rises, done=total)


def breaking_point(steps: Sequence[Ablated]) -> int | None:
    """The smallest number of ablated heads at which the written text differs from the one without any; None: it never does."""
    return next((step.heads for step in steps if step.written != steps[0].written), None)


def rewrite_variants(
    model: Transformer, source: Sequence[int], variants: Sequence[Variant]
) -> list[list[int]]:
    """What greedy search writes under each variant, one row of a batch each, end token included.

    Only the heads of a variant are taken: its hidden words are not.
    """
    edits: dict[Site | str, Edit] = {}
    for kind, table in head_gates(model.config, variants, next(model.parameters()).device).items():
        edits |= gated(kind, table)
    hooks = Hooks(edit=edits)
    with torch.inference_mode():
        ids = torch.tensor([list(source)], device=next(model.parameters()).device).expand(len(variants), -1)
        limits = [step_limit(model.config, len(source))] * len(variants)
        return greedy(model, model.encode(ids, hooks), ids, limits, hooks)


def _scores_of(pair: Pair, config: ModelConfig) -> Callable[[Tensor], Tensor]:
    """log p of the pair's tokens, (B, T), from log-probabilities (B, T, V); 0 for a token that is always written there."""

    def take(logs: Tensor) -> Tensor:
        scores = torch.zeros(logs.shape[:2], device=logs.device)
        scores[:, list(choices(config, pair.written))] = choice_scores(logs, pair, config)
        return scores

    return take
