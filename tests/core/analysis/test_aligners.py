"""Alignment without attention: the diagonal by its definition, IBM model 1 on a toy corpus, heads that beat them."""

from __future__ import annotations

import numpy as np
import pytest

from core.analysis.aligners import diagonal, ibm1
from core.analysis.alignment import Measured, better_than, rate_draws, rate_interval


@pytest.mark.parametrize(
    ("source", "target", "links"),
    [
        (3, 3, {(0, 0), (1, 1), (2, 2)}),
        (2, 3, {(0, 0), (0, 1), (1, 2)}),  # half way: the earlier
        (5, 2, {(0, 0), (4, 1)}),
        (4, 1, {(0, 0)}),
        (1, 3, {(0, 0), (0, 1), (0, 2)}),
        (0, 2, set()),
    ],
)
def test_the_diagonal_goes_from_the_first_word_to_the_last(source: int, target: int, links: set) -> None:
    assert diagonal(source, target) == links


def test_ibm_model_1_learns_which_words_occur_together() -> None:
    """The example of Koehn (2010, section 4.2), in which the order says nothing and the word “das” is told by the others."""
    pairs = [("das Haus", "the house"), ("das Buch", "book the"), ("ein Buch", "a book")]
    assert ibm1(pairs) == [{(0, 0), (1, 1)}, {(1, 0), (0, 1)}, {(0, 0), (1, 1)}]


def test_ibm_model_1_is_expectation_maximisation() -> None:
    """One pass by hand on one pair: p(b | x) = p(a | x) = 1/2 for every source word, so that the earliest is taken."""
    assert ibm1([("x y", "a b")], passes=1) == [{(0, 0), (0, 1)}]
    assert ibm1([("", "a")]) == [set()] and ibm1([]) == []


def counts(rng: np.random.Generator, right: float, sentences: int = 60) -> np.ndarray:
    """Per-sentence counts of an aligner that finds each of 4 to 12 sure links with probability `right`."""
    sure = rng.integers(4, 13, sentences)
    hits = rng.binomial(sure, right)
    return np.stack([sure, sure, hits, hits], axis=1)


def test_rates_and_their_intervals_are_those_of_the_summed_counts() -> None:
    each = counts(np.random.default_rng(0), 0.7)
    total = Measured(*map(int, each.sum(axis=0)))
    for name in ("aer", "precision", "recall"):
        found = rate_interval(each, name)  # type: ignore[arg-type]
        assert found.value == pytest.approx(getattr(total, name)) and found.sentences == 60
        drawn = rate_draws(each, name)  # type: ignore[arg-type]
        assert [found.low, found.high] == pytest.approx(np.quantile(drawn, [0.025, 0.975]))
    words = each[:, 1].sum()
    half = 1.96 * np.sqrt(total.aer * (1 - total.aer) / words)
    assert rate_interval(each, "aer").high - total.aer == pytest.approx(half, rel=0.35)


def test_only_heads_that_are_better_beat_an_aligner() -> None:
    rng = np.random.default_rng(1)
    heads = np.stack([counts(rng, right) for right in (0.9, 0.5, 0.5, 0.5, 0.2)], axis=1).reshape(60, 1, 5, 4)
    assert better_than(heads, counts(rng, 0.5)).tolist() == [[True, False, False, False, False]]
