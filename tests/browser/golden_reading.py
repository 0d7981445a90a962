"""Reading what a page says and draws: sentences, bars, tables that leave it, words and cells of its pictures."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree

import numpy as np

from tests.browser.golden_model import NAME, TEXT
from tests.browser.looking import CHECKED, Visit, saved
from ui.style import theme
from ui.style.theme import GAMMA, mix

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.browser.golden_model import Passed

SPOKEN = {"the end token": "⟨end⟩", "the start token": "⟨start⟩"}
EXACT = 2e-5  # what single precision may lose on the way to a table
_SVG = "{http://www.w3.org/2000/svg}"


def visit_golden(visit: Visit, page: str = "", **params: str) -> Page:
    """A page on the hand-made model, once nothing more comes by itself."""
    tab = visit(page, **{"checkpoint": NAME, "text": TEXT, **params})
    tab.get_by_text(CHECKED).first.wait_for()
    return tab


# -- sentences ----------------------------------------------------------------------------------------------


def told(sentence: str, words: Sequence[str]) -> list[tuple[str, float]]:
    """(word, percent) for every percentage of a sentence, with the next of `words` that follows it."""
    names = [*words, *(spoken for spoken, label in SPOKEN.items() if label in words)]
    pattern = rf"(\d+(?:\.\d+)?)\s%[^%]*?({'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})"
    return [(SPOKEN.get(word, word), float(number)) for number, word in re.findall(pattern, sentence)]


def check_told(sentence: str, words: Sequence[str], row: Sequence[float], digits: int = 0) -> None:
    """Every percentage told is that of its word, the first one is the largest, and at least one is told."""
    only = re.search(r"looks only at (?:“(.+?)”|(the (?:end|start) token))", sentence)
    pairs = [(only[1] or SPOKEN[only[2]], 100.0)] if only else told(sentence, words)
    assert pairs, sentence
    for word, number in pairs:
        assert near(number, row[list(words).index(word)], digits), (sentence, word, row)
    assert pairs[0][0] == words[largest(row)], (sentence, row)


def check_told_after(sentence: str, words: Sequence[str], column: Sequence[float]) -> None:
    """The same where the percentage follows its word in brackets."""
    names = {spoken: label for spoken, label in SPOKEN.items() if label in words} | {
        f"“{word}”": word for word in words
    }
    pattern = rf"({'|'.join(map(re.escape, names))}) \((?:less than )?(\d+)\s%\)"
    pairs = [(names[name], float(number)) for name, number in re.findall(pattern, sentence)]
    assert pairs, sentence
    for word, number in pairs:
        assert near(number, column[list(words).index(word)]), (sentence, column)
    assert pairs[0][0] == words[largest(column)], (sentence, column)


def spoken(label: str) -> str:
    """How a sentence names a token."""
    return next((words for words, token in SPOKEN.items() if token == label), f"“{label}”")


def row_said(passed: Passed, kind: str, row: int) -> str:
    """How a sentence about a row begins: what it reads and, in the decoder, what it writes."""
    if kind == "encoder":
        return f"From {spoken(passed.source[row])}"
    return f"Reads {spoken(passed.read[row])} → writes {spoken(passed.written[row])}"


def near(percent: float, share: float, digits: int = 0) -> bool:
    """Whether a share was rounded to this percentage."""
    return abs(percent - 100 * share) <= 0.5 * 10**-digits + 0.01


def largest(row: Sequence[float]) -> int:
    """Where the largest number stands."""
    return max(range(len(row)), key=lambda place: row[place])


def signed(text: str) -> float:
    """A number written with a true minus."""
    return float(text.replace("−", "-").replace("+", ""))


# -- tables -------------------------------------------------------------------------------------------------


def table(path: Path) -> list[dict[str, str]]:
    """The lines of a CSV file."""
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))


def check_map(
    lines: Sequence[dict[str, str]],
    queries: Sequence[str],
    keys: Sequence[str],
    values: Sequence[Sequence[float]],
    name: str = "value",
    causal: bool = False,
    fed_back: bool = False,
) -> None:
    """A line a cell, in order, each with the words of its row and column and its number; `causal`: none ahead.

    `fed_back`: `queries` are the words written, each in the row that reads it.
    """
    assert len(lines) == len(queries) * len(keys)
    if fed_back:
        words = [(row["query_reads"], row["query_writes"]) for row in lines[:: len(keys)]]
        assert words == list(zip(queries, [*queries[1:], ""], strict=True))
    else:
        check_query_words(lines[:: len(keys)], queries)
    for place, line in enumerate(lines):
        i, j = divmod(place, len(keys))
        assert (line["query_position"], line["key_position"]) == (str(i), str(j))
        of_row = lines[i * len(keys)]
        assert all(line[side] == of_row[side] for side in ("query_reads", "query_writes")), line
        assert line["key"] == keys[j], line
        if np.isnan(values[i][j]):  # may not be attended
            assert not line[name], line
        elif causal and j > i:
            assert not line[name] or float(line[name]) == 0, line
        else:
            assert abs(float(line[name]) - values[i][j]) <= EXACT, (line, values[i][j])


def check_query_words(rows: Sequence[dict[str, str]], queries: Sequence[str]) -> None:
    """`queries` are the words the rows read or those they write; a decoder's row reads what the one before wrote."""
    reads, writes = ([row[side] for row in rows] for side in ("query_reads", "query_writes"))
    if any(writes):
        assert list(queries) in (reads, writes), (queries, reads, writes)
        assert reads == ["⟨start⟩", *writes[:-1]], (reads, writes)
    else:
        assert reads == list(queries), (queries, reads)


