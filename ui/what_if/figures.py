"""Figures of the What if page: numbers and labels in, Plotly figures out. No Streamlit, no session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from core.analysis.readout import decimal
from core.model.hooks import ATTENTION
from ui.style import theme
from ui.style.theme import Mode, literal, short

if TYPE_CHECKING:
    from core.experiments.importance import Kept

Array = NDArray[np.float64]
MOST_WORDS: Final = 26
"""Words along an axis that can still be read; of a longer translation every second, third … is written."""


def next_words(
    labels: Sequence[str],
    before: Array,
    after: Array,
    chosen: Sequence[tuple[str, float]],
    *,
    mode: Mode,
    presenter: bool = False,
    height: int = 300,
) -> go.Figure:
    """The probability of each written token before (hollow) and after (filled), joined; `chosen` is the first choice after."""
    palette = theme.PALETTES[mode]
    positions = list(range(len(labels)))
    figure = go.Figure()
    for position, low, high in zip(positions, before, after, strict=True):
        colour = palette.negative if high < low else palette.positive
        figure.add_scatter(
            x=[position, position], y=[low, high], mode="lines", hoverinfo="skip",
            line={"color": colour if abs(high - low) > 0.005 else palette.bar, "width": 3},
        )  # fmt: skip
    words = [
        f"{literal(label)}: {100 * low:.1f} % → {100 * high:.1f} %"
        f"<br>first choice now: {literal(name)} {100 * share:.1f} %"
        for label, low, high, (name, share) in zip(labels, before, after, chosen, strict=True)
    ]
    for values, fill, name in ((before, palette.panel, "before"), (after, palette.ink, "after")):
        figure.add_scatter(
            x=positions, y=values, mode="markers", name=name, customdata=words,
            marker={"size": 9, "color": fill, "line": {"color": palette.ink, "width": 1.6}},
            hovertemplate="%{customdata}<extra></extra>",
        )  # fmt: skip
    every = -(-len(labels) // MOST_WORDS)
    figure.update_xaxes(
        tickvals=positions[::every],
        ticktext=[literal(short(label)) for label in labels[::every]],
        showgrid=False,
        range=[-0.6, len(labels) - 0.4],
        tickangle=-40 if len(labels) > 5 else 0,
    )
    figure.update_yaxes(range=[-0.04, 1.04], tickformat=".0%", title="probability")
    figure.update_layout(showlegend=False)
    return theme.styled(figure, mode, presenter, height, top=10)


def importance_wall(
    tables: Mapping[Any, NDArray[Any]], unit: str, *, mode: Mode, presenter: bool = False, signed: bool = True
) -> go.Figure:
    """One square a head, a row of them a layer, the three kinds beside each other; red costs most when it is missing.

    All three share one scale: heads of different kinds can be held against each other here, since the unit is the same.
    """
    known = np.concatenate([table[np.isfinite(table)] for table in tables.values()] or [np.zeros(1)])
    reach = float(np.abs(known).max(initial=0)) or 1.0
    palette = theme.PALETTES[mode]
    figure = make_subplots(
        rows=1,
        cols=len(tables),
        horizontal_spacing=0.05,
        subplot_titles=[ATTENTION[kind].label for kind in tables],
        column_widths=[max(table.shape[1], 1) for table in tables.values()],
    )
    scale = theme.plotly_diverging(mode) if signed else theme.plotly_sequential("cross", mode)
    many = max(table.size for table in tables.values()) > 64
    for column, (kind, table) in enumerate(tables.items(), start=1):
        names = [[f"{layer}.{head}" for head in range(table.shape[1])] for layer in range(table.shape[0])]
        figure.add_trace(
            go.Heatmap(
                z=table,
                x=[str(head) for head in range(table.shape[1])],
                y=[str(layer) for layer in range(table.shape[0])],
                customdata=names,
                text=[["" if np.isnan(v) else _brief(v) for v in row] for row in table],
                texttemplate=None if many else "%{text}",
                textfont={"size": 11},
                colorscale=scale,
                zmin=-reach if signed else 0,
                zmax=reach,
                showscale=False,
                xgap=2,
                ygap=2,
                hovertemplate=f"{ATTENTION[kind].label} %{{customdata}}: %{{z:.3f}} {unit}<extra></extra>",
            ),
            row=1,
            col=column,
        )
    figure.update_yaxes(autorange="reversed", showgrid=False, dtick=1)
    figure.update_yaxes(title="layer", col=1)
    figure.update_xaxes(showgrid=False, title="head", dtick=1)
    figure.update_annotations(font={"size": theme.SMALL, "color": palette.muted})
    layers = max(table.shape[0] for table in tables.values())
    return theme.styled(figure, mode, presenter, 96 + 30 * layers, top=26)


def _brief(value: float) -> str:
    if abs(value) >= 0.995:
        return decimal(value, 1)
    return decimal(value).replace("0.", ".", 1)


def kept(
    curves: Mapping[str, Kept],
    names: Mapping[str, str],
    chosen: int | None,
    *,
    mode: Mode,
    presenter: bool = False,
    height: int = 250,
) -> go.Figure:
    """The share of words that stay the first choice with only the k best heads, a line a ranking."""
    palette = theme.PALETTES[mode]
    figure = go.Figure()
    for (name, curve), colour in zip(curves.items(), (palette.ink, palette.cross), strict=False):
        figure.add_scatter(
            x=curve.counts, y=curve.first, mode="lines+markers", name=names[name],
            line={"color": colour, "width": 2}, marker={"size": 5},
            customdata=np.exp(-curve.log_probability),
            hovertemplate="%{x} heads: %{y:.0%} of the words stay, perplexity %{customdata:.3g}<extra></extra>",
        )  # fmt: skip
    if chosen is not None:
        figure.add_vline(x=chosen, line={"color": palette.muted, "width": 1, "dash": "dot"})
    figure.update_xaxes(title="heads at work", rangemode="tozero")
    figure.update_yaxes(title="words that stay", tickformat=".0%", range=[0, 1.04])
    figure.update_layout(legend={"y": 1.12, "x": 0}, showlegend=len(curves) > 1)
    return theme.styled(figure, mode, presenter, height, top=30)


def reasons(
    rows: Sequence[tuple[str, float, str]],
    *,
    mode: Mode,
    presenter: bool = False,
    height: int | None = None,
) -> go.Figure:
    """Effects in nats as bars from 0, (name, effect, colour of the palette); the first row stands on top."""
    palette = theme.PALETTES[mode]
    figure = go.Figure(
        go.Bar(
            x=[effect for _, effect, _ in rows],
            y=list(range(len(rows))),
            orientation="h",
            marker={"color": [getattr(palette, colour) for _, _, colour in rows], "cornerradius": 3},
            width=0.62,
            text=[decimal(effect, plus=True) for _, effect, _ in rows],
            textposition="outside",
            cliponaxis=False,
            textfont={"size": 12, "color": palette.muted},
            customdata=[literal(name) for name, _, _ in rows],
            hovertemplate="%{customdata}: %{x:+.3f} nats<extra></extra>",
        )
    )
    figure.update_yaxes(
        autorange="reversed",
        showgrid=False,
        tickvals=list(range(len(rows))),
        ticktext=[literal(short(name, 18)) for name, _, _ in rows],
    )
    low = min(0.0, *(effect for _, effect, _ in rows)) if rows else 0.0
    high = max(0.0, *(effect for _, effect, _ in rows)) if rows else 0.0
    span = max(high - low, 1e-9)  # the numbers stand beside their bars, inside the figure
    figure.update_xaxes(range=[low - 0.24 * span if low else -0.03 * span, high + 0.24 * span], title="nats")
    return theme.styled(figure, mode, presenter, height or 70 + 25 * len(rows), top=4)
