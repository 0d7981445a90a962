"""Figures of layer norm and the residual stream: tidy tables in, Plotly figures out. No Streamlit, no session."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from ui.style import theme
from ui.style.theme import Mode, Palette, literal, short

Array = NDArray[np.float64]


def site_name(stack: str, layer: int, block: str) -> str:
    """Short name of a norm or sub-layer: `0 self`, `2 cross`; norms that exist once have no number."""
    return block if block in ("embed", "final") else f"{layer} {block}"


def site_colour(palette: Palette, stack: str, block: str) -> str:
    """The colour of a sub-layer: attention sub-layers take the colour of their kind, all others are ink."""
    if block == "self":
        return palette.encoder if stack == "encoder" else palette.causal
    return palette.cross if block == "cross" else palette.muted


def spread_name(quantity: str) -> str:
    """A column of `norm_table` in the words of the page."""
    return {"std": "deviation", "rms": "root mean square"}.get(quantity, quantity)


def before_after(
    rows: pd.DataFrame, *, mode: Mode, spread: str = "std", presenter: bool = False, height: int = 330
) -> go.Figure:
    """Spread and mean of one token's vector before and after each norm, in the order it passes them.

    `rows` is `norm_table` cut to one token; `spread` the column drawn above, "std" or "rms".
    """
    palette = theme.PALETTES[mode]
    names = [site_name(*site) for site in zip(rows["stack"], rows["layer"], rows["block"], strict=True)]
    colours = [
        site_colour(palette, stack, block) for stack, block in zip(rows["stack"], rows["block"], strict=True)
    ]
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.08, row_heights=[0.62, 0.38])
    for row, quantity in ((1, spread), (2, "mean")):
        before, after = rows[f"{quantity}_before"], rows[f"{quantity}_after"]
        for name, low, high, colour in zip(names, before, after, colours, strict=True):
            figure.add_scatter(
                x=[name, name],
                y=[low, high],
                mode="lines",
                line={"color": colour, "width": 1.5},
                hoverinfo="skip",
                row=row,
                col=1,
            )
        for values, word, fill in ((before, "before", palette.panel), (after, "after", None)):
            figure.add_scatter(
                x=names, y=values, mode="markers", name=word, showlegend=False,
                marker={"size": 10, "color": fill or colours, "line": {"color": colours, "width": 2}},
                hovertemplate=f"%{{x}}: {spread_name(quantity)} {word} %{{y:.3f}}<extra></extra>", row=row, col=1,
            )  # fmt: skip
        figure.update_yaxes(
            title=spread_name(quantity),
            row=row,
            col=1,
            rangemode="normal" if quantity == "mean" else "tozero",
        )
    figure.update_xaxes(showgrid=False)
    figure.update_layout(showlegend=False)
    return theme.styled(figure, mode, presenter, height, top=14)


def stream(
    table: pd.DataFrame, token: int, stack: str, *, mode: Mode, presenter: bool = False, height: int = 330
) -> go.Figure:
    """‖h‖ of every token by depth, the chosen token in colour. `table` is `stream_table`."""
    palette = theme.PALETTES[mode]
    part = table[table["stack"] == stack]
    figure = go.Figure()
    for index, rows in part.groupby("token", sort=True):
        on = index == token
        figure.add_scatter(
            x=rows["depth"], y=rows["length"], mode="lines+markers" if on else "lines",
            line={"color": _stack_colour(palette, stack) if on else palette.bar, "width": 2.4 if on else 1},
            marker={"size": 6}, opacity=1 if on else 0.6,
            name=str(rows["label"].iloc[0]),
            hovertemplate=f"{rows['label'].iloc[0]}: %{{y:.2f}}<extra></extra>",
        )  # fmt: skip
    ordered = part.drop_duplicates("depth").sort_values("depth")
    names = [
        "embed" if depth == 0 else site_name(stack, layer, block)
        for depth, layer, block in zip(ordered["depth"], ordered["layer"], ordered["block"], strict=True)
    ]
    figure.update_xaxes(tickvals=ordered["depth"], ticktext=names, showgrid=False, title="after sub-layer")
    figure.update_yaxes(title="‖h‖", rangemode="tozero")
    figure.update_layout(showlegend=False)
    for label, depth, length in standing_out(part, token):
        figure.add_annotation(
            x=depth, y=length, text=literal(short(label)), showarrow=False, xanchor="left", xshift=6,
            font={"size": theme.SMALL, "color": palette.muted},
        )  # fmt: skip
    return theme.styled(figure, mode, presenter, height, top=14, right=72)


def standing_out(table: pd.DataFrame, token: int) -> list[tuple[str, float, float]]:
    """Label, depth and length at the end of the lines that leave the others behind, besides the chosen token's.

    A line stands out where it ends more than half above the median; of lines that end together, the longest is named.
    """
    last = table[table["depth"] == table["depth"].max()].sort_values("length", ascending=False)
    far = last[(last["length"] > 1.5 * last["length"].median()) & (last["token"] != token)]
    apart = 0.06 * float(last["length"].max())
    named: list[tuple[str, float, float]] = []
    for row in far.itertuples():
        if all(abs(row.length - other) > apart for _, _, other in named):
            named.append((str(row.label), float(row.depth), float(row.length)))
    return named[:4]


def shares(rows: pd.DataFrame, *, mode: Mode, presenter: bool = False, height: int = 330) -> go.Figure:
    """How much each sub-layer adds: ‖sub-layer‖ ÷ ‖residual‖ as bars, the cosine of the two below.

    `rows` is `sublayer_table` cut to one token.
    """
    palette = theme.PALETTES[mode]
    names = [site_name(*site) for site in zip(rows["stack"], rows["layer"], rows["block"], strict=True)]
    colours = [
        site_colour(palette, stack, block) for stack, block in zip(rows["stack"], rows["block"], strict=True)
    ]
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.08, row_heights=[0.6, 0.4])
    figure.add_bar(
        x=names, y=rows["ratio"], marker={"color": colours, "cornerradius": 4}, width=0.55,
        text=[f"{value:.2f}" for value in rows["ratio"]], textposition="outside", cliponaxis=False,
        textfont={"size": 12, "color": palette.muted},
        hovertemplate="%{x}: adds %{y:.3f} of the stream's length<extra></extra>", row=1, col=1,
    )  # fmt: skip
    for name, value, colour in zip(names, rows["cosine"], colours, strict=True):
        figure.add_scatter(
            x=[name, name],
            y=[0, value],
            mode="lines",
            line={"color": colour, "width": 1.5},
            hoverinfo="skip",
            row=2,
            col=1,
        )
    figure.add_scatter(
        x=names, y=rows["cosine"], mode="markers", marker={"size": 9, "color": colours},
        hovertemplate="%{x}: cosine %{y:.3f}<extra></extra>", row=2, col=1,
    )  # fmt: skip
    figure.update_yaxes(title="‖out‖ ÷ ‖x‖", row=1, col=1, rangemode="tozero")
    figure.update_yaxes(title="cosine", row=2, col=1, range=[-1.05, 1.05])
    figure.update_xaxes(showgrid=False)
    figure.update_layout(showlegend=False)
    return theme.styled(figure, mode, presenter, height, top=14)


def gains(
    gamma: Array,
    beta: Array | None,
    *,
    colour: str,
    mode: Mode,
    outliers: Sequence[int] = (),
    presenter: bool = False,
    height: int = 330,
) -> go.Figure:
    """Histograms of one norm's γ and β over its dimensions; outlying γ are ticked and numbered.

    `beta` None: a norm without a shift.
    """
    palette = theme.PALETTES[mode]
    drawn = [(gamma, "γ, the scale")] + ([] if beta is None else [(beta, "β, the shift")])
    figure = make_subplots(rows=1, cols=len(drawn), horizontal_spacing=0.1)
    for column, (values, name) in enumerate(drawn, start=1):
        counts, edges = np.histogram(values, bins=40)
        figure.add_bar(
            x=(edges[:-1] + edges[1:]) / 2, y=counts, width=np.diff(edges) * 0.92, marker={"color": colour},
            hovertemplate="%{y} dimensions near %{x:.3f}<extra></extra>", row=1, col=column,
        )  # fmt: skip
        figure.update_xaxes(title=name, row=1, col=column, showgrid=False)
    if len(outliers):
        figure.add_scatter(
            x=gamma[list(outliers)], y=np.zeros(len(outliers)), mode="markers",
            marker={"symbol": "line-ns-open", "size": 14, "color": palette.negative, "line": {"width": 2}},
            text=[f"dimension {index}" for index in outliers], hovertemplate="%{text}: γ %{x:.3f}<extra></extra>",
            row=1, col=1,
        )  # fmt: skip
    figure.update_yaxes(title="dimensions", row=1, col=1)
    figure.update_layout(showlegend=False, bargap=0)
    return theme.styled(figure, mode, presenter, height, top=14)


def _stack_colour(palette: Palette, stack: str) -> str:
    return palette.encoder if stack == "encoder" else palette.causal
