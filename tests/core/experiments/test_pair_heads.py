"""The heads that link a pinned pair, and the translation with the first n of them ablated."""

from __future__ import annotations

import numpy as np
import pytest

from core.api import Checkpoint
from core.errors import InputError
from core.experiments.edits import Edits, HeadsStep
from core.experiments.importance import Ablated, ablate_in_order, breaking_point, rank_for_pair
from core.experiments.what_if import Pair, what_if


def steps_of(checkpoint: Checkpoint, pair: Pair, ranking: list, batch: int = 32) -> list[Ablated]:
    return [step for steps in ablate_in_order(checkpoint.model, pair, ranking, batch) for step in steps]


def test_heads_come_by_weight_then_contribution_then_layer() -> None:
    weights = np.array([[0.10, 0.9996], [0.998, 0.1049], [1.0, 0.0]])
    contributions = np.array([[1.0, 2.0], [9.0, 1.0], [2.0, 0.0]])
    order = [(layer, head) for _, layer, head in rank_for_pair("cross", weights, contributions)]
    # 100, 100 and 100 % are a tie: by contribution, then by layer; so are the two that print as 10 %.
    assert order == [(1, 0), (0, 1), (2, 0), (0, 0), (1, 1), (2, 1)]
    alone = [(layer, head) for _, layer, head in rank_for_pair("cross", weights)]
    assert alone == [(0, 1), (1, 0), (2, 0), (0, 0), (1, 1), (2, 1)]


def test_contributions_of_another_shape_are_refused() -> None:
    with pytest.raises(InputError, match="one per head"):
        rank_for_pair("cross", np.zeros((2, 4)), np.zeros((4, 2)))


@pytest.mark.parametrize("name", ["cross", "causal", "encoder"])
def test_each_count_is_the_same_edit_made_by_hand(kind: Checkpoint, name: str) -> None:
    source = tuple(kind.encode_source("abc def."))
    pair = Pair(source, tuple(kind.target_tokenizer.encode("bad cafe")))
    generator = np.random.default_rng(3)
    ranking = rank_for_pair(name, generator.random((2, 4)))  # type: ignore[arg-type]
    steps = steps_of(kind, pair, ranking, batch=4)
    assert [step.heads for step in steps] == list(range(9))
    for step in steps[::3]:
        edits = Edits(tuple(HeadsStep(key, layer, (head,)) for key, layer, head in ranking[: step.heads]))
        by_hand = what_if(kind, pair.source, pair.written, edits)
        assert step.written == by_hand.rewritten
        np.testing.assert_allclose(step.next_word, by_hand.next_word("after"), atol=2e-5)


def test_it_breaks_at_the_first_count_that_writes_something_else() -> None:
    def ablated(heads: int, *written: int) -> Ablated:
        return Ablated(heads, written, np.zeros(len(written)))

    steps = [ablated(0, 5, 2), ablated(1, 5, 2), ablated(2, 7, 2), ablated(3, 5, 2)]
    assert breaking_point(steps) == 2
    assert breaking_point(steps[:2]) is None


def test_a_pair_without_a_translation_is_refused(kind: Checkpoint) -> None:
    with pytest.raises(InputError, match="at least one token"):
        next(ablate_in_order(kind.model, Pair((5, 2), ()), []))
