"""Many sentences at once: greedy and beam search over a padded batch, for evaluation and the command line."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from core.decoding.hypotheses import Beam, Continuation
from core.decoding.inputs import forced_token, never_written, step_limit
from core.decoding.strategies import check_options
from core.errors import InputError

if TYPE_CHECKING:
    from torch import Tensor

    from core.model.config import ModelConfig
    from core.model.transformer import Transformer


def translate_batch(
    model: Transformer,
    source_ids: Sequence[Sequence[int]],
    beam_size: int = 1,
    max_steps: int | None = None,
    length_penalty: float = 1.0,
    batch_size: int = 32,
) -> list[list[int]]:
    """What `model` writes for each source, in their order, the end token included when it was written.

    `beam_size` 1 is greedy. `max_steps` None: twice a source's length and 20, at most the model's limit. Up to
    `batch_size` sentences of like length are decoded together. The model must be in evaluation mode. Raises
    `InputError` for a source that is empty or longer than the model reads.
    """
    check_options("beam", beam_size=beam_size, length_penalty=length_penalty)
    config = model.config
    for place, ids in enumerate(source_ids):
        if not 0 < len(ids) <= config.max_length:
            raise InputError(
                f"Sentence {place + 1} has {len(ids):,} tokens; this model reads from 1 to {config.max_length:,}."
            )
    order = sorted(range(len(source_ids)), key=lambda place: len(source_ids[place]))
    written: list[list[int]] = [[] for _ in order]
    for start in range(0, len(order), batch_size):
        chosen = order[start : start + batch_size]
        rows = [list(source_ids[place]) for place in chosen]
        limits = [step_limit(config, len(row), max_steps) for row in rows]
        with torch.inference_mode():
            source = padded(rows, config.source_padding, next(model.parameters()).device)
            if beam_size == 1:
                found = _greedy(model, source, limits)
            else:
                found = _beam(model, source, limits, beam_size, length_penalty)
        for place, ids in zip(chosen, found, strict=True):
            written[place] = ids
    return written


def padded(rows: Sequence[Sequence[int]], pad: int, device: torch.device) -> Tensor:
    """`rows` filled up with `pad` to the longest → (B, width) int64."""
    width = max(map(len, rows))
    return torch.tensor([[*row, *[pad] * (width - len(row))] for row in rows], device=device)


def greedy_tokens(logits: Tensor, config: ModelConfig, step: int) -> Tensor:
    """What greedy search writes as number `step` (from 0) in each row: (B,) from logits or log-probabilities (B, V).

    What can never be written is struck out of `logits`.
    """
    if (forced := forced_token(config, step)) is not None:
        return torch.full(logits.shape[:1], forced, device=logits.device)
    for token in never_written(config):
        logits[:, token] = -torch.inf
    return logits.argmax(dim=-1)


def _greedy(model: Transformer, source: Tensor, limits: list[int]) -> list[list[int]]:
    """source (B, S) → the tokens of each row. Rows that end leave the batch once they are half of it."""
    config, device = model.config, source.device
    written: list[list[int]] = [[] for _ in limits]
    rows = list(range(len(limits)))  # which sentence each row of the batch is
    done = [False] * len(limits)
    state = model.start(model.encode(source), source)
    tokens = torch.full((len(rows),), config.bos_id, device=device)
    for step in itertools.count():
        tokens = greedy_tokens(model.step(tokens, state), config, step)
        for row, token in zip(rows, tokens.tolist(), strict=True):
            if not done[row]:
                written[row].append(token)
                done[row] = token == config.eos_id or len(written[row]) >= limits[row]
        living = [place for place, row in enumerate(rows) if not done[row]]
        if not living:
            break
        if len(living) <= len(rows) // 2:
            index = torch.tensor(living)
            state, tokens = state.select(index), tokens[index.to(device)]
            rows = [rows[place] for place in living]
    return written


def _beam(
    model: Transformer, source: Tensor, limits: list[int], size: int, penalty: float
) -> list[list[int]]:
    """source (B, S) → the tokens of each row's best hypothesis. Sentences leave the batch as in `_greedy`.

    Every sentence has `size` rows of the cache that follow one another, and each of its live hypotheses one of them.
    """
    config, device = model.config, source.device
    beams = [Beam(size, config.bos_id, config.eos_id, limit, penalty) for limit in limits]
    batch = list(beams)
    places = [[0] for _ in batch]  # which of its sentence's rows each live hypothesis has
    every = torch.arange(len(batch)).repeat_interleave(size)
    state = model.start(model.encode(source), source).select(every)
    while True:
        tokens = np.full((len(batch), size), config.bos_id)
        rows, totals = np.zeros_like(tokens), np.full(tokens.shape, -np.inf)
        for which, (beam, held) in enumerate(zip(batch, places, strict=True)):
            if not beam.done:
                tokens[which, held] = beam.inputs()
                rows[which, : len(held)] = np.array(held) + which * size
                totals[which, : len(held)] = beam.totals()
        logits = model.step(torch.from_numpy(tokens.ravel()).to(device), state)
        forced = forced_token(config, batch[0].step)
        candidates = continuations(logits, rows, totals, 2 * size, never_written(config), forced)
        parents = np.arange(tokens.size)
        for which, (beam, found) in enumerate(zip(batch, candidates, strict=True)):
            if not beam.done:
                places[which], origins = settled(places[which], beam.advance(found), size)
                parents[which * size : (which + 1) * size] = np.array(origins) + which * size
        going_on = [which for which, beam in enumerate(batch) if not beam.done]
        if not going_on:
            return [beam.ids(beam.best) for beam in beams]
        state.reorder(parents.tolist())
        if len(going_on) <= len(batch) // 2:
            state = state.select(
                torch.from_numpy(np.arange(tokens.size).reshape(tokens.shape)[going_on].ravel())
            )
            batch, places = [batch[which] for which in going_on], [places[which] for which in going_on]


def settled(places: Sequence[int], parents: Sequence[int], size: int) -> tuple[list[int], list[int]]:
    """Where the new hypotheses of a sentence go in its `size` rows, and which row each of those rows goes on from.

    `places` are the rows of the hypotheses before, `parents` which of them each new one continues, best first. The best
    that continues a row stays in it; the others take rows that nobody continues.
    """
    continued = [places[parent] for parent in parents]
    heirs = {row: child for child, row in reversed(list(enumerate(continued)))}
    free = (row for row in range(size) if row not in heirs)
    taken = [row if heirs[row] == child else next(free) for child, row in enumerate(continued)]
    came_from = list(range(size))
    for row, origin in zip(taken, continued, strict=True):
        came_from[row] = origin
    return taken, came_from


def continuations(
    logits: Tensor,
    rows: np.ndarray,
    totals: np.ndarray,
    count: int,
    banned: Sequence[int],
    forced: int | None = None,
) -> list[list[Continuation]]:
    """The best `count` continuations of each sentence's hypotheses, best first; logits (R, V).

    rows (N, n) of the logits and totals (N, n), the log-probability so far, are those of N sentences' hypotheses; −inf where
    a sentence has fewer. The best of each row are found first, so that one transfer from the device serves all. A
    `forced` token is the only continuation and costs nothing, since no hypothesis had a choice.
    """
    if forced is not None:
        return [
            [(total, place, forced) for place, total in enumerate(held) if total > -np.inf]
            for held in totals.tolist()
        ]
    top = torch.log_softmax(logits.float(), dim=-1).topk(min(count + len(banned), logits.shape[1]), dim=-1)
    # Both in one transfer, exactly.
    both = torch.cat([top.values.double(), top.indices.double()], dim=-1).cpu().numpy()
    values, tokens = np.split(both[rows], 2, axis=-1)  # (N, n, k) each
    values[np.isin(tokens, banned)] = -np.inf
    places = np.broadcast_to(np.arange(rows.shape[1])[:, None], tokens.shape)
    costs, places, tokens = (
        each.reshape(len(rows), -1) for each in (-(totals[..., None] + values), places, tokens.astype(int))
    )
    best = np.lexsort((tokens, places, costs))[:, :count]  # by cost, then place, then token
    found = (np.take_along_axis(each, best, axis=1).tolist() for each in (-costs, places, tokens))
    return [
        [each for each in zip(*of_sentence, strict=True) if each[0] > -np.inf]
        for of_sentence in zip(*found, strict=True)
    ]
