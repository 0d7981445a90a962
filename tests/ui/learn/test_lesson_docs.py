"""docs/lessons.md: its example is a lesson that loads, and it names every key and every measure."""

from __future__ import annotations

import re
from pathlib import Path

from core.learning.lesson import MOST_BYTES, MOST_STEPS, MOST_TEXT, MOST_WORDS, plain, read_lesson
from core.learning.measures import MEASURES
from ui.learn.shelf import EXTRA, vocabulary

ROOT = Path(__file__).parents[3]
DOCS = (ROOT / "docs" / "lessons.md").read_text("utf-8")


def example() -> str:
    result = re.search(r"^````markdown\n(.*?)^````", DOCS, re.S | re.M)
    assert result
    return result[1]


def test_the_example_is_a_lesson() -> None:
    lesson = read_lesson(example(), "scores", "en", vocabulary())
    assert [plain(step.title) for step in lesson.steps] == ["Scores may be anything", "Weights are shares"]
    assert lesson.steps[1].predict is not None
    assert [step.link["draw"] for step in lesson.steps if "draw" in step.link] == ["scores"]


def test_every_key_of_the_example_is_explained_and_every_other() -> None:
    listed = set(re.findall(r"^\| `\[?(\w+)\]?` \|", DOCS, re.M))
    assert {*("title", "about", "minutes", "order", "link", "page", "predict")} <= listed
    assert {*("ask", "of", "choices", "then", "expected")} <= listed
    assert all(f"`{key}`" in DOCS for key in ("from", "to", "above", "below", "text"))
    assert "is =" in DOCS


def test_the_table_of_measures_is_that_of_the_app() -> None:
    table = DOCS[DOCS.index("## Measures") : DOCS.index("## Translating")]
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \|$", table, re.M)
    assert {name: about for name, about, _ in rows} == {
        name: measure.about for name, measure in MEASURES.items()
    }


def test_the_bounds_are_those_of_the_app() -> None:
    for bound in (MOST_BYTES, MOST_TEXT, MOST_WORDS, MOST_STEPS):
        assert f"{bound:,}" in DOCS
    assert EXTRA in DOCS
