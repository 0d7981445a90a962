"""One row of attention that can be computed on paper: three tokens, two numbers each, from scores to the weighted sum.

The same steps as in every head (Vaswani et al. 2017, equation 1), without torch; tests compare them with torch's own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

Pair = tuple[float, float]

TOKENS: Final = ("the", "cat", "sleeps")
QUERY: Final[Pair] = (1, 2)
"""The query of the last token."""
KEYS: Final[tuple[Pair, ...]] = ((0, 1), (2, 1), (1, 0))
VALUES: Final[tuple[Pair, ...]] = ((1, 0), (0, 2), (1, 1))


@dataclass(frozen=True)
class Cell:
    """What the row does with one token: query · key, divided by √2, e to that power, its share, and the value times the share."""

    token: str
    key: Pair
    value: Pair
    product: float
    score: float
    power: float
    weight: float
    given: Pair


def row() -> tuple[Cell, ...]:
    """The row of the last token, a cell for each token."""
    products = [QUERY[0] * first + QUERY[1] * second for first, second in KEYS]
    scores = [each / math.sqrt(len(QUERY)) for each in products]
    powers = [math.exp(each) for each in scores]
    weights = [each / sum(powers) for each in powers]
    columns = zip(TOKENS, KEYS, VALUES, products, scores, powers, weights, strict=True)
    return tuple(
        Cell(token, key, value, product, score, power, weight, (weight * value[0], weight * value[1]))
        for token, key, value, product, score, power, weight in columns
    )


def total() -> Pair:
    """The sum of the weighted values: what the row hands on."""
    return sum(cell.given[0] for cell in row()), sum(cell.given[1] for cell in row())


def best() -> Cell:
    """The token with the largest weight."""
    return max(row(), key=lambda cell: cell.weight)
