"""Signs that a sentence is far from the training text: each where it is planted, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from core.analysis.familiarity import RARE, Word, card_quantiles, strange_words, unlikely

KNOWN = [Word("my", 1, 900), Word("cat", 1, 400), Word("sleeps", 2, 300)]
QUANTILES = {"0.01": -0.85, "0.05": -0.63, "0.5": -0.22}


def test_a_sentence_of_known_words_is_not_strange() -> None:
    assert strange_words(KNOWN, KNOWN) == ()
    assert strange_words([Word("horse", 3, RARE)], KNOWN) == ()


@pytest.mark.parametrize(
    ("planted", "reason"),
    [
        (Word("Zuckerberg", 6, 200), "is read in 6 pieces"),
        (Word("therefore", 2, 2), "has a piece that occurs only 2 times in its training text"),
        (Word("quokka", 1, 0), "occurs never in its training text"),
        (Word("zarf", 1, 1), "occurs only 1 time in its training text"),
    ],
)
def test_a_planted_word_is_found_with_its_reason(planted: Word, reason: str) -> None:
    assert strange_words([*KNOWN, planted, planted], KNOWN) == ((planted, reason),)


def test_the_examples_say_how_many_pieces_are_usual() -> None:
    """A small vocabulary cuts every word: only what is cut finer than its own examples is strange."""
    small = [Word("chasing", 5, 40)]
    assert strange_words([Word("riding", 5, 40)], small) == ()
    assert strange_words([Word("photograph", 6, 40)], small)[0][0].text == "photograph"


def test_no_piece_is_rare_that_is_as_frequent_as_one_of_the_examples() -> None:
    few = [Word("tired", 1, 4)]
    assert strange_words([Word("book", 1, 4)], few) == ()
    assert strange_words([Word("boat", 1, 3)], few)[0][0].text == "boat"


def test_a_word_of_the_examples_is_never_strange() -> None:
    assert strange_words([Word("Paris", 1, 3)], [Word("Paris", 1, 3)]) == ()


def test_without_counts_only_the_pieces_speak() -> None:
    assert strange_words([Word("cat", 1), Word("gluons", 4)]) == ((Word("gluons", 4), "is read in 4 pieces"),)


@pytest.mark.parametrize(
    ("mean", "says"), [(-0.2, ""), (-0.6, ""), (-0.7, "lower than for 95 %"), (-1.2, "lower than for 99 %")]
)
def test_a_low_log_probability_is_told_with_the_share_that_it_is_below(mean: float, says: str) -> None:
    found = unlikely(mean, QUANTILES)
    assert bool(found) == bool(says)
    assert says in found
    if says:
        assert f"−{-mean:.2f} a token" in found and "median is −0.22" in found


def test_a_model_that_is_always_sure_is_not_suspected_for_a_hair() -> None:
    narrow = {"0.01": -0.0441, "0.05": -0.0436, "0.5": -0.043}
    assert unlikely(-0.045, narrow) == ""
    assert unlikely(-0.3, narrow)


def test_a_card_without_figures_says_nothing() -> None:
    assert unlikely(-9.0, {}) == ""


def card(quantiles: Any) -> dict[str, Any]:
    return {"figures": {"log_probability": {"quantiles": quantiles}}}


@pytest.mark.parametrize(
    "broken",
    [{}, {"figures": 3}, {"figures": {"log_probability": []}}, card("x"), card({"0.05": "low"}), card({"0.05": None})]
    + [card({"0.05": value}) for value in (float("nan"), float("-inf"), True, 0.5, -(10**400), 10**400)],
)  # fmt: skip
def test_what_a_card_states_is_not_taken_on_trust(broken: dict[str, Any]) -> None:
    assert card_quantiles(broken) == {}


def test_the_quantiles_of_a_card_are_read() -> None:
    assert card_quantiles(card({"0.05": -0.63, "0.5": -0.2})) == {"0.05": -0.63, "0.5": -0.2}
