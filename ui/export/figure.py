"""Figures for a paper: a head, a wall of heads or the joint view, drawn by matplotlib at an exact width in millimetres.

The print theme is dark on white, and a larger weight is always darker, so that it survives a print in grey. `core.notebook`
and the pages' export menu call `figure`. No Streamlit here, and no pyplot: nothing is shared between two figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Bezier
from numpy.typing import NDArray

from core.analysis.maps import hides_later, only_allowed
from core.analysis.readout import capitalised
from core.errors import InputError
from core.language import numeral, tr
from core.model.config import ModelConfig
from core.model.hooks import attention_of
from core.model.trace import Trace
from core.version import __version__
from ui.export.files import MAP_COLUMNS, csv_of, csv_text, number, query_cells
from ui.export.paper import (
    FONT,
    GREY,
    INK,
    PAPER,
    POINT,
    SIZE,
    SMALL,
    Figure,
    clean,
    fitted,
    width_of,
    wrapped,
)
from ui.export.rows import ONE_COLUMN, Rows, rows_of, texts_of
from ui.session.selection import MEAN
from ui.shared.maps import PLACES
from ui.style.theme import LIGHT, Kind, mix

LEAST_WIDTH, MOST_WIDTH = 30.0, 1000.0
MOST_CELLS: Final = 150_000
_FRAME: Final = "#b0b0b0"
_LEADING: Final = 1.35
_THRESHOLD: Final = 0.05  # of a line of the joint view
_ENDS: Final[dict[Kind, tuple[str, str]]] = {
    "encoder": ("source", "source"),
    "cross": ("target", "source"),
    "causal": ("target", "target"),
}


def figure(
    trace: Trace,
    kind: str = "cross",
    head: tuple[int, int] | None = None,
    *,
    width: float = ONE_COLUMN,
    model: str = "",
    threshold: float = _THRESHOLD,
) -> Figure:
    """The figure of a trace: one head, the wall of all heads where none is given, or the joint view of a head or of their mean.

    Raises `InputError` in one sentence for what cannot be drawn.
    """
    if kind not in (*PLACES, "joint"):
        raise InputError(f"kind is {kind!r}; choose one of {', '.join(PLACES)} or joint.")
    trace.require(kind)
    if not isinstance(threshold, (int, float)) or not 0 < threshold <= 1:
        raise InputError(f"threshold is {threshold!r}; give a weight above 0 and up to 1.")
    subject, title = _subject(kind, head), _title(trace.config, kind)
    caption = caption_of(title, subject, texts_of(trace), model, trace.as_given)
    if kind == "joint":
        kinds: tuple[Kind, ...] = ("encoder", "cross", "causal")
        rows = {each: rows_of(trace, each) for each in kinds}
        depth = {each: trace.config.layers(PLACES[each][0]) for each in kinds}
        # A shallower stack shows its last layer.
        at = {each: None if head is None else (min(head[0], depth[each] - 1), head[1]) for each in kinds}
        if head is not None and head[0] >= max(depth.values()):
            at["cross"] = head  # is refused
        values = {each: _chosen(trace, each, at[each]) for each in kinds}
        lines = [[each, *line] for each in kinds for line in _lines(values[each], rows[each], each)]
        names = {each: tr(attention_of(trace.config, each).label) for each in kinds}
        return joint(values, rows, names, caption, csv_text(("kind", *MAP_COLUMNS), lines), width, threshold)
    one_kind = cast(Kind, kind)
    rows_ = rows_of(trace, one_kind)
    if head is not None:
        one = _chosen(trace, one_kind, head)
        return one_head(one, rows_, one_kind, caption, _csv(_allowed(one, one_kind), rows_), width)
    every = trace.stacked(*PLACES[one_kind], "weights")
    cells = [
        [f"{layer}.{number_}", *line]
        for layer, heads in enumerate(every)
        for number_, each in enumerate(heads)
        for line in _lines(each, rows_, one_kind)
    ]
    return wall(every, rows_, one_kind, caption, csv_text(("head", *MAP_COLUMNS), cells), width)


def of_map(
    values: NDArray[Any],
    rows: Rows,
    kind: Kind,
    *,
    subject: str,
    sentence: tuple[str, str],
    model: str,
    config: ModelConfig,
    width: float,
) -> Figure:
    """The figure of a map (T, S) as a page shows it: words merged, special tokens hidden."""
    caption = caption_of(_title(config, kind), subject, sentence, model, given=False)
    return one_head(values, rows, kind, caption, _csv(values, rows), width)


def _subject(kind: str, head: tuple[int, int] | None) -> str:
    if head is None:
        return tr("the mean of all heads") if kind == "joint" else tr("all heads")
    if head[1] == MEAN:
        return tr("the mean of the heads in layer {layer}", layer=head[0])
    return tr("head {name}", name=f"{head[0]}.{head[1]}")


def _title(config: ModelConfig, kind: str) -> str:
    """What a caption calls the attention drawn."""
    if kind == "joint":
        return tr("Encoder, cross- and decoder self-attention")
    return capitalised(tr(attention_of(config, kind).title))


def _chosen(trace: Trace, kind: Kind, head: tuple[int, int] | None) -> NDArray[np.float32]:
    """The map (T, S) of a head, of the mean of a layer's heads (head MEAN), or of every head's mean.

    A shallower stack shows its last layer in a joint view, where its heads are asked for by another's.
    """
    every = trace.stacked(*PLACES[kind], "weights")
    if head is None:
        return np.asarray(every.mean(axis=(0, 1)), dtype=np.float32)
    layers, heads = every.shape[:2]
    if len(head) != 2 or not (0 <= head[0] < layers and (head[1] == MEAN or 0 <= head[1] < heads)):
        raise InputError(
            f"There is no head {'.'.join(map(str, head))}; {kind} has {layers} layers of {heads}, counted from 0."
        )
    layer = every[head[0]]
    return np.asarray(layer.mean(axis=0) if head[1] == MEAN else layer[head[1]], dtype=np.float32)


def _allowed(values: NDArray[Any], kind: Kind) -> NDArray[Any]:
    """The map with what no row may attend to left empty: later tokens, where the decoder has a causal mask."""
    return only_allowed(values, hides_later(kind, values))


def _csv(values: NDArray[Any], rows: Rows) -> str:
    queries, reads = rows.named
    return csv_of(values, queries, rows.keys, reads)


def _lines(values: NDArray[Any], rows: Rows, kind: Kind) -> Iterator[list[object]]:
    """The cells of one map, with the columns `MAP_COLUMNS`."""
    for i, (row, words) in enumerate(zip(_allowed(values, kind), query_cells(*rows.named), strict=True)):
        for j, value in enumerate(row):
            yield [i, *words, j, rows.keys[j], number(float(value))]


# -- what is drawn -------------------------------------------------------------------------------------------


def one_head(values: NDArray[Any], rows: Rows, kind: Kind, caption: str, csv: str, width: float) -> Figure:
    """The map (T, S) of one head, a square a weight, on one pair of axes; NaN where a row must not attend."""
    _check(width, values.size)
    names = [_short_name(*pair) for pair in _pairs(rows)]
    side = min(max(map(width_of, names)) + 1.0, 0.4 * width)
    cell = min((width - side - 0.1) / len(rows.keys), 9.0)
    size = max(min(SIZE, cell / POINT * 0.95), 3.0)
    # Keys stand upright where one of them is wider than its cell.
    upright = max(width_of(key, size) for key in rows.keys) > cell * 0.95
    room = 30.0 if upright else cell
    keys = [fitted(clean(key), room, size) for key in rows.keys]
    heights = [width_of(key, size) for key in keys] if upright else [size * POINT * _LEADING]
    top = SMALL * POINT * _LEADING + max(heights) + 1.0
    across, down = cell * len(keys), cell * len(names)
    made = _page(width, top + down, kind, caption, csv)
    axes = made.axes_at(side, top, across, down)
    _draw_map(axes, values, kind)
    axes.xaxis.tick_top()
    axes.set_xticks(np.arange(len(keys)) + 0.5, keys, rotation=90 if upright else 0, **_type(size))
    labels = [fitted(clean(name), side - 1.0, size) for name in names]
    axes.set_yticks(np.arange(len(names)) + 0.5, labels, **_type(size))
    axes.tick_params(length=0, pad=1.5)
    made.write(side, SMALL * POINT, tr("key →"), SMALL, GREY)
    if side > width_of(tr("query ↓"), SMALL):
        made.write(0, top - 0.8, tr("query ↓"), SMALL, GREY)
    return made


def wall(values: NDArray[Any], rows: Rows, kind: Kind, caption: str, csv: str, width: float) -> Figure:
    """All heads (L, H, T, S), a row of small maps for each layer, each on axes of its own."""
    _check(width, values.size)
    layers, heads, queries, keys = values.shape
    side, gap = 7.0, 1.2
    across = (width - side - gap * (heads - 1) - 0.1) / heads
    down = across * min(queries / keys, 2.0)
    top = SMALL * POINT * _LEADING * 2
    made = _page(width, top + layers * (down + gap) - gap, kind, caption, csv)
    made.write(side, SMALL * POINT, tr("head →"), SMALL, GREY)
    made.write(0, top - 0.8, tr("layer ↓"), SMALL, GREY)
    for layer, head in np.ndindex(layers, heads):
        x, y = side + head * (across + gap), top + layer * (down + gap)
        axes = made.axes_at(x, y, across, down)
        _draw_map(axes, values[layer, head], kind)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_label(f"{layer}.{head}")
        if layer == 0:
            made.write(x + across / 2, top - 0.8, str(head), SMALL, anchor="center")
        if head == 0:
            made.write(side - 1.2, y + down / 2 + 0.7, str(layer), SMALL, anchor="right")
    return made


def joint(
    values: dict[Kind, NDArray[Any]],
    rows: dict[Kind, Rows],
    names: dict[Kind, str],
    caption: str,
    csv: str,
    width: float,
    threshold: float = _THRESHOLD,
) -> Figure:
    """The three kinds in one: source and target in columns, with a line for each weight from `threshold` on.

    Everything is on one pair of axes whose units are millimetres from the upper left corner.
    """
    _check(width, sum(each.size for each in values.values()))
    source, pairs = rows["encoder"].reads, list(_pairs(rows["cross"]))
    step = SIZE * POINT * 1.75
    arc = min(0.16 * width, 25.0)
    left = min(max(map(width_of, source)), 0.26 * width)
    right = min(max(width_of(_short_name(*pair)) for pair in pairs), 0.34 * width)
    x_source, x_target = arc + left, width - arc - right
    top = SMALL * POINT * 2.2
    height = step * max(len(source), len(pairs))
    note_at = top + height + SMALL * POINT * _LEADING
    made = _page(width, note_at, None, caption, csv)
    axes = made.axes_at(0, 0, width, note_at)
    axes.set(xlim=(0, width), ylim=(note_at, 0))
    axes.set_axis_off()
    middles = {
        "source": [top + (n + 0.5) * step + (height - step * len(source)) / 2 for n in range(len(source))],
        "target": [top + (n + 0.5) * step + (height - step * len(pairs)) / 2 for n in range(len(pairs))],
    }
    lines: list[tuple[float, Kind, list[tuple[float, float]]]] = []
    for kind, ends in _ENDS.items():
        for i, j in zip(*np.nonzero(np.nan_to_num(values[kind]) >= threshold), strict=True):
            a, b = middles[ends[0]][i], middles[ends[1]][j]
            if kind == "cross":
                bend = (x_target - x_source) / 2
                points = [
                    (x_target - 0.8, a),
                    (x_target - bend, a),
                    (x_source + bend, b),
                    (x_source + 0.8, b),
                ]
            else:
                x, out = (arc - 0.8, -1.0) if kind == "encoder" else (width - arc + 0.8, 1.0)
                reach = out * min(2.0 + abs(a - b) * 0.5, arc - 1.0) * 4 / 3
                points = [(x, a - 0.3), (x + reach, a - 0.3), (x + reach, b + 0.3), (x, b + 0.3)]
            lines.append((float(values[kind][i, j]), kind, points))
    for weight, kind, points in sorted(lines, key=lambda line: line[0]):  # the strongest on top
        colour = mix(PAPER, _dark(kind), 0.25 + 0.75 * min(weight, 1.0))
        curve = Bezier(points, [Bezier.MOVETO, Bezier.CURVE4, Bezier.CURVE4, Bezier.CURVE4])
        axes.add_patch(PathPatch(curve, fill=False, edgecolor=colour, linewidth=(0.1 + 0.7 * weight) / POINT))
    made.write(0, SMALL * POINT, names["encoder"], SMALL, _dark("encoder"))
    made.write((x_source + x_target) / 2, SMALL * POINT, names["cross"], SMALL, _dark("cross"), "center")
    made.write(width, SMALL * POINT, names["causal"], SMALL, _dark("causal"), "right")
    below = SIZE * POINT * 0.35
    for word, y in zip(source, middles["source"], strict=True):
        made.write(x_source, y + below, fitted(word, left, SIZE), SIZE, anchor="right")
    for pair, y in zip(pairs, middles["target"], strict=True):
        made.write(width - arc, y + below, fitted(_short_name(*pair), right, SIZE), SIZE, anchor="right")
    note = tr("lines from {share} % on; darker and wider: more weight", share=numeral(100 * threshold, ".0f"))
    made.write(0, note_at, note, SMALL, GREY)
    return made


def _type(size: float) -> dict[str, Any]:
    """How words of an axis are set: as they are, in the figure's font."""
    return {"fontsize": size, "family": FONT, "parse_math": False}


