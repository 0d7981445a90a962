"""Figures of position encodings: arrays and labels in, Plotly figures out; and two words that swap positions, as HTML.

No Streamlit, no session. One pair of dimensions is drawn as a clock whose labels do not overlap.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from core.analysis.readout import Rewriting, decimal, isolated, power_of_ten, quoted
from core.language import numeral, plural, tr
from ui.style import theme
from ui.style.theme import Mode, literal, short

Array = NDArray[np.float64]


def rotation(
    angles: Array,
    labels: Sequence[str],
    *,
    start: int,
    offset: int,
    per_token: float,
    mode: Mode,
    presenter: bool = False,
) -> go.Figure:
    """One pair of dimensions as a clock: every token is a point at its angle; `offset` tokens on is one turn.

    `angles` (P,) in radians; the point of position p is (cos, sin) of its angle.
    """
    palette = theme.PALETTES[mode]
    circle = np.linspace(0, 2 * np.pi, 181)
    figure = go.Figure()
    figure.add_scatter(
        x=np.cos(circle),
        y=np.sin(circle),
        mode="lines",
        line={"color": palette.line, "width": 1.5},
        hoverinfo="skip",
    )
    count = min(len(labels), len(angles))
    figure.add_scatter(
        x=np.cos(angles[:count]),
        y=np.sin(angles[:count]),
        mode="markers+text",
        marker={"size": 8, "color": palette.bar, "line": {"color": palette.panel, "width": 1}},
        text=_apart(angles[:count], labels, keep=(start, start + offset), larger=1.3 if presenter else 1.0),
        textposition=_outward(angles[:count]),
        textfont={"family": theme.MONO, "size": 12, "color": palette.muted},
        customdata=list(range(count)),
        hovertext=[literal(label) for label in labels[:count]],
        hovertemplate=tr("{word}: position {number}", word="%{hovertext}", number="%{customdata}")
        + "<extra></extra>",
    )
    first, last = float(angles[start]), float(angles[start]) + offset * per_token
    turn = np.linspace(first, last, max(3, min(721, int(abs(last - first) * 30))))
    # A turn of more than once around winds inwards, so that every round can be counted.
    radius = 0.72 - 0.22 * np.linspace(0, 1, len(turn)) * min(1.0, abs(last - first) / (2 * np.pi))
    figure.add_scatter(
        x=radius * np.cos(turn),
        y=radius * np.sin(turn),
        mode="lines",
        line={"color": palette.cross, "width": 2.5},
        hoverinfo="skip",
    )
    for angle, colour in ((first, palette.ink), (last, palette.cross)):
        figure.add_scatter(
            x=[0, np.cos(angle)],
            y=[0, np.sin(angle)],
            mode="lines+markers",
            line={"color": colour, "width": 2},
            marker={"size": [0, 11], "color": colour},
            hoverinfo="skip",
        )
    figure.update_layout(showlegend=False)
    figure.update_xaxes(visible=False, range=[-1.45, 1.45])
    figure.update_yaxes(visible=False, range=[-1.25, 1.25], scaleanchor="x")
    return theme.styled(figure, mode, presenter, 330)


def _outward(angles: Array) -> list[str]:
    """Text positions that push labels off the circle."""
    sides = []
    for x, y in zip(np.cos(angles), np.sin(angles), strict=True):
        side = "right" if x > 0.3 else "left" if x < -0.3 else "center"
        sides.append(f"{'top' if y > 0.3 else 'bottom' if y < -0.3 else 'middle'} {side}")
    return sides


def _apart(angles: Array, labels: Sequence[str], keep: Sequence[int], larger: float = 1.0) -> list[str]:
    """Labels around the circle without overlaps; those in `keep` are placed first.

    `larger` is the factor by which the type is larger, relative to the circle, than in a card on a laptop.
    """
    sides = _outward(angles)
    taken: dict[int, tuple[float, float, float, float]] = {}
    for position in [p for p in keep if p < len(angles)] + list(range(len(angles))):
        box = _label_box(float(angles[position]), sides[position], len(short(labels[position])), larger)
        if position not in taken and not any(_overlap(box, other) for other in taken.values()):
            taken[position] = box
    return [literal(short(labels[position])) if position in taken else "" for position in range(len(angles))]


def _label_box(
    angle: float, side: str, letters: int, larger: float = 1.0
) -> tuple[float, float, float, float]:
    """Left, right, bottom and top of a label at the circle of radius 1, at the size of the narrowest card."""
    x, y, gap = float(np.cos(angle)), float(np.sin(angle)), 0.05
    width, height = 0.085 * letters * larger, 0.15 * larger
    left = {"right": x + gap, "left": x - gap - width}.get(side.split()[1], x - width / 2)
    bottom = {"top": y + gap, "bottom": y - gap - height}.get(side.split()[0], y - height / 2)
    return left, left + width, bottom, bottom + height


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


PUBLISHED_OFFSETS = (1, 2, 5, 10, 50, 100)
_TABLE: Final = (400, 700)  # pixels of height, at least and at most
_ROW: Final = 15  # pixels of height that a word needs
_AROUND: Final = 70  # pixels around the rows


def table(
    values: Array,
    labels: Sequence[str],
    *,
    mode: Mode,
    chosen: int | None = None,
    columns: Sequence[int] = (),
    presenter: bool = False,
) -> go.Figure:
    """A position table (P, d) as a heatmap, blue below 0 and red above.

    `labels` name the first rows (the sentence's tokens); `chosen` outlines a row, `columns` mark a pair of dimensions.
    """
    palette = theme.PALETTES[mode]
    positions, width = values.shape
    reach = float(np.abs(values).max(initial=1e-9))
    figure = go.Figure(
        go.Heatmap(
            z=values.astype(np.float32),
            colorscale=theme.plotly_diverging(mode),
            zmin=-reach,
            zmax=reach,
            colorbar={
                "thickness": 8,
                "len": 0.5,
                "y": 1,
                "yanchor": "top",
                "outlinewidth": 0,
                "tickvals": [-reach, 0, reach],
                "ticktext": [f"−{numeral(reach, '.2g')}", "0", numeral(reach, ".2g")],
            },
            hovertemplate=tr(
                "position {number}, dimension {dimension}: {value}",
                number="%{y}",
                dimension="%{x}",
                value="%{z:.3f}",
            )
            + "<extra></extra>",
        )
    )
    every = max(1, positions // 12)
    named = {
        position: f"{literal(isolated(short(label)))}  {position}"
        for position, label in enumerate(labels[:positions])
    }
    spare = [position for position in range(len(named), positions) if position % every == 0]
    height = min(_TABLE[1], max(_TABLE[0], _AROUND + _ROW * positions))
    step = max(1, math.ceil(_ROW * positions / (height - _AROUND)))
    ticks = [*list(named)[::step], *spare]
    if chosen is not None and chosen < positions and chosen not in ticks:
        ticks.append(chosen)
    figure.update_yaxes(
        autorange="reversed",
        tickvals=ticks,
        ticktext=[named.get(position, str(position)) for position in ticks],
        tickfont={"family": theme.MONO},
        showgrid=False,
        zeroline=False,
    )
    figure.update_xaxes(title=tr("dimension"), showgrid=False, zeroline=False)
    if chosen is not None and chosen < positions:
        figure.add_shape(
            type="rect",
            x0=-0.5,
            x1=width - 0.5,
            y0=chosen - 0.5,
            y1=chosen + 0.5,
            line={"color": palette.ink, "width": 1.5},
        )
    for column in columns:
        figure.add_vline(x=column, line={"color": palette.cross, "width": 1.5})
    return theme.styled(figure, mode, presenter, height)


def waves(
    curves: Mapping[int, Array],
    wavelengths: Array,
    labels: Sequence[str],
    *,
    mode: Mode,
    pair: int,
    chosen: int | None = None,
    presenter: bool = False,
) -> go.Figure:
    """Sine curves over positions, one line a pair of dimensions, short waves on top; the chosen pair in colour.

    `curves` maps a pair to its values (P,); dots stand where the sentence's tokens sit.
    """
    palette = theme.PALETTES[mode]
    figure = go.Figure()
    pairs = sorted(curves)
    for row, index in enumerate(pairs):
        base = 2.6 * (len(pairs) - row)
        values = curves[index]
        on = index == pair
        figure.add_scatter(
            x=np.arange(len(values)),
            y=base + values,
            mode="lines",
            line={
                "color": palette.cross if on else palette.bar,
                "width": 2.2 if on else 1.3,
                "shape": "spline",
            },
            hovertemplate=tr("pair {pair}, position {number}", pair=index, number="%{x}") + "<extra></extra>",
        )
        count = min(len(labels), len(values))
        figure.add_scatter(
            x=np.arange(count),
            y=base + values[:count],
            mode="markers",
            marker={"size": 6 if on else 4, "color": palette.cross if on else palette.muted},
            text=[literal(label) for label in labels[:count]],
            hovertemplate=tr("{word}: position {number}", word="%{text}", number="%{x}") + "<extra></extra>",
        )
        figure.add_annotation(
            x=1.01,
            xref="paper",
            y=base,
            xanchor="left",
            showarrow=False,
            text=tr("pair {pair} · {tokens} tokens", pair=index, tokens=_tokens(float(wavelengths[index]))),
            font={"size": 12, "color": palette.cross_text if on else palette.muted},
        )
    if chosen is not None:
        figure.add_vline(x=chosen, line={"color": palette.ink, "width": 1, "dash": "dot"})
    figure.update_yaxes(visible=False)
    figure.update_xaxes(title=tr("position"), showgrid=False, zeroline=False)
    figure.update_layout(showlegend=False)
    return theme.styled(figure, mode, presenter, 420, right=150)


def similarity(
    offsets: NDArray[np.int64],
    cosine: Array,
    *,
    mode: Mode,
    marks: Mapping[int, float],
    chosen: int | None = None,
    spread: Array | None = None,
    presenter: bool = False,
) -> go.Figure:
    """Cosine similarity of two positions by their distance; `marks` are distances labelled with their value."""
    palette = theme.PALETTES[mode]
    figure = go.Figure()
    if spread is not None:
        figure.add_scatter(
            x=np.concatenate([offsets, offsets[::-1]]),
            y=np.concatenate([cosine - spread, (cosine + spread)[::-1]]),
            fill="toself",
            fillcolor=theme.sequential(0.1, "encoder", mode),
            line={"width": 0},
            hoverinfo="skip",
        )
    figure.add_scatter(
        x=offsets,
        y=cosine,
        mode="lines",
        line={"color": palette.encoder, "width": 2},
        hovertemplate=tr("{distance} apart: {value}", distance="%{x}", value="%{y:.4f}") + "<extra></extra>",
    )
    figure.add_scatter(
        x=list(marks),
        y=list(marks.values()),
        mode="markers+text",
        marker={
            "size": 8,
            "color": [palette.cross if distance == chosen else palette.encoder for distance in marks],
        },
        text=[decimal(value, 3) for value in marks.values()],
        textposition="top right",
        textfont={"size": 12, "color": palette.muted},
        hovertemplate=tr("{distance} apart: {value}", distance="%{x}", value="%{y:.4f}") + "<extra></extra>",
        cliponaxis=False,
    )
    lowest = min(0.0, float((cosine if spread is None else cosine - spread).min()))
    figure.update_layout(showlegend=False)
    figure.update_xaxes(title=tr("tokens apart"), showgrid=False)
    figure.update_yaxes(title=tr("cosine similarity"), range=[lowest - 0.05, 1.08])
    return theme.styled(figure, mode, presenter, 430, right=26)


def buckets(
    offsets: NDArray[np.int64],
    bucket: NDArray[np.int64],
    *,
    mode: Mode,
    bias: Array | None = None,
    score: str = "",
    presenter: bool = False,
) -> go.Figure:
    """T5's relative positions: the bucket of each offset, or the bias (H, offsets) each head adds to its scores.

    `score` names the lines' numbers where they are another thing by offset.
    """
    palette = theme.PALETTES[mode]
    figure = go.Figure()
    if bias is None:
        figure.add_scatter(
            x=offsets, y=bucket, mode="lines", line={"color": palette.encoder, "width": 2, "shape": "hv"}
        )
        figure.update_yaxes(title=tr("bucket"))
    else:
        for head, line in enumerate(bias):
            figure.add_scatter(
                x=offsets,
                y=line,
                mode="lines",
                name=tr("head {name}", name=head),
                line={"width": 1.6, "shape": "hv"},
            )
        figure.update_yaxes(title=score or tr("added to the score"))
        figure.update_layout(legend={"y": 1.02, "yanchor": "bottom", "x": 0})
    figure.update_xaxes(title=tr("key position − query position"))
    return theme.styled(figure, mode, presenter, 330 if bias is None else 400, top=8 if bias is None else 26)


def _tokens(wavelength: float) -> str:
    return numeral(wavelength, ".1f") if wavelength < 100 else numeral(wavelength, ",.0f")


# -- two words that swap positions ------------------------------------------------------------------------------

_LETTERS: Final = 90  # letters and gaps that two rows hold; of longer sentences, both ends and what is around the swap are drawn
_AROUND_SWAP: Final = 1  # tokens drawn on either side of one that swaps
_UNCHANGED: Final = 0.05  # nats


@dataclass(frozen=True)
class Swap:
    """Two source tokens that swap positions, and the translation before and after."""

    labels: tuple[str, ...]
    first: int
    second: int
    change: Rewriting
    nats: float

    @property
    def positions(self) -> list[int]:
        """The position that each token has after the swap."""
        order = list(range(len(self.labels)))
        order[self.first], order[self.second] = self.second, self.first
        return order

    @property
    def title(self) -> str:
        """What the swap does to the translation."""
        names = {
            "first": quoted(self.labels[min(self.first, self.second)]),
            "second": quoted(self.labels[max(self.first, self.second)]),
        }
        before, after = (
            sorted(word.text.casefold() for word in words)
            for words in (self.change.before, self.change.after)
        )
        if not (self.change.lost or self.change.new):
            return tr("Swap the positions of {first} and {second}: the translation stays the same", **names)
        if before == after:
            return tr(
                "Swap the positions of {first} and {second}: the model writes the same words in another order",
                **names,
            )
        return plural(
            "Swap the positions of {first} and {second}: {count} of {total} words changes",
            "Swap the positions of {first} and {second}: {count} of {total} words change",
            max(len(self.change.lost), len(self.change.new)),
            total=max(len(before), len(after)),
            **names,
        )

    @property
    def sentence(self) -> str:
        """How much less likely the swap makes the translation."""
        if abs(self.nats) < _UNCHANGED:
            return tr("The first translation stays as likely as before.")
        times = _times(np.exp(min(abs(self.nats), 700.0)))
        if self.nats < 0:
            return tr("With the swap, the first translation is {times} times less likely.", times=times)
        return tr("With the swap, the first translation is {times} times more likely.", times=times)


def _times(factor: float) -> str:
    """Two digits: “1.4”, “27”, “3,300,000”; from a million million on as a power of ten."""
    if factor >= 1e12:
        return power_of_ten(round(float(np.log10(factor))))
    if factor < 10:
        return numeral(factor, ".1f")
    size = 10 ** (len(str(int(factor))) - 2)
    return numeral(int(round(factor / size) * size), ",")


def tokens_html(swap: Swap, table: NDArray[np.float64], mode: Mode) -> str:
    """The source's tokens in a row, each with the position it gets; the two that swap show their own struck out.

    Of a long sentence the tokens far from both are one cell, which names them when pointed at.
    """
    reach = float(np.abs(table).max(initial=1e-9))
    cells = []
    for run in _runs(swap):
        if len(run) > 1:
            words = html.escape(" ".join(swap.labels[token] for token in run))
            numbers = f"{run[0]}–{run[-1]}"
            cells.append(f'<li class=folded title="{words}"><bdi>…</bdi><span>{numbers}</span></li>')
            continue
        (token,) = run
        position = swap.positions[token]
        moved = position != token
        strip = ""
        if position < len(table):
            colours = [theme.diverging(float(value) / reach, mode) for value in table[position]]
            strip = f'<i style="background:{_stripes(colours)}"></i>'
        number = f"<s>{token}</s> <b>{position}</b>" if moved else str(position)
        label = html.escape(swap.labels[token])
        cells.append(
            f"<li{' class=moved' if moved else ''}><bdi>{label}</bdi>{strip}<span>{number}</span></li>"
        )
    head = html.escape(tr("position"))
    return f'<div class="atlas-swap"><p>{head}</p><ol>{"".join(cells)}</ol></div>'


def _runs(swap: Swap) -> list[range]:
    """The tokens in order: one by one where they are drawn, and together what lies between."""
    count = len(swap.labels)
    drawn = {0, count - 1}
    for each in (swap.first, swap.second):
        drawn |= set(range(each - _AROUND_SWAP, each + _AROUND_SWAP + 1))
    if sum(max(len(label), 3) + 2 for label in swap.labels) <= _LETTERS:
        drawn = set(range(count))
    runs: list[range] = []
    start = 0
    for token in sorted(drawn & set(range(count))):
        if token > start:
            runs.append(range(start, token))
        runs.append(range(token, token + 1))
        start = token + 1
    return runs


def _stripes(colours: Sequence[str]) -> str:
    share = 100 / len(colours)
    stops = (f"{colour} {n * share:.1f}% {(n + 1) * share:.1f}%" for n, colour in enumerate(colours))
    return f"linear-gradient(90deg,{','.join(stops)})"
