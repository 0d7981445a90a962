"""The lesson panel beside a page: the step's text with the model's numbers, its question, navigation, and its picture.

A step's numbers are measured on the model and sentence in use. What a question asks for is not sent to the browser before
it is answered: no page is drawn, and the weights of the row are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Final, Literal
from urllib.parse import parse_qsl, urlencode

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.analysis.readout import capitalised, quoted
from core.errors import AtlasError
from core.language import tr
from core.learning.lesson import (
    Block,
    BlockKind,
    Choice,
    Lesson,
    Prediction,
    Span,
    Step,
    plain,
)
from core.learning.measures import MEASURES, WEIGHT_AT, Scene
from core.learning.measures import written as written_words
from core.model.hooks import attention_of
from ui.app import frame, navigation
from ui.app.navigation import FRONT, PAGES
from ui.learn.code_lines import PAGE, CodeData, code_data, code_of, view_of
from ui.learn.shelf import Numbers, Shelf, Words, fill, of_step, opened_by_step, shelf, step_name
from ui.learn.small_pictures import PICTURES
from ui.session import state
from ui.session.selection import PARAMETER_OF, Selection
from ui.shared import cards
from ui.shared.context import CheckpointView
from ui.shared.mount import View, mount
from ui.style import screen_text
from ui.style.theme import Kind
from ui.web.contract import Between

Way = Literal["step", "answer", "line", "close", "home"]
Spelled = tuple[str, str, str]
"""A span for the browser: its kind, its words, and where a link leads or which measure a value is."""


@dataclass(frozen=True)
class BlockData:
    """A paragraph, one item of a list, or lines of code."""

    kind: BlockKind
    spans: tuple[Spelled, ...]


@dataclass(frozen=True)
class ChoiceData:
    """A choice; once answered also its number, and to a reader who chose it wrongly the sentence why."""

    words: tuple[Spelled, ...]
    number: str = ""
    why: tuple[Spelled, ...] = ()


@dataclass(frozen=True)
class QuestionData:
    """A question with its choices; once answered also what was answered, the choice that holds for the model (None where
    none does), the sentence about it, and what follows.
    """

    ask: tuple[Spelled, ...]
    choices: tuple[ChoiceData, ...]
    answer: int | None = None
    holds: int | None = None
    verdict: tuple[Spelled, ...] = ()
    then: tuple[BlockData, ...] = ()


@dataclass(frozen=True)
class LessonData:
    """One step of a lesson. `step` counts from 0; `titles`, `asks` and `answered` are of all steps. `code` is None without."""

    lesson: str
    title: tuple[Spelled, ...]
    blocks: tuple[BlockData, ...]
    question: QuestionData | None
    step: int
    titles: tuple[str, ...]
    asks: tuple[bool, ...]
    answered: tuple[bool, ...]
    words: Words
    counted: str
    kind: Kind
    language: str
    code: CodeData | None = None


@dataclass(frozen=True)
class Pressed:
    """What the reader pressed: a step, a choice or a line of code by its number from 0, the cross, or the way to all lessons."""

    way: Way
    number: Annotated[int, Between(-1, 999)] = 0


LESSON = View("lesson", LessonData, moved=Pressed)


HOME: Final = "lessons"
# All that a short link to a step may hold, beside the front page's address.
_BARE: Final = ("lesson", "answers", "language", "presenter", "checkpoint", "full")
# What a lesson's link to a page keeps, where it names nothing else.
_LOOKED_AT: Final = ("checkpoint", "text", "kind", "layer", "head", "pins", "edits")
_WAITING: Final = "…"


@dataclass(frozen=True)
class OpenStep:
    """The open lesson and its open step, counted from 0."""

    lesson: Lesson
    step: int

    @property
    def now(self) -> Step:
        return self.lesson.steps[self.step]

    @property
    def name(self) -> str:
        """As a link has it."""
        return step_name(self.lesson, self.step)


def open_step(selection: Selection, shelved: Shelf) -> OpenStep | None:
    """The lesson step a selection names; None without a lesson, or if there is no such step."""
    name, _, number = selection.lesson.rpartition(".")
    lesson = shelved.find(name, selection.language) if name else None
    if lesson is None or not 1 <= int(number) <= len(lesson.steps):
        return None
    return OpenStep(lesson, int(number) - 1)


def panel() -> bool:
    """Draw the panel of the lesson that is open; moves to a step's page. Call before the page is drawn.

    Returns whether the step's picture is drawn in place of the page, as it is until its question is answered.
    """
    selection = state.selection()
    shelved = shelf()
    opened = open_step(selection, shelved)
    shown = frame.in_force()
    if opened is None:
        step = selection.lesson
        cards.notice(tr("There is no lesson step {step}; the page Lessons lists all steps.", step=step))
        return False
    link = state.followed_link()
    if link is not None and link.page == "" and link.parameters <= set(_BARE):
        go(opened.lesson, opened.step, shown)
    words = shelved.words_in(selection.language)
    cards.style(__file__, "panel.css")
    with st.container(key="lesson"):
        numbers = _numbers(opened, selection, shown)
        drawn = panel_data(opened, selection, words, numbers)
        moved: Pressed | None = mount(LESSON, drawn, key="lesson_panel")("moved")
    if moved is not None:
        _move(opened, moved, shown, numbers)
    answer = _answered(opened, selection)
    covered = opened.now.predict is not None and answer is None
    if opened.now.drawn in PICTURES and (covered or selection.full):
        PICTURES[opened.now.drawn](not covered)
        return True
    own_picture = opened.now.drawn == "row" and bool(selection.full) and _line(opened) is None
    pictured = covered or (opened.now.predict is not None and own_picture)
    if pictured:
        try:
            text, measured = (numbers.shown.text, numbers.scene) if numbers else ("", None)
        except AtlasError as error:  # a link's own sentence, too long for the model
            cards.notice(str(error))
            return False
        draw_scene(opened.now, text, measured, answer, drawn.kind)
    return pictured


def _answered(opened: OpenStep, selection: Selection) -> int | None:
    """The choice made in the open step, counted from 0."""
    answer, predict = dict(selection.answers).get(opened.step + 1), opened.now.predict
    return None if answer is None or predict is None or answer > len(predict.choices) else answer - 1


def _numbers(opened: OpenStep, selection: Selection, shown: CheckpointView | None) -> Numbers | None:
    """The step's measures, None while the model is loading."""
    if shown is None or not shown.is_loaded:
        return None
    try:
        return of_step(opened.now, opened.name, selection, shown)
    except AtlasError:
        return None


