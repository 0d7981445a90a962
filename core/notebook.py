"""`core.show`, `core.figure`, and the `_repr_html_` of traces and sessions: interactive views in a notebook.

The views belong to the app, and imports run from `ui` down to `core` only. So the module that draws is named here as
text, VIEWS, the only name of `ui` in `core` (`tests/test_imports.py` checks it), and is imported when something is
shown. It needs neither Streamlit nor Plotly. Without the folder `ui`, a trace is shown as text and `show` says what
is missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol

from core.errors import AtlasError, InputError

VIEWS: Final = "ui.export.notebook"


class Figure(Protocol):
    """A drawing of an exact width; a notebook shows it as the last line of a cell."""

    caption: str
    csv: str

    def svg(self) -> str:
        """As an SVG document."""

    def pdf(self) -> bytes:
        """As a PDF of one page of its own size."""

    def save(self, path: str | Path) -> Path:
        """Write a .pdf, .svg or .csv file."""


@dataclass(frozen=True, repr=False)
class NotebookView:
    """Views made by `show`, drawn as the last line of a cell or by `display(…)`. `page` is one HTML file that needs no
    network.
    """

    page: str
    cell: str

    def _repr_html_(self) -> str:
        return self.cell

    def __repr__(self) -> str:
        return f"<{len(self.page):,} characters of HTML; display it in a notebook, or save it to a file>"

    def save(self, path: str | Path) -> Path:
        """Write the page to a file and return its path."""
        file = Path(path)
        file.write_text(self.page, encoding="utf-8")
        return file


def show(thing: object, kind: str | None = None, head: tuple[int, int] | None = None) -> NotebookView:
    """A trace or a decode session as interactive views, for the last line of a notebook's cell.

    `kind` is "cross", "causal", "encoder" (a wall of heads, and one open) or "joint" (all three, word by word); without
    it there is a tab for each. `head`, (layer, head) counted from 0, is opened. A checkpoint of `core.wrap` shows how far
    it is from its original. Raises `InputError` for anything else.
    """
    if (agreement := getattr(thing, "agreement", None)) is not None:
        cell = str(agreement._repr_html_())
        return NotebookView(f"<!doctype html><meta charset=utf-8><title>Attention Atlas</title>{cell}", cell)
    page, cell = app_module(VIEWS).page_and_cell(thing, kind, head)
    return NotebookView(page, cell)


def figure(
    trace: object,
    kind: str = "cross",
    head: tuple[int, int] | None = None,
    *,
    width: float = 85.0,
    model: object = "",
    threshold: float = 0.05,
) -> Figure:
    """A figure of a trace or a session for a paper, `width` millimetres wide: `figure(…).save("head.pdf")`, or .svg, or .csv with the numbers drawn.

    `kind` is "cross", "causal", "encoder" or "joint". `head`, (layer, head) counted from 0, is drawn alone; without it all
    heads are, or their mean in the joint view, whose lines begin at `threshold`. `model`, a checkpoint or its name, is named
    in the caption. Raises `InputError` for what cannot be drawn.
    """
    name = model if isinstance(model, str) else str(getattr(model, "card", {}).get("name", ""))
    made: Figure = app_module(VIEWS).figure(trace, kind, head, width=width, model=name, threshold=threshold)
    return made


def app_module(name: str, subject: str = "The views come with") -> Any:
    """Import a module of the app. Raises `InputError`, whose sentence starts with `subject`, if the folder ui is missing."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if not error.name or not name.startswith(error.name):
            raise
        raise InputError(f"{subject} the app's folder ui, which is not there; copy it beside core.") from None


def html(thing: object) -> str | None:
    """The HTML for `_repr_html_`: the cell of `show`, or None where there is nothing to draw, so that text is shown."""
    try:
        return show(thing).cell
    except AtlasError:
        return None
