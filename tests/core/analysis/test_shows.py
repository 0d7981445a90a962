"""What an example shows, where it is and where it is not."""

from __future__ import annotations

import pytest

from core.analysis.familiarity import FEATURES, card_features, example_features, reordered, varied


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
