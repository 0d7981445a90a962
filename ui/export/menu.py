"""What the pages let a reader save: the numbers of the open maps, all maps, and an offline report.

Pictures are made in the browser, the report in ui/export/live/page.py.
"""

from __future__ import annotations

import html
import io
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
import streamlit as st

from core.language import tr
from ui.export.files import MAP_COLUMNS, csv_of, csv_text, number, query_cells
from ui.export.rows import ONE_COLUMN, TWO_COLUMNS
from ui.shared.context import DecodeView
from ui.shared.decode import Decode
from ui.shared.maps import Axis
from ui.shared.two_maps import Pair, Side
from ui.style.theme import Kind
from ui.web.contract import file_stem

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from ui.export.paper import Figure

_BINARY: Final = "application/octet-stream"
Make = Callable[[], str]


Drawn = Mapping[str, "Callable[[float], Figure]"]
"""Figures for a paper by what they show, each made for a width in millimetres."""


def buttons(shown: DecodeView, csv: Make, name: str, figures: Drawn | None = None) -> None:
    """Files made when they are asked for: CSV of the open map, figures, NPZ of the trace, HTML report."""
    stem = file_stem(f"atlas-{shown.entry.name}")
    with _menu():
        _offer(tr("CSV of the open map"), csv, f"{stem}-{file_stem(name)}.csv", "text/csv")
        _whole_decode(shown, stem)
        _figures(shown, figures or {}, f"{stem}-{file_stem(name)}")


def whole(shown: DecodeView, figures: Drawn | None = None) -> None:
    """The whole decode, where no single map is open."""
    stem = file_stem(f"atlas-{shown.entry.name}")
    with _menu():
        _whole_decode(shown, stem)
        _figures(shown, figures or {}, stem)


def _figures(shown: DecodeView, figures: Drawn, stem: str) -> None:
    """Vector figures for a paper, of an exact width: PDF and SVG of each."""
    if not figures:
        return
    from ui.export.paper import Figure, letters  # matplotlib, which takes a second; loaded with the model

    labels = {ONE_COLUMN: tr("one column, 85 mm"), TWO_COLUMNS: tr("two columns, 174 mm")}
    width = st.pills(
        tr("Figure for a paper"),
        list(labels),
        default=ONE_COLUMN,
        format_func=labels.__getitem__,
        required=True,
    )
    tokens = shown.decode.trace.tokens
    spelled = all(ord(letter) in letters() for row in tokens for word in row for letter in word)
    for title, draw in figures.items():
        name = f"{stem}-{file_stem(title)}-{width:.0f}mm"
        if spelled:
            _offer(f"{title}, PDF", _drawn(draw, width, Figure.pdf), f"{name}.pdf", "application/pdf")
        _offer(f"{title}, SVG", _drawn(draw, width, Figure.svg), f"{name}.svg", "image/svg+xml")


def _drawn(
    draw: Callable[[float], Figure], width: float, written: Callable[[Figure], str | bytes]
) -> Callable[[], str | bytes]:
    return lambda: written(draw(width))


def comparison(shown: DecodeView, pair: Pair, name: str) -> None:
    """The numbers of both maps as CSV and NPZ, and the first side's whole decode."""
    stem = file_stem(f"atlas-{shown.entry.name}")
    parts = f"{stem}-{file_stem(name)}"
    with _menu():
        _offer(tr("CSV of both maps"), lambda: pair_csv(pair), f"{parts}.csv", "text/csv")
        _offer(tr("NPZ of both maps"), lambda: pair_npz(pair), f"{parts}.npz", _BINARY)
        _whole_decode(shown, stem)


def texts(shown: DecodeView, files: Sequence[tuple[str, str, Make]]) -> None:
    """Files of text, each (label, name, what makes it), and the whole decode."""
    stem = file_stem(f"atlas-{shown.entry.name}")
    with _menu():
        _texts(stem, files)
        _whole_decode(shown, stem)


def tables(files: Sequence[tuple[str, str, Make]]) -> None:
    """Tables that belong to no decode, each (label, name, what makes it)."""
    with _menu():
        _texts("atlas", files)