def _draw_map(axes: Axes, values: NDArray[Any], kind: Kind) -> None:
    """A map (T, S) in the colours of its kind, row 0 on top; vectors, a square a weight, NaN as paper."""
    mesh = axes.pcolormesh(np.ma.masked_invalid(values), cmap=_colours(kind), vmin=0.0, vmax=1.0, linewidth=0)
    mesh.set_edgecolor("face")
    axes.invert_yaxis()
    for spine in axes.spines.values():
        spine.set(color=_FRAME, linewidth=0.4)


def _page(width: float, bottom: float, kind: Kind | None, caption: str, csv: str) -> Figure:
    """An empty figure with the scale of its colours and its caption below `bottom` millimetres."""
    lines = list(wrapped(caption, width))
    y = bottom + 2.0
    scale = 0.0 if kind is None else 3.4
    height = y + scale + SMALL * POINT * _LEADING * len(lines) + 0.6
    made = Figure(width, round(height, 2), caption, csv)
    if kind is not None:
        length, zero = min(24.0, width / 3), width_of("0", SMALL) + 0.8
        made.write(0, y + 1.9, "0", SMALL)
        axes = made.axes_at(zero, y, length, 2.2)
        _draw_map(axes, (np.arange(24)[None] + 0.5) / 24, kind)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_label("scale")
        made.write(zero + length + 0.8, y + 1.9, f"1  {tr('attention weight')}", SMALL)
    y += scale
    for line in lines:
        y += SMALL * POINT * _LEADING
        made.write(0, y - 0.5, line, SMALL)
    return made


