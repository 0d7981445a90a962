"""Batches of equal cost: bucketed by length, shuffled by seed, resumable, sharded by process."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

IGNORED = -100  # label of a position that carries no loss


@dataclass(frozen=True)
class Example:
    """Token ids of one pair; both sides end in the end mark, neither begins with the start mark."""

    source: list[int]
    target: list[int]


@dataclass(frozen=True)
class Batch:
    """One process's share of a global batch.

    source (B, S), target (B, T) the decoder's input, labels (B, T) with IGNORED where padded;
    `tokens` counts the labels of the *global* batch, so that every process divides by the same number.
    """

    source: Tensor
    target: Tensor
    labels: Tensor
    tokens: int


def plan_epoch(examples: Sequence[Example], batch_tokens: int, seed: int, epoch: int) -> list[list[int]]:
    """Index lists of one epoch's batches: a pure function of its arguments, so a run can resume inside it.

    A batch's rows times its longest side is at most `batch_tokens` (a single longer pair is a batch of its
    own). Pairs of equal length are shuffled, and so are the batches.
    """
    rng = random.Random(f"{seed}/{epoch}")
    order = list(range(len(examples)))
    rng.shuffle(order)
    order.sort(key=lambda i: (len(examples[i].target), len(examples[i].source)))
    batches: list[list[int]] = []
    rows: list[int] = []
    longest = 0
    for index in order:
        length = max(len(examples[index].source), len(examples[index].target))
        if rows and max(longest, length) * (len(rows) + 1) > batch_tokens:
            batches.append(rows)
            rows, longest = [], 0
        rows.append(index)
        longest = max(longest, length)
    if rows:
        batches.append(rows)
    rng.shuffle(batches)
    return batches


def pad(rows: Sequence[Sequence[int]], value: int) -> Tensor:
    """Rows of numbers as one (B, longest) int64 tensor, padded with `value`."""
    longest = max(len(row) for row in rows)
    return torch.tensor([[*row, *[value] * (longest - len(row))] for row in rows], dtype=torch.long)


def make_batch(
    examples: Sequence[Example],
    rows: Sequence[int],
    *,
    source_pad: int,
    target_pad: int,
    bos: int,
    rank: int = 0,
    world: int = 1,
) -> Batch:
    """The rows `rank`, `rank + world`, … of a global batch as tensors.

    A process without a row takes the first one without labels, since it must take part in the exchange of gradients.
    """
    mine = [examples[i] for i in rows[rank::world]]
    silent = not mine
    if silent:
        mine = [examples[rows[0]]]
    labels = pad([example.target for example in mine], IGNORED)
    if silent:
        labels.fill_(IGNORED)
    return Batch(
        source=pad([example.source for example in mine], source_pad),
        target=pad([[bos, *example.target[:-1]] for example in mine], target_pad),
        labels=labels,
        tokens=sum(len(examples[i].target) for i in rows),
    )
