"""The numbers in What if's sentences, and which word its title names."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.experiments.rankings import rank_for_pair, ranks
from ui.what_if import finding


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (1.0, "100"),
        (0.994, "99"),
        (0.0951, "10"),
        (0.0949, "9"),
        (0.0531, "5"),
        (0.0096, "1"),
        (0.0094, "0.9"),
        (0.0006, "0.1"),
        (0.0004, "<0.1"),
    ],
)
def test_a_probability_is_whole_from_one_percent_on(share: float, words: str) -> None:
    assert finding.percent_words(share) == words


def title(before: list[float], after: list[float], edits: bool = True) -> str:
    outcome: Any = SimpleNamespace(
        edits=edits, before=np.array(before), after=np.array(after), choices=tuple(range(len(before)))
    )
    words = ("Le", "chat", "dort")
    decode: Any = SimpleNamespace(trace=SimpleNamespace(tokens=SimpleNamespace(written=words)))
    return finding.falls_title(outcome, decode)


def test_the_title_names_the_word_that_falls_below_one_percent_or_else_most() -> None:
    start = [0.9, 0.8, 0.5]
    assert title(start, start, edits=False) == "How sure the model is of each token"
    assert title(start, [0.9, 0.004, 0.1]) == "“chat” falls below 1 %"
    assert title(start, [0.009, 0.009, 0.01]) == "2 of 3 tokens fall below 1 %"
    assert title(start, [0.009, 0.0097, 0.009]) == "2 of 3 tokens fall below 1 %", "0.97 % is printed as 1"
    assert title(start, [0.6, 0.2, 0.01]) == "“chat” falls most, from 80 % to 20 %", "not the factor"
    assert title([0.005, 0.8, 0.5], [0.001, 0.7, 0.5]) == "“chat” falls most, from 80 % to 70 %"
    assert title(start, [0.9, 0.795, 0.5]) == "No token loses as much as 1 percentage point"


def test_ranks_begin_at_one_and_equal_weights_share_theirs() -> None:
    assert ranks([3.0, 1.0, 1.0, 2.0]).tolist() == [4.0, 1.5, 1.5, 3.0]
    weights = np.array([[0.201, 0.199], [0.5, 0.2]])  # three print as 20 %
    order = [(kind, layer, head) for kind, layer, head in rank_for_pair("cross", weights)]
    assert order == [("cross", 1, 0), ("cross", 0, 0), ("cross", 0, 1), ("cross", 1, 1)]
    same = rank_for_pair("cross", np.full((2, 2), 0.25))
    assert same == [("cross", 0, 0), ("cross", 0, 1), ("cross", 1, 0), ("cross", 1, 1)]
