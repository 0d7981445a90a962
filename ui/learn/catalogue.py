"""The Lessons page: every lesson with links to share, its printed page, and the class table; and the offer of the tour.

A printed page holds a lesson's texts, pictures and questions, and the answers on a page of their own, with the numbers of
the model at the moment of printing. The class table is made from the links that a teacher pastes; nothing of it is stored.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np
import streamlit as st

from core.analysis.readout import quoted
from core.errors import AtlasError
from core.language import numeral, plural, tr
from core.learning.lesson import STORY, TOUR, Block, Lesson, Prediction, Span, Step, plain
from core.learning.mistakes import IDS
from core.model.hooks import ATTENTION
from ui.app import frame
from ui.app.navigation import FRONT
from ui.learn import panel
from ui.learn.mistake_on_sentence import deal, map_html, score
from ui.learn.shelf import Numbers, Shelf, Words, fill, holding, numbers_in, numbers_of, shelf, step_name
from ui.learn.small_pictures import by_hand_table
from ui.session import state
from ui.session.selection import Selection
from ui.session.state import to_params
from ui.shared import cards, checkpoints
from ui.shared.context import CheckpointView
from ui.shared.mount import View, mount
from ui.style import screen_text


def draw_catalogue(shown: CheckpointView) -> None:
    """Title, one card per lesson, the story first and largest, the tour, and the lessons that could not be read."""
    shelved = shelf()
    language = shown.selection.language
    words = shelved.words_in(language)
    if lesson := shelved.find(shown.selection.handout, language):
        handout_page(lesson, words, shown)
        return
    cards.style(__file__, "catalogue.css")
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
    class_tables(shown, shelved)
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
            f'<li><a href="./{html.escape(short_link(lesson, number, shown))}">{html.escape(plain(step.title))}</a>'
            f"{_optional(step, words)}</li>"
            for number, step in enumerate(lesson.steps)
        )
        st.html(f'<ol class="lesson-links" lang="{html.escape(lesson.language)}">{listed}</ol>')
        steps, minutes = fill(words.steps, n=len(lesson.steps)), fill(words.minutes, n=lesson.minutes)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            _begin(lesson, words, shown)
            if any(step.answer for step in lesson.steps):
                _sheets(lesson)
            _links(lesson, words, shown)
            cards.quiet(f"{minutes} · {steps}", width="content")


def _optional(step: Step, words: Words) -> str:
    return f" <small>({html.escape(words.further)})</small>" if step.further else ""


def _sheets(lesson: Lesson) -> None:
    """The printed exercises and, apart, their answers."""
    for label, solutions in ((tr("Printed sheet"), False), (tr("Answers"), True)):
        st.button(
            label,
            key=f"sheet_{lesson.language}_{lesson.name}_{solutions:d}",
            on_click=state.update,
            kwargs={"handout": lesson.name, "solutions": solutions},
        )


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
    return "?" + urlencode({"lesson": step_name(lesson, step), **more, **hall})


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


# -- the offer of the tour ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OfferData:
    """What is offered, and the two buttons."""

    offer: str
    take: str
    no: str


TOUR_OFFER = View("tour", OfferData, taken=bool)


def offer(page: str) -> None:
    """Offer the tour on the front page if it was opened without a link; the browser knows whether it was offered before."""
    selection = state.selection()
    plain = not set(to_params(selection)) - {"language"}
    if page != FRONT or not plain or state.notice():
        return
    shelved = shelf()
    tour = shelved.find(TOUR, selection.language)
    if tour is None:
        return
    words = shelved.words_in(selection.language)
    taken = mount(TOUR_OFFER, OfferData(words.offer, words.take, words.no), key="tour_offer")("taken")
    if taken:
        panel.go(tour, 0, frame.in_force())


# -- one printed page -----------------------------------------------------------------------------------------

_LETTERS: Final = "ABCDE"
_PICTURED: Final = ("attention", "translate", "inside")
"""The pages whose picture is a map of the step's head."""
_ABOUT_NO_SENTENCE: Final = ("learning", "tutorials", "one_vector", "by_hand", "merges")
"""Pages, and pictures in place of a page."""
_PICTURES: Final = 2
_LARGEST: Final = 12  # tokens a side of a map that can be read on paper
_TAGS: Final = {"strong": "b", "em": "em", "code": "code", "value": "b"}


