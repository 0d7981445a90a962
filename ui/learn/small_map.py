"""A map as an HTML table, which grows with a slide: one cell a weight, its colour that of the weight."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Final

import numpy as np

from core.analysis.readout import row_name
from ui.style.theme import PALETTES, Mode

if TYPE_CHECKING:
    from core.learning.study import Map

GAMMA: Final = 0.6  # keeps small weights visible, as on every map
WRITTEN: Final = 0.095  # weights from here on have their percentage in the cell


def map_html(drawn: Map, mode: Mode, caption: str) -> str:
    """The map with its labels: decoder rows by the word they read and the word they write."""
    palette = PALETTES[mode]
    colour = palette.kind(drawn.kind)
    head = "".join(f"<th scope=col><span>{html.escape(word)}</span></th>" for word in drawn.columns)
    reads = drawn.reads or ("",) * len(drawn.rows)
    rows = []
    for word, read, values in zip(drawn.rows, reads, drawn.values, strict=True):
        before = f"<i>{html.escape(read)} → </i>" if read else ""
        tip = html.escape(row_name(read, word) if read else word)
        cells = "".join(_cell(float(value), colour, palette.panel, palette.ink) for value in values)
        rows.append(f'<tr><th scope=row title="{tip}">{before}<b>{html.escape(word)}</b></th>{cells}</tr>')
    return (
        f'<div class="atlas-map-room"><table class="atlas-map" style="--columns:{len(drawn.columns)}">'
        f"<caption>{html.escape(caption)}</caption>"
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _cell(value: float, colour: str, panel: str, ink: str) -> str:
    """One cell: hatched where it is not a number, with its percentage where the weight is large enough to be read."""
    if not np.isfinite(value):
        return "<td class=nan>NaN</td>"
    share = min(1.0, max(0.0, value)) ** GAMMA
    fill = mixed(colour, panel, share)
    text = f"{100 * value:.0f}" if value >= WRITTEN else ""
    best = max((ink, panel), key=lambda each: contrast(each, fill))
    return f'<td style="background:{fill};color:{best}">{text}</td>'


def mixed(one: str, other: str, share: float) -> str:
    """`share` of the first colour and the rest of the second."""
    parts = [
        round(share * a + (1 - share) * b) for a, b in zip(_channels(one), _channels(other), strict=True)
    ]
    return "#" + "".join(f"{part:02x}" for part in parts)


def _channels(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return red, green, blue


def contrast(one: str, other: str) -> float:
    """The contrast of two colours by WCAG, from 1 to 21."""

    def light(colour: str) -> float:
        parts = [part / 255 for part in _channels(colour)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)
