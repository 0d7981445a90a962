"""The Markdown of lessons as blocks of spans; whatever is not allowed is refused with its line.

CommonMark is read by markdown-it-py. Paragraphs, lists, bold, emphasis, code and links are allowed; pictures, HTML,
tables, quotations and headings inside a step are not. `{name}` stands for a measure of the model.

A lesson is steps of text, each with a view and perhaps a question to answer before looking. `core.learning.lesson_file`
reads it from a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, NoReturn

if TYPE_CHECKING:
    from markdown_it.token import Token


Refuse = Callable[[int, str, str], NoReturn]
"""(line of the text from 0, what was found, what is allowed)"""

ALLOWED: Final = "paragraphs, lists, **bold**, *emphasis*, `code`, links and {measures}"
_PLACEHOLDER: Final = re.compile(r"\{([A-Za-z][\w.:-]*)\}")
_STYLES: Final[dict[str, SpanKind]] = {"strong": "strong", "em": "em"}
_NAMES: Final = {
    "image": "a picture",
    "html_inline": "HTML",
    "html_block": "HTML",
    "heading_open": "a heading",
    "blockquote_open": "a quotation",
    "hr": "a line across",
}


def read_blocks(
    text: str, measures: Collection[str], link: Callable[[str], str], refuse: Refuse
) -> tuple[Block, ...]:
    """The blocks of a step's text. `link` gives what is wrong with an address, empty where nothing is.

    Calls `refuse` for everything that is not allowed.
    """
    from markdown_it import MarkdownIt

    blocks: list[Block] = []
    lists: list[BlockKind] = []
    known = measures
    for token in MarkdownIt("commonmark", {"html": True}).parse(text):
        line = token.map[0] if token.map else 0
        match token.type:
            case "paragraph_open" | "paragraph_close" | "list_item_open" | "list_item_close":
                pass
            case "bullet_list_open" | "ordered_list_open":
                lists.append("item" if token.type.startswith("bullet") else "number")
            case "bullet_list_close" | "ordered_list_close":
                lists.pop()
            case "fence" | "code_block":
                blocks.append(Block("code", (Span("code", token.content.rstrip("\n")),)))
            case "inline":
                spans = tuple(_spans(token.children or (), line, known, link, refuse))
                blocks.append(Block(lists[-1] if lists else "p", spans))
            case other if not other.endswith("_close"):
                refuse(line, _NAMES.get(other, other), ALLOWED)
    return tuple(blocks)


def read_line(text: str, measures: Collection[str], refuse: Refuse) -> tuple[Span, ...]:
    """One line of words: a title, a question, a choice. No links."""

    def no_link(address: str) -> str:
        return f"the link {address[:60]!r} where only words may stand"

    blocks = read_blocks(text, measures, no_link, refuse)
    if len(blocks) != 1 or blocks[0].kind != "p":
        refuse(0, f"{text[:60]!r}", "one line of words")
    return blocks[0].spans


def plain(spans: Iterable[Span], values: Callable[[str], str] = "{{{}}}".format) -> str:
    """The words without their styles; `values` gives the text for a measure."""
    return "".join(values(span.text) if span.kind == "value" else span.text for span in spans)


def _spans(
    tokens: Sequence[Token], first: int, known: Collection[str], link: Callable[[str], str], refuse: Refuse
) -> Iterator[Span]:
    style: list[SpanKind] = ["text"]
    target, line = "", first
    for token in tokens:
        match token.type:
            case "text":
                yield from _words(Span(style[-1], token.content, target), known, refuse, line)
            case "code_inline":
                yield Span("code", token.content)
            case "softbreak" | "hardbreak":
                line += 1
                yield Span(style[-1], " ", target)
            case "strong_open" | "em_open":
                style.append(_STYLES[token.tag])
            case "link_open":
                target = str(token.attrGet("href") or "")
                if wrong := link(target):
                    refuse(
                        line, wrong, "https:// addresses and pages of the app with parameters of their links"
                    )
                style.append("link")
            case "strong_close" | "em_close" | "link_close":
                style.pop()
                target = "" if token.type == "link_close" else target
            case other:
                refuse(line, _NAMES.get(other, other), ALLOWED)


def _words(words: Span, known: Collection[str], refuse: Refuse, line: int) -> Iterator[Span]:
    """Split text into spans; each `{measure}` becomes a span of its own."""
    at = 0
    for match in _PLACEHOLDER.finditer(words.text):
        if match[1] not in known:
            refuse(line, f"{{{match[1]}}}", f"the measures {', '.join(sorted(known))}")
        if before := words.text[at : match.start()]:
            yield words._replace(text=before)
        yield Span("value", match[1])
        at = match.end()
    if rest := words.text[at:]:
        yield words._replace(text=rest)


SpanKind = Literal["text", "strong", "em", "code", "value", "link"]
BlockKind = Literal["p", "item", "number", "code"]
Value = float | str
"""What a measure finds in the model: a number, or a word."""

TOUR: Final = "tour"
"""The name of the lesson that a first visitor is offered."""
STORY: Final = "story"
"""The name of the lesson that is first on the shelf: from a sentence to a translation."""


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

    `least` and `most` belong to it; `above` and `below` do not. `why` is said to a reader who chose it where it does not
    hold.
    """

    spans: tuple[Span, ...]
    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None
    word: str | None = None
    why: tuple[Span, ...] = ()

    def holds(self, value: Value) -> bool:
        """Whether the measured value lies within this choice."""
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
        """The first choice that holds for the measured value, None where none does."""
        return next((number for number, choice in enumerate(self.choices) if choice.holds(value)), None)


@dataclass(frozen=True)
class Step:
    """One step: its text, and the page with the parameters of its link, which may hold measures as `{name}`.

    `drawn` says what is seen of the page: its own card, or the row of the step's head, with all rows before it.
    """

    title: tuple[Span, ...]
    page: str
    link: Mapping[str, str]
    blocks: tuple[Block, ...]
    predict: Prediction | None = None
    drawn: Literal["page", "row"] = "page"

    @property
    def measures(self) -> tuple[str, ...]:
        """Every measure that its words name, each once; that of its question last."""
        spans = [*self.title, *(span for block in self.blocks for span in block.spans)]
        if self.predict:
            spans += [*self.predict.ask, *(span for choice in self.predict.choices for span in choice.spans)]
            spans += [span for choice in self.predict.choices for span in choice.why]
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
