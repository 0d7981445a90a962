"""Figures for a paper: a head, a wall of heads or the joint view as vector PDF and SVG of an exact width in millimetres.

The print theme is dark on white, and a larger weight is always darker, so that it survives a print in grey. Every cell of
the SVG holds the value that the CSV has for it. `core.notebook` and the pages' export menu call `figure`. No Streamlit here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from core.analysis.maps import hides_later, only_allowed
from core.analysis.readout import capitalised, row_name
from core.errors import InputError
from core.language import numeral, tr
from core.model.config import ModelConfig
from core.model.hooks import attention_of
from core.model.trace import Trace
from core.version import __version__
from ui.export.files import MAP_COLUMNS, csv_of, csv_text, number, query_cells
from ui.export.vector import (
    INK,
    PAPER,
    POINT,
    SIZE,
    SMALL,
    Curve,
    Figure,
    Mark,
    Rect,
    Text,
    fitted,
    measured,
    wrapped,
)
from ui.session.selection import MEAN
from ui.shared.maps import PLACES
from ui.style.theme import LIGHT, Kind, mix

ONE_COLUMN, TWO_COLUMNS = 85.0, 174.0
"""Widths in millimetres that most journals ask for."""
LEAST_WIDTH, MOST_WIDTH = 30.0, 1000.0
MOST_CELLS: Final = 150_000
_GREY, _FRAME = "#6a6a6a", "#b0b0b0"
_LEADING: Final = 1.35
_NOTHING: Final = 0.003  # a weight that no print shows
_THRESHOLD: Final = 0.05  # of a line of the joint view
_ENDS: Final[dict[Kind, tuple[str, str]]] = {
    "encoder": ("source", "source"),
    "cross": ("target", "source"),
    "causal": ("target", "target"),
}


@dataclass(frozen=True)
class Rows:
    """The labels of a map: what each row reads and writes (the encoder's rows write nothing), and the keys."""

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    keys: tuple[str, ...]

    @property
    def named(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Labels of the rows, and what the rows read if the labels are what they write."""
        return (self.writes, self.reads) if self.writes else (self.reads, ())


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


def texts_of(trace: Trace) -> tuple[str, str]:
    """Source and translation as their tokens, without the end; of `core.from_maps`, the words that were given."""
    tokens = trace.tokens
    written = tokens.written or (tokens.target if trace.as_given else ())
    source, target = (
        " ".join(row[:-1] if row[-1:] == ("⟨end⟩",) else row) for row in (tokens.source, written)
    )
    return source, target


def rows_of(trace: Trace, kind: Kind) -> Rows:
    """The labels of the maps of a kind."""
    tokens = trace.tokens
    if kind == "encoder":
        return Rows(tokens.source, (), tokens.source)
    return Rows(tokens.target, tokens.written, tokens.target if kind == "causal" else tokens.source)


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
    """The map (T, S) of one head, a square a weight; NaN where a row must not attend."""
    _check(width, values.size)
    gap = 0.8
    names = [f"{read} → {written}" if written and read else read or written for read, written in _pairs(rows)]
    side = min(max(map(measured, names)), 0.4 * width)
    cell = min((width - side - gap - 0.1) / len(rows.keys), 9.0)
    size = max(min(SIZE, cell / POINT * 0.95), 3.0)
    # Keys stand upright where one of them is wider than its cell.
    upright = max(measured(key, size) for key in rows.keys) > cell * 0.95
    head = (
        min(max(measured(key, size) for key in rows.keys), 30.0) + 1.0 if upright else size * POINT * _LEADING
    )
    top = SMALL * POINT * _LEADING + head
    marks: list[Mark] = [Text(side + gap, SMALL * POINT, tr("key →"), SMALL, _GREY)]
    marks.append(Text(0, top - 0.8, tr("query ↓"), SMALL, _GREY)) if side > measured(
        tr("query ↓"), SMALL
    ) else None
    for j, key in enumerate(rows.keys):
        x = side + gap + (j + 0.5) * cell
        words = fitted(key, 29.0 if upright else cell, size)
        marks.append(
            Text(x + size * POINT * 0.35, top - 0.6, words, size, turn=-90)
            if upright
            else Text(x, top - 0.7, words, size, anchor="middle")
        )
    for i, (read, written) in enumerate(_pairs(rows)):
        marks += _row_label(read, written, side, top + (i + 0.5) * cell + size * POINT * 0.35, size)
    marks += _cells(values, rows, kind, side + gap, top, cell, cell)
    marks.append(Rect(side + gap, top, cell * len(rows.keys), cell * len(names), stroke=_FRAME))
    return _finished(marks, top + cell * len(names), kind, caption, csv, width)


def wall(values: NDArray[Any], rows: Rows, kind: Kind, caption: str, csv: str, width: float) -> Figure:
    """All heads (L, H, T, S), a row of small maps for each layer."""
    _check(width, values.size)
    layers, heads, queries, keys = values.shape
    side, gap = 7.0, 1.2
    across = (width - side - gap * (heads - 1) - 0.1) / heads
    down = across * min(queries / keys, 2.0)
    top = SMALL * POINT * _LEADING * 2
    marks: list[Mark] = [
        Text(side, SMALL * POINT, tr("head →"), SMALL, _GREY),
        Text(0, top - 0.8, tr("layer ↓"), SMALL, _GREY),
    ]
    for head in range(heads):
        x = side + head * (across + gap)
        marks.append(Text(x + across / 2, top - 0.8, str(head), SMALL, anchor="middle"))
    for layer in range(layers):
        y = top + layer * (down + gap)
        marks.append(Text(side - 1.2, y + down / 2 + 0.7, str(layer), SMALL, anchor="end"))
        for head in range(heads):
            x = side + head * (across + gap)
            name = f"{tr('head {name}', name=f'{layer}.{head}')}: "
            marks += _cells(values[layer, head], rows, kind, x, y, across / keys, down / queries, name)
            marks.append(Rect(x, y, across, down, stroke=_FRAME))
    return _finished(marks, top + layers * (down + gap) - gap, kind, caption, csv, width)


def joint(
    values: dict[Kind, NDArray[Any]],
    rows: dict[Kind, Rows],
    names: dict[Kind, str],
    caption: str,
    csv: str,
    width: float,
    threshold: float = _THRESHOLD,
) -> Figure:
    """The three kinds in one: source and target in columns, with a line for each weight from `threshold` on."""
    _check(width, sum(each.size for each in values.values()))
    source, pairs = rows["encoder"].reads, list(_pairs(rows["cross"]))
    step = SIZE * POINT * 1.75
    arc = min(0.16 * width, 25.0)
    left = min(max(map(measured, source)), 0.26 * width)
    right = min(max(measured(f"{read} → {written}", SIZE) for read, written in pairs), 0.34 * width)
    x_source, x_target = arc + left, width - arc - right
    top = SMALL * POINT * 2.2
    height = step * max(len(source), len(pairs))
    middles = {
        "source": [top + (n + 0.5) * step + (height - step * len(source)) / 2 for n in range(len(source))],
        "target": [top + (n + 0.5) * step + (height - step * len(pairs)) / 2 for n in range(len(pairs))],
    }
    marks: list[Mark] = [
        Text(0, SMALL * POINT, names["encoder"], SMALL, _dark("encoder")),
        Text(
            (x_source + x_target) / 2,
            SMALL * POINT,
            names["cross"],
            SMALL,
            _dark("cross"),
            "middle",
        ),
        Text(width, SMALL * POINT, names["causal"], SMALL, _dark("causal"), "end"),
    ]
    lines: list[Curve] = []
    for kind, ends in _ENDS.items():
        for i, j in zip(*np.nonzero(np.nan_to_num(values[kind]) >= threshold), strict=True):
            weight = float(values[kind][i, j])
            a, b = middles[ends[0]][i], middles[ends[1]][j]
            if kind == "cross":
                bend = (x_target - x_source) / 2
                points = (
                    (x_target - 0.8, a),
                    (x_target - bend, a),
                    (x_source + bend, b),
                    (x_source + 0.8, b),
                )
            else:
                x, out = (arc - 0.8, -1.0) if kind == "encoder" else (width - arc + 0.8, 1.0)
                reach = out * min(2.0 + abs(a - b) * 0.5, arc - 1.0) * 4 / 3
                points = ((x, a - 0.3), (x + reach, a - 0.3), (x + reach, b + 0.3), (x, b + 0.3))
            name = f"{names[kind]}: {_row_name(rows[kind], int(i))} / {rows[kind].keys[j]}"
            lines.append(
                Curve(
                    points,
                    mix(PAPER, _dark(kind), 0.25 + 0.75 * min(weight, 1.0)),
                    0.1 + 0.7 * weight,
                    number(weight),
                    name,
                )
            )
    lines.sort(key=lambda line: line.width)  # the strongest on top
    marks += lines
    for word, y in zip(source, middles["source"], strict=True):
        marks.append(Text(x_source, y + SIZE * POINT * 0.35, fitted(word, left, SIZE), anchor="end"))
    for (read, written), y in zip(pairs, middles["target"], strict=True):
        marks += _row_label(read, written, width - arc, y + SIZE * POINT * 0.35, SIZE)
    note = tr("lines from {share} % on; darker and wider: more weight", share=numeral(100 * threshold, ".0f"))
    marks.append(Text(0, top + height + SMALL * POINT * _LEADING, note, SMALL, _GREY))
    return _finished(marks, top + height + SMALL * POINT * _LEADING, None, caption, csv, width)


def _cells(
    values: NDArray[Any],
    rows: Rows,
    kind: Kind,
    left: float,
    top: float,
    across: float,
    down: float,
    before: str = "",
) -> Iterator[Rect]:
    """A rectangle for each weight that shows."""
    for i, row in enumerate(values):
        name = f"{before}{_row_name(rows, i)}"
        for j, value in enumerate(row):
            if np.isfinite(value) and value >= _NOTHING:
                colour = shade(float(value), kind)
                yield Rect(
                    left + j * across,
                    top + i * down,
                    across,
                    down,
                    colour,
                    None,
                    number(float(value)),
                    f"{name} / {rows.keys[j]}",
                )


def _row_label(read: str, written: str, right: float, baseline: float, size: float) -> Iterator[Text]:
    """What a row reads, small and grey, and what it writes, ending at `right`."""
    main = fitted(written or read, right, size)
    yield Text(right, baseline, main, size, anchor="end")
    if written and read:
        room = right - measured(main, size) - 0.6
        before = fitted(f"{read} →", room, size * 0.8)
        if before:
            yield Text(right - measured(main, size) - 0.6, baseline, before, size * 0.8, _GREY, "end")


def _finished(
    marks: list[Mark], bottom: float, kind: Kind | None, caption: str, csv: str, width: float
) -> Figure:
    """The figure with the scale of its colours and its caption below."""
    y = bottom + 2.0
    if kind is not None:
        steps, length = 24, min(24.0, width / 3)
        zero = measured("0", SMALL) + 0.8
        marks.append(Text(0, y + 1.9, "0", SMALL))
        marks += [
            Rect(zero + n * length / steps, y, length / steps, 2.2, shade((n + 0.5) / steps, kind))
            for n in range(steps)
        ]
        marks.append(Rect(zero, y, length, 2.2, stroke=_FRAME))
        marks.append(Text(zero + length + 0.8, y + 1.9, f"1  {tr('attention weight')}", SMALL))
        y += 3.4
    for line in wrapped(caption, width):
        y += SMALL * POINT * _LEADING
        marks.append(Text(0, y - 0.5, line, SMALL))
    return Figure(width, round(y + 0.6, 2), tuple(marks), caption, csv)


def shade(weight: float, kind: Kind) -> str:
    """The colour of a weight from 0 to 1 on paper: the larger, the darker."""
    return mix(PAPER, _dark(kind), float(np.clip(weight, 0.0, 1.0)) ** 0.8)


@lru_cache(maxsize=4096)
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


def _row_name(rows: Rows, i: int) -> str:
    written = rows.writes[i] if rows.writes else ""
    return row_name(rows.reads[i], written) if written else rows.reads[i]
