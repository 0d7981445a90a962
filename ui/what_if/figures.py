"""Figures of the What if page: numbers and labels in, Plotly figures out. No Streamlit, no session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from core.analysis.readout import decimal
from core.language import tr
from ui.style import theme
from ui.style.theme import Mode, literal, short

Array = NDArray[np.float64]


def next_words(
    labels: Sequence[str],
    read: Sequence[str],
    before: Array,
    after: Array,
    chosen: Sequence[tuple[str, float]],
    *,
    pinned: int | None = None,
    edited: bool = True,
    mode: Mode,
    presenter: bool = False,
) -> go.Figure:
    """The probability of each written token before (hollow) and after (filled), joined, with the numbers beside them.

    A column a token, or from more than `COLUMNS` tokens on a row each; `pinned` is tinted, `chosen` the first choice after.
    """
    palette = theme.PALETTES[mode]
    across = len(labels) <= COLUMNS
    positions = list(range(len(labels)))
    size, larger = theme.BODY, theme.PRESENTER_SCALE if presenter else 1.0
    figure = go.Figure()

    def along(values: Sequence[Any], other: Sequence[Any]) -> dict[str, Any]:
        """Coordinates: tokens along one axis, numbers along the other."""
        return {"x": values, "y": other} if across else {"x": other, "y": values}

    if edited:
        for position, low, high in zip(positions, before, after, strict=True):
            colour = palette.negative if high < low else palette.positive
            figure.add_scatter(
                **along([position, position], [100 * low, 100 * high]), mode="lines", hoverinfo="skip", opacity=0.4,
                line={"color": colour if abs(high - low) > 0.005 else palette.bar, "width": 4},
            )  # fmt: skip
    words = [
        tr(
            "{word}: {before} % → {after} %; first choice now: {choice}, {share} %",
            word=literal(label),
            before=f"{100 * low:.1f}",
            after=f"{100 * high:.1f}",
            choice=literal(name),
            share=f"{100 * share:.1f}",
        )
        for label, low, high, (name, share) in zip(labels, before, after, chosen, strict=True)
    ]
    marks = [(before, palette.panel, palette.negative, tr("before"), palette.muted)]
    if edited:
        marks.append((after, palette.positive, palette.positive, tr("after"), palette.positive))
    for values, fill, edge, name, ink in marks:
        is_after = values is after and edited
        other = before if is_after else after
        figure.add_scatter(
            **along(positions, [100 * value for value in values]), mode="markers+text", name=name, customdata=words,
            marker={"size": size * 0.75, "color": fill, "line": {"color": edge, "width": 2.4}},
            text=_numbers(values, other, is_after), textfont={"size": size, "color": ink},
            textposition=_sides(values, other, is_after, across), cliponaxis=False,
            hovertemplate="%{customdata}<extra></extra>",
        )  # fmt: skip
    ticks = {
        "tickvals": positions,
        "ticktext": [_tick(n, labels, read, pinned, palette.cross_text, across) for n in positions],
        "showgrid": False,
        "zeroline": False,
        "tickfont": {"size": size * larger, "family": theme.MONO, "color": palette.ink},
    }
    scale = {
        "range": [-7 if across else -13, 112],
        "tickvals": [0, 25, 50, 75, 100],
        "ticktext": [f"{share} %" for share in (0, 25, 50, 75, 100)],
        "zeroline": False,
        "tickfont": {"size": theme.SMALL * larger},
    }
    if across:
        figure.update_xaxes(range=[-0.6, len(labels) - 0.35], **ticks)
        figure.update_yaxes(**scale)
    else:
        figure.update_yaxes(range=[len(labels) - 0.4, -0.6], **ticks)
        figure.update_xaxes(side="top", **scale)
    if pinned is not None:
        shade = {"fillcolor": palette.cross, "opacity": 0.1, "line_width": 0, "layer": "below"}
        (figure.add_vrect if across else figure.add_hrect)(pinned - 0.46, pinned + 0.46, **shade)
    figure.update_layout(showlegend=False)
    return theme.styled(figure, mode, presenter, 380 if across else 70 + 28 * len(labels), top=10)


COLUMNS: Final = 12
"""Tokens that stand beside each other with their words; of more each has a row."""


def _numbers(values: Array, other: Array, is_after: bool) -> list[str]:
    """Percentages beside the marks; one number alone where both print the same."""
    both = zip(values, other, strict=True)
    return [
        "" if is_after and percent_words(value) == percent_words(beside) else literal(percent_words(value))
        for value, beside in both
    ]


def percent_words(share: float) -> str:
    """A probability in percent: whole from 1 % upward, one digit below, “<0.1” where that would be 0."""
    value = 100 * share
    if value >= 0.95:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 0.05 else "<0.1"


def _sides(values: Array, other: Array, is_after: bool, across: bool) -> list[str]:
    """Where each number stands: away from the other mark of its word."""
    sides = []
    for value, beside in zip(values, other, strict=True):
        same = percent_words(value) == percent_words(beside)
        upper = value > beside or (same and not is_after)
        if across:
            low = is_after and value < 0.1 and not upper
            sides.append("top center" if upper else "middle right" if low else "bottom center")
        else:
            sides.append("middle right" if upper else "middle left")
    return sides


def _tick(
    position: int, labels: Sequence[str], read: Sequence[str], pinned: int | None, colour: str, across: bool
) -> str:
    """A token under its column; in rows with the token that is read before it."""
    word = literal(short(labels[position]))
    name = f'<b><span style="color:{colour}">{word}</span></b>' if position == pinned else word
    if across or position >= len(read):
        return name
    return f'<span style="font-size:0.85em">{literal(short(read[position]))} → </span><b>{name}</b>'


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
