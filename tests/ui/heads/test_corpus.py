"""A reader's own sentences: read line by line, bounded, and refused in one sentence."""

from __future__ import annotations

import pytest

from core.errors import InputError
from ui.heads.atlas import LONGEST_LINE, MOST_CHARACTERS, MOST_LINES, Corpus, decoded, read_corpus


def test_a_line_is_a_sentence_with_a_translation_after_a_tab_or_without() -> None:
    found = read_corpus(" A man. \tUn homme.\r\n\n\t\nI am tired.\nA dog.\t\n", "mine")
    assert found.pairs == (("A man.", "Un homme."), ("I am tired.", ""), ("A dog.", ""))
    assert found.digest == Corpus("another name", found.pairs).digest
    assert found.digest != Corpus("mine", found.pairs[:2]).digest


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no sentence"),
        (" \n\t\n", "no sentence"),
        ("a\tb\tc", "Line 1 has 3 columns"),
        ("fine\n\tonly a translation", "Line 2 has 2 columns"),
        ("fine\n" + "x" * (LONGEST_LINE + 1), "Line 2 has 2,001 characters"),
        ("a\n" * (MOST_LINES + 1), "core heads"),
        ("a" * (MOST_CHARACTERS + 1), "core heads"),
    ],
)
def test_what_cannot_be_measured_is_refused(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as refused:
        read_corpus(text, "mine")
    assert "\n" not in str(refused.value)


def test_a_file_is_utf8_text() -> None:
    assert decoded("\ufeffété\n".encode()) == "été\n"
    for content in (b"\xff\xfe\x00", b"a\0b"):
        with pytest.raises(InputError):
            decoded(content)
