"""What each strategy may write and how a beam ranks, computed again in float64 by the rules' own words.

Of the project only the configuration is used, so that a fault in `core.decoding` is seen here.
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
    """The tokens that may be written as number `step` (from 0): a forced one, or all but padding and start, (n,) int64."""
    if step == 0 and config.forced_bos_id is not None:
        return np.array([config.forced_bos_id])
    banned = [token for token in (config.pad_id, config.bos_id) if token != config.eos_id]
    return np.setdiff1d(np.arange(config.target_vocab_size), banned)


def costs_nothing(config: ModelConfig, step: int) -> bool:
    """Whether the token written as number `step` is forced, so that no hypothesis pays for it."""
    return step == 0 and config.forced_bos_id is not None


def greedy_gap(config: ModelConfig, logits: np.ndarray, ids: Sequence[int]) -> float:
    """How much less probable (in nats) `ids` are than the best allowed token, at most; logits (T, V)."""
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
        """Whether the search must stop: at the limit, or when enough have ended and none that lives scores higher."""
        if self.step == self.limit or not self.live:
            return True
        return self.margin <= 0.0

    @property
    def margin(self) -> float:
        """By how much the best live hypothesis scores above the worst finished one; infinite while too few have ended."""
        if self.step == self.limit or not self.live or len(self.ended) < self.size:
            return math.inf
        return self.live[0].score - self.ended[self.size - 1].score

    @property
    def best(self) -> Candidate:
        """The finished hypothesis with the highest score; the best live one while none is finished."""
        return (self.ended or self.live)[0]

    def totals(self, table: np.ndarray) -> np.ndarray:
        """What the best 2 · size continuations must reach, best first; table (live, V) of log-probabilities."""
        if costs_nothing(self.config, self.step):
            return np.array([each.total for each in self.live])
        allowed = allowed_tokens(self.config, self.step)
        every = np.array([each.total for each in self.live])[:, None] + table[:, allowed]
        return -np.sort(-every, axis=None)[: 2 * self.size]

    def advanced(self, table: np.ndarray, written: Sequence[tuple[int, int]], forced: bool) -> ExpectedBeam:
        """The state after a step that considered `written`: (place of the parent among the live, token), best first.

        `forced`: a person chose the token, and all other hypotheses are given up.
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
            found = Candidate(ids, cost, total, total / step**self.penalty, finished or lives, finished)
            considered.append(found)
            if finished:
                ended.append(found)
            elif lives:
                live.append(found)
        best = sorted(ended, key=lambda each: each.score, reverse=True)[: self.size]
        return replace(
            self,
            live=tuple(live),
            ended=tuple(best),
            considered=(*self.considered, *considered),
            step=step,
        )
