"""The shipped lessons as pages to read: texts with the numbers of the shipped model, and questions whose answers are covered.

What a question asks for is no part of the page before the reader has chosen: it lies in templates, which the browser
neither shows nor reads out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from core.analysis.readout import rewriting
from core.errors import AtlasError
from core.language import tr
from core.learning import trials
from core.learning.lesson import Block, Choice, Lesson, Prediction, Span, Step
from core.learning.measures import MEASURES
from ui.export.files import escaped
from ui.learn import watch
from ui.learn.panel import row_data
from ui.learn.shelf import Numbers, Words, fill, holding, numbers_of, shelf
from ui.shared.cards import two_lines
from ui.site.pictures import Picture, head_data, picture, shipped
from ui.style import screen_text

_HEAD_PAGES: Final = ("attention", "translate", "inside")
_EDITED_PAGES: Final = ("what_if",)
_TAGS: Final = {"strong": "strong", "em": "em", "code": "code", "value": "b"}
_LETTERS: Final = "ABCDE"
_BEFORE_SIGNS: Final = re.compile(r"(?<=«) | (?=[»?!;:])")
"""Spaces that no line may end at: those of French around guillemets and before double signs."""


def listed(language: str) -> list[Lesson]:
    """Every lesson in a language, in their order, without the tour of the app's own pages."""
    return shelf().listed(language)


def lesson_html(lesson: Lesson, language: str) -> str:
    """The steps of a lesson."""
    words = shelf().words_in(language)
    shown = shipped(language=language)
    made = (
        _Page(step, number, numbers_of(lesson, number, shown), words).html()
        for number, step in enumerate(lesson.steps)
    )
    return "".join(made)


def figure(shown: Picture, name: str = "") -> str:
    """The place of a picture, with its data."""
    moves = " data-moves" if shown.moves else ""
    data = shown.json.replace("<", "\\u003c")
    return (
        f'<figure data-view="{shown.view}"{moves}{f" class={name}" if name else ""}><div class="atlas"></div>'
        f'<script type="application/json">{data}</script></figure>'
    )


@dataclass(frozen=True)
class _Page:
    """One step with the measures of its own view."""

    step: Step
    number: int
    numbers: Numbers | None
    words: Words

    def html(self) -> str:
        title = self.spans(self.step.title)
        body = [f"<h2>{self.number + 1}. {title}</h2>", *self.blocks(self.step.blocks)]
        predict = self.step.predict
        if predict is None:
            body.append(self.picture(None))
        else:
            body += [self.picture(None, "before"), *self.question(predict)]
        return f'<section class="step" id="step-{self.number + 1}">{"".join(body)}</section>'

    def question(self, predict: Prediction) -> Iterator[str]:
        """The question, and in templates what is said of each choice and what follows."""
        choices = "".join(
            f'<li><button type="button" class="choice"><i>{_LETTERS[n]}</i><span>{self.spans(choice.spans)}</span></button></li>'
            for n, choice in enumerate(predict.choices)
        )
        ask = f"{self.words.predict}"
        yield (
            f'<div class="predict"><p class="ask" id="ask-{self.number}">{self.spans(predict.ask)}</p>'
            f'<ol aria-labelledby="ask-{self.number}">{choices}</ol><p class="quiet">{escaped(ask)}</p></div>'
        )
        right, _ = holding(self.step, self.numbers)
        for n, choice in enumerate(predict.choices):
            yield f'<template data-choice="{n}">{self.verdict(predict, choice, n == right, right)}</template>'
        answer = right if right is not None else 0
        then = f'<div class="then">{"".join(self.blocks(predict.then))}</div>'
        held = f' data-right="{right}"' if right is not None else ""
        yield f'<template class="after"{held}>{self.picture(answer)}{then}</template>'

    def verdict(self, predict: Prediction, choice: Choice, is_right: bool, right: int | None) -> str:
        """What the model gives, and whether that was the answer."""
        known = MEASURES.get(predict.measure)
        says = self.words.model if known is None or known.of_model else self.words.measured
        judged = self.words.neither if right is None else self.words.right if is_right else self.words.wrong
        why = f"<p>{self.spans(choice.why)}</p>" if choice.why and not is_right else ""
        line = escaped(fill(says, value=self.value(predict.measure)))
        return (
            f'<div class="verdict" tabindex="-1"><p><strong>{line} {escaped(judged)}</strong></p>{why}</div>'
        )

    # -- what is drawn

    def picture(self, answer: int | None, name: str = "") -> str:
        """The step's picture: before the reader has chosen (`name` "before"), and after; empty where it has none."""
        step, numbers = self.step, self.numbers
        if numbers is None:
            return ""
        covered = name == "before"
        if step.drawn == "row":
            return figure(picture("scene", row_data(step, numbers.scene, answer)), name)
        if covered:
            return ""
        if step.page in _HEAD_PAGES:
            one = numbers.scene
            shown = numbers.shown.decoded
            return figure(picture("head", head_data(shown, one.kind, one.head, one.row)))
        if step.page in _EDITED_PAGES:
            return _two_texts(numbers)
        if step.link.get("watch") == "mask":
            return figure(picture("two_trainings", watch.mask_data(trials.stored())))
        return ""

    # -- texts

    def value(self, name: str) -> str:
        if self.numbers is None:
            return "–"
        return screen_text.plain(self.numbers.written(name, self.words.decimal), 300)

    def spans(self, spans: Sequence[Span]) -> str:
        return _spans(spans, self.value)

    def blocks(self, blocks: Sequence[Block]) -> Iterator[str]:
        """Paragraphs, lists and code; items of one list stand together."""
        kind = ""
        for block in [*blocks, None]:
            wanted = {"item": "ul", "number": "ol"}.get(block.kind, "") if block is not None else ""
            if kind and kind != wanted:
                yield f"</{kind}>"
            if wanted and kind != wanted:
                yield f"<{wanted}>"
            kind = wanted
            if block is not None:
                inside = self.spans(block.spans)
                yield {"p": f"<p>{inside}</p>", "code": f'<pre tabindex="0">{inside}</pre>'}.get(
                    block.kind, f"<li>{inside}</li>"
                )


def _spans(spans: Sequence[Span], value: Callable[[str], str]) -> str:
    """Words in their styles; a link into the app, which is not here, is its words."""
    made = []
    # A link that runs over two lines of its file is several spans with one target.
    for target, together in groupby(spans, key=lambda span: span.target):
        words = "".join(_span(span, value) for span in together)
        made.append(f'<a href="{escaped(target)}">{words}</a>' if target.startswith("https://") else words)
    return "".join(made)


def _span(span: Span, value: Callable[[str], str]) -> str:
    text = escaped(value(span.text) if span.kind == "value" else span.text)
    if span.kind != "code":
        text = _BEFORE_SIGNS.sub("\u00a0", text)
    tag = _TAGS.get(span.kind)
    return f"<{tag}>{text}</{tag}>" if tag else text


def _two_texts(numbers: Numbers) -> str:
    """The translation before and after the step's edits."""
    try:
        edited = numbers.scene.edited()
    except AtlasError:
        return ""
    both = two_lines(rewriting(edited.unedited, edited.rewritten))
    return f'<div class="lines" aria-label="{escaped(tr("Translation"))}" role="group">{both}</div>'
