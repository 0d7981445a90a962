"""A drawing of marks in millimetres, written as vector SVG and PDF: text stays text, and every cell holds its value.

One drawing is written both ways, so that the two files show the same. What is drawn stands in ui/export/figure.py.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from core.errors import InputError

if TYPE_CHECKING:
    from fpdf import FPDF

FONT: Final = Path(__file__).parent / "fonts" / "DejaVuSans.ttf"
POINT: Final = 25.4 / 72  # millimetres
INK, PAPER = "#000000", "#ffffff"
SIZE, SMALL = 7.0, 5.5  # points
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True)
class Rect:
    """A rectangle in millimetres; `value` is the number that it shows, with the words that name it."""

    x: float
    y: float
    width: float
    height: float
    fill: str | None = None
    stroke: str | None = None
    value: str = ""
    name: str = ""


@dataclass(frozen=True)
class Text:
    """Words at the baseline's start, middle or end, turned clockwise by `turn` degrees."""

    x: float
    y: float
    words: str
    size: float = SIZE
    fill: str = INK
    anchor: Anchor = "start"
    turn: int = 0


@dataclass(frozen=True)
class Curve:
    """A cubic curve through four points (x, y); `value` as a rectangle's."""

    points: tuple[tuple[float, float], ...]
    stroke: str
    width: float
    value: str = ""
    name: str = ""


Mark = Rect | Text | Curve


@dataclass(frozen=True)
class Figure:
    """A drawing of `width` × `height` millimetres, with the sentence that says what it is of and its numbers as CSV."""

    width: float
    height: float
    marks: tuple[Mark, ...] = field(repr=False)
    caption: str
    csv: str = field(repr=False)

    def svg(self) -> str:
        """The figure as an SVG document, its text as text."""
        lines = [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(self.width)}mm" height="{_n(self.height)}mm" '
            f'viewBox="0 0 {_n(self.width)} {_n(self.height)}" font-family="\'DejaVu Sans\', Verdana, sans-serif" role="img">',
            f"<title>{_escaped(self.caption)}</title>",
            f'<rect width="{_n(self.width)}" height="{_n(self.height)}" fill="{PAPER}"/>',
            *map(_svg_mark, self.marks),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def pdf(self) -> bytes:
        """The figure as a PDF of one page of its own size, its font embedded. Raises `InputError` for letters it lacks."""
        document = _document(self.width, self.height)
        document.set_title(self.caption)
        for mark in self.marks:
            _pdf_mark(document, mark)
        return bytes(document.output())

    def save(self, path: str | Path) -> Path:
        """Write a .pdf, .svg or .csv file. Raises `InputError` for another ending."""
        file = Path(path)
        if file.suffix == ".pdf":
            file.write_bytes(self.pdf())
        elif file.suffix in (".svg", ".csv"):
            file.write_text(self.svg() if file.suffix == ".svg" else self.csv, encoding="utf-8", newline="")
        else:
            raise InputError(
                f"{file.name!r} has no ending that a figure is written with; choose .pdf, .svg or .csv."
            )
        return file

    def _repr_html_(self) -> str:
        return self.svg().partition("\n")[2]


@lru_cache(maxsize=4096)
def letters() -> frozenset[int]:
    """The characters that the PDF's font has."""
    _ruler().set_font("figure", size=SIZE)
    return frozenset(_ruler().current_font.cmap)  # type: ignore[union-attr]


# -- text ----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _ruler() -> FPDF:
    return _document(100.0, 100.0)


@lru_cache(maxsize=4096)
def measured(words: str, size: float = SIZE) -> float:
    """The width of words in millimetres."""
    ruler = _ruler()
    ruler.set_font("figure", size=size)
    return float(ruler.get_string_width(words))


def fitted(words: str, room: float, size: float) -> str:
    """The words, cut with … where they need more than `room` millimetres."""
    if measured(words, size) <= room:
        return words
    while words and measured(f"{words}…", size) > room:
        words = words[:-1]
    return f"{words}…" if words else ""