def _line(opened: OpenStep) -> int | None:
    """The line of code of the open step that was pressed last, from 0; None where none was, or the step asks first."""
    name, line = state.code_line()
    asks = opened.now.predict is not None and _answered(opened, state.selection()) is None
    return line if name == opened.name and not asks else None


def _press_line(opened: OpenStep, number: int, numbers: Numbers | None) -> None:
    """Show what a line of code computes: its numbers, and once the step's question is answered the card that has them."""
    code = code_of(opened.now, numbers)
    if code is None or numbers is None or number >= len(code.lines):
        return
    state.code_line.set((opened.name, number))
    if _line(opened) is None:
        return
    if not code.lines[number].card:
        st.rerun()
    now = state.selection()
    try:
        params = view_of(code, opened.now, numbers.scene, number, now)
    except AtlasError:
        return
    view = state.parse({"checkpoint": now.checkpoint, **params})[0]
    own = replace(view, answers=now.answers, language=now.language, presenter=now.presenter)
    state.put(replace(own, lesson=opened.name))
    st.switch_page(PAGES[PAGE].path, query_params=state.link_params())


def _move(opened: OpenStep, moved: Pressed, shown: CheckpointView | None, numbers: Numbers | None) -> None:
    match moved.way:
        case "line":
            _press_line(opened, moved.number, numbers)
        case "step":
            go(opened.lesson, min(max(moved.number, 0), len(opened.lesson.steps) - 1), shown)
        case "answer":
            _answer(opened, moved.number)
        case "close":
            state.put(replace(state.selection(), lesson="", answers=(), full=""))
            st.rerun()
        case "home":
            state.put(replace(state.selection(), lesson="", answers=(), full=""))
            st.switch_page(PAGES[HOME].path, query_params=state.link_params())


def _answer(opened: OpenStep, choice: int) -> None:
    """Keep the first answer to the step's question."""
    selection, predict = state.selection(), opened.now.predict
    given = dict(selection.answers)
    if predict is None or opened.step + 1 in given or not 0 <= choice < len(predict.choices):
        return
    given[opened.step + 1] = choice + 1
    state.put(replace(selection, answers=tuple(sorted(given.items()))))
    st.rerun()


def go(lesson: Lesson, step: int, shown: CheckpointView | None) -> None:
    """Open a step: its page with its own view. The model is loaded where the step's link asks for its numbers."""
    now = state.selection()
    if now.lesson.rpartition(".")[0] != lesson.name:
        now = replace(now, answers=())
    each = lesson.steps[step]
    state.code_line.set(("", 0))
    if shown is None:
        state.put(replace(now, lesson=step_name(lesson, step)))
    else:
        try:
            state.put(opened_by_step(each, step_name(lesson, step), now, shown))
        except AtlasError:
            state.put(replace(now, lesson=step_name(lesson, step)))
    st.switch_page(PAGES[each.page].path, query_params=state.link_params())


# -- what the browser gets ----------------------------------------------------------------------------------


