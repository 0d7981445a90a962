"""The language of the sentences that a user reads, and their translations.

English is the source: a sentence is written in the code as `tr("…")`, and `fr.po` beside this file holds its French.
Another language is one more file, `xx.po`. The language belongs to a run (a context variable): two visitors of one server
read two languages. `python -m core.language` lists what is missing.
"""

from __future__ import annotations

import gettext
import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, Final

CATALOGUES: Final = Path(__file__).parent
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
    if code is not None:
        return code
    return _ask[0]() if _ask else SOURCE


def ask(source: Callable[[], str]) -> None:
    """Let threads that have not called `use` ask `source` for their language, such as the callbacks of a page."""
    _ask[:] = [source]


def use(code: str) -> None:
    """Write the sentences of this thread's run in `code`; in English where there is no such catalogue."""
    _current.set(code if code in codes() else SOURCE)


@contextmanager
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
    return translated.format(**values) if values else translated


def plural(one: str, many: str, count: int, **values: Any) -> str:
    """`one` or `many` by the plural rule of the language in use, with {count} (as "1,326") and `values` put in."""
    translated = _catalogue(language()).ngettext(one, many, count)
    return translated.format(count=f"{count:,}", **values)


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