def wrapped(text: str, width: float) -> Iterator[str]:
    """The lines of a text in small type, none longer than `width` millimetres."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and measured(longer, SMALL) > width:
            yield line
            line = word
        else:
            line = longer
    if line:
        yield fitted(line, width, SMALL)


# -- SVG -----------------------------------------------------------------------------------------------------


def _svg_mark(mark: Mark) -> str:
    if isinstance(mark, Text):
        turned = f' transform="rotate({mark.turn} {_n(mark.x)} {_n(mark.y)})"' if mark.turn else ""
        anchor = "" if mark.anchor == "start" else f' text-anchor="{mark.anchor}"'
        return (
            f'<text x="{_n(mark.x)}" y="{_n(mark.y)}" font-size="{_n(mark.size * POINT)}" fill="{mark.fill}"{anchor}{turned}>'
            f"{_escaped(mark.words)}</text>"
        )
    numbered = f' data-value="{mark.value}"' if mark.value else ""
    inside = f"<title>{_escaped(mark.name)}: {mark.value}</title>" if mark.value else ""
    if isinstance(mark, Curve):
        first, *rest = (f"{_n(x)} {_n(y)}" for x, y in mark.points)
        return f'<path d="M{first}C{", ".join(rest)}" fill="none" stroke="{mark.stroke}" stroke-width="{_n(mark.width)}"{numbered}>{inside}</path>'
    stroke = f' stroke="{mark.stroke}" stroke-width="0.15"' if mark.stroke else ""
    return (
        f'<rect x="{_n(mark.x)}" y="{_n(mark.y)}" width="{_n(mark.width)}" height="{_n(mark.height)}" '
        f'fill="{mark.fill or "none"}"{stroke}{numbered}>{inside}</rect>'
    )


_SPACES: Final = "\u00a0\u202f"
"""No-break spaces, which French puts before some marks; Python calls them not printable."""


def _escaped(words: str) -> str:
    """Words as text of an XML document, which may not hold every character."""
    return html.escape("".join(c if c.isprintable() or c in _SPACES else "�" for c in words))


def _n(number: float) -> str:
    return f"{number:.3f}".rstrip("0").rstrip(".")


# -- PDF -----------------------------------------------------------------------------------------------------


def _document(width: float, height: float) -> FPDF:
    try:
        from fpdf import FPDF
    except ModuleNotFoundError:
        raise InputError(
            "Figures are measured and written by fpdf2, which is not there; pip install fpdf2."
        ) from None
    document = FPDF(unit="mm", format=(width, height))
    document.set_auto_page_break(False)
    document.set_margin(0)
    document.c_margin = 0
    document.add_font("figure", fname=str(FONT))
    document.add_page()
    document.set_creator("Attention Atlas")
    return document


def _pdf_mark(document: FPDF, mark: Mark) -> None:
    if isinstance(mark, Text):
        _pdf_text(document, mark)
    elif isinstance(mark, Curve):
        document.set_draw_color(mark.stroke)
        document.set_line_width(mark.width)
        document.bezier(list(mark.points))
    else:
        if mark.fill:
            document.set_fill_color(mark.fill)
        if mark.stroke:
            document.set_draw_color(mark.stroke)
            document.set_line_width(0.15)
        document.rect(
            mark.x, mark.y, mark.width, mark.height, ("F" if mark.fill else "") + ("D" if mark.stroke else "")
        )


def _pdf_text(document: FPDF, mark: Text) -> None:
    document.set_font("figure", size=mark.size)
    if lacking := sorted({c for c in mark.words if ord(c) not in letters()}):
        raise InputError(
            f"The PDF's font has no {' '.join(lacking[:6])}; save the figure as .svg, which is drawn with the reader's own fonts."
        )
    document.set_text_color(mark.fill)
    x = mark.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[mark.anchor] * measured(mark.words, mark.size)
    with document.rotation(-mark.turn, mark.x, mark.y):
        document.text(x, mark.y, mark.words)
