"""The Lessons page: every lesson with its languages, and links to share."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

import streamlit as st

from core.language import tr
from core.learning.lesson import STORY, TOUR, Lesson, plain
from ui.learn import classroom, handout, panel
from ui.learn.shelf import Shelf, shelf
from ui.learn.words import Words, fill
from ui.session import state
from ui.shared import cards
from ui.shared.context import CheckpointView
from ui.style import screen_text


def draw(shown: CheckpointView) -> None:
    """Title, one card per lesson, the story first and largest, the tour, and the lessons that could not be read."""
    shelved = shelf()
    language = shown.selection.language
    words = shelved.words_in(language)
    if lesson := shelved.find(shown.selection.handout, language):
        handout.draw(lesson, words, shown)
        return
    st.html(f"<style>{Path(__file__).with_name('catalogue.css').read_text('utf-8')}</style>")
    with st.container(horizontal=True, vertical_alignment="center", key="lessons_tour"):
        cards.title(words.title, words.about)
        if tour := shelved.find(TOUR, language):
            _begin(tour, words, shown, words.take)
    listed = shelved.listed(language)
    story = [lesson for lesson in listed if lesson.name == STORY]
    for lesson in story:
        with st.container(key="story"):
            _card(lesson, 0, words, shown)
    with st.container(key="lessons", horizontal=True):
        for number, lesson in enumerate([each for each in listed if each not in story], 1):
            _card(lesson, number, words, shown)
    classroom.draw(shown, shelved)
    _broken(shelved, words)


def _card(lesson: Lesson, number: int, words: Words, shown: CheckpointView) -> None:
    """Number (0: none), title, what one learns, the steps as links, minutes, and the button that begins."""
    with cards.card(f"lesson_{lesson.language}_{lesson.name}"):
        counted = f'<p class="lesson-number" aria-hidden="true">{number}</p>' if number else ""
        st.html(
            f'{counted}<h3 class="atlas-title" lang="{html.escape(lesson.language)}">{html.escape(lesson.title)}</h3>'
            f'<p class="atlas-subtitle" lang="{html.escape(lesson.language)}">{html.escape(lesson.about)}</p>'
        )
        listed = "".join(
            f'<li><a href="./{html.escape(short_link(lesson, number, shown))}">{html.escape(plain(step.title))}</a></li>'
            for number, step in enumerate(lesson.steps)
        )
        st.html(f'<ol class="lesson-links" lang="{html.escape(lesson.language)}">{listed}</ol>')
        steps, minutes = fill(words.steps, n=len(lesson.steps)), fill(words.minutes, n=lesson.minutes)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            _begin(lesson, words, shown)
            _links(lesson, words, shown)
            cards.quiet(f"{minutes} · {steps}", width="content")


def _begin(lesson: Lesson, words: Words, shown: CheckpointView, label: str = "") -> None:
    key = f"begin_{lesson.language}_{lesson.name}"
    look: Literal["primary", "secondary"] = "primary" if lesson.name == STORY else "secondary"
    if st.button(f"{label or words.begin} →", key=key, type=look):
        panel.go(lesson, 0, shown)


def _links(lesson: Lesson, words: Words, shown: CheckpointView) -> None:
    """The address of every step, to be copied; in the language that was chosen."""
    with st.popover(words.links, type="tertiary", width="content"):
        st.button(
            tr("One printed page"),
            key=f"handout_{lesson.language}_{lesson.name}",
            on_click=state.update,
            kwargs={"handout": lesson.name},
        )
        cards.quiet(words.handout)
        numbers = range(len(lesson.steps))
        st.code(
            "\n".join(f"{_server()}{short_link(lesson, number, shown)}" for number in numbers), language=None
        )


def short_link(lesson: Lesson, step: int, shown: CheckpointView) -> str:
    """What a link to a step is, behind the server's address: the app opens the step's view from it."""
    selection = shown.selection
    more = {"language": selection.language} if selection.language != "en" else {}
    hall = {"presenter": "1"} if selection.presenter else {}
    return "?" + urlencode({"lesson": panel.step_name(lesson, step), **more, **hall})


def _server() -> str:
    """The app's own address as the reader's browser has it, up to the front page; empty where nobody knows it."""
    address = (st.context.url or "").partition("?")[0]
    return address.removesuffix(panel.HOME)


def _broken(shelved: Shelf, words: Words) -> None:
    if shelved.problems:
        with cards.card("lessons_broken", fill=False):
            cards.title(words.own)
            for problem in shelved.problems[:20]:
                cards.mistake(screen_text.plain(problem))
