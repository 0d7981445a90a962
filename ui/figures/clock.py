"""One pair of dimensions of a position encoding as a clock, with labels that keep apart. No Streamlit, no session."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from ui.figures.words import literal, short
from ui.style import theme
from ui.style.theme import Mode

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
    height: int = 420,
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
        x=np.cos(angles[:count]), y=np.sin(angles[:count]), mode="markers+text",
        marker={"size": 8, "color": palette.bar, "line": {"color": palette.panel, "width": 1}},
        text=_apart(angles[:count], labels, keep=(start, start + offset), larger=1.3 if presenter else 1.0), textposition=_outward(angles[:count]),
        textfont={"family": theme.MONO, "size": 12, "color": palette.muted},
        customdata=list(range(count)), hovertext=[literal(label) for label in labels[:count]], hovertemplate="%{hovertext}: position %{customdata}<extra></extra>",
    )  # fmt: skip
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
            x=[0, np.cos(angle)], y=[0, np.sin(angle)], mode="lines+markers", line={"color": colour, "width": 2},
            marker={"size": [0, 11], "color": colour}, hoverinfo="skip",
        )  # fmt: skip
    figure.update_layout(showlegend=False)
    figure.update_xaxes(visible=False, range=[-1.45, 1.45])
    figure.update_yaxes(visible=False, range=[-1.25, 1.25], scaleanchor="x")
    return theme.styled(figure, mode, presenter, height)


def _outward(angles: Array) -> list[str]:
    """Text positions that push labels off the circle."""
    sides = []
    for x, y in zip(np.cos(angles), np.sin(angles), strict=True):
        side = "right" if x > 0.3 else "left" if x < -0.3 else "center"
        sides.append(f"{'top' if y > 0.3 else 'bottom' if y < -0.3 else 'middle'} {side}")
    return sides


def _apart(angles: Array, labels: Sequence[str], keep: Sequence[int], larger: float = 1.0) -> list[str]:
    """Labels around the circle that do not lie on one another; those in `keep` first.

    `larger`: how many times larger the type is than the circle, against a card on a laptop.
    """
    sides = _outward(angles)
    taken: dict[int, tuple[float, float, float, float]] = {}
    for place in [p for p in keep if p < len(angles)] + list(range(len(angles))):
        box = _label_box(float(angles[place]), sides[place], len(short(labels[place])), larger)
        if place not in taken and not any(_overlap(box, other) for other in taken.values()):
            taken[place] = box
    return [literal(short(labels[place])) if place in taken else "" for place in range(len(angles))]


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
