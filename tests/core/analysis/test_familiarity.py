"""Signs that a sentence is far from the training text, what an example shows, and how a model ranks given tokens.

The sentence under a translation: its thresholds, and what it says in words.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from core.analysis.familiarity import (
    FEATURES,
    RARE,
    Word,
    card_features,
    card_quantiles,
    confidence_sentence,
    example_features,
    follows_the_best,
    length_sentence,
    longest_source,
    reads_better,
    reordered,
    scored,
    strange_sentence,
    strange_words,
    total,
    unknown_words,
    unlikely,
    varied,
)

KNOWN = [Word("my", 1, 900), Word("cat", 1, 400), Word("sleeps", 2, 300)]
QUANTILES = {"0.01": -0.85, "0.05": -0.63, "0.5": -0.22}


def test_a_sentence_of_known_words_is_not_strange() -> None:
    assert strange_words(KNOWN, KNOWN) == ()
    assert strange_words([Word("horse", 3, RARE)], KNOWN) == ()


@pytest.mark.parametrize(
    ("planted", "reason"),
    [
        (Word("Zuckerberg", 6, 200), "is cut into 6 pieces"),
        (Word("therefore", 2, 2), "contains a piece seen only 2 times in training"),
        (Word("quokka", 1, 0), "was never seen in training"),
        (Word("zarf", 1, 1), "was seen only once in training"),
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
    assert strange_words([Word("cat", 1), Word("gluons", 4)]) == (
        (Word("gluons", 4), "is cut into 4 pieces"),
    )


@pytest.mark.parametrize(
    ("mean", "says"), [(-0.2, ""), (-0.6, ""), (-0.7, "lower than for 95 %"), (-1.2, "lower than for 99 %")]
)
def test_a_low_log_probability_is_told_with_the_share_that_it_is_below(mean: float, says: str) -> None:
    found = unlikely(mean, QUANTILES)
    assert bool(found) == bool(says)
    assert says in found
    if says:
        assert f"−{-mean:.2f} per token" in found and "typical: −0.22" in found


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


@pytest.mark.parametrize(
    ("source", "translation", "language", "expected"),
    [
        ("She doesn't like cold water.", "Elle n'aime pas l'eau froide.", "en", ("negation",)),
        ("We have never been there.", "Nous n'y avons jamais été.", "en", ("negation",)),
        ("Ich trinke kein Bier.", "I drink no beer.", "de", ("negation",)),
        ("Je ne sais pas.", "I do not know.", "fr", ("negation",)),
        ("Ich trinke kein Bier.", "I drink no beer.", "", ()),  # of an unnamed language nothing is known
        ("My brother lives in Paris.", "Mon frère vit à Paris.", "en", ("name",)),
        ("Paris is large.", "Paris est grand.", "en", ()),  # every sentence begins with a capital
        ("Here I am.", "Me voici I.", "en", ()),
        ("My brother lives in Paris.", "Mon frère vit ici.", "en", ()),  # lost on the way
        ("Our train leaves at 8:25.", "Notre train part à 8 h 25.", "en", ("number",)),
        ("He has 17 books.", "Il a des livres.", "en", ()),
        ("What time is it?", "Quelle heure est-il ?", "en", ("question",)),
        ("Didn't Clara see 3 cats?", "Clara n'a-t-elle pas vu 3 chats ?", "en", ("negation", "name", "number", "question")),
    ],
)  # fmt: skip
def test_texts_tell_what_they_show(
    source: str, translation: str, language: str, expected: tuple[str, ...]
) -> None:
    assert example_features(source, translation, language) == expected


def test_neighbours_written_the_other_way_round() -> None:
    """“the black cat” → “le chat noir”: 0-0 1-2 2-1."""
    assert reordered([(0, 0), (1, 2), (2, 1)])
    assert example_features("the black cat", "le chat noir", "en", [(0, 0), (1, 2), (2, 1)]) == ("order",)
    assert example_features("is he here ?", "est il ici ?", "en", [(0, 0), (1, 2), (2, 1)]) == ("question",)
    assert not reordered([(0, 0), (1, 1), (2, 2)])
    assert not reordered([(0, 3), (1, 1)])  # far apart: a link that went astray looks like that
    assert not reordered([(1, 2), (1, 4), (2, 1)])  # a word with two links says nothing
    assert not reordered([])


def test_a_card_names_what_its_examples_show_in_known_words_alone() -> None:
    assert card_features({"shows": ["agreement", "order", "<b>", 3, None]}) == ("order", "agreement")
    assert card_features({"shows": []}) == ()
    for silent in ({}, {"shows": "order"}, {"shows": None}):
        assert card_features(silent) is None
    assert all(words and words.isprintable() for words in FEATURES.values())


EXAMPLES = (
    ("plain", ()),
    ("a name", ("name",)),
    ("another name", ("name",)),
    ("a very long sentence with everything", ("name", "order", "negation")),
    ("two", ("negation", "question")),
    ("order", ("order",)),
)


def test_those_that_show_most_together_are_taken_first() -> None:
    # two: 2 things; then a name and order add one each, a name stands first; then order.
    assert varied(EXAMPLES, 3, longest=15) == ["two", "a name", "order"]
    assert varied(EXAMPLES, 3, longest=99) == ["a very long sentence with everything", "two", "plain"]


def test_the_one_that_stands_open_is_among_them_and_what_it_shows_is_not_shown_twice() -> None:
    assert varied(EXAMPLES, 3, longest=15, first="a name") == ["a name", "two", "order"]
    assert varied(EXAMPLES, 2, longest=15, first="of no card") == ["of no card", "two"]
    assert varied((), 3, longest=15, first="alone") == ["alone"]
    assert varied(EXAMPLES, 20, longest=15)[-1] == "a very long sentence with everything"
    assert sorted(varied(EXAMPLES, 20, longest=15)) == sorted(text for text, _ in EXAMPLES)


def test_pieces_that_the_model_does_not_know_are_named() -> None:
    assert unknown_words(()) == ""
    assert unknown_words(("🙂",)) == "The model does not know “🙂”; it reads ⟨unk⟩ in its place."
    said = unknown_words(("م", "ر", "ح", "ب", "ا"))
    assert (
        said.startswith("The model does not know ") and "and 2 more; it reads ⟨unk⟩ in their place." in said
    )


def test_words_unlike_the_training_text_are_named() -> None:
    one = (Word("quokka", 1, 0), "was never seen in training")
    assert strange_sentence([]) == ""
    assert strange_sentence([one]) == "Unlike the training text: “quokka” was never seen in training."
    assert strange_sentence([one] * 5).endswith(", and 2 more.")


def test_a_sentence_is_long_where_no_training_sentence_was_as_long() -> None:
    assert length_sentence(67, 67) == length_sentence(900, None) == ""
    assert "With 68 tokens" in length_sentence(68, 67) and "(at most 67)" in length_sentence(68, 67)


@pytest.mark.parametrize(
    ("card", "longest"),
    [({"figures": {"longest_source": 67}}, 67)]
    + [({"figures": {"longest_source": bad}}, None) for bad in ("67", True, 0, -3, 6.5, None)]
    + [({}, None), ({"figures": 3}, None)],
)
def test_the_longest_source_of_a_card_is_a_whole_number(card: dict[str, Any], longest: int | None) -> None:
    assert longest_source(card) == longest


def test_a_translation_is_named_only_where_it_is_less_likely_than_nearly_all() -> None:
    said = confidence_sentence(-0.9, QUANTILES)
    assert said == "The model is far less confident than usual: −0.90 per token (typical: −0.22)."
    for mean in (-0.84, -0.63, -0.22, -0.001):
        assert confidence_sentence(mean, QUANTILES) == ""
    assert confidence_sentence(-9.0, {}) == confidence_sentence(-9.0, {"0.01": -1.0}) == ""
    assert confidence_sentence(-0.045, {"0.01": -0.0441, "0.5": -0.043}) == "", "all are that close together"


def test_a_translation_is_held_against_sentences_of_its_length() -> None:
    bands = [{"longest": 8, "quantiles": {"0.5": -0.1}}, {"longest": 20, "quantiles": {"0.5": -0.3}}]
    of_all = {"quantiles": {"0.5": -0.2}}
    held: dict[str, Any] = {"figures": {"log_probability": {**of_all, "by_length": bands}}}
    by_length = {length: card_quantiles(held, length) for length in (1, 8, 9, 20, 50)}
    assert by_length == {
        1: {"0.5": -0.1},
        8: {"0.5": -0.1},
        9: {"0.5": -0.3},
        20: {"0.5": -0.3},
        50: {"0.5": -0.3},
    }
    assert card_quantiles(held) == card_quantiles(card({"0.5": -0.2}), 9) == {"0.5": -0.2}
    for broken in (None, "x", [], [3], [{"longest": "8"}], [{"longest": True}]):
        held["figures"]["log_probability"]["by_length"] = broken
        assert card_quantiles(held, 9) == {"0.5": -0.2}


def test_another_model_reads_a_sentence_better_that_it_cuts_into_fewer_pieces() -> None:
    """Nine German words: 25 pieces for a model that reads English, 13 for one that reads German."""
    assert reads_better(9, 25, 13)
    assert not reads_better(8, 10, 5) and not reads_better(9, 25, 20) and not reads_better(1, 6, 1)
