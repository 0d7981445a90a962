"""Zero-width joiners inside words and emoji stay in labels; elsewhere they are made visible."""

from __future__ import annotations

import pytest

from core.tokenizer.piece import Piece, begins_word, readable


@pytest.mark.parametrize(
    "text",
    [
        "می\u200cخواهم",  # Persian: the prefix does not join the verb
        "ക്\u200dഷ",  # Malayalam, after a virama
        "👨\u200d👩\u200d👧",
        "👩🏽\u200d⚕\ufe0f",
        "❤\ufe0f\u200d🔥",
    ],
)
def test_a_joiner_inside_a_word_or_an_emoji_stays(text: str) -> None:
    assert readable(text) == text


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("a\u200db", "a‹U+200D›b"),  # changes nothing between Latin letters, and hides
        ("می\u200c", "می‹U+200C›"),
        ("\u200d", "‹U+200D›"),
        ("👨\u200d\u200d👩", "👨‹U+200D›‹U+200D›👩"),
        ("می\u202eخ", "می‹U+202E›خ"),
    ],
)
def test_a_joiner_elsewhere_is_made_visible(text: str, label: str) -> None:
    assert readable(text) == label


def test_a_token_that_begins_with_a_joiner_goes_on_with_the_word() -> None:
    pieces = [Piece("می".encode(), spaced=True), Piece("\u200cخواهم".encode())]
    assert not begins_word(*pieces)
