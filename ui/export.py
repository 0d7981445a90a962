"""Views that leave the app: an SVG heatmap, a CSV of its numbers, one HTML report of a decode (ui/report.py).

No Streamlit here. Tokens are written by users, so everything is escaped for the language it goes into.
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError
from ui import colour, theme
from ui.components.checks import axis_labels
from ui.report import ReportMaps, ReportStep, html_report
from ui.theme import Kind, Mode

__all__ = ["ReportMaps", "ReportStep", "csv_of", "html_report", "svg_heatmap"]

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
CELL, LABEL, TOP, LEGEND = 26, 112, 96, 44
"""Sizes of the SVG in pixels: a cell, room for row labels, for column labels, for the legend."""


def csv_of(values: ArrayLike, query_labels: Sequence[str], key_labels: Sequence[str]) -> str:
    """The numbers of a map `(T, S)`, a line a cell: query_position, query, key_position, key, value.

    Nine digits keep float32 exact; a cell that may not be attended has an empty value.
    """
    full, queries, keys = _map(values, query_labels, key_labels)
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["query_position", "query", "key_position", "key", "value"])
    for i, query in enumerate(queries):
        for j, key in enumerate(keys):
            writer.writerow([i, query, j, key, f"{full[i, j]:.9g}" if np.isfinite(full[i, j]) else ""])
    return out.getvalue()


def svg_heatmap(
    values: ArrayLike,
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    *,
    kind: Kind,
    mode: Mode = "light",
    title: str = "",
    difference: bool = False,
) -> str:
    """A map `(T, S)` as an SVG document: weights in the kind's colour, or a difference centred on 0."""
    full, queries, keys = _map(values, query_labels, key_labels)
    palette = theme.PALETTES[mode]
    reach = float(np.nanmax(np.abs(full), initial=0.0, where=np.isfinite(full))) if difference else 1.0
    side = CELL if max(full.shape) <= 40 else max(2.0, 40 * CELL / max(full.shape))
    width, height = LABEL + side * len(keys) + 80, TOP + side * len(queries) + LEGEND
    box = f'viewBox="0 0 {width:g} {height:g}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" {box} font-size="13">',
        f'<rect width="100%" height="100%" fill="{palette.panel}"/>',
        f'<text x="12" y="24" font-family="sans-serif" font-weight="600" fill="{palette.ink}">{_xml(title)}</text>',
    ]
    step = max(1, int(np.ceil(14 / side)))
    mono = "font-family=\"'Source Code Pro', monospace\""
    for i in range(0, len(queries), step):
        y = TOP + side * (i + 0.5)
        parts.append(
            f'<text x="{LABEL - 8}" y="{y:g}" {mono} text-anchor="end" dominant-baseline="central" '
            f'fill="{palette.ink}">{_xml(_short(queries[i]))}</text>'
        )
    for j in range(0, len(keys), step):
        x = LABEL + side * (j + 0.5)
        parts.append(
            f'<text x="{x:g}" y="{TOP - 6}" {mono} transform="rotate(-38 {x:g} {TOP - 6})" '
            f'fill="{palette.muted}">{_xml(_short(keys[j]))}</text>'
        )
    for i, j in np.ndindex(full.shape):
        parts.append(_cell(float(full[i, j]), i, j, side, kind, mode, reach if difference else None))
    legend = f"difference, largest ±{100 * reach:.0f} points" if difference else "weight, 0 to 100 %"
    parts.append(
        f'<text x="{LABEL}" y="{height - 14:g}" font-family="sans-serif" fill="{palette.muted}">'
        f"attending (query) ↓ attended (key) → · {legend}</text></svg>"
    )
    return "\n".join(parts)


def _cell(value: float, i: int, j: int, side: float, kind: Kind, mode: Mode, reach: float | None) -> str:
    """One cell, with its number where there is room and something to say."""
    palette = theme.PALETTES[mode]
    if not np.isfinite(value):
        return ""
    fill = (
        theme.sequential(value, kind, mode)
        if reach is None
        else theme.diverging(value / (reach or 1.0), mode)
    )
    x, y, gap = LABEL + side * j, TOP + side * i, 2 if side > 10 else 0
    drawn = (
        f'<rect x="{x:g}" y="{y:g}" width="{side - gap:g}" height="{side - gap:g}" rx="{gap}" fill="{fill}"/>'
    )
    if side < 20 or abs(value) < 0.1:
        return drawn
    ink = colour.readable_on(fill, (palette.ink, palette.panel))
    number = f"{100 * value:.0f}" if reach is None else f"{100 * value:+.0f}".replace("-", "−")
    middle = (side - gap) / 2
    return drawn + (
        f'<text x="{x + middle:g}" y="{y + middle:g}" font-family="sans-serif" font-size="10" text-anchor="middle" '
        f'dominant-baseline="central" fill="{ink}">{number}</text>'
    )


def _map(
    values: ArrayLike, query_labels: Sequence[str], key_labels: Sequence[str]
) -> tuple[NDArray[np.float64], list[str], list[str]]:
    full = np.asarray(values, dtype=np.float64)
    if full.ndim != 2:
        raise InputError(f"A map has shape {full.shape}; one head is (queries, keys).")
    return (
        full,
        axis_labels(query_labels, full.shape[0], "query"),
        axis_labels(key_labels, full.shape[1], "key"),
    )


def _short(label: str, most: int = 14) -> str:
    return label if len(label) <= most else label[: most - 1] + "…"


def _xml(text: str) -> str:
    """Text for XML: escaped, and without the characters that no XML document may hold."""
    return html.escape(_NOT_XML.sub("\ufffd", text), quote=True)
