"""Figures of the Importance page: numbers and labels in, Plotly figures out. No Streamlit, no session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from core.analysis.readout import decimal
from core.language import tr
from core.model.hooks import ATTENTION
from ui.style import theme
from ui.style.theme import Mode

if TYPE_CHECKING:
    from core.experiments.rankings import Kept


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
        subplot_titles=[tr(ATTENTION[kind].label) for kind in tables],
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
                hovertemplate=f"{tr(ATTENTION[kind].label)} %{{customdata}}: %{{z:.3f}} {unit}<extra></extra>",
            ),
            row=1,
            col=column,
        )
    figure.update_yaxes(autorange="reversed", showgrid=False, dtick=1)
    figure.update_yaxes(title=tr("layer"), col=1)
    figure.update_xaxes(showgrid=False, title=tr("head"), dtick=1)
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
            hovertemplate=tr("%{x} heads: %{y:.0%} of the words stay, perplexity %{customdata:.3g}") + "<extra></extra>",
        )  # fmt: skip
    if chosen is not None:
        figure.add_vline(x=chosen, line={"color": palette.muted, "width": 1, "dash": "dot"})
    figure.update_xaxes(title=tr("heads that are kept"), rangemode="tozero")
    figure.update_yaxes(title=tr("words that stay"), tickformat=".0%", range=[0, 1.04])
    figure.update_layout(legend={"y": 1.12, "x": 0}, showlegend=len(curves) > 1)
    return theme.styled(figure, mode, presenter, height, top=30)