def handout_page(lesson: Lesson, words: Words, shown: CheckpointView) -> None:
    """The printed page with, above it on screen, the way back and the switch to the answers."""
    solutions = shown.selection.solutions
    cards.style(__file__, "learn.css", "handout.css")
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="handout_bar"):
        st.button(f"← {words.done}", key="handout_back", on_click=state.update, kwargs={"handout": ""})
        st.toggle(tr("Solutions"), **state.bind("solutions"))
        cards.quiet(tr("Print this page with Ctrl + P; the menus are left out."), width="content")
    with st.spinner(tr("Computing …"), show_time=False):
        shown.load()
        st.html(page_html(lesson, words, shown, solutions))


def page_html(lesson: Lesson, words: Words, shown: CheckpointView, solutions: bool) -> str:
    """The page as HTML: the questions, or the answers to them."""
    measured = [numbers_of(lesson, number, shown) for number in range(len(lesson.steps))]
    parts = list(_solved(lesson, words, measured, shown) if solutions else _steps(lesson, words, measured))
    title = html.escape(lesson.title)
    what = f"{title} · {html.escape(tr('Solutions'))}" if solutions else title
    name = (
        ""
        if solutions
        else f'<p class="handout-name">{html.escape(tr("{name}: {words}", name=tr("Name"), words=""))}<span></span></p>'
    )
    link = html.escape(fill(words.lesson) + f" · ?lesson={lesson.name}.1")
    return (
        f'<article class="handout" lang="{html.escape(lesson.language)}"><header><h2>{what}</h2>'
        f"<p>{html.escape(lesson.about)}</p>{name}</header>"
        f'<div class="handout-steps">{"".join(parts)}</div><footer>Attention Atlas · {link}</footer></article>'
    )


def _steps(lesson: Lesson, words: Words, measured: Sequence[Numbers | None]) -> Iterator[str]:
    pictures, sentence = 0, ""
    asked = [step for step in lesson.steps if step.predict is not None]
    # What a question asks for is blank on the whole sheet, and so is the map of which it asks for a row.
    blank = {step.predict.measure for step in asked if step.predict} | ({"looked_weight"} if asked else set())
    rows = {step.link.get("kind", "cross") for step in asked if step.drawn == "row"}
    for number, (step, numbers) in enumerate(zip(lesson.steps, measured, strict=True), start=1):
        value, given = _values(numbers, words, blank), _values(numbers, words)
        body = [f"<h3>{number}. {_spans(step.title, value)}{_optional(step, words)}</h3>"]
        of_none = not {step.page, step.drawn}.isdisjoint(_ABOUT_NO_SENTENCE)
        text = "" if of_none else step.link.get("text", "")
        if text and text != sentence:
            said = html.escape(tr("{name}: {words}", name=tr("Sentence"), words=""))
            body.append(f'<p class="handout-sentence">{said}<em>{html.escape(text)}</em></p>')
            sentence = text
        body += _blocks(step.blocks, value)
        if step.drawn == "by_hand":
            body.append(by_hand_table(answered=False))
        tells = step.drawn != "row" and step.link.get("kind", "cross") in rows
        picture = _picture(step, numbers) if pictures < _PICTURES and not tells else ""
        pictures += bool(picture)
        body.append(picture)
        if step.predict is not None:
            choices = "".join(
                f"<li><i>{_LETTERS[n]}</i><span>{_spans(choice.spans, given)}</span></li>"
                for n, choice in enumerate(step.predict.choices)
            )
            body.append(f'<p class="handout-ask">{_spans(step.predict.ask, given)}</p><ol>{choices}</ol>')
        if step.answer:
            body.append('<p class="handout-lines"></p>')
        yield f"<section>{''.join(body)}</section>"


def _solved(
    lesson: Lesson, words: Words, measured: Sequence[Numbers | None], shown: CheckpointView
) -> Iterator[str]:
    solved = replace(lesson, steps=tuple(step.solved for step in lesson.steps))
    for number, (step, numbers) in enumerate(zip(lesson.steps, measured, strict=True), start=1):
        if step.predict is None and not step.answer:
            continue
        value = _values(numbers, words)
        body = [f"<h3>{number}. {_spans(step.title, value)}</h3>"]
        if step.predict is not None:
            body += _right(step.predict, holding(step, numbers)[0], value)
        if step.drawn == "by_hand":
            body.append(by_hand_table(answered=True))
        if step.answer:
            body += _blocks(step.answer, _values(numbers_of(solved, number - 1, shown), words))
        yield f"<section>{''.join(body)}</section>"


