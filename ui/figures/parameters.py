"""How the numbers of one parameter are spread. No Streamlit, no session."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from ui.style import theme
from ui.style.theme import Mode

BINS = 60


def histogram(
    values: np.ndarray, *, mode: Mode, hue: str = "bar", presenter: bool = False, height: int = 260
) -> go.Figure:
    """Counts over equal steps, in the palette's `hue`; only the counts are sent to the browser."""
    counts, edges = np.histogram(values, bins=BINS) if values.size else (np.zeros(0), np.zeros(1))
    palette = theme.PALETTES[mode]
    figure = go.Figure(
        go.Bar(
            x=(edges[:-1] + edges[1:]) / 2,
            y=counts,
            width=np.diff(edges),
            marker={"color": getattr(palette, hue), "line": {"width": 0}},
            customdata=np.stack([edges[:-1], edges[1:]], axis=-1),
            hovertemplate="%{y:,} from %{customdata[0]:.4f} to %{customdata[1]:.4f}<extra></extra>",
        )
    )
    figure.update_layout(
        template=theme.plotly_template(mode, presenter),
        height=height,
        bargap=0.04,
        showlegend=False,
        margin={"t": 8},
    )
    figure.update_xaxes(title_text="value", ticklabelstandoff=4)
    figure.update_yaxes(title_text="how many", ticklabelstandoff=6)
    return figure
