"""What each strategy may write and how a beam ranks, recomputed in float64 from the definitions.

Only the configuration is shared with the project, so that a fault in `core.decoding` is detected here.
Beam search: Sutskever et al. 2014, section 3.2; top-k: Fan et al. 2018; top-p: Holtzman et al. 2020, section 3.1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.model.config import ModelConfig

Ids = tuple[int, ...]


def log_softmax(logits: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """log softmax(logits / temperature) over the last axis, float64 of the same shape."""
    scaled = np.asarray(logits, dtype=np.float64) / temperature
    largest = scaled.max(axis=-1, keepdims=True)
    total = np.exp(scaled - largest).sum(axis=-1, keepdims=True)
    return np.asarray(scaled - largest - np.log(total), dtype=np.float64)


def allowed_tokens(config: ModelConfig, step: int) -> np.ndarray:
    """The tokens that may be written at step `step` (from 0): a forced one, or all but padding and start, (n,) int64."""
    if step == 0 and config.forced_bos_id is not None:
        return np.array([config.forced_bos_id])
    banned = [token for token in (config.pad_id, config.bos_id) if token != config.eos_id]
    return np.setdiff1d(np.arange(config.target_vocab_size), banned)


def costs_nothing(config: ModelConfig, step: int) -> bool:
    """Whether the token at step `step` is forced, so that it adds nothing to the score of a hypothesis."""
    return step == 0 and config.forced_bos_id is not None


def greedy_gap(config: ModelConfig, logits: np.ndarray, ids: Sequence[int]) -> float:
    """The largest difference in log-probability (nats) of `ids` from the best allowed token; logits (T, V)."""
    largest = 0.0
    for step, (row, token) in enumerate(zip(log_softmax(logits), ids, strict=True)):
        allowed = allowed_tokens(config, step)
        if token not in allowed:
            return np.inf
        largest = max(largest, float(row[allowed].max() - row[token]))
    return largest


@dataclass(frozen=True)
class Candidate:
    """One continuation that a step considered. `ids`: the whole hypothesis up to and with it."""

    ids: Ids
    log_probability: float
    total: float
    score: float  # total / length ** penalty
    kept: bool
    finished: bool


@dataclass(frozen=True)
class ExpectedBeam:
    """The state of a beam search: live and finished hypotheses, best first, and every candidate considered."""

    config: ModelConfig
    size: int
    limit: int
    penalty: float
    live: tuple[Candidate, ...] = (Candidate((), 0.0, 0.0, 0.0, True, False),)
    ended: tuple[Candidate, ...] = ()
    considered: tuple[Candidate, ...] = ()
    step: int = 0

    @property
    def done(self) -> bool:
        """Whether the search must stop: at the limit, or when enough have ended and no live one scores higher."""
        if self.step == self.limit or not self.live:
            return True
        return self.margin <= 0.0

    @property
    def margin(self) -> float:
        """The score of the best live hypothesis minus that of the worst finished one; infinite while too few have ended."""
        if self.step == self.limit or not self.live or len(self.ended) < self.size:
            return math.inf
        return self.live[0].score - self.ended[self.size - 1].score

    @property
    def best(self) -> Candidate:
        """The finished hypothesis with the highest score; the best live one while none is finished."""
        return (self.ended or self.live)[0]

    def totals(self, table: np.ndarray) -> np.ndarray:
        """The totals of the best 2 · size continuations, best first; table (live, V) of log-probabilities."""
        if costs_nothing(self.config, self.step):
            return np.array([each.total for each in self.live])
        allowed = allowed_tokens(self.config, self.step)
        every = np.array([each.total for each in self.live])[:, None] + table[:, allowed]
        return -np.sort(-every, axis=None)[: 2 * self.size]

    def advanced(self, table: np.ndarray, written: Sequence[tuple[int, int]], forced: bool) -> ExpectedBeam:
        """The state after a step that considered `written`: (index of the parent among the live, token), best first.

        `forced`: a person chose the token, and all other hypotheses are dropped.
        """
        free, step = costs_nothing(self.config, self.step), self.step + 1
        live: list[Candidate] = []
        ended = [] if forced else list(self.ended)
        considered: list[Candidate] = []
        for rank, (parent, token) in enumerate(written):
            cost = 0.0 if free and token == self.config.forced_bos_id else float(table[parent, token])
            total = self.live[parent].total + cost
            finished = token == self.config.eos_id and rank < self.size
            lives = token != self.config.eos_id and len(live) < self.size
            ids = (*self.live[parent].ids, token)
            candidate = Candidate(ids, cost, total, total / step**self.penalty, finished or lives, finished)
            considered.append(candidate)
            if finished:
                ended.append(candidate)
            elif lives:
                live.append(candidate)
        best = sorted(ended, key=lambda each: each.score, reverse=True)[: self.size]
        return replace(
            self,
            live=tuple(live),
            ended=tuple(best),
            considered=(*self.considered, *considered),
            step=step,
        )