def panel_data(opened: OpenStep, selection: Selection, words: Words, numbers: Numbers | None) -> LessonData:
    """The step as the browser draws it: text with its measures filled in, and the state of its question."""
    step, lesson = opened.now, opened.lesson
    value = _values(numbers, words)
    code = code_of(step, numbers)
    return LessonData(
        lesson=lesson.title,
        title=_spans(step.title, value, opened),
        blocks=_blocks(step.blocks, value, opened),
        question=None if step.predict is None else _question(opened, step.predict, selection, words, numbers),
        step=opened.step,
        titles=tuple(_title(each, words) for each in lesson.steps),
        asks=tuple(each.predict is not None for each in lesson.steps),
        answered=tuple(number + 1 in dict(selection.answers) for number in range(len(lesson.steps))),
        words=words,
        counted=fill(
            words.further_of if step.further else words.step_of, n=opened.step + 1, count=len(lesson.steps)
        ),
        kind=cards.kind_of(step.link.get("kind", "cross")),
        language=lesson.language,
        code=None if code is None or numbers is None else code_data(code, numbers, _line(opened)),
    )


def _title(step: Step, words: Words) -> str:
    """The title of a step in the list of all, with a word where it is optional."""
    title = plain(step.title, lambda name: _WAITING)
    return f"{title} ({words.further})" if step.further else title


def _values(numbers: Numbers | None, words: Words) -> Callable[[str], str]:
    """A function from a measure's name to its value in words, or … while the model is loading."""
    if numbers is None:
        return lambda name: _WAITING
    return lambda name: screen_text.plain(numbers.written(name, words.decimal), 300)


def _question(
    opened: OpenStep, predict: Prediction, selection: Selection, words: Words, numbers: Numbers | None
) -> QuestionData:
    value = _values(numbers, words)
    asked = QuestionData(
        ask=_spans(predict.ask, value, opened),
        choices=tuple(ChoiceData(_spans(choice.spans, value, opened)) for choice in predict.choices),
    )
    answer = _answered(opened, selection)
    if answer is None:
        return asked
    holds, verdict = _verdict(predict, answer, words, numbers)
    why = _spans(predict.choices[answer].why, value, opened) if answer != holds else ()
    choices = tuple(
        replace(
            each,
            number=_number(predict, choice, numbers, words),
            why=why if number == answer else (),
        )
        for number, (each, choice) in enumerate(zip(asked.choices, predict.choices, strict=True))
    )
    then = _blocks(predict.then, value, opened)
    return replace(asked, choices=choices, answer=answer, holds=holds, verdict=verdict, then=then)


def _number(predict: Prediction, choice: Choice, numbers: Numbers | None, words: Words) -> str:
    """The weight of the token that a choice names, where the question asks for the largest."""
    if numbers is None or choice.word is None or predict.measure != "looked_at":
        return ""
    return numbers.written(f"{WEIGHT_AT}{choice.word}", words.decimal)


def _verdict(
    predict: Prediction, answer: int, words: Words, numbers: Numbers | None
) -> tuple[int | None, tuple[Spelled, ...]]:
    """Which choice holds for this model, and the sentence about it."""
    if numbers is None:
        return None, (("text", words.waiting, ""),)
    shown = _values(numbers, words)(predict.measure)
    known = MEASURES.get(predict.measure)
    says, _, rest = (words.model if known is None or known.of_model else words.measured).partition("{value}")
    try:
        holds = predict.holding(numbers.value(predict.measure))
    except (AtlasError, IndexError):
        holds = None
    judged = words.neither if holds is None else words.right if holds == answer else words.wrong
    return holds, (("text", says, ""), ("value", shown, predict.measure), ("text", f"{rest} {judged}", ""))


def _blocks(
    blocks: tuple[Block, ...], value: Callable[[str], str], opened: OpenStep
) -> tuple[BlockData, ...]:
    return tuple(BlockData(block.kind, _spans(block.spans, value, opened)) for block in blocks)


def _spans(spans: tuple[Span, ...], value: Callable[[str], str], opened: OpenStep) -> tuple[Spelled, ...]:
    return tuple(
        ("value", value(span.text), span.text)
        if span.kind == "value"
        else (span.kind, span.text, _address(span.target, opened))
        for span in spans
    )


def _address(target: str, opened: OpenStep) -> str:
    """The address of a lesson's link; a page of the app keeps what is looked at, the lesson and its answers."""
    if not target or target.startswith("https:"):
        return target
    page, _, query = target.partition("?")
    named = dict(parse_qsl(query))
    if page == FRONT and not named:
        named = {"kind": "cross"}  # a bare front page with a lesson is a short link that opens the step
    now, asked = state.selection(), state.parse(named)[0]
    own = {name: getattr(asked, name) for name, parameter in PARAMETER_OF.items() if parameter in named}
    view = Selection(**{name: getattr(now, name) for name in _LOOKED_AT}).changed(**own)
    kept = {name: getattr(now, name) for name in ("answers", "language", "presenter")}
    params = {**named, **state.to_params(replace(view, lesson=opened.name, **kept))}
    return f"./{'' if page == FRONT else page}?{urlencode(params)}"


