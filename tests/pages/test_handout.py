"""A lesson on paper: every question, no answer; the answers apart, as the model gives them now."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.learning.lesson import plain
from tests.pages.test_pages import Open, press, shown, sound, words
from tests.ui.learn.test_lessons import numbers_of
from ui.learn.shelf import shelf
from ui.shared import cache
from ui.shared import checkpoints as listing


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shipped checkpoints, on which the lessons' answers are known."""
    monkeypatch.setattr(listing, "FOLDER", Path(__file__).parents[2] / "checkpoints")
    cache.ENTRIES.clear()


def sheet(app: AppTest) -> str:
    return html.unescape(words(app).split('class="handout"')[1])


def text_of(markup: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", markup).split())


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("name", "language"), [("attention", "en"), ("story", "fr")])
def test_a_sheet_asks_everything_and_tells_no_answer(
    open_app: Open, shipped: None, name: str, language: str
) -> None:
    lesson = shelf().lessons[language][name]
    app = sound(open_app("lessons", {"handout": name, "language": language, "checkpoint": "en-fr"}))
    asked = text_of(sheet(app))
    assert "–" not in re.findall(r"<b>(.*?)</b>", sheet(app))
    for step in lesson.steps:
        assert " ".join(plain(step.title).split()) in asked
        if step.predict is None:
            continue
        for choice in step.predict.choices:
            longest = max(plain(choice.spans, lambda value: "\0").split("\0"), key=len).strip()
            assert " ".join(longest.split()) in asked
            said = max(plain(choice.why, lambda value: "\0").split("\0"), key=len).strip()
            assert " ".join(said.split()) not in asked
    # The row that a question asks for is not on the sheet, nor another map that has it.
    drawn = sheet(app).split('class="atlas-map"')[1:]
    rows = next(int(step.link["step"]) for step in lesson.steps if step.drawn == "row")
    assert len(drawn[0].split("<tbody>")[1].split("</tbody>")[0].split("</tr>")) - 1 == rows - 1
    number = next(number for number, step in enumerate(lesson.steps, start=1) if step.drawn == "row")
    assert f"<b>{numbers_of(name, number).written('word')}</b></th>" not in sheet(app)
    app = sound(app.toggle(key="widget_solutions").set_value(True).run())
    assert shown(app).solutions and "atlas-map" not in sheet(app)
    rights = re.findall(r'class="handout-right">([A-E])', sheet(app))
    assert rights == ["ABCDE"[step.predict.expected] for step in lesson.steps if step.predict]  # type: ignore[index]


def test_the_numbers_of_the_solutions_are_the_models(open_app: Open, shipped: None) -> None:
    app = sound(open_app("lessons", {"handout": "attention", "solutions": "1", "checkpoint": "en-fr"}))
    value = numbers_of("attention", 1).written("looked_weight")
    assert f"<b>{value}</b>" in sheet(app)
    app = press(app, "handout_back")
    assert shown(app).handout == "" and "handout-steps" not in words(app)


@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_exercises_are_a_sheet_and_their_answers_another(
    open_app: Open, shipped: None, language: str
) -> None:
    lesson = shelf().lessons[language]["exercises"]
    app = sound(open_app("lessons", {"checkpoint": "en-fr", "language": language}))
    app = press(app, f"sheet_{language}_exercises_0")
    assert (shown(app).handout, shown(app).solutions) == ("exercises", False)
    asked = text_of(sheet(app))
    assert sheet(app).count("handout-lines") == len(lesson.steps) == 8
    assert "atlas-map" not in sheet(app), "a map tells the answer"
    app = press(app, "handout_back")
    app = press(app, f"sheet_{language}_exercises_1")
    answers = text_of(sheet(app))
    assert "–" not in re.findall(r"<b>(.*?)</b>", sheet(app)) and "handout-lines" not in sheet(app)
    for step in lesson.steps:
        title = " ".join(plain(step.title).split())
        assert title in asked and title in answers
        (block,) = step.answer
        longest = max(plain(block.spans, lambda name: "\0").split("\0"), key=len).strip()
        assert " ".join(longest.split()) in answers and " ".join(longest.split()) not in asked


def test_a_causal_row_is_labelled_by_what_it_reads_and_what_it_writes(open_app: Open, shipped: None) -> None:
    """And the sentence is printed once for the steps that share it; a picture of all kinds is no map of one."""
    app = sound(open_app("lessons", {"handout": "masks", "checkpoint": "en-fr"}))
    said = text_of(sheet(app))
    assert said.count("Sentence: The cat is sleeping on the red sofa.") == 1
    assert said.count("Sentence: ") == 3  # two steps have one of their own
    rows = re.findall(r"<tr>.*?</th>", sheet(app).split('class="atlas-map"')[1].split("<tbody>")[1])
    tokens = numbers_of("masks", 2).scene.trace.tokens
    assert [text_of(row).split()[-1] for row in rows] == list(tokens.written)
    assert list(tokens.written) != list(tokens.target)
    assert "cross-attention" not in said.split("Why training needs the mask")[1].casefold()


def test_a_class_s_links_become_a_table_of_marks(open_app: Open, shipped: None) -> None:
    app = sound(open_app("lessons", {"checkpoint": "en-fr"}))
    expected = [step.predict.expected for step in shelf().lessons["en"]["story"].steps if step.predict]
    all_right = ",".join(f"{number}-{choice + 1}" for number, choice in enumerate(expected, start=1))  # type: ignore[operator]
    lines = f"Anna ?lesson=story.13&answers={all_right}\nBen ?lesson=story.2&answers=1-1,2-3\nx"
    app = sound(app.text_area(key="class_links").set_value(lines).run())
    said = words(app)
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", said.split('class="atlas-scores"')[1])
    assert cells[:15] == ["Anna", *["✓"] * 13, "13 / 13"]
    assert cells[15:19] == ["Ben", "✗ A", "✓", "–"] and "1 line has no link with answers" in said
