"""Tokens of a given sequence under a distribution small enough to count by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.analysis.familiarity import follows_the_best, scored, total

ROWS = np.log([[0.1, 0.6, 0.25, 0.05], [0.7, 0.1, 0.15, 0.05], [0.2, 0.2, 0.5, 0.1]])


def test_probability_rank_and_best_other_of_each_token() -> None:
    first, second, third = scored(ROWS, (1, 2, 3))
    assert (first.rank, first.other) == (1, 2)
    assert math.exp(first.log_probability) == pytest.approx(0.6)
    assert math.exp(first.other_log_probability) == pytest.approx(0.25)
    assert (second.rank, second.other) == (2, 0)
    assert (third.rank, third.other) == (4, 2)


def test_the_total_is_the_logarithm_of_the_product() -> None:
    assert total(scored(ROWS, (1, 2, 3))) == pytest.approx(math.log(0.6 * 0.15 * 0.1))


def test_tokens_that_are_never_written_take_no_rank_and_are_no_alternative() -> None:
    first, second, third = scored(ROWS, (2, 2, 0), banned=(1,))
    assert (first.rank, first.other) == (1, 0)
    assert (second.rank, second.other) == (2, 0)
    assert (third.rank, third.other) == (2, 2)
    assert scored(ROWS[:1], (1,), banned=(1,))[0].rank == 1  # what was written all the same keeps its place


def test_equals_share_the_better_rank() -> None:
    assert scored(ROWS[2:], (1,))[0].rank == scored(ROWS[2:], (0,))[0].rank == 2


def test_following_the_best_is_what_greedy_search_writes() -> None:
    assert follows_the_best(scored(ROWS, (1, 0, 2)))
    assert not follows_the_best(scored(ROWS, (1, 0, 0)))


def test_what_does_not_fit_is_named() -> None:
    with pytest.raises(ValueError, match=r"\(3, 4\); 2 tokens"):
        scored(ROWS, (1, 2))
    with pytest.raises(ValueError, match="no alternatives"):
        scored(ROWS, (1, 2, 3), banned=(0, 1, 2))
