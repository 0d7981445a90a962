"""What became of a text that was written again."""

from __future__ import annotations

import pytest

from core.analysis.readout import rewriting

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


def test_words_and_marks_are_compared_one_by_one() -> None:
    change = rewriting(SOFA, "Un jour, le monde.")
    assert change.kept == ("le", ".") and change.new == ("Un", "jour", ",", "monde")
    assert change.lost == ("Le", "chat", "dort", "sur", "canapé", "rouge")
    for words, text in ((change.before, SOFA), (change.after, "Un jour, le monde.")):
        assert "".join(" " * word.spaced + word.text for word in words) == text
