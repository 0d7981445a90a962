"""Expected values recomputed in float64 from the papers' definitions: positions, choices of a strategy, and beams.

Only the configuration is shared with the project, so that a fault in the model's own tables or in `core.decoding` is
detected here. Sinusoids: Vaswani et al. 2017, section 3.5. Relative buckets: Raffel et al. 2020, section 2.1. Beam
search: Sutskever et al. 2014, section 3.2; top-k: Fan et al. 2018; top-p: Holtzman et al. 2020, section 3.1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from core.model.config import ModelConfig

# Distances this close to the border of two buckets may be rounded to either.
_BORDER = 1e-5


def expected_table(config: ModelConfig, stored: Tensor | None, rows: int) -> Tensor | None:
    """The expected vectors of positions 0 … `rows` − 1, (rows, d_model) float64; None where nothing is added.

    `stored` is the checkpoint's own table of learned positions, with the rows before the first position.
    """
    match config.positions:
        case "learned":
            if stored is None:
                return None
            first = config.position_offset
            return stored.detach().cpu().double()[first : first + rows]
        case "sinusoidal" | "sinusoidal_halves":
            return torch.from_numpy(waves(config, rows))
        case _:
            return None


def waves(config: ModelConfig, rows: int) -> np.ndarray:
    """Sine and cosine of p / 10000^(i / steps) for every pair i of columns, (rows, d_model) float64.

    p counts from the configuration's offset; steps is d_model / 2, or one less with `half_minus_one`.
    """
    pairs = config.d_model // 2
    steps = pairs if config.sinusoid_denominator == "half" else max(1, pairs - 1)
    position = config.position_offset + np.arange(rows)
    table = np.full((rows, config.d_model), np.nan)
    for pair in range(pairs):
        angle = position * np.exp(-np.log(10_000.0) * pair / steps)
        interleaved = config.positions == "sinusoidal"
        table[:, 2 * pair if interleaved else pair] = np.sin(angle)
        table[:, 2 * pair + 1 if interleaved else pairs + pair] = np.cos(angle)
    return table


def turning_angles(rows: int, d_head: int) -> np.ndarray:
    """Rotary positions (Su et al. 2021, section 3.2.2): the angle of each pair of columns, p · 10000^(−2i/d), (rows, d_head / 2)."""
    pairs = np.exp(-np.log(10_000.0) * np.arange(0, d_head, 2) / d_head)
    return np.asarray(np.outer(np.arange(rows), pairs))


def expected_bias(config: ModelConfig, table: Tensor, queries: int, keys: int, both_ways: bool) -> Tensor:
    """The expected biases of relative positions, (2, H, queries, keys) float64, from `table` (buckets, H).

    The two differ only where a distance lies on the border of two buckets, which single precision may round either way.
    """
    offsets = np.arange(keys)[None, :] - np.arange(queries)[:, None]
    values = table.detach().cpu().double()
    either = [bucket(offsets, config, both_ways, nudge) for nudge in (-_BORDER, _BORDER)]
    return torch.stack([values[torch.from_numpy(chosen)].permute(2, 0, 1) for chosen in either])


def bucket(offsets: np.ndarray, config: ModelConfig, both_ways: bool, nudge: float = 0.0) -> np.ndarray:
    """The bucket of each offset key − query, `nudge` of a bucket further, int64 of the same shape."""
    buckets = config.relative_buckets // 2 if both_ways else config.relative_buckets
    exact = buckets // 2
    distance = np.abs(offsets) if both_ways else np.maximum(-offsets, 0)
    share = np.log(np.maximum(distance, 1) / exact) / np.log(config.relative_max_distance / exact)
    grown = np.clip(np.floor(exact + share * (buckets - exact) + nudge), exact, buckets - 1)
    chosen = np.where(distance < exact, distance, grown).astype(np.int64)
    return np.asarray(chosen + np.where(both_ways & (offsets > 0), buckets, 0), dtype=np.int64)


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
        """The finished hypothesis with the highest score, the best live one while none is finished; at the limit the best of all."""
        if self.step == self.limit:
            return max((*self.ended, *self.live), key=lambda each: each.score)
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
