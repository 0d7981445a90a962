"""Greedy and beam search: over a padded batch of sentences, and of one sentence a step at a time with its whole tree."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from core.decoding.inputs import forced_token, never_written, step_limit
from core.decoding.path import prefill
from core.decoding.strategies import Beam, Continuation, Node, check_options
from core.errors import InputError
from core.language import numeral
from core.model.hooks import Edit, Hooks, Site

if TYPE_CHECKING:
    from torch import Tensor

    from core.model.attention import DecodeState
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
    """The tokens that `model` writes for each source, in their order, with the end token where it was written.

    `beam_size` 1 is greedy. `max_steps` None: twice the source's length plus 20, at most the model's limit. Up to
    `batch_size` sentences of similar length are decoded together. The model must be in evaluation mode. Raises
    `InputError` for a source that is empty or longer than the model's limit.
    """
    check_options("beam", beam_size=beam_size, length_penalty=length_penalty)
    config = model.config
    for index, ids in enumerate(source_ids):
        if not 0 < len(ids) <= config.max_length:
            raise InputError.tr(
                "Sentence {value} has {count} tokens; this model reads from 1 to {max_length}.",
                value=index + 1,
                count=numeral(len(ids), ","),
                max_length=numeral(config.max_length, ","),
            )
    order = sorted(range(len(source_ids)), key=lambda index: len(source_ids[index]))
    written: list[list[int]] = [[] for _ in order]
    for start in range(0, len(order), batch_size):
        chosen = order[start : start + batch_size]
        rows = [list(source_ids[index]) for index in chosen]
        limits = [step_limit(config, len(row), max_steps) for row in rows]
        with torch.inference_mode():
            source = padded(rows, config.source_padding, next(model.parameters()).device)
            if beam_size == 1:
                outputs = greedy(model, model.encode(source), source, limits)
            else:
                outputs = _beam(model, source, limits, beam_size, length_penalty)
        for index, ids in zip(chosen, outputs, strict=True):
            written[index] = ids
    return written


def padded(rows: Sequence[Sequence[int]], pad: int, device: torch.device) -> Tensor:
    """`rows` padded with `pad` to the longest → (B, width) int64."""
    width = max(map(len, rows))
    return torch.tensor([[*row, *[pad] * (width - len(row))] for row in rows], device=device)


def greedy_tokens(logits: Tensor, config: ModelConfig, step: int) -> Tensor:
    """The tokens that greedy search writes at step `step` (from 0) in each row: (B,) from logits or log-probabilities (B, V).

    `logits` of tokens that may never be written are set to −inf.
    """
    if (forced := forced_token(config, step)) is not None:
        return torch.full(logits.shape[:1], forced, device=logits.device)
    for token in never_written(config):
        logits[:, token] = -torch.inf
    if logits.is_cpu:  # numpy's search is ten times faster there
        return torch.from_numpy(logits.detach().float().numpy().argmax(axis=-1))
    return logits.argmax(dim=-1)


def greedy(
    model: Transformer, memory: Tensor, source: Tensor, limits: Sequence[int], hooks: Hooks | None = None
) -> list[list[int]]:
    """What greedy search writes for each row of the encoder output `memory` (B, S, d) of `source` (B, S).

    Row b has at most `limits[b]` tokens, the end token included. Finished rows leave the batch once they are half of
    it, but not under `hooks`, whose edits may differ from row to row.
    """
    config, device = model.config, source.device
    written: list[list[int]] = [[] for _ in limits]
    rows = list(range(len(limits)))  # which sentence each row of the batch is
    done = [False] * len(limits)
    state = model.start(memory, source, hooks)
    tokens = torch.full((len(rows),), config.bos_id, device=device)
    for step in itertools.count():
        tokens = greedy_tokens(model.step(tokens, state, hooks), config, step)
        for row, token in zip(rows, tokens.tolist(), strict=True):
            if not done[row]:
                written[row].append(token)
                done[row] = token == config.eos_id or len(written[row]) >= limits[row]
        living = [position for position, row in enumerate(rows) if not done[row]]
        if not living:
            break
        if hooks is None and len(living) <= len(rows) // 2:
            index = torch.tensor(living)
            state, tokens = state.select(index), tokens[index.to(device)]
            rows = [rows[position] for position in living]
    return written


def _beam(
    model: Transformer, source: Tensor, limits: list[int], size: int, penalty: float
) -> list[list[int]]:
    """source (B, S) → the tokens of each row's best hypothesis. Finished sentences leave the batch as in `greedy`.

    Every sentence has `size` consecutive rows of the cache, and each of its live hypotheses one of them.
    """
    config, device = model.config, source.device
    beams = [Beam(size, config.bos_id, config.eos_id, limit, penalty) for limit in limits]
    batch = list(beams)
    live_rows = [[0] for _ in batch]  # the row, among its sentence's, of each live hypothesis
    every = torch.arange(len(batch)).repeat_interleave(size)
    state = model.start(model.encode(source), source).select(every)
    while True:
        tokens = np.full((len(batch), size), config.bos_id)
        rows, totals = np.zeros_like(tokens), np.full(tokens.shape, -np.inf)
        for which, (beam, held) in enumerate(zip(batch, live_rows, strict=True)):
            if not beam.done:
                tokens[which, held] = beam.inputs()
                rows[which, : len(held)] = np.array(held) + which * size
                totals[which, : len(held)] = beam.totals()
        logits = model.step(torch.from_numpy(tokens.ravel()).to(device), state)
        forced = forced_token(config, batch[0].step)
        candidates = continuations(logits, rows, totals, 2 * size, never_written(config), forced)
        parents = np.arange(tokens.size)
        for which, (beam, considered) in enumerate(zip(batch, candidates, strict=True)):
            if not beam.done:
                live_rows[which], origins = assign_rows(live_rows[which], beam.advance(considered), size)
                parents[which * size : (which + 1) * size] = np.array(origins) + which * size
        going_on = [which for which, beam in enumerate(batch) if not beam.done]
        if not going_on:
            return [beam.ids(beam.best) for beam in beams]
        state.reorder(parents.tolist())
        if len(going_on) <= len(batch) // 2:
            state = state.select(
                torch.from_numpy(np.arange(tokens.size).reshape(tokens.shape)[going_on].ravel())
            )
            batch, live_rows = [batch[which] for which in going_on], [live_rows[which] for which in going_on]


def assign_rows(rows: Sequence[int], parents: Sequence[int], size: int) -> tuple[list[int], list[int]]:
    """The rows of a sentence's new hypotheses among its `size` rows, and the row that each of those rows continues.

    `rows` are those of the hypotheses before, `parents` the index among them of each new one's parent, best first. The
    best child of a row keeps it; the others take rows without children.
    """
    continued = [rows[parent] for parent in parents]
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

    rows (N, n) index the logits, and totals (N, n) are the log-probabilities so far, of N sentences' hypotheses; −inf
    where a sentence has fewer. The best tokens of each row are selected first, so that one transfer from the device
    is enough. A `forced` token is the only continuation and costs nothing, since no hypothesis had a choice.
    """
    if forced is not None:
        return [
            [(total, parent, forced) for parent, total in enumerate(held) if total > -np.inf]
            for held in totals.tolist()
        ]
    top = torch.log_softmax(logits.float(), dim=-1).topk(min(count + len(banned), logits.shape[1]), dim=-1)
    # Values and indices in one transfer; float64 holds both exactly.
    both = torch.cat([top.values.double(), top.indices.double()], dim=-1).cpu().numpy()
    values, tokens = np.split(both[rows], 2, axis=-1)  # (N, n, k) each
    values[np.isin(tokens, banned)] = -np.inf
    parents = np.broadcast_to(np.arange(rows.shape[1])[:, None], tokens.shape)
    costs, parents, tokens = (
        each.reshape(len(rows), -1) for each in (-(totals[..., None] + values), parents, tokens.astype(int))
    )
    best = np.lexsort((tokens, parents, costs))[:, :count]  # by cost, then parent, then token
    ranked = (np.take_along_axis(each, best, axis=1).tolist() for each in (-costs, parents, tokens))
    return [
        [each for each in zip(*of_sentence, strict=True) if each[0] > -np.inf]
        for of_sentence in zip(*ranked, strict=True)
    ]


