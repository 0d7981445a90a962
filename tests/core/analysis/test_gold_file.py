"""Gold files: what is read from one text or three, and one sentence for each thing that does not fit."""

from __future__ import annotations

import pytest

from core.analysis import alignment
from core.analysis.alignment import Gold, from_lines, from_texts, line_of
from core.errors import InputError

GOOD = "the dog ||| le chien ||| 1-1 2-2\na b c ||| d e ||| 1-2 3p1\n"
SECOND = Gold(frozenset({(0, 1)}), frozenset({(0, 1), (2, 0)}))


def test_one_text_and_three_are_read_alike() -> None:
    one = from_lines("g", GOOD)
    three = from_texts("g", "the dog\na b c\n", "le chien\nd e\n\n", "1-1 2-2\n1-2 3p1\n")
    assert one == three and one.digest == three.digest
    assert one.pairs == (("the dog", "le chien"), ("a b c", "d e"))
    assert one.of(" a b c ", "d e") == SECOND and one.of("a b c", "d") is None
    from_nought = from_texts("g", "the dog\na b c\n", "le chien\nd e\n", "0-0 1-1\n0-1 2p0", first=0)
    assert from_nought.gold == one.gold
    assert from_lines("g", line_of(["a", "b", "c"], ["d", "e"], SECOND)).gold == (SECOND,)
    assert from_lines("g", "\ufeff" + GOOD.replace("\n", "\r\n")) == one
    assert from_lines("g", GOOD.replace("3p1", "2p1")).digest != one.digest


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        ("a ||| b", "Line 1 has 2 parts"),
        (f"{GOOD}\na ||| b ||| 1-1", "Line 3 has 1 parts"),
        ("a ||| b ||| 1-2", "Line 1 links word 2 of a translation with 1 words"),
        ("a ||| b ||| 2-1", "Line 1 links word 2 of a sentence with 1 words"),
        ("a ||| b ||| 1:1", "Line 1 of the alignment holds '1:1'"),
        (" ||| b ||| ", "Line 1: the sentence has 0 characters"),
        ("a " * 1500 + "||| b ||| 1-1", "Line 1: the sentence has"),
    ],
)
def test_what_does_not_fit_is_one_sentence(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        from_lines("g", text)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300


def test_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="2 sentences, 1 translations and 1 lines"):
        from_texts("g", "a\nb", "c", "1-1")
    monkeypatch.setattr(alignment, "MOST_SENTENCES", 1)
    with pytest.raises(InputError, match="2 sentences; at most 1"):
        from_lines("g", GOOD)
    monkeypatch.setattr(alignment, "MOST_BYTES", 10)
    with pytest.raises(InputError, match="at most 10"):
        from_lines("g", GOOD)
