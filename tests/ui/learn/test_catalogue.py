"""The class page: lines are read whatever they hold, and marks are those of the model's answers."""

from __future__ import annotations

from ui.learn.catalogue import read_lines, rows_of

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


def test_marks_are_those_of_the_model() -> None:
    read, _ = read_lines(PASTED)
    rows = rows_of([each for each in read if each.lesson == "story"], {1: 3, 2: 3, 5: 1})
    assert rows == [
        ["Anna", "✓", "✗ A", "–", "1 / 3"],
        ["Ben", "✓", "–", "–", "1 / 3"],
        ["Student 3", "✗", "–", "–", "0 / 3"],
        ["right", "67 %", "0 %", "–", ""],
    ]
