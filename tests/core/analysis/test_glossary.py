"""Every number that a page shows has a definition, a range and a source."""

from __future__ import annotations

import pytest

from core.analysis.alignment import RATE_ENTRIES
from core.analysis.contributions import CONTRIBUTIONS, LENSES, READINGS
from core.analysis.glossary import KINDS, MEASURES, QUALITY, SCORES, Score

TABLES = (SCORES, MEASURES, QUALITY, CONTRIBUTIONS, READINGS, LENSES, RATE_ENTRIES)


@pytest.mark.parametrize(
    "entry", [entry for table in TABLES for entry in table.values()], ids=lambda entry: entry.name
)
def test_each_entry_says_what_it_is_how_far_it_goes_and_who_said_so(entry: Score) -> None:
    told = dict(entry.details)
    assert entry.label and entry.definition.endswith(".") and set(entry.kinds) <= set(KINDS)
    assert set(told) == {"formula", "range", "better", "source", "counts"}
    assert all(told.values())
    assert any(digit in told["source"] for digit in "12"), "a year"
    counts = "this sentence only"
    if entry in QUALITY.values():
        counts = "all sentences of the set"
    elif entry in RATE_ENTRIES.values():
        counts = "gold alignment"
    elif entry.name in ("gain", "shift"):
        counts = "the model"
    assert counts in told["counts"]
    assert entry.down == entry.better_when.startswith("Lower is better.")
    for part in (entry.label, entry.definition, entry.range, entry.source):
        assert part in entry.markdown and part in entry.tip


@pytest.mark.parametrize("table", TABLES)
def test_an_entry_is_listed_by_its_name_under_a_label_of_its_own(table: dict[str, Score]) -> None:
    assert all(entry.name == name for name, entry in table.items())
    assert len({entry.label for entry in table.values()}) == len(table)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("confidence", "0 to 1"),
        ("monotonicity", "−1 to 1"),
        ("entropy", "from 0; its upper end grows with the number of tokens, in nats"),
        ("log_probability", "up to 0, in nats"),
        ("rank", "1 to the size of the vocabulary"),
        ("difference", "−100 to 100, in points"),
        ("sublayer_cosine", "−1 to 1"),
        ("stream_length", "from 0 upwards"),
    ],
)
def test_ranges_in_words(name: str, words: str) -> None:
    assert {**SCORES, **MEASURES}[name].range == words
