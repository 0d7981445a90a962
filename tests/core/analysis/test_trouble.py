"""The strip under a translation: its thresholds, and what it says in words."""

from __future__ import annotations

import pytest

from core.analysis.familiarity import (
    UNWRITTEN,
    likelihood_words,
    origin_words,
    unwritten_sentence,
    unwritten_words,
)

QUANTILES = {"0.01": -0.85, "0.05": -0.63, "0.25": -0.35, "0.5": -0.22, "0.75": -0.14}


def test_words_without_which_the_translation_is_likelier_were_not_translated() -> None:
    words = ["a", "dog", "Sarah", ".", "old"]
    assert unwritten_words(words, [0.2, -7.0, UNWRITTEN, 9.0, 3.5]) == ("old", "Sarah"), (
        "a full stop is no word"
    )
    assert unwritten_words(words, [0.2, -7.0, UNWRITTEN - 1e-9, 0.0, 0.0]) == ()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("Sarah",), "Nothing was written for “Sarah”: without it"),
        (("Sarah", "old"), "Nothing was written for “Sarah” or “old”: without them"),
        (("a", "b", "c", "d", "e"), "Nothing was written for “a”, “b”, “c” and 2 more: without them"),
        ((), "No source word was found that it would be likelier without"),
        (None, ""),
    ],
)
def test_what_is_said_of_words_left_out(words: tuple[str, ...] | None, said: str) -> None:
    found = unwritten_sentence(words)
    assert found.startswith(said) and bool(found) == bool(said)


@pytest.mark.parametrize(
    ("mean", "said"),
    [
        (-0.2, "−0.20 a token, usual for its held-out"),
        (-0.5, "−0.50 a token, lower than usual"),
        (-0.1, "−0.10 a token, higher than usual"),
        (-0.7, "unsure of this translation: log-probability −0.70 a token, lower than for 95 %"),
        (-0.9, "lower than for 99 %"),
    ],
)
def test_the_log_probability_stands_among_those_of_the_card(mean: float, said: str) -> None:
    assert said in likelihood_words(mean, QUANTILES)


def test_a_log_probability_that_is_rounded_to_zero_has_no_sign() -> None:
    assert likelihood_words(-0.004, None) == "Log-probability 0.00 a token"
    assert likelihood_words(-0.004, {"0.5": -0.004, "0.25": -0.01, "0.75": 0.0}).endswith("(median 0.00)")


def test_nothing_is_compared_where_there_is_nothing_to_compare_with() -> None:
    assert "does not say what is usual" in likelihood_words(-0.5, {})
    assert likelihood_words(-0.5, None) == "Log-probability −0.50 a token"


def test_both_shares_are_of_one_whole() -> None:
    assert "62 % of it came from the source, 38 %" in origin_words(0.621)
    assert origin_words(None) == ""
