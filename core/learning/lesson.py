"""A lesson: its Markdown as blocks of spans, and its file, which is checked; whatever is not allowed is refused with its line.

CommonMark is read by markdown-it-py. Paragraphs, lists, bold, emphasis, code and links are allowed; pictures, HTML,
tables, quotations and headings inside a step are not. `{name}` stands for a measure of the model. A lesson is steps of
text, each with a view and perhaps a question to answer before looking. Its file is Markdown with front matter in TOML, one
for the lesson and one for each step:

    +++
    title = "What attention is"
    about = "Where a head looks, and what it takes from there."
    minutes = 10
    [link]
    text = "The cat is sleeping on the red sofa."
    +++

    ## One row sums to one

    ```toml
    page = "attention"
    kind = "cross"
    [predict]
    ask = "What do the weights of this row sum to?"
    of = "row_sum"
    choices = [{ text = "to 1", from = 0.999, to = 1.001 }, { text = "it depends", below = 0.999 }]
    ```

    Each of the {source_tokens} columns …

docs/lessons.md says the same to those who write lessons. A file is untrusted: all of it is bounded and checked,
and what is wrong is one sentence with the file, the line, what was found and what is allowed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, NoReturn, get_args
from urllib.parse import parse_qsl, urlsplit

from core.errors import InputError
from core.files import parse_toml
from core.schema import Bounds, problem_in

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


Drawn = Literal["page", "row", "by_hand", "one_vector", "feed_forward", "merges"]
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

    `drawn` says what is seen: the page's own card; the row of the step's head, with all rows before it; or, in place of the
    page, a picture of the lesson's own (a row by hand, what one vector loses, what feed-forward does, how pieces are merged). A `further`
    step is optional. `answer` is the solution of an open exercise, which only the printed answers show, and `answer_link` what
    the link of the step gets for its measures, such as the edits that the reader was to make. `code` names the lines of
    PyTorch beside the picture (`core.learning.scene_code`); empty: none.
    """

    title: tuple[Span, ...]
    page: str
    link: Mapping[str, str]
    blocks: tuple[Block, ...]
    predict: Prediction | None = None
    drawn: Drawn = "page"
    further: bool = False
    answer: tuple[Block, ...] = ()
    answer_link: Mapping[str, str] = field(default_factory=dict)
    code: str = ""

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

    @property
    def solved(self) -> Step:
        """The step as its answer speaks of it: the words are those of the answer, the link has the answer's parameters."""
        return replace(self, blocks=self.answer, link={**self.link, **self.answer_link}, predict=None)

    @property
    def seconds(self) -> float:
        """How long a class needs: its words read aloud with one wrong answer's sentence, its picture, question and trial."""
        read = [self.title, *(block.spans for block in self.blocks)]
        if self.predict:
            read += [self.predict.ask, *(choice.spans for choice in self.predict.choices)]
            read += [block.spans for block in self.predict.then]
            read.append(max((choice.why for choice in self.predict.choices), key=lambda why: len(plain(why))))
        words = sum(len(plain(spans, lambda name: "1").split()) for spans in read)
        tries = any(
            span.kind == "strong" and span.text.rstrip().endswith(":") for spans in read for span in spans
        )
        asks = self.predict is not None
        return 60 * words / WORDS_PER_MINUTE + PICTURE_S + QUESTION_S * asks + TRIAL_S * tries


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


WORDS_PER_MINUTE: Final = 150  # read aloud
PICTURE_S: Final = 30  # to look at a step's picture
QUESTION_S: Final = 60  # to choose an answer and say why
TRIAL_S: Final = 60  # of a step that invites to a trial, by words in bold that end in a colon: **Try it:**


def minutes_of(steps: Sequence[Step]) -> int:
    """The minutes that a class needs for these steps, without those that are optional; at least 1."""
    return max(1, round(sum(step.seconds for step in steps if not step.further) / 60))


# -- the file -------------------------------------------------------------------------------------------------

MOST_BYTES: Final = 64_000
MOST_STEPS: Final = 20
MOST_TEXT: Final = 2_000  # characters of a step's text
MOST_WORDS: Final = 300  # characters of a line: a title, a question, a choice
MOST_LINK: Final = 2_000  # characters of one parameter
CHOICES: Final = (2, 5)
NAME: Final = r"[a-z0-9][a-z0-9_-]{0,39}"
"""How lessons are called: the names of their files, without `.md`."""