def _texts(stem: str, files: Sequence[tuple[str, str, Make]]) -> None:
    for label, name, make in files:
        kind = "text/csv" if name.endswith(".csv") else "text/plain"
        _offer(label, make, f"{stem}-{file_stem(name)}", kind)


def _menu() -> DeltaGenerator:
    menu = st.popover(tr("Save ⤓"), type="tertiary", width="content", key="save")
    hint = html.escape(tr("Pictures as PNG and SVG: ⤓ in the corner of each card"))
    menu.html(f'<p class="atlas-quiet">{hint}</p>')
    return menu


def _offer(label: str, make: Callable[[], str | bytes], file_name: str, kind: str) -> None:
    st.download_button(label, make, file_name, kind, on_click="ignore")


def _whole_decode(shown: DecodeView, stem: str) -> None:
    _offer(tr("NPZ of every map"), lambda: npz(shown.decode), f"{stem}-trace.npz", _BINARY)
    _offer(tr("HTML report, offline"), lambda: report(shown), f"{stem}-report.html", "text/html")


def pair_csv(pair: Pair) -> str:
    """Both maps and, over the same words, the second minus the first: a line a cell, as the card's own CSV has it."""
    sides = [(side.name, side.cells(pair.kind), side) for side in (pair.first, pair.second)]
    if pair.comparable:
        difference = pair.second.cells(pair.kind) - pair.first.cells(pair.kind)
        sides.append((f"{pair.second.name} − {pair.first.name}", difference, pair.first))
    rows = (
        [name, *query, j, key, number(values[i, j])]
        for n, (name, values, side) in enumerate(sides)
        for i, query in enumerate(_rows_of(side, pair.kind, difference=n == 2))
        for j, key in enumerate(side.keys)
    )
    return csv_text(["map", *(["head"] if pair.of_heads else []), *MAP_COLUMNS], rows)


def _rows_of(side: Side, kind: Kind, *, difference: bool) -> list[tuple[object, ...]]:
    """What names each row of a map: its position and words, or the head and those of its step; a difference of steps has none."""
    if not side.word:
        cells = query_cells(side.queries, side.reads, kind == "encoder")
        return [(i, *words) for i, words in enumerate(cells)]
    step = ("", "", "") if difference else (side.position, side.reads[0], side.word)
    return [(head, *step) for head in side.queries]


def pair_npz(pair: Pair) -> bytes:
    """`first`, `second` (T, S) and for each its `…_name`, `…_query_reads`, `…_query_writes`, `…_keys`; numpy reads it without pickle."""
    arrays: dict[str, np.ndarray] = {}
    for name, side in (("first", pair.first), ("second", pair.second)):
        arrays[name] = side.values
        arrays[f"{name}_name"] = np.array(side.name)
        if pair.of_heads:
            arrays[f"{name}_heads"], cells = np.array(side.queries), [(side.reads[0], side.word)]
        else:
            cells = query_cells(side.queries, side.reads, pair.kind == "encoder")
        arrays[f"{name}_query_reads"], arrays[f"{name}_query_writes"] = map(
            np.array, zip(*cells, strict=True)
        )
        arrays[f"{name}_keys"] = np.array(side.keys)
    out = io.BytesIO()
    np.savez_compressed(out, allow_pickle=False, **arrays)
    return out.getvalue()


def npz(decode: Decode) -> bytes:
    """The trace as `core trace --out` writes it."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.npz"
        decode.trace.save(path)
        return path.read_bytes()


def report(shown: DecodeView) -> str:
    """The whole decode as one HTML file: the live page without a model."""
    from ui.export.live.page import decode_page

    def notes() -> list[str]:
        checked = ", ".join(str(fact) for fact in shown.decode.facts)
        facts = (
            (tr("Checkpoint"), f"{shown.entry.name}, {shown.entry.size_line}"),
            (tr("Next word"), shown.selection.strategy),
            (tr("Checked"), checked),
        )
        return [f"{name}: {value}" for name, value in facts if value]

    entry = shown.entry
    return decode_page(shown.decode, entry.config, entry.usable.card, entry.name, notes)


def csv_source(values: np.ndarray, queries: Axis, keys: Axis) -> Callable[[], str]:
    """The CSV of one map, when asked for."""
    return lambda: csv_of(values, queries.labels, keys.labels, queries.reads)
