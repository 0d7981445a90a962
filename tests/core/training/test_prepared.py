"""Batches: every pair once an epoch, within the budget, the same again after a resume, shared out to processes.

What an epoch makes of a pair: repeatable, other in each epoch, and never a sentence that is held back.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.model.config import ModelConfig
from core.training.data import Pair
from core.training.prepared import IGNORED, Example, Prepared, TrainingSet, make_batch, plan_epoch, prepare
from tests.core.training.conftest import ALONE, MakeConfig

CONFIG = ModelConfig(source_vocab_size=20, target_vocab_size=20, source_pad_id=0, pad_id=3)
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
    batch = make_batch(data, [0, 1], CONFIG)
    assert batch.source.tolist() == [[7, 8, 2], [7, 2, 0]]
    assert batch.target.tolist() == [[1, 9, 3], [1, 9, 9]]
    assert batch.labels.tolist() == [[9, 2, IGNORED], [9, 9, 2]]
    assert batch.tokens == 5


def test_processes_share_a_batch_without_overlap() -> None:
    data = [Example([7, 2], [10 + n, 2]) for n in range(5)]
    parts = [make_batch(data, range(5), CONFIG, r, 2) for r in range(2)]
    assert sorted(parts[0].labels[:, 0].tolist() + parts[1].labels[:, 0].tolist()) == [10, 11, 12, 13, 14]
    assert parts[0].tokens == parts[1].tokens == 10


def test_a_process_without_a_row_is_silent() -> None:
    part = make_batch([Example([7, 2], [9, 2])], [0], CONFIG, 1, 2)
    assert part.tokens == 2
    assert torch.all(part.labels == IGNORED)


def all_of(prepared: Prepared, epoch: int) -> list[Example]:
    return [prepared.train.draw(epoch, i) for i in range(len(prepared.train))]


def test_an_epoch_is_a_function_of_seed_and_number(make_words: MakeConfig) -> None:
    one, again = prepare(make_words("a"), ALONE), prepare(make_words("b"), ALONE)
    assert all_of(one, 3) == all_of(again, 3)
    assert one.train.draw(3, 5) == all_of(one, 3)[5]  # whatever was drawn before it
    assert all_of(one, 3) != all_of(one, 4)
    config = make_words("c")
    other = prepare(replace(config, training=replace(config.training, seed=2)), ALONE)
    assert all_of(other, 3) != all_of(one, 3)


def test_without_either_the_plain_examples(make_words: MakeConfig) -> None:
    plain = prepare(make_words(tokenizer="", data=""), ALONE)
    assert all_of(plain, 7) == plain.train.examples


def test_dropout_alone_changes_no_text(make_words: MakeConfig) -> None:
    prepared = prepare(make_words(data=""), ALONE)
    source, target = prepared.tokenizers
    drawn = all_of(prepared, 1)
    assert drawn != prepared.train.examples
    texts = [Pair(source.decode(e.source), target.decode(e.target)) for e in drawn]
    assert texts == list(prepared.train.pairs)


def test_validation_is_read_without_dropout(make_words: MakeConfig) -> None:
    prepared = prepare(make_words(tokenizer="bpe_dropout = 0.9"), ALONE)
    source, target = prepared.tokenizers
    assert prepared.valid_examples == [
        Example(source.encode(pair.source), target.encode(pair.target)) for pair in prepared.valid_pairs
    ]


def test_no_held_back_sentence_is_made(make_words: MakeConfig) -> None:
    """Every verb has its pairs with Tom and Paul: a substitution would make the held-back ones again and again."""
    prepared = prepare(make_words(tokenizer=""), ALONE)
    source, _ = prepared.tokenizers
    held = {pair.source for pair in prepared.corpus.held_back["pairs"]}
    read = {source.decode(example.source) for epoch in range(30) for example in all_of(prepared, epoch)}
    assert len(held) == 2
    assert len(read) > len(prepared.train)
    assert not held & read
    open_to_all = TrainingSet(
        prepared.train.pairs,
        prepared.train.examples,
        1,
        encoders=prepared.train.encoders,
        substitution=prepared.train.substitution,
        max_tokens=99,
    )
    made = {
        source.decode(open_to_all.draw(epoch, i).source)
        for epoch in range(30)
        for i in range(len(open_to_all))
    }
    assert held & made


def test_a_pair_that_grows_too_long_is_read_plainly(make_words: MakeConfig) -> None:
    long = prepare(make_words(tokenizer="bpe_dropout = 0.9", data=""), ALONE).train
    limit = max(max(len(e.source), len(e.target)) for e in long.examples)
    assert any(max(len(e.source), len(e.target)) > limit for e in (long.draw(1, i) for i in range(len(long))))
    long.max_tokens = limit
    assert all(
        max(len(e.source), len(e.target)) <= limit for e in (long.draw(1, i) for i in range(len(long)))
    )


def test_pairs_of_unlike_length_are_left_out(make_words: MakeConfig) -> None:
    more = "Stop.\tMax reads well and Paul sleeps well and Tom sings well and Max laughs well."
    loose = prepare(make_words("loose", data="", more=more), ALONE)
    strict = prepare(make_words("strict", data="max_length_ratio = 2", more=more), ALONE)
    assert {p.source for p in loose.train.pairs} - {p.source for p in strict.train.pairs} == {"Stop."}
    assert len(strict.train) == len(loose.train) - 1
    for example in strict.train.examples:
        a, b = len(example.source), len(example.target)
        assert max(a, b) <= 2 * min(a, b)
