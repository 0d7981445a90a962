"""The browser code as it is sent: a script and a style sheet a view, bundled into dist/ by `npm run build` in this folder.

The bundles are part of the project, so that the app needs neither Node nor a build.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

from core.language import catalogue, spoken

FOLDER: Final = Path(__file__).parent
DIST: Final = FOLDER / "dist"


def module(view: str) -> str:
    """A view as one ES module, for `st.components.v2`: `module("wall")`."""
    return (DIST / f"{view}.js").read_text("utf-8")


@cache
def _messages(view: str) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """The messages of a view, from its bundle: single ones, and those with a plural."""
    listed = list(catalogue.of_script(module(view)))
    return (
        tuple(dict.fromkeys(each.text for each in listed if not each.many)),
        tuple(dict.fromkeys((each.text, each.many) for each in listed if each.many)),
    )


def words(view: str) -> dict[str, Any]:
    """A view's words in the language in use, as `speak` (ui/web/base/language.ts) takes them; empty in English."""
    return spoken(*_messages(view))


def script(page: str, argument: str) -> str:
    """A page's view (`notebook`, `live`, `site`) as a plain script, which calls it with `argument` (JavaScript)."""
    # In a scope of its own: the names of the view are none of the page's.
    return f"(() => {{\n{module(page)}atlas.default({argument});\n}})();\n"


def sheet(view: str) -> str:
    """The style sheet of a view, with those of the modules it is made of."""
    return (DIST / f"{view}.css").read_text("utf-8")
