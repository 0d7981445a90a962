"""What several pages say of the hand-made model's pass: words of rows and columns, of walls, and what is on every page."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.browser.accounting import Account, Fact, fact, no_result, share
from tests.browser.golden_model import (
    DECODER_LAYERS,
    ENCODER_LAYERS,
    HEADS,
    TARGET,
    WIDTH,
    Passed,
    parameters,
)
from ui.style.theme import PALETTES

ROOT = Path(__file__).parents[2]
END = "⟨end⟩"
LABELS = ["⟨pad⟩", "⟨start⟩", END, "⟨unk⟩", *TARGET[4:]]
LAYER, HEAD = 1, 2  # what most pages are opened with


def ids_of(passed: Passed) -> list[int]:
    return [LABELS.index(word) for word in passed.written]


def furniture(passed: Passed | None, header: bool = True) -> list[Account]:
    """What stands on every page: the checkpoint, the strip of the architecture, the sentence and its translation.

    Without `passed` the page is of no sentence.
    """
    count = sum(values.size for values in parameters().values())
    sizes: list[list[Fact]] = [[fact(WIDTH)]]
    said, read = [], []
    if passed is not None:
        sizes, read = [[fact(len(passed.source))]], [[fact(len(passed.source))]]
        said = [[fact(*passed.source[:-1], *passed.written[:-1])]]
    return [
        Account(
            "stSidebar st-key-card_checkpoint atlas-quiet",
            [[fact(ENCODER_LAYERS, DECODER_LAYERS, HEADS, count / 1000)]],
        ),
        no_result("stSidebar", "how many checks a checkpoint passes, and on what it computes"),
        *([Account("map-block kind=source", read, every=True)] if read else []),
        Account("map-block kind=encoder", [[fact(ENCODER_LAYERS)]], every=True),
        Account("map-block kind=memory", sizes, every=True),
        Account("map-block kind=causal", [[fact(DECODER_LAYERS)]], every=True),
        Account("map-block kind=next", [[fact(len(TARGET))]], every=True),
        *([Account("st-key-header atlas-sentence", said, every=True)] if header and said else []),
        no_result("", "what a measure is: its range and its source", "data-tip"),
        no_result("", "the same for who cannot see it", "aria-description"),
        no_result("role=tooltip", "what a measure is"),
        no_result("st-key-explain_*", "what is looked at, and why"),
        no_result("wall-about", "what a score is"),
        no_result("cbaxis", "ticks of a scale of colours"),
        no_result("legendtext", "the name of a line"),
        no_result("xaxislayer-above", "ticks of an axis"),
        no_result("yaxislayer-above", "ticks of an axis"),
        no_result("card-controls label", "what a control does"),
        no_result("card-controls keys", "what a key does, what a score is"),
        no_result("main-svg bartext", "the text of a bar, which its trace holds"),
        no_result("main-svg textpoint", "the text of a mark, which its trace holds"),
        no_result("slider", "where a slider stands: its label says it, too"),
    ]


def logs(passed: Passed, ids: list[int]) -> np.ndarray:
    return np.array([math.log(passed.probabilities(step)[token]) for step, token in enumerate(ids)])


def compared(
    queries: list[str], keys: list[str], first: np.ndarray, second: np.ndarray
) -> tuple[str, str, float, float]:
    """The words of the cell with the largest change between words, and its two weights."""
    change = np.abs(second - first)
    for place, query in enumerate(queries):
        for column, key in enumerate(keys):
            if END in (query, key):
                change[place, column] = -1
    i, j = np.unravel_index(int(change.argmax()), change.shape)
    return queries[i], keys[j], first[i, j], second[i, j]


Row = Sequence[float]


def of_row(passed: Passed, kind: str, row: int) -> Fact:
    """The words of a row: what it reads and, in the decoder, what it writes."""
    return fact(passed.source[row]) if kind == "encoder" else fact(passed.read[row], passed.written[row])


def named(row: Row, labels: Sequence[str], most: int = 3) -> list[Fact]:
    """The largest weights of a row with their words: as many as say most of it, three at most, none below 5 %."""
    found: list[Fact] = []
    told = 0.0
    for place in sorted(range(len(row)), key=lambda place: -row[place])[:most]:
        if found and (row[place] < 0.05 or told >= 0.9):
            break
        found.append((*fact(labels[place]), share(row[place])))
        told += row[place]
    return found


def by_columns(column: Row, labels: Sequence[str]) -> list[Fact]:
    """The rows that look at a key most, with how much: three at most, none below 5 %."""
    order = sorted(range(len(column)), key=lambda place: -column[place])[:3]
    return [
        (*fact(labels[place]), share(column[place]))
        for n, place in enumerate(order)
        if n == 0 or column[place] >= 0.05
    ]


def telling_row(values: np.ndarray, kind: str, rows: Sequence[str]) -> int:
    """The row told when none is chosen: the word that gives most to one token (in self-attention, to another one)."""
    free = values.round(6)
    for place, row in enumerate(rows):
        if row.startswith("⟨"):
            free[place] = -1.0
        elif kind != "cross":
            free[place, place] = -1.0
    return int(np.unravel_index(int(free.argmax()), free.shape)[0])


def lengths_named(row: Row, labels: Sequence[str]) -> list[Fact]:
    order = sorted(range(len(row)), key=lambda place: -row[place])[:3]
    return [
        fact(labels[place], float(row[place]))
        for n, place in enumerate(order)
        if n == 0 or row[place] >= 0.1 * row[order[0]]
    ]


def three_of(row: Row, labels: Sequence[str]) -> list[Fact]:
    """The three largest shares of a row with their words, those below 5 % left out."""
    order = sorted(range(len(row)), key=lambda place: -row[place])[:3]
    return [
        (*fact(labels[place]), share(row[place]))
        for n, place in enumerate(order)
        if n == 0 or row[place] >= 0.05
    ]


def layers_of_wall(count: int) -> list[Account]:
    rows = [[fact(layer)] for layer in range(count)]
    return [Account("wall-layer", rows, "aria-label"), Account("wall-layer", rows, "title")]


def rgb(colour: str) -> tuple[int, ...]:
    """Of "#rrggbb" or "rgb(r, g, b)"."""
    if colour.startswith("#"):
        return tuple(int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return tuple(int(float(number)) for number in re.findall(r"[\d.]+", colour)[:3])


RISE, FALL = (rgb(getattr(PALETTES["light"], name)) for name in ("positive", "negative"))


def cosine_apart(distance: int) -> float:
    """Of two position vectors this far apart: both are √(WIDTH / 2) long."""
    pairs = range(WIDTH // 2)
    return sum(math.cos(distance / 10_000 ** (2 * pair / WIDTH)) for pair in pairs) / len(pairs)
