"""The panel of a lesson beside the page: its words, its question, and where the reader goes from it."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypedDict, cast, get_args

from ui.components.base import register

Way = Literal["step", "answer", "close", "home"]
_WAYS: tuple[str, ...] = get_args(Way)

_mount = register("lesson")


class LessonData(TypedDict):
    """One step as the browser gets it. Words are lists of [kind, words, target] (core/learning/lesson.py); a value's target
    is the name of its measure.

    `question` has `ask`, `choices` and, once answered, `answer`, `holds` (the choice that holds for the model, None where
    none does), `verdict` and `then`. `step` counts from 0; `titles`, `asks` and `answered` are of all steps.
    """

    lesson: str
    title: list[list[str]]
    blocks: list[list[Any]]
    question: dict[str, Any] | None
    step: int
    titles: list[str]
    asks: list[bool]
    answered: list[bool]
    words: dict[str, str]
    counted: str
    kind: str
    language: str


class Moved(NamedTuple):
    """What the reader pressed: a step or a choice by its number from 0, the cross, or the way to all lessons."""

    way: Way
    number: int = 0


def lesson_panel(data: LessonData, key: str = "lesson_panel") -> Moved | None:
    """Draw the panel; returns what was pressed in this run, else None."""
    moved = _mount(key=key, data=data, on_moved_change=lambda: None).get("moved")
    return read_moved(moved)


def read_moved(told: object) -> Moved | None:
    """What the browser told, None where it is nothing the panel has."""
    if not isinstance(told, (list, tuple)) or len(told) != 2 or told[0] not in _WAYS:
        return None
    number = told[1]
    if not isinstance(number, (int, float)) or not -1 <= number < 1000:
        return None
    return Moved(cast(Way, told[0]), int(number))