def shade(weight: float, kind: Kind) -> str:
    """The colour of a weight from 0 to 1 on paper: the larger, the darker."""
    return mix(PAPER, _dark(kind), float(np.clip(weight, 0.0, 1.0)) ** 0.8)


@lru_cache(maxsize=8)
def _colours(kind: Kind) -> ListedColormap:
    return ListedColormap([shade(n / 255, kind) for n in range(256)], name=f"atlas-{kind}")


@lru_cache(maxsize=8)
def _dark(kind: Kind) -> str:
    return mix(LIGHT.kind(kind), INK, 0.45)


def caption_of(title: str, subject: str, sentence: tuple[str, str], model: str, given: bool) -> str:
    """What a figure is of: heads, sentence and its translation, model and the version that drew it."""
    of = tr("{subject} of {model}", subject=subject, model=model) if model else subject
    written = " → ".join(tr("“{word}”", word=text) for text in sentence if text)
    drawn = f"Attention Atlas {__version__}"
    how = tr("{drawn}; maps as given, not recomputed", drawn=drawn) if given else drawn
    return f"{title}, {of}. {written}. {how}."


def _check(width: float, cells: int) -> None:
    if not (isinstance(width, (int, float)) and LEAST_WIDTH <= width <= MOST_WIDTH):
        raise InputError(
            f"width is {width!r}; give {LEAST_WIDTH:g} to {MOST_WIDTH:,.0f} millimetres, such as 85 for one column."
        )
    if cells > MOST_CELLS:
        raise InputError.tr(
            "This figure would have {cells} squares and at most {most_cells} are drawn; choose one head or a shorter sentence.",
            cells=numeral(cells, ","),
            most_cells=numeral(MOST_CELLS, ","),
        )


def _pairs(rows: Rows) -> Iterator[tuple[str, str]]:
    return zip(rows.reads, rows.writes or ("",) * len(rows.reads), strict=True)


def _short_name(read: str, written: str) -> str:
    """A row by what it reads and what it writes, as short as an axis needs."""
    return f"{read} → {written}" if read and written else written or read
