"""Names of heads and tokens, word for word; percents of the parts of a whole sum to 100.

What became of a text that was written again.
"""

from __future__ import annotations

import pytest

from core.analysis.readout import (
    decimal,
    how_many,
    key_names,
    minus,
    quoted,
    rewriting,
    subject,
    whole_percents,
    words_changed,
)
from core.errors import InputError


def test_a_repeated_label_says_which_token() -> None:
    assert key_names(["the", "dog", "the", "⟨end⟩"]) == [
        "“the” (token 1)",
        "“dog”",
        "“the” (token 3)",
        "the end token",
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"layer": 2, "head": 3}, "head 2.3"),
        ({"layer": 3, "head": None, "heads": 8}, "the mean of 8 heads in layer 3"),
        ({"layer": 3, "head": None}, "the mean of all heads in layer 3"),
        ({"layer": None, "head": 4, "layers": 6, "how": "max"}, "the strongest of head 4 in 6 layers"),
        ({"layer": None, "head": None, "heads": 8, "layers": 6}, "the mean of 48 heads"),
        ({"layer": 0, "head": None, "heads": 1, "how": "max"}, "the strongest of 1 head in layer 0"),
    ],
)
def test_who_looked(arguments: dict, words: str) -> None:
    assert subject(**arguments) == words


def test_right_to_left_labels_are_isolated() -> None:
    assert quoted("كلب") == "“\u2068كلب\u2069”"
    assert quoted("dog") == "“dog”"


def test_what_is_rounded_to_zero_has_no_sign() -> None:
    assert [decimal(value) for value in (-0.004, 0.004, -0.0, -0.006, -12.5)] == [
        "0.00", "0.00", "0.00", "−0.01", "−12.50",
    ]  # fmt: skip
    assert [decimal(value, 1, plus=True) for value in (-0.04, 0.04, 0.06, -0.06, -100)] == [
        "0.0", "0.0", "+0.1", "−0.1", "−100.0",
    ]  # fmt: skip
    assert decimal(-0.4, 0) == "0" and decimal(-0.0004, 3) == "0.000" and decimal(-0.0006, 3) == "−0.001"


def test_a_count_is_one_or_several_and_its_thousands_stand_apart() -> None:
    told = [how_many(number, "sentence") for number in (0, 1, 2, 1000, 1_234_567)]
    assert told == ["0 sentences", "1 sentence", "2 sentences", "1,000 sentences", "1,234,567 sentences"]


def test_a_number_that_is_written_gets_a_readers_minus() -> None:
    written = ("-1e-07", "2e-7", "-0", "+0.00", "-inf", "nan")
    assert [minus(each) for each in written] == ["−1e−07", "2e−7", "0", "0.00", "−inf", "nan"]


def test_parts_that_would_round_to_101_sum_to_100() -> None:
    shares = [0.505, 0.335, 0.16]
    assert sum(round(100 * share + 1e-9) for share in shares) == 101
    assert whole_percents(shares) == [51, 33, 16]
    assert sum(whole_percents([1 / 3] * 3)) == 100
    assert whole_percents([0.25, 0.75]) == [25, 75]


def test_parts_of_less_than_a_whole_sum_to_what_they_are() -> None:
    assert whole_percents([0.105, 0.105]) == [11, 10]
    assert whole_percents([]) == []


def test_what_is_no_share_is_refused() -> None:
    for wrong in ([-0.1, 1.1], [float("nan")]):
        with pytest.raises(InputError, match="none of them below 0"):
            whole_percents(wrong)


SOFA = "Le chat dort sur le canapé rouge."


@pytest.mark.parametrize(
    ("after", "outcome"),
    [
        (SOFA, "same"),
        ("", "nothing"),
        ("Le chat dort sur le canapé.", "omits"),
        ("Le chat dort dort sur le canapé rouge.", "adds"),
        ("Le chat dort sur le lit rouge.", "replaces"),
        ("Le chien dort sur le lit rouge.", "changes"),
        ("Le chat dort le chat dort le chat dort", "repeats"),
        ("Un jour de manière dont le monde est de la taille du doigt.", "other topic"),
        ("Le rouge est sur le point de se coucher.", "other"),
    ],
)
def test_each_outcome_follows_from_the_difference(after: str, outcome: str) -> None:
    assert rewriting(SOFA, after).outcome() == outcome
    in_words = rewriting(SOFA, after).outcome(whole_words=True)
    assert in_words == ("other language" if outcome == "other topic" else outcome)


def test_a_single_word_is_about_nothing() -> None:
    assert rewriting("hgfedcba", "cjif").outcome(True) == "other"
    assert rewriting("1979-05-03", "1902-01-02").outcome(True) == "other"


def test_no_more_words_could_stay_in_their_order() -> None:
    before = "Une fille est assise et lit un livre en os avec un chien de football brun."
    after = "Les jours ont été élevés par des moyens. Un jour de main est en train de s'enfuir."
    assert rewriting(before, after).kept == ("est", "en", "de", ".")


def test_words_and_marks_are_compared_one_by_one() -> None:
    change = rewriting(SOFA, "Un jour, le monde.")
    assert change.kept == ("le", ".") and change.new == ("Un", "jour", ",", "monde")
    assert change.lost == ("Le", "chat", "dort", "sur", "canapé", "rouge")
    moved = rewriting("Le cuisinier coupe dans la cuisine.", "La cuisine coupe un cuisinier dans la salle.")
    assert moved.kept == ("coupe", "dans", "la", ".")
    for words, text in ((change.before, SOFA), (change.after, "Un jour, le monde.")):
        assert "".join(" " * word.spaced + word.text for word in words) == text


def test_words_that_change_are_counted_without_the_marks_beside_them() -> None:
    before = "Le petit oiseau vert est assis sur une branche."
    assert words_changed(before, "Le nuage vert est assis.") == 5  # “assis” stays, whatever follows it
    assert words_changed(before, before.rstrip(".")) == 0
