"""A Plotly figure as every page shows it: the card's own colours, no toolbar, and a way to take it away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ui.components.base import register
from ui.components.checks import file_stem

if TYPE_CHECKING:
    import plotly.graph_objects as go

_mount = register("chart")


def chart(figure: go.Figure, key: str) -> None:
    """Draw a figure; `key`, unique on the page, also names the files (PNG, SVG, CSV) that are made in the browser."""
    with st.container(key=f"chart_{key}"):
        _mount(key=f"{key}_menu", data={"file": file_stem(key.replace("_", "-"))}, height="content")
        st.plotly_chart(figure, theme=None, config={"displayModeBar": False}, key=key)
