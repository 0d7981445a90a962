"""A matplotlib figure of an exact size in millimetres, with its caption and its numbers; and words measured before they are set."""

from __future__ import annotations

import io
import threading
import warnings
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import matplotlib
from matplotlib import font_manager, ft2font
from matplotlib.axes import Axes
from matplotlib.figure import Figure as BaseFigure

from core.errors import InputError
from core.version import __version__

POINT: Final = 25.4 / 72  # millimetres
INK, PAPER, GREY = "#000000", "#ffffff", "#6a6a6a"
SIZE, SMALL = 7.0, 5.5  # points
FONT: Final = "DejaVu Sans"  # comes with matplotlib
_SPACES: Final = "\u00a0\u202f"
"""No-break spaces, which French puts before some marks; Python calls them not printable."""
_STYLE: Final[Any] = {"svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "attention-atlas"}
"""Text stays text: in the SVG in the reader's own fonts, in the PDF with the font embedded."""
_WRITING: Final = threading.Lock()  # matplotlib's settings are one for all threads


class Figure(BaseFigure):
    """A figure of `width` × `height` millimetres; `caption` says what it is of, `csv` holds its numbers.

    A matplotlib figure like any other: change its axes, and save it by `savefig`. `save` also writes the numbers.
    """

    def __init__(self, width: float, height: float, caption: str, csv: str) -> None:
        super().__init__(figsize=(width / 25.4, height / 25.4), facecolor=PAPER)
        self.width, self.height, self.caption, self.csv = width, height, caption, csv

    def axes_at(self, left: float, top: float, width: float, height: float) -> Axes:
        """Axes at a place in millimetres from the upper left corner."""
        bottom = self.height - top - height
        parts = (left / self.width, bottom / self.height, width / self.width, height / self.height)
        return self.add_axes(parts)

    def write(
        self, x: float, baseline: float, words: str, size: float, colour: str = INK, anchor: str = "left"
    ) -> None:
        """Words at a place in millimetres from the upper left corner; `anchor`: left, center or right."""
        place = x / self.width, 1 - baseline / self.height
        self.text(
            *place,
            clean(words),
            fontsize=size,
            color=colour,
            ha=anchor,
            va="baseline",
            family=FONT,
            parse_math=False,
        )

    def svg(self) -> str:
        """The figure as an SVG document."""
        return self._written("svg", {"Title": self.caption, "Date": None}).decode("utf-8")

    def pdf(self) -> bytes:
        """The figure as a PDF of one page of its own size. Raises `InputError` for letters its font lacks."""
        words = "".join(each.get_text() for each in self.findobj(matplotlib.text.Text))
        if lacking := sorted({c for c in words if ord(c) not in letters() and c != "\n"}):
            raise InputError(
                f"The PDF's font has no {' '.join(lacking[:6])}; save the figure as .svg, which is drawn with the reader's own "
                "fonts, or choose a font that has them and use savefig."
            )
        made_by = {"Title": self.caption, "Creator": f"Attention Atlas {__version__}", "CreationDate": None}
        return self._written("pdf", made_by)

    def _written(self, form: str, metadata: dict[str, Any]) -> bytes:
        out = io.BytesIO()
        with _WRITING, matplotlib.rc_context(_STYLE), warnings.catch_warnings():
            # An SVG is drawn with the reader's fonts.
            warnings.filterwarnings("ignore", "Glyph .* missing from font")
            self.savefig(out, format=form, metadata=metadata)
        return out.getvalue()

    def save(self, path: str | Path) -> Path:
        """Write a .pdf, .svg, .png or .csv file. Raises `InputError` for another ending."""
        file = Path(path)
        if file.suffix == ".pdf":
            file.write_bytes(self.pdf())
        elif file.suffix in (".svg", ".csv"):
            file.write_text(self.svg() if file.suffix == ".svg" else self.csv, encoding="utf-8", newline="")
        elif file.suffix == ".png":
            self.savefig(file, dpi=300)
        else:
            raise InputError(f"{file.name!r} has no ending of a figure; choose .pdf, .svg, .png or .csv.")
        return file

    def _repr_html_(self) -> str:
        svg = self.svg()
        return svg[svg.index("<svg ") :]  # without the XML declaration and the document type


def clean(words: str) -> str:
    """Words without characters that no document may hold."""
    return "".join(c if c.isprintable() or c in _SPACES else "\ufffd" for c in words)


# -- words ---------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _font() -> ft2font.FT2Font:
    return font_manager.get_font(font_manager.findfont(FONT))


@lru_cache(maxsize=1)
def letters() -> frozenset[int]:
    """The characters that the PDF's font has."""
    return frozenset(_font().get_charmap())


@lru_cache(maxsize=1024)
def _advance(letter: str) -> float:
    """The width of a letter in points, in type of one point; a letter that the font lacks is taken as wide as it is high."""
    if ord(letter) not in letters():
        return 1.0
    font = _font()
    with _WRITING:
        font.set_size(100.0, 72.0)
        glyph = font.load_char(ord(letter), flags=ft2font.LoadFlags.NO_HINTING)
        return float(glyph.linearHoriAdvance) / 65536 / 100


def width_of(words: str, size: float = SIZE) -> float:
    """The width of words in millimetres."""
    return sum(map(_advance, words)) * size * POINT


def fitted(words: str, room: float, size: float) -> str:
    """The words, cut with … where they need more than `room` millimetres."""
    if width_of(words, size) <= room:
        return words
    while words and width_of(f"{words}…", size) > room:
        words = words[:-1]
    return f"{words}…" if words else ""


def wrapped(text: str, width: float) -> Iterator[str]:
    """The lines of a text in small type, none longer than `width` millimetres."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and width_of(longer, SMALL) > width:
            yield line
            line = word
        else:
            line = longer
    if line:
        yield fitted(line, width, SMALL)
