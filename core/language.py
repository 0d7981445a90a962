"""The language of the sentences that a user reads, their translations, and the messages that the code asks for.

English is the source: a sentence is written in the code as `tr("…")`, and `translations/fr.po` holds its French.
Another language is one more file, `xx.po`. The language belongs to a run (a context variable): two visitors of one server
read two languages. `messages` lists what `tr`, `plural`, `message` and `how_many` are given in Python, and what the build of the browser code lists;
`python -m core.language` brings every catalogue up to the code, and says what it lacks.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import gettext
import io
import json
import re
import sys
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

CATALOGUES: Final = Path(__file__).with_name("translations")
SOURCE: Final = "en"
_current: ContextVar[str | None] = ContextVar("language", default=None)
_ask: list[Callable[[], str]] = []  # at most one: how a thread that has not called `use` learns its language


@cache
def codes() -> tuple[str, ...]:
    """The codes of all languages, the source language first."""
    return (SOURCE, *sorted(file.stem for file in CATALOGUES.glob("*.po")))


@cache
def languages() -> dict[str, str]:
    """Code → the language's own name, the source language first: {"en": "English", "fr": "Français"}."""
    from babel import Locale

    return {code: str(Locale.parse(code).get_display_name(code)).capitalize() for code in codes()}


def language() -> str:
    """The code of the language in use."""
    code = _current.get()
    if code is None:
        code = _ask[0]() if _ask else SOURCE
    return code if code in codes() else SOURCE  # a link may name any


def ask(source: Callable[[], str]) -> None:
    """Let threads that have not called `use` ask `source` for their language, such as the callbacks of a page."""
    _ask[:] = [source]


def use(code: str) -> None:
    """Write the sentences of this thread's run in `code`; in English where there is no such catalogue."""
    _current.set(code if code in codes() else SOURCE)


@contextlib.contextmanager
def speaking(code: str) -> Iterator[None]:
    """Write the sentences within in `code`."""
    before = _current.set(code if code in codes() else SOURCE)
    try:
        yield
    finally:
        _current.reset(before)


@cache
def _catalogue(code: str) -> gettext.NullTranslations:
    """The translations into one language; none for the source language."""
    if code == SOURCE:
        return gettext.NullTranslations()
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    with (CATALOGUES / f"{code}.po").open("rb") as file:
        entries = read_po(file, locale=code)
    compiled = io.BytesIO()
    write_mo(compiled, entries)
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


def message(text: str) -> str:
    """`text` as it is: marks a sentence that is kept in a constant and translated by `tr` where it is shown."""
    return text


def tr(text: str, **values: Any) -> str:
    """`text` in the language in use, with `values` put into its {fields}. Give it a literal, or what `message` marked."""
    translated = _catalogue(language()).gettext(text) if text else ""
    return _filled(translated, values) if values else translated


def _filled(text: str, values: dict[str, Any]) -> str:
    """`text` with its {fields}; a fraction among the values has the marks of the language in use."""
    return text.format(
        **{name: numeral(value) if isinstance(value, float) else value for name, value in values.items()}
    )


def plural(one: str, many: str, count: int, **values: Any) -> str:
    """`one` or `many` by the plural rule of the language in use, with {count} (`numeral`) and `values` put in."""
    translated = _catalogue(language()).ngettext(one, many, count)
    return _filled(translated, {"count": numeral(count, ","), **values})


@cache
def _marks(code: str) -> dict[str, str]:
    """The marks that a language puts for the comma and the point of a number written by Python."""
    from babel.numbers import get_decimal_symbol, get_group_symbol

    return {",": get_group_symbol(code), ".": get_decimal_symbol(code)}


_MARK: Final = re.compile(r"(?<=[0-9])[.,](?=[0-9])")


def localised(written: str) -> str:
    """A written number, or a formula of numbers, with the marks of the language in use: "1,326.5" → "1\u202f326,5".

    No names of heads ("1.2"), versions, code or addresses: those are no numbers. The browser's is in ui/web/base/language.ts.
    """
    code = language()
    return written if code == SOURCE else _MARK.sub(lambda mark: _marks(code)[mark[0]], written)


def numeral(value: Any, form: str = "") -> str:
    """A number for readers, formatted by `form` as Python's `format` does, in the language in use: "0,14", "1\u202f326"."""
    return localised(format(value, form))


def marks() -> str | None:
    """The language's marks for decimals and for thousands, ",\u202f", as Plotly's `separators` has them; None: Plotly's own."""
    code = language()
    return None if code == SOURCE else f"{_marks(code)['.']}{_marks(code)[',']}"


def counted(noun: str) -> tuple[str, str]:
    """The messages of a counted noun, one and many: ("{count} head", "{count} heads")."""
    return f"{{count}} {noun}", f"{{count}} {noun}s"