def _right(predict: Prediction, right: int | None, value: Callable[[str], str]) -> list[str]:
    """The question, the choice that holds, what follows, and why the others do not."""
    body = [f'<p class="handout-ask">{_spans(predict.ask, value)}</p>']
    if right is not None:
        answer = _spans(predict.choices[right].spans, value)
        body.append(f'<p class="handout-right">{_LETTERS[right]}  {answer}</p>')
    body += _blocks(predict.then, value)
    body += [
        f"<p><b>{_LETTERS[n]}</b>  {_spans(choice.why, value)}</p>"
        for n, choice in enumerate(predict.choices)
        if n != right and choice.why
    ]
    return body


def _values(
    numbers: Numbers | None, words: Words, blank: Collection[str] = frozenset()
) -> Callable[[str], str]:
    """A measure in words; it is measured only where it is printed. Those in `blank` are a line to write on."""

    def value(name: str) -> str:
        if name in blank:
            return "______"
        return "–" if numbers is None else screen_text.plain(numbers.written(name, words.decimal), 300)

    return value


def _blocks(blocks: Sequence[Block], value: Callable[[str], str]) -> list[str]:
    made = []
    for block in blocks:
        inside = _spans(block.spans, value)
        made.append(f"<pre>{inside}</pre>" if block.kind == "code" else f"<p>{inside}</p>")
    return made


def _spans(spans: Sequence[Span], value: Callable[[str], str]) -> str:
    made = []
    for span in spans:
        text = html.escape(value(span.text) if span.kind == "value" else span.text)
        tag = _TAGS.get(span.kind)
        made.append(f"<{tag}>{text}</{tag}>" if tag else text)
    return "".join(made)


def _picture(step: Step, numbers: Numbers | None) -> str:
    """The map of the step's head, without the row that its question asks for; empty where the step has no such picture."""
    from core.learning.study import Map, named

    if numbers is None or step.page not in _PICTURED or (step.predict is not None and step.drawn != "row"):
        return ""
    if step.answer:  # its map would tell the answer
        return ""
    if step.link.get("kind", "cross") not in ATTENTION:  # all kinds in one picture
        return ""
    try:
        scene = numbers.scene
    except AtlasError:  # a sentence that this model cannot read
        return ""
    tokens = scene.trace.tokens
    values = np.asarray(scene.weights()[scene.head], dtype=np.float32)
    rows, reads = (tokens.source, ()) if scene.kind == "encoder" else (tokens.written, tokens.target)
    if step.drawn == "row":
        values, rows, reads = values[: scene.row], rows[: scene.row], reads[: scene.row]
    if max(values.shape) > _LARGEST:
        return ""
    drawn = Map(
        values,
        tuple(rows),
        tuple(scene.keys),
        scene.kind,
        named(scene.trace.config, scene.kind, *scene.head),
        tuple(reads),
    )
    where = tr("Head {head}, weights in %", head=f"{scene.head[0]}.{scene.head[1]}")
    word = f" · {quoted(scene.queries[scene.row])} ?" if step.drawn == "row" else ""
    return map_html(drawn, "light", where + word)


# -- the class table ------------------------------------------------------------------------------------------

MOST_LINES: Final = 300
MOST_OWN: Final = 40  # different sentences of students that one step is judged on
_LONGEST: Final = 40  # characters of a name
_LINK: Final = re.compile(r"\S*\?\S+")


@dataclass(frozen=True)
class HandedIn:
    """A student's line: the name before the link, or a number, and what the link holds.

    `own`: the link names the sentence of its step, which may be the student's own.
    """

    name: str
    selection: Selection
    own: bool = False

    @property
    def lesson(self) -> str:
        """The lesson's name, empty for a game."""
        return self.selection.lesson.rpartition(".")[0]

    @property
    def at(self) -> int:
        """The step that the link opens, from 1."""
        number = self.selection.lesson.rpartition(".")[2]
        return int(number) if number.isdecimal() else 0


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
        read.append(HandedIn(name, selection, "text" in known))
    return read, unread


