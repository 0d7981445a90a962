"""What a memory of one vector loses: the stored counts, what the models read, and a training measured again."""

from __future__ import annotations

import random

import pytest
import torch

from core.learning import one_vector
from core.learning.one_vector import (
    LENGTHS,
    TESTED,
    _framed,
    _read,
    count_right,
    draw,
    measure,
    stored,
    train,
)
from core.learning.trials import EOS


def test_the_stored_counts_are_of_every_length_and_the_one_vector_loses_long_words() -> None:
    result = stored()
    assert result.lengths == list(LENGTHS) and result.tested == TESTED and result.steps == one_vector.STEPS
    assert len(result.attention) == len(result.one) == len(LENGTHS)
    assert all(0 <= count <= TESTED for count in (*result.attention, *result.one))
    assert result.right(LENGTHS[0], True) > result.right(LENGTHS[-1], True) + 30
    assert result.right(LENGTHS[-1], False) > result.right(LENGTHS[-1], True) + 30


def test_the_one_vector_is_that_of_the_end_token_and_all_that_is_read() -> None:
    model = train(True, seed=0, steps=1)
    source, answer = _framed(["abcd", "bbca"])
    assert source[:, -1].tolist() == [EOS, EOS] and answer.tolist() == source[:, :-1].flip(1).tolist()
    memory, read = _read(model, source, True)
    assert memory.shape == (2, 1, one_vector.WIDTH) and torch.equal(memory[:, 0], model.encode(source)[:, -1])
    assert read.tolist() == [[EOS], [EOS]]
    whole, _ = _read(model, source, False)
    assert whole.shape == (2, 5, one_vector.WIDTH)


def test_what_is_counted_is_a_word_backwards_with_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    model, words = train(False, seed=0, steps=1), ["abc", "cab", "bca", "aab"]
    right = {"abc": "cba", "bca": "acb"}

    def decode(written: torch.Tensor, memory: torch.Tensor, read: torch.Tensor) -> torch.Tensor:
        """Writes the first and third word backwards, the others forwards."""
        at = written.shape[1] - 1
        letters = [right.get(word, word) for word in words]
        ids = torch.tensor([[*one_vector._ids([each])[0].tolist(), EOS][at] for each in letters])
        return torch.nn.functional.one_hot(ids, 13)[:, None].float()

    monkeypatch.setattr(model, "decode", decode)
    assert count_right(model, False, words) == 2


def test_no_new_word_was_trained_on_and_both_models_see_the_same() -> None:
    trained = set(draw(random.Random(1), "train", 4, 500))
    assert not trained & set(draw(random.Random(1), "test", 4, 200))
    first = [each.detach().clone() for each in train(True, 3, 0).parameters()]
    assert all(torch.equal(a, b) for a, b in zip(first, train(False, 3, 0).parameters(), strict=True))


@pytest.mark.thorough
@pytest.mark.slow
def test_measured_again_the_counts_are_near_those_stored() -> None:
    again, result = measure(), stored()
    for name in ("attention", "one"):
        for now, before in zip(getattr(again, name), getattr(result, name), strict=True):
            assert now == pytest.approx(before, abs=15), name
