"""How a trace and a session show themselves in a notebook: `core.show`, and what `_repr_html_` of both returns.

The views are the app's, and `core` knows nothing of the app: arrows of imports run from `ui` down to `core` only. So the
module that draws is named here as text, VIEWS, the one name of `ui` in all of `core` (`tests/test_imports.py` holds it to
that), and is imported when something is shown, never before. It needs neither Streamlit nor Plotly. Where `core` stands
alone, without the folder `ui`, a trace shows itself as text and `show` says what is missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final

from core.errors import AtlasError, InputError

VIEWS: Final = "ui.export.notebook"


@dataclass(frozen=True, repr=False)
class Shown:
    """What `show` made: the last line of a cell, or `display(…)`, draws it. `page` is one HTML file that needs no network."""

    page: str
    cell: str

    def _repr_html_(self) -> str:
        return self.cell

    def __repr__(self) -> str:
        return f"<{len(self.page):,} characters of HTML; display it in a notebook, or save it to a file>"

    def save(self, path: str | Path) -> Path:
        """Write the page as a file of its own and return its path."""
        file = Path(path)
        file.write_text(self.page, encoding="utf-8")
        return file


def show(thing: object, kind: str | None = None, head: tuple[int, int] | None = None) -> Shown:
    """A trace or a decode session as interactive views, for the last line of a notebook's cell.

    `kind` is "cross", "causal", "encoder" (a wall of heads, and one open) or "joint" (all three, word by word); without it
    there is a tab for each. `head`, (layer, head) counted from 0, stands open. A checkpoint of `core.wrap` shows how far it
    is from its original. Raises `InputError` for anything else.
    """
    if (agreement := getattr(thing, "agreement", None)) is not None:
        cell = str(agreement._repr_html_())
        return Shown(f"<!doctype html><meta charset=utf-8><title>Attention Atlas</title>{cell}", cell)
    try:
        views = import_module(VIEWS)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "ui":
            raise
        raise InputError(
            "The views come with the app's folder ui, which is not there; copy it beside core."
        ) from None
    page, cell = views.page_and_cell(thing, kind, head)
    return Shown(page, cell)


def html(thing: object) -> str | None:
    """What `_repr_html_` returns: the cell of `show`, or None where there is nothing to draw, so that text is shown."""
    try:
        return show(thing).cell
    except AtlasError:
        return None