def spoken(texts: Iterable[str], pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """What a browser view needs of the language in use: its code, and by English the translations that differ from it."""
    code = language()
    if code == SOURCE:
        return {}
    catalogue = _catalogue(code)
    words = {text: catalogue.gettext(text) for text in texts}
    counts = {one: [catalogue.ngettext(one, many, n) for n in (1, 2)] for one, many in pairs}
    return {
        "code": code,
        "words": {text: translated for text, translated in words.items() if translated != text},
        "counts": counts,
    }


# -- the messages of the code -------------------------------------------------------------------------------------

ROOT: Final = Path(__file__).resolve().parents[1]
ROOMS: Final = ("app.py", "core", "pages", "ui")
BROWSER: Final = "ui/web/dist/messages.json"
_SINGLE: Final = ("tr", "message")


class Message(NamedTuple):
    """One message: its English, its English plural (empty without one), and where it is."""

    text: str
    many: str
    file: str
    line: int

    @property
    def key(self) -> str | tuple[str, str]:
        """What a catalogue knows it by."""
        return (self.text, self.many) if self.many else self.text


def messages(root: Path = ROOT) -> list[Message]:
    """Every message of the product's code, in the order of files and lines."""
    listed: list[Message] = []
    for room in ROOMS:
        start = root / room
        kinds = ("*.py", "*.toml")
        files = [start] if start.is_file() else sorted(each for kind in kinds for each in start.rglob(kind))
        for file in files:
            if "node_modules" in file.parts:
                continue
            name, text = file.relative_to(root).as_posix(), file.read_text("utf-8")
            listed += {".py": of_python, ".toml": of_table}[file.suffix](text, name)
    return [*listed, *of_browser_code(root / BROWSER)]


def of_browser_code(file: Path) -> Iterator[Message]:
    """The messages of the browser code, as its build lists them: texts and [one, many] by view."""
    for view, texts in json.loads(file.read_text("utf-8")).items():
        for each in texts:
            text, many = (each, "") if isinstance(each, str) else each
            yield Message(text, many, f"{BROWSER}: {view}", 1)


def of_table(text: str, name: str = "") -> Iterator[Message]:
    """The texts for readers in a table: what a recipe writes on its card, what a layout of weights asks, or what the table
    names as its `messages`.
    """
    table = tomllib.loads(text)
    data = table.get("data", {})
    texts = [table.get("description"), *(data.get(each) for each in ("description", "terms", "limits"))]
    listed = [*_under(table, ("ask", *table.get("messages", ()))), *_texts(texts)]
    for each in listed:
        yield Message(each, "", name, 1)


def _under(value: Any, names: Collection[str]) -> Iterator[str]:
    """The messages under these names in a table, at any depth: the texts that hold a word besides their fields."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in inner:
        if name in names:
            yield from (text for text in _texts(each) if _WORD.search(_FIELD.sub("", text)))
        else:
            yield from _under(each, names)


_WORD: Final = re.compile("[a-z]{2}")
_FIELD: Final = re.compile(r"\{\w*\}")


def _texts(value: Any) -> Iterator[str]:
    """Every text in a value."""
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(each)


def of_python(text: str, name: str = "") -> Iterator[Message]:
    """The messages of a Python module. Raises ValueError where `tr` or `plural` is given no literal at first hand."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        called = getattr(node.func, "id", getattr(node.func, "attr", ""))
        literals = [
            each.value if isinstance(each, ast.Constant) and isinstance(each.value, str) else None
            for each in node.args
        ]
        if called in _SINGLE and literals and literals[0]:
            yield Message(literals[0], "", name, node.lineno)
        elif called == "plural" and len(literals) > 1 and literals[0] and literals[1]:
            yield Message(literals[0], literals[1], name, node.lineno)
        elif called == "how_many" and len(literals) > 1 and literals[1]:
            one, many = counted(literals[1])
            yield Message(one, many, name, node.lineno)
        for each in node.args[:1] if called in (*_SINGLE, "plural") else ():
            if isinstance(each, ast.JoinedStr):
                raise ValueError(
                    f"{name}:{node.lineno}: give {called} a literal with {{fields}}, no f-string"
                )


# -- the command ------------------------------------------------------------------------------------------------


def updated(file: Path, wanted: list[Message]) -> Catalog:
    """The catalogue in `file` with exactly the wanted messages, in alphabetical order, keeping their translations."""
    from babel.messages.catalog import Catalog
    from babel.messages.pofile import read_po

    with file.open("rb") as opened:
        known = read_po(opened, locale=file.stem)
    dated = known.creation_date  # else every run would change the file
    fresh = Catalog(locale=file.stem, project="Attention Atlas", fuzzy=False, creation_date=dated)
    for each in wanted:
        before = known.get(each.text)
        kept = before.string if before is not None and before.id == each.key else ""
        fresh.add(each.key, string=kept, locations=[])
    return fresh


def missing(catalogue: Catalog) -> list[str]:
    """Messages without a translation."""
    return [
        str(each.id)
        for each in catalogue
        if each.id and not (all(each.string) if isinstance(each.string, tuple | list) else each.string)
    ]


def main(argv: list[str] | None = None) -> int:
    """Rewrite the catalogues (or with `--check` only look); 1 where a message lacks its translation."""
    from babel.messages.pofile import write_po

    parser = argparse.ArgumentParser(prog="python -m core.language", description=main.__doc__)
    parser.add_argument("--check", action="store_true", help="change no file")
    arguments = parser.parse_args(argv)
    wanted, lacking = messages(), 0
    for file in sorted(CATALOGUES.glob("*.po")):
        fresh = updated(file, wanted)
        if not arguments.check:
            with file.open("wb") as opened:
                write_po(opened, fresh, width=100, sort_output=True, no_location=True, omit_header=False)
        without = missing(fresh)
        lacking += len(without)
        print(f"{file.name}: {len(fresh)} messages, {len(without)} without a translation")
        for each in without:
            print(f"  {each}")
    return 1 if lacking else 0


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):  # the reader, such as `head`, has closed the pipe
        sys.exit(main())
