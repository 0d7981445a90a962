"""The strip under a translation: its thresholds, and what it says in words."""

from __future__ import annotations

import pytest

from core.analysis.familiarity import (
    UNWRITTEN,
    length_words,
    likelihood_words,
    origin_words,
    reads_better,
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
        (("Sarah",), "Perhaps not translated: “Sarah”. Without it"),
        (("Sarah", "old"), "Perhaps not translated: “Sarah”, “old”. Without them"),
        (("a", "b", "c", "d", "e"), "Perhaps not translated: “a”, “b”, “c” and 2 more. Without them"),
        ((), "No sign of an untranslated source word."),
        (None, ""),
    ],
)
def test_what_is_said_of_words_left_out(words: tuple[str, ...] | None, said: str) -> None:
    found = unwritten_sentence(words)
    assert found.startswith(said) and bool(found) == bool(said)


@pytest.mark.parametrize(
    ("mean", "said"),
    [
        (-0.2, "as confident as usual (−0.20 per token; typical: −0.22)"),
        (-0.5, "less confident than usual (−0.50 per token"),
        (-0.1, "more confident than usual (−0.10 per token"),
        (-0.7, "unsure of this translation: −0.70 per token, lower than 95 %"),
        (-0.9, "lower than 99 %"),
    ],
)
def test_the_log_probability_stands_among_those_of_the_card(mean: float, said: str) -> None:
    assert said in likelihood_words(mean, QUANTILES)


def test_a_log_probability_that_is_rounded_to_zero_has_no_sign() -> None:
    assert likelihood_words(-0.004, None) == "Model confidence: 0.00 per token."
    assert likelihood_words(-0.004, {"0.5": -0.004, "0.25": -0.01, "0.75": 0.0}).endswith("typical: 0.00).")


def test_nothing_is_compared_where_there_is_nothing_to_compare_with() -> None:
    assert "gives no typical value" in likelihood_words(-0.5, {})
    assert likelihood_words(-0.5, None) == "Model confidence: −0.50 per token."


def test_a_sentence_longer_than_all_of_the_card_is_not_called_usual() -> None:
    """A 26-word sentence with a wrong translation can be likely: its length is the reason to doubt it."""
    long = length_words(26, 13, 140)
    assert "26 words" in long and "140 sentences" in long and "13 at most" in long
    assert length_words(19, 13, 140) == "" and length_words(26, 0, 0) == ""
    for mean in (-0.2, -0.1):
        said = likelihood_words(mean, QUANTILES, long)
        assert said.endswith(long) and "usual" not in said
    assert "less confident than usual" in likelihood_words(-0.5, QUANTILES, long)


def test_another_model_reads_a_sentence_better_that_it_cuts_into_fewer_pieces() -> None:
    """Nine German words: 25 pieces for a model that reads English, 13 for one that reads German."""
    assert reads_better(9, 25, 13)
    assert not reads_better(8, 10, 5) and not reads_better(9, 25, 20) and not reads_better(1, 6, 1)


def test_the_share_of_the_source_is_a_whole_percent() -> None:
    assert origin_words(0.621) == "62 % of the translation comes from the source."
    assert origin_words(None) == ""
