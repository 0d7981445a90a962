"""A lesson: steps of text, each with the view that it speaks of and perhaps a question to answer before looking.

What a file of a lesson may hold is read by `core.learning.lesson_file`; here is what comes out of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

SpanKind = Literal["text", "strong", "em", "code", "value", "link"]
BlockKind = Literal["p", "item", "number", "code"]
Value = float | str
"""What a measure finds in the model: a number, or a word."""

TOUR: Final = "tour"
"""The name of the lesson that a first visitor is offered."""


class Span(NamedTuple):
    """Words in one style. A `value` is the name of a measure, which the app fills in; a `link` leads to `target`."""

    kind: SpanKind
    text: str
    target: str = ""


class Block(NamedTuple):
    """A paragraph, one item of a list, or lines of code."""

    kind: BlockKind
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Choice:
    """One answer: it holds for a number within its bounds, or for the word `word`.

    `least` and `most` belong to it; `above` and `below` do not.
    """

    spans: tuple[Span, ...]
    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None
    word: str | None = None

    def holds(self, value: Value) -> bool:
        """Whether this is what the model says."""
        if isinstance(value, str):
            return self.word is not None and self.word.casefold() == value.casefold()
        return self.word is None and (
            (self.least is None or value >= self.least)
            and (self.most is None or value <= self.most)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
        )


@dataclass(frozen=True)
class Prediction:
    """A question to answer before looking: the model's `measure` decides which choice holds.

    `expected` is the choice, from 0, that the author saw hold, for tests; the app never judges by it. `then` is said
    once an answer was given.
    """

    ask: tuple[Span, ...]
    measure: str
    choices: tuple[Choice, ...]
    then: tuple[Block, ...] = ()
    expected: int | None = None

    def holding(self, value: Value) -> int | None:
        """The first choice that holds for what the model says, None where none does."""
        return next((number for number, choice in enumerate(self.choices) if choice.holds(value)), None)


@dataclass(frozen=True)
class Step:
    """One step: what is said, and the page with the parameters of its link, which may hold measures as `{name}`."""

    title: tuple[Span, ...]
    page: str
    link: Mapping[str, str]
    blocks: tuple[Block, ...]
    predict: Prediction | None = None

    @property
    def measures(self) -> tuple[str, ...]:
        """Every measure that its words name, each once; that of its question last."""
        spans = [*self.title, *(span for block in self.blocks for span in block.spans)]
        if self.predict:
            spans += [*self.predict.ask, *(span for choice in self.predict.choices for span in choice.spans)]
            spans += [span for block in self.predict.then for span in block.spans]
        named = [span.text for span in spans if span.kind == "value"]
        return tuple(dict.fromkeys([*named, *([self.predict.measure] if self.predict else [])]))


@dataclass(frozen=True)
class Lesson:
    """`name` is the same in all languages: the file's name without `.md`."""

    name: str
    language: str
    title: str
    about: str
    minutes: int
    order: int
    steps: tuple[Step, ...]
