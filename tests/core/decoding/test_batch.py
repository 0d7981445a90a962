"""Sentences decoded together come out as they do alone, whatever their lengths and order."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from core.api import Checkpoint
from core.decoding import DecodeSession, translate_batch
from core.decoding.batch import assign_rows
from core.errors import InputError

TEXTS = ["abc def.", "a", "jihg fedc ba.", "b b b b b b b", "cad.", "face", "i", "dead bee fed a cab."]


@pytest.mark.parametrize("beam_size", [1, 4])
@pytest.mark.parametrize("batch_size", [3, 32])
def test_batch_equals_single(kind: Checkpoint, beam_size: int, batch_size: int) -> None:
    sources = [kind.source_tokenizer.encode(text) for text in TEXTS]
    found = translate_batch(kind.model, sources, beam_size=beam_size, max_steps=12, batch_size=batch_size)
    strategy = "greedy" if beam_size == 1 else "beam"
    for text, ids in zip(TEXTS, found, strict=True):
        session = DecodeSession(kind, text, strategy, beam_size=beam_size, max_steps=12, record=())
        session.run()
        assert session.ids == ids


@pytest.mark.parametrize("beam_size", [1, 3])
def test_rows_that_end_early_do_not_disturb_the_others(
    build: Callable[..., Checkpoint], beam_size: int
) -> None:
    lengths: set[int] = set()
    for seed in range(5, 10):
        checkpoint = build(seed=seed)
        with torch.no_grad():
            checkpoint.model.target_embedding.table[2] *= 2.0  # the end token is likely, so lengths differ
        sources = [checkpoint.source_tokenizer.encode(text) for text in TEXTS]
        found = translate_batch(checkpoint.model, sources, beam_size)
        assert found == [translate_batch(checkpoint.model, [source], beam_size)[0] for source in sources]
        lengths.update(map(len, found))
    assert len(lengths) > 4


def test_hypotheses_settle_where_little_is_moved() -> None:
    """The best heir of a row stays in it, whatever its rank; the others take the rows that nobody continues."""
    assert assign_rows([0, 1, 2], [0, 1, 2], 3) == ([0, 1, 2], [0, 1, 2])
    assert assign_rows([2, 0, 1], [1, 1, 0], 3) == ([0, 1, 2], [0, 0, 2])
    assert assign_rows([0], [0, 0, 0], 4) == ([0, 1, 2], [0, 0, 0, 3])
    taken, origins = assign_rows([3, 1], [0, 1, 0, 0], 4)
    assert [origins[row] for row in taken] == [3, 1, 3, 3]
    assert sorted(taken) == [0, 1, 2, 3]


def test_limits(tiny: Checkpoint) -> None:
    sources = [tiny.source_tokenizer.encode(text) for text in TEXTS]
    assert all(len(ids) <= 3 for ids in translate_batch(tiny.model, sources, max_steps=3))
    assert all(len(ids) <= 3 for ids in translate_batch(tiny.model, sources, 3, max_steps=3))
    assert translate_batch(tiny.model, []) == []
    with pytest.raises(InputError, match="Sentence 2 has 0 tokens"):
        translate_batch(tiny.model, [[5], []])
    with pytest.raises(InputError, match="Sentence 1 has 49 tokens"):
        translate_batch(tiny.model, [[5] * 49])
    with pytest.raises(InputError, match="beam_size is 0"):
        translate_batch(tiny.model, sources, beam_size=0)


def test_the_length_penalty_favours_longer_texts(tiny: Checkpoint) -> None:
    sources = [tiny.source_tokenizer.encode(text) for text in TEXTS]
    short, long = (translate_batch(tiny.model, sources, 4, length_penalty=each) for each in (0.0, 2.0))
    assert sum(map(len, short)) <= sum(map(len, long))
