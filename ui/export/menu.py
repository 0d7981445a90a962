"""What the pages let a reader save: the numbers of the open maps, all maps, and an offline report.

Pictures are made in the browser, the report in ui/export/live/page.py.
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
import streamlit as st
from numpy.typing import ArrayLike

from core.errors import InputError
from core.language import tr
from ui.shared.checks import axis_labels, file_stem
from ui.shared.context import DecodeView
from ui.shared.decode import Decode
from ui.shared.map_pairs import Pair, Side
from ui.shared.maps import Axis
from ui.style.theme import Kind

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_BINARY: Final = "application/octet-stream"
Make = Callable[[], str]
_FORMULA: Final = re.compile("[=+\\-@\t\r\n＝＋－＠]")
_NUMBER: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)


MAP_COLUMNS: Final = ("query_position", "query_reads", "query_writes", "key_position", "key", "value")
"""The columns of a map's cells; ui/web/maps/sheet.ts writes the same."""


def buttons(shown: DecodeView, csv: Callable[[], str], name: str) -> None:
    """Three files, made when they are asked for: CSV of the open map, NPZ of the trace, HTML report."""
    stem = file_stem(f"atlas-{shown.entry.name}")
    with _menu():
        _offer(tr("CSV of the open map"), lambda: csv().encode(), f"{stem}-{file_stem(name)}.csv", "text/csv")
        _whole_decode(shown, stem)


def whole(shown: DecodeView) -> None:
    """The whole decode, where no single map is open."""
    with _menu():
        _whole_decode(shown, file_stem(f"atlas-{shown.entry.name}"))


def comparison(shown: DecodeView, pair: Pair, name: str) -> None:
    """The numbers of both maps as CSV and NPZ, and the first side's whole decode."""
    stem = file_stem(f"atlas-{shown.entry.name}")
    parts = f"{stem}-{file_stem(name)}"
    with _menu():
        _offer(tr("CSV of both maps"), lambda: pair_csv(pair).encode(), f"{parts}.csv", "text/csv")
        _offer(tr("NPZ of both maps"), lambda: pair_npz(pair), f"{parts}.npz", _BINARY)
        _whole_decode(shown, stem)


def texts(shown: DecodeView, files: Sequence[tuple[str, str, Make]]) -> None:
    """Files of text, each (label, name, what makes it), and the whole decode."""
    stem = file_stem(f"atlas-{shown.entry.name}")
    with _menu():
        for label, name, make in files:
            kind = "text/csv" if name.endswith(".csv") else "text/plain"
            _offer(label, partial(_encoded, make), f"{stem}-{file_stem(name)}", kind)
        _whole_decode(shown, stem)


def tables(files: Sequence[tuple[str, str, Make]]) -> None:
    """Tables that belong to no decode, each (label, name, what makes it)."""
    with _menu():
        for label, name, make in files:
            _offer(label, partial(_encoded, make), f"atlas-{file_stem(name)}", "text/csv")


def _encoded(make: Make) -> bytes:
    return make().encode()


def _menu() -> DeltaGenerator:
    menu = st.popover(tr("Save ⤓"), type="tertiary", width="content")
    hint = html.escape(tr("Pictures as PNG and SVG: ⤓ in the corner of each card"))
    menu.html(f'<p class="atlas-quiet">{hint}</p>')
    return menu


def _offer(label: str, make: Callable[[], bytes], file_name: str, kind: str) -> None:
    st.download_button(label, make, file_name, kind, on_click="ignore")


def _whole_decode(shown: DecodeView, stem: str) -> None:
    _offer(tr("NPZ of every map"), lambda: npz(shown.decode), f"{stem}-trace.npz", _BINARY)
    _offer(tr("HTML report, offline"), lambda: report(shown).encode(), f"{stem}-report.html", "text/html")


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


# -- numbers as text --------------------------------------------------------------------------------------------


def query_cells(
    labels: Sequence[str], reads: Sequence[str], of_encoder: bool = True
) -> list[tuple[str, str]]:
    """What each row reads and what it writes; a row of the encoder writes nothing."""
    if reads:
        return list(zip(reads, labels, strict=True))
    return [(label, "") if of_encoder else ("", label) for label in labels]


def csv_of(
    values: ArrayLike, query_labels: Sequence[str], key_labels: Sequence[str], query_reads: Sequence[str] = ()
) -> str:
    """The numbers of a map `(T, S)` as CSV, a line per cell, with the columns `MAP_COLUMNS`.

    With `query_reads` the labels of the rows are the words written; without, the words read by the encoder.

    Nine digits keep float32 exact; a cell that may not be attended has an empty value. Raises `InputError` when
    the map is not two-dimensional or does not fit its labels.
    """
    full = np.asarray(values, dtype=np.float64)
    if full.ndim != 2:
        raise InputError(f"A map has shape {full.shape}; one head is (queries, keys).")
    queries = axis_labels(query_labels, full.shape[0], "query")
    keys = axis_labels(key_labels, full.shape[1], "key")
    rows = (
        [i, *query, j, key, number(full[i, j])]
        for i, query in enumerate(query_cells(queries, query_reads))
        for j, key in enumerate(keys)
    )
    return csv_text(MAP_COLUMNS, rows)


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as CSV; no cell of it is a formula to a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(head)
    writer.writerows([harmless(str(value)) for value in row] for row in rows)
    return out.getvalue()


def harmless(text: str) -> str:
    """A cell's text; what a spreadsheet would run as a formula begins with an apostrophe (as in base/export.ts).

    tests/csv_cells.json says how cells are written, here and in the browser.
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def number(value: float) -> str:
    """A number of a map in a CSV; empty where attending is forbidden (NaN, see `only_allowed`)."""
    return f"{value:.9g}" if np.isfinite(value) else ""
