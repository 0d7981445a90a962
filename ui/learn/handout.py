"""A lesson on one printed page: its texts, pictures and questions; the answers on a page of their own.

The numbers are those of the model at the moment of printing.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import streamlit as st

from core.analysis.readout import quoted
from core.errors import AtlasError
from core.language import tr
from core.learning.lesson import Block, Lesson, Span, Step, Value
from ui.learn import panel
from ui.learn.panel import Numbers
from ui.learn.small_map import map_html
from ui.learn.words import Words, fill
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cards, checkpoints
from ui.shared.context import CheckpointView
from ui.style import screen_text

_LETTERS: Final = "ABCDE"
_PICTURED: Final = ("attention", "translate", "inside")
"""The pages whose picture is a map of the step's head."""
_PICTURES: Final = 2
_LARGEST: Final = 12  # tokens a side of a map that can be read on paper
_TAGS: Final = {"strong": "b", "em": "em", "code": "code", "value": "b"}


def draw(lesson: Lesson, words: Words, shown: CheckpointView) -> None:
    """The printed page with, above it on screen, the way back and the switch to the answers."""
    solutions = shown.selection.solutions
    folder = Path(__file__).parent
    sheets = "".join((folder / name).read_text("utf-8") for name in ("learn.css", "handout.css"))
    st.html(f"<style>{sheets}</style>")
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="handout_bar"):
        st.button(f"← {words.done}", key="handout_back", on_click=state.update, kwargs={"handout": ""})
        st.toggle(tr("Solutions"), **state.bind("solutions"))
        cards.quiet(tr("Print this page with Ctrl + P; on paper it stands alone."), width="content")
    with st.spinner(tr("Computing …"), show_time=False):
        shown.load()
        st.html(page_html(lesson, words, shown, solutions))


def numbers_of(lesson: Lesson, number: int, shown: CheckpointView) -> Numbers | None:
    """The measures of a step's own view, whatever the reader looks at; None where it cannot be opened here."""
    step = lesson.steps[number]
    now = Selection(checkpoint=shown.selection.checkpoint, language=shown.selection.language)
    try:
        selection = panel.opened(step, panel.step_name(lesson, number), now, shown)
        entry, problem = checkpoints.find(selection.checkpoint)
        if problem:
            return None
        view = CheckpointView(entry, replace(selection, handout=""), shown.device)
        view.load()
        return Numbers(view)
    except AtlasError:
        return None


def holding(step: Step, numbers: Numbers | None) -> tuple[int | None, Value | None]:
    """The choice of the step's question that holds for the model, from 0, and the measured value."""
    if step.predict is None or numbers is None:
        return None, None
    try:
        value = numbers.value(step.predict.measure)
    except (AtlasError, IndexError):
        return None, None
    return step.predict.holding(value), value


def page_html(lesson: Lesson, words: Words, shown: CheckpointView, solutions: bool) -> str:
    """The page as HTML: the questions, or the answers to them."""
    measured = [numbers_of(lesson, number, shown) for number in range(len(lesson.steps))]
    parts = list(_solved(lesson, words, measured) if solutions else _steps(lesson, words, measured))
    title = html.escape(lesson.title)
    what = f"{title}: {html.escape(tr('Solutions'))}" if solutions else title
    name = "" if solutions else f'<p class="handout-name">{html.escape(tr("Name"))}: <span></span></p>'
    link = html.escape(fill(words.lesson) + f" · ?lesson={lesson.name}.1")
    return (
        f'<article class="handout" lang="{html.escape(lesson.language)}"><header><h2>{what}</h2>'
        f"<p>{html.escape(lesson.about)}</p>{name}</header>"
        f'<div class="handout-steps">{"".join(parts)}</div><footer>Attention Atlas · {link}</footer></article>'
    )


def _steps(lesson: Lesson, words: Words, measured: Sequence[Numbers | None]) -> Iterator[str]:
    pictures, asked = 0, [step for step in lesson.steps if step.predict is not None]
    # What a question asks for is blank on the whole sheet, and so is the map of which it asks for a row.
    blank = {step.predict.measure for step in asked if step.predict} | ({"looked_weight"} if asked else set())
    rows = {step.link.get("kind", "cross") for step in asked if step.drawn == "row"}
    for number, (step, numbers) in enumerate(zip(lesson.steps, measured, strict=True), start=1):
        value, given = _values(numbers, words, blank), _values(numbers, words)
        body = [f"<h3>{number}. {_spans(step.title, value)}</h3>", *_blocks(step.blocks, value)]
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
        yield f"<section>{''.join(body)}</section>"


def _solved(lesson: Lesson, words: Words, measured: Sequence[Numbers | None]) -> Iterator[str]:
    for number, (step, numbers) in enumerate(zip(lesson.steps, measured, strict=True), start=1):
        if step.predict is None:
            continue
        value, (right, _) = _values(numbers, words), holding(step, numbers)
        body = [f"<h3>{number}. {_spans(step.title, value)}</h3>"]
        body.append(f'<p class="handout-ask">{_spans(step.predict.ask, value)}</p>')
        if right is not None:
            answer = _spans(step.predict.choices[right].spans, value)
            body.append(f'<p class="handout-right">{_LETTERS[right]}  {answer}</p>')
        body += _blocks(step.predict.then, value)
        for n, choice in enumerate(step.predict.choices):
            if n != right and choice.why:
                body.append(f"<p><b>{_LETTERS[n]}</b>  {_spans(choice.why, value)}</p>")
        yield f"<section>{''.join(body)}</section>"


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
    scene = numbers.scene
    weights = scene.weights()[scene.head]
    tokens = scene.trace.tokens
    if max(weights.shape) > _LARGEST:
        return ""
    values = np.asarray(weights, dtype=np.float32)
    rows, reads = scene.queries, () if scene.kind == "encoder" else tokens.target
    if step.drawn == "row":
        values, rows, reads = values[: scene.row], rows[: scene.row], reads[: scene.row]
    drawn = Map(
        values, tuple(rows), tuple(scene.keys), scene.kind, named(scene.kind, *scene.head), tuple(reads)
    )
    where = tr("Head {head}, weights in %", head=f"{scene.head[0]}.{scene.head[1]}")
    word = f" · {quoted(scene.queries[scene.row])} ?" if step.drawn == "row" else ""
    return map_html(drawn, "light", where + word)
