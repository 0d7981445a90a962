"""The class: a teacher pastes students' links and sees who answered what. Nothing of it is stored on the server."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, urlsplit

import streamlit as st

from core.errors import AtlasError
from core.language import plural, tr
from core.learning import rounds
from core.learning.lesson import Lesson
from core.learning.mistakes import IDS
from ui.learn import handout
from ui.learn.shelf import Shelf
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cards
from ui.shared.context import CheckpointView
from ui.style import screen_text

MOST_LINES: Final = 300
_LONGEST: Final = 40  # characters of a name
_LINK: Final = re.compile(r"\S*\?\S+")


@dataclass(frozen=True)
class HandedIn:
    """A student's line: the name before the link, or a number, and what the link holds."""

    name: str
    selection: Selection

    @property
    def lesson(self) -> str:
        """The lesson's name, empty for a game."""
        return self.selection.lesson.rpartition(".")[0]


def read_lines(pasted: str) -> tuple[list[HandedIn], int]:
    """What the lines hold, and how many of them hold no link with answers."""
    read: list[HandedIn] = []
    unread = 0
    for line in [each for each in pasted.splitlines() if each.strip()][:MOST_LINES]:
        address = _LINK.search(line)
        parameters = dict(parse_qsl(urlsplit(address[0]).query)) if address else {}
        known = {name: value for name, value in parameters.items() if name in state.PARAMETERS}
        selection = state.parse(known)[0] if known else Selection()
        if not selection.game and not (selection.lesson and selection.answers):
            unread += 1
            continue
        before = line[: address.start()].strip(" \t,;:|-–") if address else ""
        name = screen_text.plain(before, _LONGEST) or tr("Student {number}", number=len(read) + unread + 1)
        read.append(HandedIn(name, selection))
    return read, unread


def draw(shown: CheckpointView, shelved: Shelf) -> None:
    """The box for links, and a table for each lesson and for the game."""
    with st.expander(tr("Your class: who answered what")):
        cards.quiet(
            tr(
                "Paste your students’ links, one a line, with a name before each. Nothing is stored on the server."
            )
        )
        pasted = st.text_area(
            tr("Links"),
            key="class_links",
            max_chars=200_000,
            label_visibility="collapsed",
            placeholder="Anna  https://…/?lesson=story.8&answers=1-3,2-3",
        )
        if not (pasted or "").strip():
            return
        read, unread = read_lines(pasted or "")
        for name in dict.fromkeys(each.lesson for each in read if each.lesson):
            lesson = shelved.find(name, shown.selection.language)
            if lesson is None:
                unread += sum(each.lesson == name for each in read)
                continue
            with st.spinner(tr("Computing …"), show_time=False):
                _lesson(lesson, [each for each in read if each.lesson == name], shown)
        _games([each for each in read if not each.lesson], shown)
        if unread:
            cards.quiet(
                plural(
                    "{count} line has no link with answers", "{count} lines have no link with answers", unread
                )
            )


def right_choices(lesson: Lesson, shown: CheckpointView) -> dict[int, int]:
    """The choice that holds for the model, from 1, for each step with a question, from 1."""
    right = {}
    for number, step in enumerate(lesson.steps):
        if step.predict is None:
            continue
        holds, _ = handout.holding(step, handout.numbers_of(lesson, number, shown))
        if holds is not None:
            right[number + 1] = holds + 1
    return right


def rows_of(students: Sequence[HandedIn], right: dict[int, int]) -> list[list[str]]:
    """A row for each student: the name, each question with its mark, and how many are right; last the share of each question."""
    rows = []
    marks: dict[int, list[bool]] = {step: [] for step in right}
    for each in students:
        given = dict(each.selection.answers)
        cells = []
        for step, choice in right.items():
            if step in given:
                marks[step].append(given[step] == choice)
            cells.append(_mark(given.get(step), choice))
        rows.append([each.name, *cells, f"{cells.count('✓')} / {len(right)}"])
    shares = [f"{100 * sum(each) / len(each):.0f} %" if each else "–" for each in marks.values()]
    return [*rows, [tr("right"), *shares, ""]]


def _mark(given: int | None, right: int) -> str:
    """A tick, a cross with the letter of the wrong choice, or a dash where nothing was chosen."""
    if given is None:
        return "–"
    return "✓" if given == right else f"✗ {'ABCDE'[given - 1 : given]}".strip()


def _lesson(lesson: Lesson, students: Sequence[HandedIn], shown: CheckpointView) -> None:
    try:
        shown.load()
        right = right_choices(lesson, shown)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    cards.title(lesson.title)
    head = [tr("student"), *(str(step) for step in right), tr("right")]
    rows = rows_of(students, right)
    cards.table(rows, head, loud=[len(rows) - 1], name="scores")


def _games(players: Sequence[HandedIn], shown: CheckpointView) -> None:
    """The results of the game of Mistakes."""
    from core.learning.pitfalls import pitfall

    if not players:
        return
    fit = [name for name in IDS if not pitfall(name).unfit(shown.entry.config)]
    rows = []
    for each in players:
        played = rounds.deal(each.selection.deal, fit)
        made = [int(choice) for choice in each.selection.game][: len(played)]
        rows.append([each.name, str(each.selection.deal), f"{rounds.score(played, made)} / {len(made)}"])
    cards.title(tr("Mistakes"))
    cards.table(rows, [tr("student"), tr("deal"), tr("right")], name="scores")