def menu_file(page: Page, view: str, ending: str, folder: Path) -> Path:
    """What the "⤓" of a view gives: png, svg or csv."""
    page.locator(f"{view} .menu-open").click()
    item = page.locator(f"{view} .menu-item:visible").nth(("png", "svg", "csv").index(ending))
    return saved(page, folder, item.click)


def taken_away(page: Page, button: str, folder: Path) -> Path:
    """One of the files behind "⤓ save"."""
    if not page.get_by_role("button", name=button).is_visible():
        page.get_by_role("button", name="Save ⤓").click()
    return saved(page, folder, page.get_by_role("button", name=button).click)


# -- pictures -----------------------------------------------------------------------------------------------


class Word(NamedTuple):
    """A text in a picture."""

    x: float
    y: float
    words: str
    leans: bool
    centred: bool


class Picture:
    """An SVG file: its words, curves and the colours of its cells, by place."""

    def __init__(self, path: Path) -> None:
        self.root = ElementTree.parse(path).getroot()
        self.words = [
            Word(
                float(node.attrib["x"]),
                float(node.attrib["y"]),
                node.text or "",
                leans="transform" in node.attrib,
                centred=node.get("text-anchor") == "middle",
            )
            for node in self.root.iter(f"{_SVG}text")
        ]
        self.cells = [cell for node in self.root.iter(f"{_SVG}path") for cell in _cells(node)]
        self.curves = [curve for node in self.root.iter(f"{_SVG}path") if (curve := _curve(node))]

    def colour_at(self, x: float, y: float) -> str:
        """The fill of the cell that covers a point."""
        found = [
            fill for left, top, w, h, fill in self.cells if left <= x <= left + w and top <= y <= top + h
        ]
        assert found, f"no cell at {x}, {y}"
        return found[-1]

    def numbers(self) -> list[Word]:
        """The numbers written into cells."""
        return [word for word in self.words if re.fullmatch(r"[+−]?\d+(\.\d)?", word.words)]

    def columns(self, labels: Sequence[str]) -> list[Word]:
        """The words over the columns, left to right: those that lean, or where all stand straight those in the middle."""
        straight = [word for word in self.words if word.words in labels and word.centred]
        return sorted([word for word in self.words if word.leans] or straight, key=lambda word: word.x)

    def rows(self, labels: Sequence[str], edge: float) -> list[Word]:
        """The words at the left of the first column, which is at `edge`, from the top."""
        upright = [word for word in self.words if not word.leans and word.words in labels and word.x < edge]
        beside = max(word.x for word in upright)
        return sorted((word for word in upright if word.x == beside), key=lambda word: word.y)


def _cells(node: ElementTree.Element) -> list[tuple[float, float, float, float, str]]:
    parts = re.findall(r"M(-?[\d.]+) (-?[\d.]+)h([\d.]+)v([\d.]+)h-[\d.]+z", node.attrib["d"])
    return [(*map(float, part), node.attrib["fill"]) for part in parts]  # type: ignore[misc]


class Curve(NamedTuple):
    """A line between two words: where it starts and ends, its width and its strength."""

    start: tuple[float, float]
    end: tuple[float, float]
    width: float
    alpha: float


def _curve(node: ElementTree.Element) -> Curve | None:
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", node.attrib["d"])]
    if "C" not in node.attrib["d"] or "stroke" not in node.attrib:
        return None
    alpha = float(node.attrib.get("opacity", 1))
    return Curve(
        (numbers[0], numbers[1]), (numbers[-2], numbers[-1]), float(node.attrib["stroke-width"]), alpha
    )


def check_numbers(
    picture: Picture,
    queries: Sequence[str],
    keys: Sequence[str],
    values: np.ndarray,
    least: int,
    unit: float = 100,
    reads: Sequence[str] = (),
) -> None:
    """Every number stands in the cell of its row's and column's words, and at least `least` are written.

    `reads`: what the rows read, which stands before the words that they write.

    Columns that repeat (several maps side by side) are numbered on: column n·len(keys) + j is key j of map n, and
    `values` has as many columns as there are words over them.
    """
    columns = picture.columns(keys)
    rows = picture.rows(queries, columns[0].x)
    assert [word.words for word in columns] == [*keys] * (len(columns) // len(keys))
    assert [word.words for word in rows] == list(queries)
    for row, read in zip(rows, reads, strict=bool(reads)):
        before = [word.words.strip() for word in picture.words if word.y == row.y and word.x < row.x]
        assert before == [f"{read} →"], (row, before)
    numbers = [
        n for n in picture.numbers() if n.x > rows[0].x and n.y < rows[-1].y + 12
    ]  # below is the legend
    for number in numbers:
        i = min(range(len(rows)), key=lambda place: abs(rows[place].y - number.y))
        j = min(range(len(columns)), key=lambda place: abs(columns[place].x - number.x))
        assert abs(signed(number.words) - unit * values[i, j]) <= 0.51 * (
            0.1 if "." in number.words else 1
        ), (number, values[i, j])
    assert len(numbers) >= least


@cache
def weight_of(colour: str, kind: str) -> float:
    """The weight that a map of this kind draws in a colour. Fails for a colour no weight of this kind has."""
    far = [max(abs(a - b) for a, b in zip(_rgb(colour), one, strict=True)) for one in _ramp(kind)]
    place = int(np.argmin(far))
    assert far[place] <= 3, f"{colour} is no colour of {kind}"
    return float((place / 255) ** (1 / GAMMA))


@cache
def _ramp(kind: str) -> list[list[int]]:
    palette = theme.PALETTES["light"]
    return [_rgb(mix(palette.panel, getattr(palette, f"{kind}_text"), place / 255)) for place in range(256)]


def _rgb(colour: str) -> list[int]:
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]


def readout(view: Locator) -> str:
    """The sentence under a view, with plain spaces."""
    return view.inner_text().replace("\u00a0", " ")