_HEAD: Final = {"title": str, "about": str, "minutes": int, "order": int, "link": dict}
_PREDICT: Final = {"ask": str, "of": str, "choices": list, "then": str, "expected": int}
_CHOICE: Final = {
    "text": str,
    "is": str,
    "why": str,
    **dict.fromkeys(("from", "to", "above", "below"), float),
}
_BOUNDS: Final = {"minutes": Bounds(1, 240), "order": Bounds(0, 999)}
_STEP: Final = re.compile(r"^##[ \t]+(\S.*)$")
_FENCE: Final = re.compile(r"^(```+|~~~+)(.*)$")


@dataclass(frozen=True)
class Vocabulary:
    """What links of lessons may hold: the app's pages and parameters, `refused(link)` naming values that make no sense,
    the measures that texts may name, and the lines of code that a step may show.
    """

    pages: Collection[str]
    parameters: Collection[str]
    refused: Callable[[Mapping[str, str]], Sequence[str]]
    measures: Collection[str]
    codes: Collection[str] = ()


def read_lesson(text: str, name: str, language: str, vocabulary: Vocabulary) -> Lesson:
    """The lesson in a file's text. Raises `InputError`, one sentence that names file, line, what was found and what is allowed."""
    return _Reader(f"{language}/{name}.md", vocabulary).lesson(text, name, language)


