"""One head's weights as a Plotly heatmap, for notebooks and as data in tests. No Streamlit, no session state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from core.errors import InputError
from ui.theme import Kind, Mode, plotly_diverging, plotly_sequential, plotly_template

if TYPE_CHECKING:
    import plotly.graph_objects as go

Quantity = Literal["weights", "scores", "difference"]
_UNITS = {"weights": "%{z:.1%}", "scores": "%{z:.2f}", "difference": "%{z:+.1%}"}


def head_heatmap(
    values: ArrayLike,
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    *,
    kind: Kind,
    mode: Mode = "light",
    quantity: Quantity = "weights",
    title: str = "",
) -> go.Figure:
    """A map `(T, S)` with queries downwards and keys to the right; the hover text holds the exact number.

    Weights use the kind's colour from 0 to 1; scores and differences a scale centred on 0. −inf and NaN
    (not allowed) stay empty. The axes are positions with the labels as ticks, so equal tokens stay apart.
    """
    import plotly.graph_objects as go

    full = np.array(values, dtype=np.float32)
    if full.shape != (len(query_labels), len(key_labels)):
        raise InputError(
            f"A map of shape {full.shape} does not fit {len(query_labels)} query and {len(key_labels)} key labels."
        )
    if quantity not in _UNITS:
        raise InputError(f"Cannot draw {quantity!r}; choose one of {', '.join(_UNITS)}.")
    full[~np.isfinite(full)] = np.nan
    finite = full[np.isfinite(full)]
    reach = float(np.abs(finite).max()) if finite.size else 1.0
    sequential = quantity == "weights"
    heat = go.Heatmap(
        z=full,
        zmin=0.0 if sequential else -reach,
        zmax=1.0 if sequential else reach,
        colorscale=plotly_sequential(kind, mode) if sequential else plotly_diverging(mode),
        customdata=[[(plain(query), plain(key)) for key in key_labels] for query in query_labels],
        hovertemplate=f"%{{customdata[0]}} → %{{customdata[1]}}<br>{_UNITS[quantity]}<extra></extra>",
        hoverongaps=False,
        xgap=1,
        ygap=1,
        colorbar={"thickness": 8, "outlinewidth": 0, "tickformat": ".0%" if quantity != "scores" else ".1f"},
    )
    figure = go.Figure(heat, layout={"template": plotly_template(mode), "title": {"text": plain(title)}})
    figure.update_xaxes(
        title_text="attended (key) →",
        side="top",
        tickangle=-38,
        tickmode="array",
        tickvals=list(range(len(key_labels))),
        ticktext=[plain(label) for label in key_labels],
        showgrid=False,
    )
    figure.update_yaxes(
        title_text="← attending (query)",
        autorange="reversed",
        tickmode="array",
        tickvals=list(range(len(query_labels))),
        ticktext=[plain(label) for label in query_labels],
        showgrid=False,
    )
    return figure


def plain(label: str) -> str:
    """A label as Plotly shows it literally: its small HTML dialect must not read tags or entities in a token."""
    return label.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
