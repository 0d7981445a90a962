"""Head scores worked out a number at a time, for the badges of the wall."""

from __future__ import annotations

import math


def entropy(rows: list[list[float]]) -> float:
    """How spread out the rows are, in nats."""
    return sum(-sum(w * math.log(w) for w in row if w > 0) for row in rows) / len(rows)


def share_at(rows: list[list[float]], offset: int) -> float:
    """The mean weight at a distance, over the rows that have such a key."""
    found = [row[i + offset] for i, row in enumerate(rows) if 0 <= i + offset < len(row)]
    return sum(found) / len(found)


def share_of(rows: list[list[float]], key: int) -> float:
    """The mean weight of one key."""
    return sum(row[key] for row in rows) / len(rows)


def confidence(rows: list[list[float]], queries: list[str], keys: list[str]) -> float:
    """The mean of the rows' largest weights, the end token left out on both sides."""
    found = [
        max(w for w, key in zip(row, keys, strict=True) if key != "⟨end⟩")
        for row, query in zip(rows, queries, strict=True)
        if query != "⟨end⟩"
    ]
    return sum(found) / len(found)


def diagonality(rows: list[list[float]]) -> float:
    """How close the weights lie to the diagonal, by a bell of width 0.2."""
    total = 0.0
    for t, row in enumerate(rows):
        for j, w in enumerate(row):
            total += w * math.exp(-((j / len(row) - t / len(rows)) ** 2) / (2 * 0.2**2))
    return total / len(rows)


def badges(kind: str, rows: list[list[float]], queries: list[str], keys: list[str]) -> dict[str, float]:
    """The scores that the wall tells of every head of a kind, by the words it uses."""
    found = {"entropy": entropy(rows), "confidence": confidence(rows, queries, keys)}
    if kind == "cross":
        return {**found, "diagonality": diagonality(rows), "end token": share_of(rows, len(keys) - 1)}
    found |= {"previous token": share_at(rows, -1), "same token": share_at(rows, 0)}
    if kind == "encoder":
        return {**found, "next token": share_at(rows, 1), "end token": share_of(rows, len(keys) - 1)}
    return {**found, "start token": share_of(rows, 0)}