class _Reader:
    """One file on its way to a lesson."""

    def __init__(self, file: str, vocabulary: Vocabulary) -> None:
        self.file = file
        self.allowed = vocabulary

    def refuse(self, line: int, given: str, allowed: str) -> NoReturn:
        """`line` counts from 0."""
        raise InputError(f"{self.file}, line {line + 1}: {given} was found; allowed: {allowed}.")

    def lesson(self, text: str, name: str, language: str) -> Lesson:
        if not re.fullmatch(NAME, name):
            self.refuse(0, f"the file name {name[:60]!r}", "small letters a-z, digits, - and _ (at most 40)")
        if (size := len(text.encode("utf-8", "replace"))) > MOST_BYTES:
            self.refuse(0, f"a file of {size:,} bytes", f"at most {MOST_BYTES:,}")
        lines = text.replace("\r\n", "\n").split("\n")
        if lines[0].strip() != "+++" or "+++" not in (rest := [line.strip() for line in lines[1:]]):
            self.refuse(0, f"{lines[0][:40]!r}", "front matter in TOML between two lines of +++")
        end = 1 + rest.index("+++")
        head, where = self.table(lines[1:end], 1), partial(_line_of, lines[1:end], 1)
        self.keys(head, _HEAD, where, needed=("title", "about"))
        link = self.link(head.get("link", {}), where)
        steps = [self.step(*each, link) for each in self.sections(lines, end + 1)]
        if not 1 <= len(steps) <= MOST_STEPS:
            self.refuse(end, f"{len(steps)} steps", f"1 to {MOST_STEPS}, each under a heading `## …`")
        title, about = (plain(self.line(head[key], where(key))) for key in ("title", "about"))
        minutes = head.get("minutes", minutes_of(steps))
        return Lesson(name, language, title, about, minutes, head.get("order", 100), tuple(steps))

    def sections(self, lines: Sequence[str], start: int) -> list[tuple[int, str, Sequence[str]]]:
        """(line of the heading, its words, the lines below it) of every step."""
        sections: list[tuple[int, str, list[str]]] = []
        fence = ""
        for number, line in enumerate(lines[start:], start):
            if marks := _FENCE.match(line):
                fence = "" if fence and line.startswith(fence) else fence or marks[1]
            if not fence and (heading := _STEP.match(line)):
                sections.append((number, heading[1], []))
            elif sections:
                sections[-1][2].append(line)
            elif line.strip():
                self.refuse(
                    number,
                    f"{line.strip()[:40]!r} before the first step",
                    "a heading `## …` that begins a step",
                )
        return [(number, title, tuple(below)) for number, title, below in sections]

    def step(self, heading: int, title: str, below: Sequence[str], base: Mapping[str, str]) -> Step:
        first = next((at for at, line in enumerate(below) if line.strip()), 0)
        if (
            not below
            or below[first].strip() != "```toml"
            or "```" not in (stripped := [each.strip() for each in below])
        ):
            self.refuse(
                heading + 1 + first,
                "no settings of the step",
                "a block ```toml … ``` below its heading, with its page",
            )
        end = stripped.index("```")
        settings, at = below[first + 1 : end], heading + 2 + first
        table, where = self.table(settings, at), partial(_line_of, settings, at)
        predict = table.pop("predict", None)
        page = table.pop("page", None)
        drawn = table.pop("drawn", "page")
        if drawn not in get_args(Drawn):
            allowed = ", ".join(f'"{each}"' for each in get_args(Drawn))
            self.refuse(where("drawn"), f"drawn = {str(drawn)[:40]!r}", allowed)
        if page not in self.allowed.pages:
            given = f"the page {page!r}" if page is not None else "a step without page"
            self.refuse(where("page"), given, f"the pages {', '.join(self.allowed.pages)}")
        further = table.pop("further", False)
        if not isinstance(further, bool):
            self.refuse(where("further"), f"further = {str(further)[:40]!r}", "true or false")
        code = table.pop("code", "")
        if code and code not in self.allowed.codes:
            self.refuse(where("code"), f"code = {str(code)[:40]!r}", ", ".join(self.allowed.codes))
        answer = table.pop("answer", None)
        link = {**base, **self.link(table, where)}
        text, under = "\n".join(below[end + 1 :]), heading + 2 + end
        if not 1 <= len(text.strip()) <= MOST_TEXT:
            self.refuse(
                under, f"a text of {len(text.strip()):,} characters", f"1 to {MOST_TEXT:,} for a step"
            )
        return Step(
            self.line(title, heading),
            page,
            link,
            self.blocks(text, under),
            None if predict is None else self.predict(predict, where),
            drawn,
            further,
            *((), {}) if answer is None else self.answer(answer, where),
            code=code,
        )

    def answer(self, table: Any, where: Callable[[str], int]) -> tuple[tuple[Block, ...], dict[str, str]]:
        """The text of an answer, and the parameters of its link."""
        text = table.pop("text", "") if isinstance(table, dict) else ""
        if not isinstance(text, str) or not 1 <= len(text.strip()) <= MOST_TEXT:
            self.refuse(
                where("answer"), "an answer without its text", f"text = 1 to {MOST_TEXT:,} characters"
            )
        return self.blocks(text, where("answer")), self.link(table, where)

    def predict(self, table: Any, where: Callable[[str], int]) -> Prediction:
        if not isinstance(table, dict):
            self.refuse(where("predict"), f"predict = {str(table)[:40]}", "a table [predict]")
        self.keys(table, _PREDICT, where, needed=("ask", "of", "choices"))
        if table["of"] not in self.allowed.measures:
            of = f"the measure {table['of'][:60]!r}"
            self.refuse(where("of"), of, ", ".join(sorted(self.allowed.measures)))
        at, count, (low, high) = where("choices"), len(table["choices"]), CHOICES
        if not low <= count <= high:
            self.refuse(at, f"{count} choices", f"{low} to {high}")
        choices = tuple(self.choice(each, at) for each in table["choices"])
        expected = table.get("expected")
        if expected is not None and not 1 <= expected <= count:
            self.refuse(where("expected"), f"expected = {expected}", f"1 to {count}, the number of a choice")
        then = self.blocks(table.get("then", ""), where("then"))
        ask = self.line(table["ask"], where("ask"))
        return Prediction(ask, table["of"], choices, then, None if expected is None else expected - 1)

    def choice(self, table: Any, at: int) -> Choice:
        if not isinstance(table, dict):
            self.refuse(at, f"the choice {str(table)[:40]!r}", '{ text = "…", from = 0, to = 1 }')
        self.keys(table, _CHOICE, lambda key: at, needed=("text",))
        if ("is" in table) == bool(set(table) & {"from", "to", "above", "below"}):
            self.refuse(
                at, f"the choice {table['text'][:40]!r}", "is = a word, or a number's from, to, above, below"
            )
        low, high = (table.get(key, table.get(other)) for key, other in (("from", "above"), ("to", "below")))
        if low is not None and high is not None and low > high:
            self.refuse(at, f"a choice from {low:g} to {high:g}", "bounds that rise")
        words = self.line(table["text"], at)
        why = self.line(table["why"], at) if "why" in table else ()
        least, most, above, below = (table.get(key) for key in ("from", "to", "above", "below"))
        return Choice(words, least, most, above, below, table.get("is"), why)

    # -- the parts of all of them --------------------------------------------------------------------------

    def table(self, lines: Sequence[str], at: int) -> dict[str, Any]:
        try:
            return parse_toml("\n".join(lines))
        except ValueError as error:
            line = re.search(r"at line (\d+)", str(error))
            self.refuse(
                at + (int(line[1]) - 1 if line else 0), f"“{str(error)[:120]}”", 'TOML, as in title = "…"'
            )

    def keys(
        self,
        table: Mapping[str, Any],
        kinds: Mapping[str, type],
        where: Callable[[str], int],
        needed: Collection[str],
    ) -> None:
        if problem := problem_in(table, kinds, needed, _BOUNDS):
            self.refuse(where(problem.key), problem.given, problem.allowed)

    def link(self, table: Mapping[str, Any], where: Callable[[str], int]) -> dict[str, str]:
        """The parameters of a link, checked."""
        link: dict[str, str] = {}
        for key, value in table.items():
            line = where(key)
            if key not in self.allowed.parameters:
                self.refuse(
                    line, f"the parameter {key[:60]!r}", f"predict, and {', '.join(self.allowed.parameters)}"
                )
            if not isinstance(value, str | int | float) or len(str(value)) > MOST_LINK:
                self.refuse(
                    line,
                    f"{key} = {str(value)[:40]!r}",
                    f"a number, true, false or at most {MOST_LINK:,} characters",
                )
            link[key] = str(int(value)) if isinstance(value, bool) else str(value)
            for name in re.findall(r"\{([^{}]*)\}", link[key]):
                if name not in self.allowed.measures:
                    self.refuse(
                        line, f"{{{name[:60]}}}", f"the measures {', '.join(sorted(self.allowed.measures))}"
                    )
        # A parameter that is one measure as a whole, such as edits, is judged when the measure is known.
        judged = {key: value for key, value in link.items() if not re.fullmatch(r"\{\w+_off\}", value)}
        wrong = self.allowed.refused(filled(judged, lambda name: "0"))
        for key in wrong:
            given = f"{key} = {link[key][:60]!r}"
            self.refuse(where(key), given, "what the address bar of the app holds there")
        return link

    def address(self, address: str) -> str:
        """What is wrong with a link of a text; empty where nothing is."""
        try:
            split = urlsplit(address)
        except ValueError:
            return f"the link {address[:80]!r}"
        if split.scheme == "https" and split.netloc and len(address) <= 300:
            return ""
        pairs = dict(parse_qsl(split.query, keep_blank_values=True))
        own = not (split.scheme or split.netloc or split.fragment) and split.path in self.allowed.pages
        if own and set(pairs) <= set(self.allowed.parameters) and not self.allowed.refused(pairs):
            return ""
        return f"the link {address[:80]!r}"

    def blocks(self, text: str, at: int) -> tuple[Block, ...]:
        return read_blocks(
            text, self.allowed.measures, self.address, lambda line, *what: self.refuse(at + line, *what)
        )

    def line(self, text: str, at: int) -> tuple[Span, ...]:
        if not 1 <= len(text.strip()) <= MOST_WORDS or any(
            unicodedata.category(sign) in ("Cc", "Cs") for sign in text
        ):
            self.refuse(at, f"{text[:40]!r} ({len(text):,} characters)", f"a line of 1 to {MOST_WORDS}")
        return read_line(text.strip(), self.allowed.measures, lambda line, *what: self.refuse(at, *what))


def filled(link: Mapping[str, str], value: Callable[[str], str]) -> dict[str, str]:
    """A link with every `{measure}` in it replaced by `value(measure)`."""
    return {key: re.sub(r"\{([^{}]*)\}", lambda match: value(match[1]), text) for key, text in link.items()}


def _line_of(lines: Sequence[str], at: int, key: str) -> int:
    """The line of a table that sets `key`, its first line `at` where none does."""
    begins = re.compile(rf"\s*\[?{re.escape(key)}\]?\s*(=|$)")
    return next((number for number, line in enumerate(lines, at) if begins.match(line)), at)
