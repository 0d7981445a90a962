"""Batches: every pair once an epoch, within the budget, the same again after a resume, shared out to processes."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.training.prepared import IGNORED, Example, make_batch, plan_epoch

LENGTHS = st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), min_size=1, max_size=60)


def examples(lengths: list[tuple[int, int]]) -> list[Example]:
    return [Example([5] * source, [6] * target) for source, target in lengths]


@settings(max_examples=60)
@given(LENGTHS, st.integers(1, 200), st.integers(0, 5))
def test_an_epoch_has_every_pair_once_within_the_budget(
    lengths: list[tuple[int, int]], budget: int, epoch: int
) -> None:
    plan = plan_epoch(examples(lengths), budget, seed=1, epoch=epoch)
    assert sorted(i for rows in plan for i in rows) == list(range(len(lengths)))
    for rows in plan:
        assert len(rows) == 1 or len(rows) * max(max(lengths[i]) for i in rows) <= budget
    assert plan == plan_epoch(examples(lengths), budget, seed=1, epoch=epoch)


def test_epochs_and_seeds_differ() -> None:
    data = examples([(n % 9 + 1, n % 7 + 1) for n in range(200)])
    plans = [plan_epoch(data, 50, seed, epoch) for seed, epoch in ((1, 0), (1, 1), (2, 0))]
    assert plans[0] != plans[1]
    assert plans[0] != plans[2]


def test_little_padding() -> None:
    data = examples([(n % 20 + 2, n % 20 + 1) for n in range(4000)])
    padded = sum(len(rows) * max(len(data[i].target) for i in rows) for rows in plan_epoch(data, 500, 1, 0))
    assert padded <= 1.05 * sum(len(example.target) for example in data)


def test_the_tensors_of_a_batch() -> None:
    data = [Example([7, 8, 2], [9, 2]), Example([7, 2], [9, 9, 2])]
    batch = make_batch(data, [0, 1], source_pad=0, target_pad=3, bos=1)
    assert batch.source.tolist() == [[7, 8, 2], [7, 2, 0]]
    assert batch.target.tolist() == [[1, 9, 3], [1, 9, 9]]
    assert batch.labels.tolist() == [[9, 2, IGNORED], [9, 9, 2]]
    assert batch.tokens == 5


def test_processes_share_a_batch_without_overlap() -> None:
    data = [Example([7, 2], [10 + n, 2]) for n in range(5)]
    parts = [make_batch(data, range(5), source_pad=0, target_pad=0, bos=1, rank=r, world=2) for r in range(2)]
    assert sorted(parts[0].labels[:, 0].tolist() + parts[1].labels[:, 0].tolist()) == [10, 11, 12, 13, 14]
    assert parts[0].tokens == parts[1].tokens == 10


def test_a_process_without_a_row_is_silent() -> None:
    part = make_batch([Example([7, 2], [9, 2])], [0], source_pad=0, target_pad=0, bos=1, rank=1, world=2)
    assert part.tokens == 2
    assert torch.all(part.labels == IGNORED)
