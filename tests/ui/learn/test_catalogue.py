"""The class page: lines are read whatever they hold, and marks are those of the model's answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ui.learn import catalogue
from ui.learn.catalogue import Judge, read_lines, rows_of
from ui.learn.shelf import shelf
from ui.session.selection import Selection
from ui.shared import checkpoints
from ui.shared.context import CheckpointView

PASTED = """
Anna  https://atlas.example.org/attention?lesson=story.8&answers=1-3,2-1&kind=cross
Ben, ?lesson=story.2&answers=1-3
https://atlas.example.org/?lesson=story.1&answers=1-9
Chloé: http://localhost:8501/pitfalls?game=1423&deal=7
no link at all
https://atlas.example.org/?lesson=story.1
<script>alert(1)</script> https://a.example/?lesson=masks.1&answers=1-1&lesson=masks.1&x=y
https://a.example/?lesson=../../etc&answers=1-1
"""


def test_lines_are_read_with_names_and_what_is_no_answer_is_counted() -> None:
    read, unread = read_lines(PASTED)
    assert [each.name for each in read[:4]] == ["Anna", "Ben", "Student 3", "Chloé"]
    assert [each.lesson for each in read] == ["story", "story", "story", "", "masks"]
    assert read[0].selection.answers == ((1, 3), (2, 1)) and read[3].selection.game == "1423"
    assert unread == 3
    assert read_lines("?lesson=a.1&answers=1-1\n" * 1000)[0][-1].name == "Student 300"


def test_marks_are_those_of_each_students_model() -> None:
    students = [each for each in read_lines(PASTED)[0] if each.lesson == "story"]
    holds = {1: 3, 2: 3, 5: 1}
    rows = rows_of(students, [holds, {1: 1, 2: 3, 5: None}, holds], (1, 2, 5))
    assert rows == [
        ["Anna", "✓", "✗ A", "–", "1 / 3"],
        ["Ben", "✗ C", "–", "–", "0 / 3"],
        ["Student 3", "✗", "–", "–", "0 / 3"],
        ["right", "33 %", "0 %", "–", ""],
    ]
    assert rows_of(students[:1], [{1: None}], (1,)) == [["Anna", "?", "0 / 1"], ["right", "–", ""]]


def test_a_students_own_sentence_and_model_decide() -> None:
    """“Tom was born in 1985.” has nine tokens or more; “Go.” has few: the answer that was right is wrong, and the reverse."""
    lesson = shelf().lessons["en"]["homework"]
    entry, _ = checkpoints.find("en-fr")
    shown = CheckpointView(
        entry, Selection(checkpoint="tutorials/tutorial-b"), None
    )  # what the teacher looks at
    link = "https://a.example/?lesson=homework.1&checkpoint=en-fr&answers=1-{answer}"
    lines = [
        f"Anna {link.format(answer=3)}",
        f"Ben {link.format(answer=1)}&text=Go.",
        f"Carl {link.format(answer=3)}&text=Go.",
        f"Dora {link.format(answer=3).replace('=en-fr', '=nowhere')}&text=Go.",
    ]
    judge = Judge(replace(lesson, steps=lesson.steps[:1]), shown)
    read, unread = read_lines("\n".join(lines))
    assert unread == 0 and [each.own for each in read] == [False, True, True, True]
    rows = rows_of(read, [judge.right(each) for each in read], judge.asked)
    assert [row[1] for row in rows[:4]] == ["✓", "✓", "✗ C", "?"]


def test_only_so_many_own_sentences_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[str | None] = []
    monkeypatch.setattr(catalogue, "numbers_in", lambda selection, shown: decoded.append(selection.text))
    lesson = shelf().lessons["en"]["homework"]
    entry, _ = checkpoints.find("en-fr")
    judge = Judge(replace(lesson, steps=lesson.steps[:1]), CheckpointView(entry, Selection(), None))
    lines = [f"?lesson=homework.1&answers=1-1&text=word+{number}" for number in range(catalogue.MOST_OWN + 9)]
    for each in read_lines("\n".join(lines))[0]:
        judge.right(each)
    assert len(decoded) == catalogue.MOST_OWN