def class_tables(shown: CheckpointView, shelved: Shelf) -> None:
    """The box for links, and a table for each lesson and for the game."""
    with st.expander(tr("Your class: who answered what")):
        cards.quiet(
            tr(
                "Paste your students’ links, one per line, with a name before each. Nothing is stored on the server."
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
                _lesson_table(lesson, [each for each in read if each.lesson == name], shown)
        _game_table([each for each in read if not each.lesson], shown)
        if unread:
            cards.quiet(
                plural(
                    "{count} line has no link with answers", "{count} lines have no link with answers", unread
                )
            )


@dataclass(frozen=True)
class Judge:
    """The choices that hold, for each student: by the model of the student's link, on each step's own sentence.

    The step that a link opens is judged on the sentence in the link. A decode of it costs, so only the first `MOST_OWN`
    different ones are judged.
    """

    lesson: Lesson
    shown: CheckpointView
    known: dict[tuple[int, str, str | None], int | None] = field(default_factory=dict)

    @property
    def asked(self) -> tuple[int, ...]:
        """The steps that ask something, from 1."""
        return tuple(n for n, step in enumerate(self.lesson.steps, start=1) if step.predict is not None)

    def right(self, student: HandedIn) -> dict[int, int | None]:
        """The choice that holds at each step that asks something, from 1; None where it cannot be judged."""
        return {number: self._choice(student, number) for number in self.asked}

    def _choice(self, student: HandedIn, number: int) -> int | None:
        selection = student.selection
        own = student.own and number == student.at
        key = (number, selection.checkpoint, selection.text if own else None)
        if key not in self.known:
            many = sum(text is not None for _, _, text in self.known) >= MOST_OWN
            self.known[key] = None if own and many else self._measured(selection, number, own)
        return self.known[key]

    def _measured(self, selection: Selection, number: int, own: bool) -> int | None:
        holds, _ = holding(
            self.lesson.steps[number - 1],
            numbers_in(selection, self.shown)
            if own
            else numbers_of(self.lesson, number - 1, self.shown, selection.checkpoint),
        )
        return None if holds is None else holds + 1


def rows_of(
    students: Sequence[HandedIn], right: Sequence[Mapping[int, int | None]], asked: Sequence[int]
) -> list[list[str]]:
    """A row for each student: the name, each question with its mark, and how many are right; last the share of each question.

    `right` are the choices that hold for each student.
    """
    rows = []
    marks: dict[int, list[bool]] = {step: [] for step in asked}
    for each, holds in zip(students, right, strict=True):
        given = dict(each.selection.answers)
        cells = []
        for step in asked:
            choice = holds.get(step)
            if step in given and choice is not None:
                marks[step].append(given[step] == choice)
            cells.append(_mark(given.get(step), choice))
        rows.append([each.name, *cells, f"{cells.count('✓')} / {len(asked)}"])
    shares = [f"{numeral(100 * sum(each) / len(each), '.0f')} %" if each else "–" for each in marks.values()]
    return [*rows, [tr("right"), *shares, ""]]


def _mark(given: int | None, right: int | None) -> str:
    """A tick, a cross with the letter of the wrong choice, a dash where nothing was chosen, or ? where it cannot be judged."""
    if given is None:
        return "–"
    if right is None:
        return "?"
    return "✓" if given == right else f"✗ {'ABCDE'[given - 1 : given]}".strip()


def _lesson_table(lesson: Lesson, students: Sequence[HandedIn], shown: CheckpointView) -> None:
    judge = Judge(lesson, shown)
    right = [judge.right(each) for each in students]
    cards.title(lesson.title)
    head = [tr("student"), *(str(step) for step in judge.asked), tr("right")]
    rows = rows_of(students, right, judge.asked)
    cards.table(rows, head, loud=[len(rows) - 1], name="scores")
    if any("?" in row for row in rows):
        cards.quiet(
            tr(
                "?: not judged, because the model or the sentence cannot be opened here, or because there are more than "
                "{count} sentences of the students’ own.",
                count=MOST_OWN,
            )
        )


def _game_table(players: Sequence[HandedIn], shown: CheckpointView) -> None:
    """The results of the game of Mistakes."""
    from core.learning.pitfalls import pitfall

    if not players:
        return
    rows = []
    for each in players:
        entry, problem = checkpoints.find(each.selection.checkpoint)
        config = (shown.entry if problem else entry).config
        fit = [name for name in IDS if not pitfall(name).unfit(config)]
        played = deal(each.selection.deal, fit)
        made = [int(choice) for choice in each.selection.game][: len(played)]
        rows.append([each.name, str(each.selection.deal), f"{score(played, made)} / {len(made)}"])
    cards.title(tr("Mistakes"))
    cards.table(rows, [tr("student"), tr("game"), tr("right")], name="scores")