class BeamSearch:
    """An iterator over the steps of a beam search: each `next` returns the nodes that the step considered.

    `nodes` holds the whole tree, pruned nodes included. The candidates of every step and the logits are kept,
    so that `back` needs no model; the next step then reads the live prefixes again in one pass.
    """

    def __init__(
        self,
        model: Transformer,
        source: Sequence[int],
        limit: int,
        beam_size: int = 5,
        length_penalty: float = 1.0,
        edit: Mapping[Site | str, Edit] | None = None,
    ) -> None:
        self.model, self.config = model, model.config
        self.edit = dict(edit or {})
        self._start = (beam_size, self.config.bos_id, self.config.eos_id, limit, length_penalty)
        self.beam = Beam(*self._start)
        # The candidates of each step, and whether they were forced.
        self._taken: list[tuple[list[Continuation], bool]] = []
        with torch.inference_mode():
            self._source = torch.tensor([list(source)], device=next(model.parameters()).device)
            self._memory = model.encode(self._source, self._hooks())
            self._state: DecodeState | None = self._fresh(1)
            tokens = torch.tensor(self.beam.inputs(), device=self._source.device)
            # For each step the logits (live, V) that it chooses from.
            self._logits: list[Tensor] = [model.step(tokens, self._state, self._hooks())]

    # -- steps --------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[list[Node]]:
        return self

    def __next__(self) -> list[Node]:
        if self.beam.done:
            raise StopIteration
        return self.step()

    @property
    def finished(self) -> bool:
        """Whether the search is over."""
        return self.beam.done

    def step(self) -> list[Node]:
        """Write one token in every live hypothesis → the nodes considered, best first."""
        if self.finished:
            raise InputError("The search is finished; step back or reset to go on.")
        with torch.inference_mode():
            logits, forced = self._logits[-1], forced_token(self.config, self.beam.step)
            banned, count = never_written(self.config), 2 * self.beam.size
            totals = np.array([self.beam.totals()])
            considered = continuations(logits, np.arange(totals.size)[None], totals, count, banned, forced)[0]
        return self._take(considered, forced=False)

    def force(self, token: int) -> list[Node]:
        """Write `token` in the best live hypothesis; all other hypotheses are dropped, finished ones too."""
        if self.finished:
            raise InputError("The search is finished; step back or reset to write another token.")
        if token == forced_token(self.config, self.beam.step):
            return self.step()  # the search writes it by itself, at the same cost
        with torch.inference_mode():
            value = float(torch.log_softmax(self._logits[-1][0].float(), dim=-1)[token])
        return self._take([(self.beam.totals()[0] + value, 0, token)], forced=True)

    def back(self) -> None:
        """Undo the last step."""
        if not self._taken:
            raise InputError("No token is written yet; there is nothing to go back to.")
        self._taken.pop()
        del self._logits[len(self._taken) + 1 :]
        self._replay()

    def reset(self) -> None:
        """Undo all steps; the source stays encoded."""
        self._taken.clear()
        del self._logits[1:]
        self._replay()

    def _take(self, considered: list[Continuation], forced: bool) -> list[Node]:
        first = len(self.beam.nodes)
        parents = self.beam.advance(considered, forced)
        self._taken.append((considered, forced))
        if not self.finished:
            try:
                with torch.inference_mode():
                    self._logits.append(self._read(parents))
            except BaseException:
                self._taken.pop()  # an interrupted step leaves the search as it was
                self._replay()
                raise
        return self.beam.nodes[first:]

    def _replay(self) -> None:
        self.beam = Beam(*self._start)
        for considered, forced in self._taken:
            self.beam.advance(considered, forced)
        self._state = None

    def _read(self, parents: list[int]) -> Tensor:
        if self._state is None:
            self._state = self._fresh(len(self.beam.live))
            inputs = [[self.config.bos_id, *self.beam.ids(node)] for node in self.beam.live]
            rows = len(inputs)
            memory, source = self._memory.expand(rows, -1, -1), self._source.expand(rows, -1)
            return prefill(self.model, self._state, inputs, memory, source, edit=self.edit)[0][:, -1]
        self._state = self._state.select(torch.tensor(parents))
        tokens = torch.tensor(self.beam.inputs(), device=self._source.device)
        return self.model.step(tokens, self._state, self._hooks())

    def _fresh(self, rows: int) -> DecodeState:
        state = self.model.start(self._memory, self._source, self._hooks())
        return state if rows == 1 else state.select(torch.zeros(rows, dtype=torch.long))

    def _hooks(self) -> Hooks | None:
        return Hooks(edit=self.edit) if self.edit else None

    # -- results ------------------------------------------------------------------------------------------

    @property
    def nodes(self) -> list[Node]:
        """Every node considered so far, indexed by its id."""
        return self.beam.nodes

    @property
    def ids(self) -> list[int]:
        """The tokens of the best hypothesis: the best finished one, or the best live one while none is finished."""
        return self.beam.ids(self.beam.best)

    def next_logits(self) -> np.ndarray | None:
        """Logits (V,) for the next token of the best live hypothesis; None at the end."""
        return None if self.finished else self._logits[-1][0].float().cpu().numpy()
