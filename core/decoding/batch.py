"""Many sentences at once: greedy and beam search over a padded batch, for evaluation and the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from core.decoding.hypotheses import Beam, Continuation
from core.decoding.inputs import forced_token, never_written, step_limit
from core.decoding.strategies import check_options
from core.errors import InputError

if TYPE_CHECKING:
    from torch import Tensor

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


def _greedy(model: Transformer, source: Tensor, limits: list[int]) -> list[list[int]]:
    """source (B, S) → the tokens of each row. Rows that end leave the batch once they are half of it."""
    config, device = model.config, source.device
    banned = list(never_written(config))
    written: list[list[int]] = [[] for _ in limits]
    rows = list(range(len(limits)))  # which sentence each row of the batch is
    done = [False] * len(limits)
    state = model.start(model.encode(source), source)
    tokens = torch.full((len(rows),), config.bos_id, device=device)
    forced = forced_token(config, 0)
    while True:
        logits = model.step(tokens, state)  # (B, V)
        logits[:, banned] = -torch.inf
        tokens = logits.argmax(dim=-1)
        if forced is not None:
            tokens, forced = torch.full_like(tokens, forced), None
        for row, token in zip(rows, tokens.tolist(), strict=True):
            if not done[row]:
                written[row].append(token)
                done[row] = token == config.eos_id or len(written[row]) >= limits[row]
        living = [place for place, row in enumerate(rows) if not done[row]]
        if not living:
            return written
        if len(living) <= len(rows) // 2:
            index = torch.tensor(living)
            state, tokens = state.select(index), tokens[index.to(device)]
            rows = [rows[place] for place in living]


def _beam(
    model: Transformer, source: Tensor, limits: list[int], size: int, penalty: float
) -> list[list[int]]:
    """source (B, S) → the tokens of each row's best hypothesis. Only live hypotheses take part in a step."""
    config = model.config
    beams = [Beam(size, config.bos_id, config.eos_id, limit, penalty) for limit in limits]
    searching = list(beams)
    state = model.start(model.encode(source), source)
    while searching:
        tokens = torch.tensor([token for beam in searching for token in beam.inputs()], device=source.device)
        logits, forced = model.step(tokens, state), forced_token(config, searching[0].step)
        candidates = continuations(logits, searching, 2 * size, never_written(config), forced)
        index: list[int] = []
        first = 0
        for beam, found in zip(searching, candidates, strict=True):
            width = len(beam.live)
            parents = beam.advance(found)
            if not beam.done:
                index += [first + parent for parent in parents]
            first += width
        searching = [beam for beam in searching if not beam.done]
        if searching:
            state = state.select(torch.tensor(index))
    return [beam.ids(beam.best) for beam in beams]


def continuations(
    logits: Tensor, beams: Sequence[Beam], count: int, banned: Sequence[int], forced: int | None = None
) -> list[list[Continuation]]:
    """The best `count` continuations of each beam, best first; logits (live hypotheses of all beams, V).

    The best of each hypothesis are found first, so that one transfer from the device serves all beams. A `forced`
    token is the only continuation and costs nothing, since no hypothesis had a choice.
    """
    if forced is not None:
        return [[(total, place, forced) for place, total in enumerate(beam.totals())] for beam in beams]
    logits = logits.float()
    top = logits.topk(min(count + len(banned), logits.shape[1]), dim=-1)
    values = top.values - logits.logsumexp(dim=-1, keepdim=True)  # log-probabilities of the few best alone
    width = values.shape[1]
    rows = torch.cat(
        [values.double(), top.indices.double()], dim=-1
    ).tolist()  # both in one transfer, exactly
    found: list[list[Continuation]] = []
    first = 0
    for beam in beams:
        pool = [
            (-(so_far + value), place, token)
            for place, so_far in enumerate(beam.totals())
            for value, token in zip(rows[first + place][:width], rows[first + place][width:], strict=True)
            if value > -torch.inf and token not in banned
        ]
        pool.sort()
        found.append([(-cost, place, int(token)) for cost, place, token in pool[:count]])
        first += len(beam.live)
    return found
