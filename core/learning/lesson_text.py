"""The Markdown of lessons, made safe: what is allowed becomes blocks of spans, everything else is refused by its line.

CommonMark is read by markdown-it-py. Paragraphs, lists, bold, emphasis, code and links are allowed; pictures, HTML,
tables, quotations and headings inside a step are not. `{name}` stands for a measure of the model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NoReturn

from core.learning.lesson import Block, BlockKind, Span, SpanKind

if TYPE_CHECKING:
    from markdown_it.token import Token

Refuse = Callable[[int, str, str], NoReturn]
"""(line of the text from 0, what was found, what is allowed)"""

ALLOWED: Final = "paragraphs, lists, **bold**, *emphasis*, `code`, links and {measures}"
_PLACE: Final = re.compile(r"\{([A-Za-z][\w.:-]*)\}")
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
    text: str, measures: Iterable[str], link: Callable[[str], str], refuse: Refuse
) -> tuple[Block, ...]:
    """The blocks of a step's text. `link` gives what is wrong with an address, empty where nothing is.

    Calls `refuse` for everything that is not allowed.
    """
    from markdown_it import MarkdownIt

    blocks: list[Block] = []
    lists: list[BlockKind] = []
    known = frozenset(measures)
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


def read_line(text: str, measures: Iterable[str], refuse: Refuse) -> tuple[Span, ...]:
    """One line of words: a title, a question, a choice. No links."""

    def no_link(address: str) -> str:
        return f"the link {address[:60]!r} where only words may stand"

    blocks = read_blocks(text, measures, no_link, refuse)
    if len(blocks) != 1 or blocks[0].kind != "p":
        refuse(0, f"{text[:60]!r}", "one line of words")
    return blocks[0].spans


def plain(spans: Iterable[Span], values: Callable[[str], str] = "{{{}}}".format) -> str:
    """The words without their styles; `values` says what stands for a measure."""
    return "".join(values(span.text) if span.kind == "value" else span.text for span in spans)


def _spans(
    tokens: Sequence[Token], first: int, known: frozenset[str], link: Callable[[str], str], refuse: Refuse
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


def _words(words: Span, known: frozenset[str], refuse: Refuse, line: int) -> Iterator[Span]:
    """A run of words, with the measures in it as spans of their own."""
    at = 0
    for found in _PLACE.finditer(words.text):
        if found[1] not in known:
            refuse(line, f"{{{found[1]}}}", f"the measures {', '.join(sorted(known))}")
        if before := words.text[at : found.start()]:
            yield words._replace(text=before)
        yield Span("value", found[1])
        at = found.end()
    if rest := words.text[at:]:
        yield words._replace(text=rest)
