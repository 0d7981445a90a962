"""Intervals are held against Wilson's formula and against normal theory; the corrections against values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from core.analysis.uncertainty import (
    benjamini_hochberg,
    interval,
    normal_interval,
    rank_ranges,
    ratios,
    resamples,
)
from core.errors import InputError


@pytest.mark.parametrize(("words", "hits"), [(200, 20), (400, 200), (900, 693)])
def test_a_share_of_one_word_sentences_has_wilsons_interval(words: int, hits: int) -> None:
    found = interval(np.arange(words) < hits)
    share, z = hits / words, 1.959964
    centre = (share + z * z / (2 * words)) / (1 + z * z / words)
    half = z * np.sqrt(share * (1 - share) / words + z * z / (4 * words * words)) / (1 + z * z / words)
    assert found.value == pytest.approx(share) and found.sentences == words
    assert found.low == pytest.approx(centre - half, abs=0.01)
    assert found.high == pytest.approx(centre + half, abs=0.01)


def test_words_of_a_sentence_are_drawn_together() -> None:
    """Ten words that agree within each sentence carry the uncertainty of one."""
    hits = np.random.default_rng(1).integers(0, 2, 100).astype(float)
    alone = interval(hits)
    together = interval(hits * 10, np.full(100, 10.0))
    assert (together.low, together.high) == (pytest.approx(alone.low), pytest.approx(alone.high))


def test_a_ratio_weighs_sentences_by_their_words() -> None:
    found = interval(np.array([[1.0], [9.0]]), np.array([1.0, 99.0]))
    assert found.value == pytest.approx([0.1])
    assert found.low == pytest.approx([9 / 99]) and found.high == pytest.approx([1.0])


def test_the_interval_covers_the_truth_in_95_of_100_corpora() -> None:
    """Sentences of 1 to 20 words with a share of their own each; the truth is the share over all words there are."""
    rng, covered = np.random.default_rng(11), 0
    for _ in range(400):
        words = rng.integers(1, 21, 120)
        hits = rng.binomial(words, rng.beta(6, 4, 120))
        found = interval(hits, words, draws=400)
        covered += bool(found.low <= 0.6 <= found.high)
    assert 0.92 < covered / 400 < 0.98


def test_the_normal_interval_of_a_long_corpus_is_that_of_the_bootstrap() -> None:
    values = np.random.default_rng(2).gamma(2.0, size=(900, 3))
    drawn, normal = interval(values), normal_interval(values.mean(0), values.std(0), np.full(3, 900))
    assert normal.low == pytest.approx(drawn.low, abs=0.01) and normal.high == pytest.approx(
        drawn.high, abs=0.01
    )
    assert normal.sentences == 900


def test_nothing_to_count_is_nan_and_no_sentence_is_refused() -> None:
    found = interval(np.zeros((3, 2)), np.zeros(3))
    assert np.isnan(found.value).all() and np.isnan(found.low).all()
    with pytest.raises(InputError, match="at least one sentence"):
        interval(np.zeros((0, 2)))


def test_draws_keep_the_size_of_the_corpus_and_are_repeatable() -> None:
    drawn = resamples(7, 20)
    assert (drawn.sum(axis=1) == 7).all() and (drawn == resamples(7, 20)).all()
    assert np.array_equal(ratios(np.arange(7.0), draws=20), (drawn @ np.arange(7.0)) / 7)


def test_ranks_of_heads_that_do_not_differ_overlap() -> None:
    rng = np.random.default_rng(0)
    drawn = np.stack([rng.normal(size=500), rng.normal(size=500), np.full(500, 9.0)], axis=1)
    low, high = rank_ranges(drawn)
    assert (low[2], high[2]) == (1, 1)
    assert (low[:2] == 2).all() and (high[:2] == 3).all()
    low, high = rank_ranges(drawn, best="low")
    assert (low[2], high[2]) == (3, 3)


def test_benjamini_and_hochbergs_own_example() -> None:
    """The fifteen p-values of their paper's section 4; four are rejected at 5 %, three by Bonferroni."""
    p = [
        0.0001,
        0.0004,
        0.0019,
        0.0095,
        0.0201,
        0.0278,
        0.0298,
        0.0344,
        0.0459,
        0.3240,
        0.4262,
        0.5719,
        0.6528,
        0.7590,
        1.0,
    ]
    assert benjamini_hochberg(p).tolist() == [True] * 4 + [False] * 11
    assert benjamini_hochberg(np.array(p).reshape(3, 5)[::-1])[2].tolist() == [True] * 4 + [False]
    assert not benjamini_hochberg([0.2, 0.9]).any()
