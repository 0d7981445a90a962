"""How much a model needs each of its heads: ablated one at a time, by gradient, and with only the best ones kept.

Losses are −log p(translation | source) of a whole example, in nats; a table is the mean over the examples. A token
that the configuration always writes there is no choice of the model's and does not count. For one pinned pair of words:
the heads that link it, in order, and the translation with the first n of them ablated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.analysis.uncertainty import interval
from core.checkpoints import files
from core.checkpoints.bundle import folder_of
from core.decoding.inputs import choices, source_ids, step_limit
from core.decoding.search import greedy, greedy_tokens, translate_batch
from core.errors import AtlasError, InputError
from core.experiments.edits import Head, Kind, all_heads
from core.experiments.rankings import Kept, Survey, importance_sources, survey_arrays
from core.experiments.what_if import BATCH, Pair, Variant, by_kind, gated, head_gates, run_variants
from core.files import replacing
from core.model.hooks import ATTENTION, Edit, Hooks, Site

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle
    from core.model.config import ModelConfig
    from core.model.transformer import Transformer


@dataclass(frozen=True)
class Importance:
    """How far a measurement over heads has come.

    `tables` (L, H) a kind: the mean over what was measured so far, NaN for a head that was not met yet. `done` of
    `total` passes are made; the last one of a run has done = total. `sentences` (N, L, H) a kind: what each of the pairs
    gave; empty before the last.
    """

    tables: Mapping[Kind, np.ndarray]
    done: int
    total: int
    sentences: Mapping[Kind, np.ndarray] = field(default_factory=dict)


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
            each = _by_sentence(model, rises) if done == total else {}
            yield Importance(_means(model, rises), done, total, each)


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
        each = _by_sentence(model, rises) if done == len(pairs) else {}
        yield Importance(_means(model, rises), done, len(pairs), each)


def _slopes(model: Transformer, pair: Pair, device: torch.device) -> dict[str, np.ndarray]:
    """∂L/∂ξ of one example, (L, H) a kind."""
    config = model.config
    gates = {
        kind: torch.ones(layers, 1, heads, device=device, requires_grad=True)
        for kind, attention in ATTENTION.items()
        for layers, heads in (config.shape(attention.stack),)
        if layers
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
    """Ablate all heads but the first k of `ranking`, for about `points` values of k from 0 to all of them."""
    _check(pairs)
    if sorted(ranking) != sorted(all_heads(model.config)):
        raise InputError("The ranking must name every head of this model once.")
    counts = sorted({round(k) for k in np.linspace(0, len(ranking), min(points, len(ranking) + 1))})
    variants = [Variant(frozenset(ranking[count:])) for count in counts]
    sums, tokens = np.zeros((2, len(counts))), 0
    stay, lengths = [], []  # of each pair: tokens that stay the first choice, and all
    total, done = len(pairs) * -(-len(variants) // batch), 0
    for pair in pairs:
        batches = []
        for rows in run_variants(model, pair, variants, _quality_of(pair, model.config), batch):
            batches.append(rows)
            done += 1
            if done % -(-len(variants) // batch):
                yield Kept(tuple(counts), *_over(sums, tokens), done, total)
        sums += np.concatenate(batches).T
        stay.append(np.concatenate(batches)[:, 1])
        lengths.append(len(choices(model.config, pair.written)))
        tokens += lengths[-1]
        curve = Kept(tuple(counts), *_over(sums, tokens), done, total)
        if done == total and len(pairs) > 1:
            found = interval(np.stack(stay), lengths)
            curve = replace(curve, low=found.low, high=found.high)
        yield curve


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


def _by_sentence(model: Transformer, values: Mapping[Head, Sequence[float]]) -> dict[Kind, np.ndarray]:
    """What each pair gave, (N, L, H) a kind."""
    tables = [
        by_kind(model.config, dict(zip(values, row, strict=True)))
        for row in zip(*values.values(), strict=True)
    ]
    return {kind: np.stack([table[kind] for table in tables]).astype(np.float32) for kind in tables[0]}


def _check(pairs: Sequence[Pair]) -> None:
    if not pairs or not all(pair.written for pair in pairs):
        raise InputError.tr(
            "Importance is measured on translations; give at least one sentence with its translation, neither of them empty."
        )


def survey(model: Transformer, pairs: Sequence[Pair], batch: int = 32) -> Iterator[Survey]:
    """Measure `pairs`; each step of the iterator is one pass.

    The two curves of the heads kept are at 32 numbers of heads. Raises `InputError` for no pairs, or one without
    a token.
    """
    survey = Survey(len(pairs), {}, {}, {}, 0, 0)
    done = 0
    total = _total(model, pairs, batch)
    for step in by_gradient(model, pairs):
        done += 1
        survey = replace(survey, gradient=step.tables, slopes=step.sentences, done=done, total=total)
        yield survey
    for step in leave_one_out(model, pairs, batch):
        done += 1
        survey = replace(
            survey,
            left_out=step.tables,
            rises=step.sentences,
            complete=step.done == step.total,
            done=done,
            total=total,
        )
        yield survey
    for name in ("left_out", "gradient"):
        for curve in keep_only(model, pairs, survey.ranking(name), batch):
            done += 1
            survey = replace(survey, kept={**survey.kept, name: curve}, done=done, total=total)
            yield survey


def _total(model: Transformer, pairs: Sequence[Pair], batch: int) -> int:
    """How many passes a survey makes."""
    config = model.config
    heads = config.head_count
    kept = min(32, heads + 1)
    return len(pairs) * (1 + -(-(heads + 1) // batch) + 2 * -(-kept // batch))


def written_pairs(checkpoint: Bundle, sources: Sequence[str]) -> list[Pair]:
    """Each of `sources` that the model can read, with what it writes for it. Raises `InputError` when there is none."""
    rows = []
    for text in sources:
        try:
            rows.append(tuple(source_ids(checkpoint, text)))
        except AtlasError:
            continue
    if not rows:
        raise InputError.tr("None of the example sentences can be read; give at least one that can.")
    written = translate_batch(checkpoint.model, rows)
    return [Pair(source, tuple(ids)) for source, ids in zip(rows, written, strict=True)]


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
        raise InputError.tr("There is no translation to compare with; write at least one token.")
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


def write_importance(checkpoint: Bundle, step: Callable[[int, int], None] = lambda done, total: None) -> Path:
    """Measure the importance of all heads on the sentences of `importance_sources` and store it in its folder → the file.

    Raises `InputError` if there is no sentence or no folder, or the file cannot be written. `step(done, total)` is
    called after each pass.
    """
    target = folder_of(checkpoint, remedy="save it first")
    sources = importance_sources(checkpoint.card)
    last = None
    for last in survey(checkpoint.model, written_pairs(checkpoint, sources)):
        step(last.done, last.total)
    if last is None:
        raise InputError("There is no head to measure.")
    path = target / files.IMPORTANCE
    with replacing(path) as stream:
        np.savez_compressed(stream, **survey_arrays(last, sources, files.folder_digest(target)))
    return path
