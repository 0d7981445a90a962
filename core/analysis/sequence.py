"""How likely a model holds a sequence, token by token, and what it would have written in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Scored:
    """One token of a given sequence: its log-probability in nats, its `rank` (1 is the most probable) among the tokens
    that may be written, and the most probable `other` one with its log-probability."""

    id: int
    log_probability: float
    rank: int
    other: int
    other_log_probability: float


def scored(
    log_probabilities: ArrayLike, ids: Sequence[int], banned: Sequence[int] = ()
) -> tuple[Scored, ...]:
    """Each of `ids` (T) under `log_probabilities` (T, V), natural logarithms, row t given the tokens before t.

    `banned` tokens can never be written: they take no rank and are no alternative, unless they are in `ids` themselves.
    Raises ValueError when rows and tokens differ in number, or nothing is left beside a token.
    """
    rows = np.asarray(log_probabilities, dtype=np.float64)
    if rows.ndim != 2 or len(rows) != len(ids):
        raise ValueError(f"log-probabilities have shape {rows.shape}; {len(ids)} tokens need as many rows")
    allowed = np.ones(rows.shape[1], dtype=bool)
    allowed[list(banned)] = False
    if allowed.sum() < 2:
        raise ValueError("a vocabulary of fewer than two tokens that may be written has no alternatives")
    found = []
    for row, token in zip(rows, ids, strict=True):
        others = np.where(allowed, row, -np.inf)
        others[token] = -np.inf
        other = int(others.argmax())
        rank = 1 + int((others > row[token]).sum())
        found.append(Scored(int(token), float(row[token]), rank, other, float(row[other])))
    return tuple(found)


def total(words: Sequence[Scored]) -> float:
    """log P(sequence), in nats: the tokens' log-probabilities summed."""
    return float(sum(word.log_probability for word in words))


def follows_the_best(words: Sequence[Scored]) -> bool:
    """Whether every token was the most probable one, which is what greedy search writes."""
    return all(word.rank == 1 for word in words)
