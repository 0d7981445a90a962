"""Every word of every page goes through the catalogue: in a language that brackets its messages, only data stand outside.

Data are the tokens and sentences, names of files and models, formulas and numbers. What the browser's code says by itself is
held by tests/ui/web/test_sentences.py.
"""

from __future__ import annotations

import gettext
import html
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from google.protobuf.json_format import MessageToDict
from streamlit.testing.v1 import AppTest

from core import language
from core.learning.lesson import plain
from tests.pages.conftest import Open
from ui.app.navigation import PAGES
from ui.learn.shelf import shelf
from ui.shared import mount

TEXT: Final = "I am tired."
NO_WORDS: Final = {
    *("id", "key", "url", "kind", "name", "file", "mode", "unit", "formId", "groupId", "page"),
    *("href", "about", "queryString", "pageScriptHash", "icon", "language", "strategy", "measure"),
    *("type", "colour", "elementId", "mixed", "json", "jsContent", "cssContent", "componentName"),
    *("color", "spec", "config", "columnOrder", "lit", "card", "look", "how", "chosen", "value"),
    *("difference", "what", "verb", "fragmentId", "height", "width", "direction", "gap", "style"),
    *("theme", "early", "badge", "sort", "tone"),
}
"""Fields of messages to the browser that hold no words for readers."""
DATA: Final = frozenset(
    (
        *("attention", "atlas", "english", "français", "tiny", "softmax", "bos", "eos"),
        *("pad", "unk", "cpu", "float", "end", "start"),
        *("enter", "esc", "shift", "pdf", "svg"),  # keys and kinds of files
    )
)
EXAMPLES: Final = re.compile("The dog is chasing a white ball|the white dog|le chien blanc|Anna")
"""Sentences and names that fields show as examples."""
LEFT: Final = {"pitfalls": 1}
"""How many words of a page are in no brackets and yet no English for readers: a word that the tests' model writes. It may not
rise, and no other page may have one."""
PIECES: Final = frozenset(("strong", "kind", "muted"))
"""What a marked part of a sentence is (ui/web/base/dom.ts)."""
FORMULA: Final = re.compile(r"A_tj|A\[t, ")
"""What the formula of a measure has, and no sentence."""


class Bracketed(gettext.NullTranslations):
    """A language that says every message in brackets."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, singular: str, plural: str, n: int) -> str:
        return f"⟦{singular if n == 1 else plural}⟧"


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if not re.fullmatch(r"[A-Z_]+", value) and not FORMULA.search(value):  # a choice of Streamlit's own
            yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name not in NO_WORDS:
                yield from strings(inner)
    elif isinstance(value, list | tuple):
        marked = [each for each in value if isinstance(each, dict) and len(each) == 1 and set(each) & PIECES]
        if marked and all(isinstance(each, str) or each in marked for each in value):
            # A sentence of which a view marks parts: whole, or the brackets around it would be torn apart.
            whole = "".join(each if isinstance(each, str) else next(iter(each.values())) for each in value)
            value = [whole]
        for inner in value:
            yield from strings(inner)


def visible(markup: str) -> str:
    """The words of HTML or Markdown: its text, titles and labels, no tags, formulas, code or addresses."""
    text = re.sub(
        r"<style>.*?</style>|<svg.*?</svg>|<code.*?</code>|<math.*?</math>", " ", markup, flags=re.S
    )
    labels = re.findall(r'\b(?:title|aria-label|alt)="([^"]*)"', text)
    text = " ".join([re.sub(r"<[^>]*>", " ", text), *labels])
    text = re.sub(
        r"\$[^$]*\$|`[^`]*`|\]\([^)]*\)|:material/\w+:|\?lesson=\S+|https?://\S+", " ", html.unescape(text)
    )
    text = EXAMPLES.sub(" ", text)
    while (inner := re.sub(r"⟦[^⟦⟧]*⟧", " ", text)) != text:
        text = inner
    return text


def unspoken(parts: list[str], data: frozenset[str]) -> list[str]:
    """Words of at least three letters outside of the brackets that are no data."""
    return [
        word
        for part in parts
        for word in re.findall(r"[^\W\d_]{3,}", visible(part))
        if word.lower() not in data
    ]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("page", PAGES)
def test_every_word_goes_through_the_catalogue(
    page: str, open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Any] = []
    packed = mount.pack

    def watched(data: Any, column: Any) -> dict[str, Any]:
        message = packed(data, column)
        drawn.append(message["fields"])
        return message

    monkeypatch.setattr(mount, "pack", watched)
    monkeypatch.setattr(language, "_catalogue", lambda code: Bracketed())
    app = open_app(page, {"language": "fr", "text": TEXT})
    assert not app.exception
    elements = [each.proto for each in walk(app)]
    written = [text for proto in elements for text in strings(MessageToDict(proto))]
    assert any("⟦" in text for text in written), "the page is not in the bracketed language"
    words = set(re.findall(r"[^\W\d_]{3,}", " ".join([TEXT, *tokens(drawn)]).lower()))
    if page == "lessons":  # lessons are files in their own language
        for lesson in shelf().lessons["fr"].values():
            titles = [lesson.title, lesson.about, *(plain(step.title) for step in lesson.steps)]
            words |= {each.lower() for each in re.findall(r"[^\W\d_]{3,}", " ".join(titles))}
    left = unspoken([*written, *strings(drawn)], frozenset(DATA | words))
    # The model of the tests writes letters at random.
    sentence = next((text for text in written if 'class="atlas-sentence"' in text), "").lower()
    left = [word for word in left if word.lower() not in sentence and word.lower().strip("abcdefghij")]
    assert len(left) <= LEFT.get(page, 0), f"{len(left)} words are not translated: {' '.join(left)[:1500]}"


def tokens(drawn: list[Any]) -> Iterator[str]:
    """The labels of tokens in the data of views: fields that hold rows, columns and sentences."""
    for fields in drawn:
        for name in ("queries", "keys", "source", "target", "written", "tokens", "labels", "text", "reads"):
            if isinstance(fields, dict) and name in fields:
                yield from strings(fields[name])


def walk(app: AppTest) -> Iterator[Any]:
    """Every element of the page and the sidebar."""

    def inner(block: Any) -> Iterator[Any]:
        for child in block.children.values():
            if hasattr(child, "children"):
                yield from inner(child)
            if getattr(child, "proto", None) is not None:
                yield child

    yield from inner(app._tree)