# -- the picture of a step ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SceneRow:
    """A row of the map by its tokens: the one it reads and, of a decoder row, the one it writes."""

    read: str
    written: str


@dataclass(frozen=True)
class SceneData:
    """The picture of a lesson's step. `weights` (R, K) are the rows that are known: without the last one while it is covered.

    `chosen` and `best` are the keys that a wrong answer named and the row looks at most, None before. Without rows the
    whole picture is covered; `known` are then lines (name, words) of what may be seen.
    """

    kind: Kind
    title: str
    subtitle: str
    readout: str
    covered: bool
    rows: tuple[SceneRow, ...] = ()
    keys: tuple[str, ...] = ()
    chosen: int | None = None
    best: int | None = None
    known: tuple[tuple[str, str], ...] = ()
    weights: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))


SCENE = View("scene", SceneData)


def draw_scene(step: Step, text: str, scene: Scene | None, answer: int | None, kind: Kind) -> None:
    """Draw the step's picture of a sentence. `scene` is None while the model is loading.

    `answer` is the reader's choice, counted from 0; None: what it asks for stays covered.
    """
    if scene is None:
        waiting = tr("The model is loading")
        mount(SCENE, SceneData(kind, waiting, "", "", covered=False), key="scene")
        return
    if step.drawn == "row":
        mount(SCENE, row_data(step, scene, answer), key="scene")
        return
    mount(SCENE, cover_data(step, text, scene, kind), key="scene")


def row_data(step: Step, scene: Scene, answer: int | None) -> SceneData:
    """The rows of the step's head down to its row, which is covered until there is an answer."""
    weights = scene.weights()[scene.head][: scene.row + (answer is not None)]
    read = scene.trace.tokens.source if scene.kind == "encoder" else scene.trace.tokens.target
    written = ("",) * len(read) if scene.kind == "encoder" else scene.trace.tokens.written
    rows = tuple(SceneRow(read[n], written[n]) for n in range(scene.row + 1))
    head, last = f"{scene.head[0]}.{scene.head[1]}", rows[-1]
    word = quoted(last.written or last.read)
    kind = tr(attention_of(scene.trace.config, scene.kind).phrase)
    subtitle = capitalised(tr("{kind} of head {head}: weights in %, and as lines", kind=kind, head=head))
    best = chosen = None
    if answer is None:
        title = tr("The decoder is about to write {word}", word=word)
        if not last.written:
            title = tr("The row of {word} is covered", word=word)
        readout = tr("The row of {word} is covered until you choose.", word=word)
    else:
        row = weights[-1]
        best = int(row.argmax())
        named = step.predict.choices[answer].word if step.predict else None
        chosen = _position(scene.keys, named, best)
        keys = (best, best if chosen is None else chosen)
        share, other = (written_words("looked_weight", float(row[key])) for key in keys)
        words = {"word": word, "head": head, "share": share, "key": quoted(scene.keys[best])}
        title = tr("Head {head} looks {share} at {key}", **words)
        readout = tr("In the row of {word}, head {head} gives {share} to {key}.", **words)
        if chosen is not None:
            readout = tr(
                "In the row of {word}, head {head} gives {share} to {key} and {other} to {chosen}.",
                **words,
                other=other,
                chosen=quoted(scene.keys[chosen]),
            )
    return SceneData(
        scene.kind,
        title,
        subtitle,
        readout,
        answer is None,
        rows,
        scene.keys,
        chosen,
        best,
        weights=weights.astype(np.float32),
    )


def _position(keys: Sequence[str], named: str | None, best: int) -> int | None:
    """The key of a wrong answer: the token as it is written, else in other letters; None for the right answer."""
    if named is None:
        return None
    exact = [n for n, key in enumerate(keys) if key == named]
    fitting = exact or [n for n, key in enumerate(keys) if key.casefold() == named.casefold()]
    return None if not fitting or best in fitting else fitting[0]


def cover_data(step: Step, text: str, scene: Scene, kind: Kind) -> SceneData:
    """A cover over the whole page, with the sentence of a page about one, and where the step changes the model the
    translation before.
    """
    reads = step.page == FRONT or navigation.about_a_decode(step.page, state.selection())
    known = [(tr("Sentence"), text)] if reads else []
    if step.page == "what_if":
        known.append((tr("Original translation"), scene.translation))
    title = tr("What do you expect?")
    subtitle = tr("The picture is drawn once you have chosen")
    return SceneData(kind, title, subtitle, "", covered=True, known=tuple(known))
