"""AER by layer, both readings in one drawing: a line for each layer's heads together, a dot for each head."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from core.analysis.alignment import READINGS, Reading
from ui.style import theme
from ui.style.theme import Mode

NAMES: Final[Mapping[Reading, str]] = {"writing": "the step that writes", "reading": "the step that reads"}
_SIGNS: Final[Mapping[Reading, tuple[str, str]]] = {
    "writing": ("circle", "solid"),
    "reading": ("diamond-open", "dot"),
}
_ASIDE: Final = {
    "writing": -0.09,
    "reading": 0.09,
}  # layers, so that the dots of the two readings stand apart


def by_layer(
    layers: Mapping[Reading, NDArray[np.float64]],
    heads: Mapping[Reading, NDArray[np.float64]],
    opened: tuple[int | None, int | None],
    reading: Reading,
    *,
    mode: Mode,
    presenter: bool = False,
    height: int = 270,
) -> go.Figure:
    """AER of each layer (L,) and head (L, H) by reading; `opened` is ringed in its `reading`."""
    palette = theme.PALETTES[mode]
    colours = {"writing": palette.cross, "reading": palette.ink}
    figure = go.Figure()
    for each in READINGS:
        line, table, colour = layers[each], heads[each], colours[each]
        sign, dash = _SIGNS[each]
        count, many = table.shape
        figure.add_scatter(
            x=np.repeat(np.arange(count), many) + _ASIDE[each],
            y=table.ravel(),
            mode="markers",
            name=f"heads, {NAMES[each]}",
            customdata=[f"{layer}.{head}" for layer in range(count) for head in range(many)],
            marker={"size": 6, "color": colour, "opacity": 0.45, "symbol": sign},
            hovertemplate=f"head %{{customdata}}, {NAMES[each]}: AER %{{y:.2f}}<extra></extra>",
            showlegend=False,
        )
        figure.add_scatter(
            x=np.arange(count),
            y=line,
            mode="lines+markers",
            name=NAMES[each],
            line={"color": colour, "width": 2.5, "dash": dash},
            marker={"size": 9, "symbol": sign, "color": colour, "line": {"color": colour, "width": 1.8}},
            hovertemplate=f"layer %{{x}}, heads together, {NAMES[each]}: AER %{{y:.2f}}<extra></extra>",
        )
    layer, head = opened
    if layer is not None:
        x, y = (layer, layers[reading][layer]) if head is None else (layer + _ASIDE[reading], heads[reading][layer, head])  # fmt: skip
        figure.add_scatter(
            x=[x], y=[y], mode="markers", hoverinfo="skip", showlegend=False, name="open",
            marker={"size": 15, "symbol": "circle-open", "color": palette.ink, "line": {"width": 2}},
        )  # fmt: skip
    figure.update_xaxes(title="layer", dtick=1, range=[-0.4, len(layers["writing"]) - 0.6], showgrid=False)
    figure.update_yaxes(title="AER, lower is better", range=[-0.04, 1.04])
    figure.update_layout(legend={"y": 1.14, "x": 0})
    return theme.styled(figure, mode, presenter, height, top=34)
