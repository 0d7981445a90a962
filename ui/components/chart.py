"""A Plotly figure as every page shows it: the card's own colours, no toolbar, and a way to take it away."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec

import streamlit as st

from ui.components.base import register
from ui.components.checks import file_stem
from ui.data import resources

if TYPE_CHECKING:
    import plotly.graph_objects as go

_mount = register("chart")
Given = ParamSpec("Given")


def drawn(make: Callable[Given, go.Figure], *given: Given.args, **more: Given.kwargs) -> go.Figure:
    """What `make` draws from what it is given, built once for all visitors: building a figure takes longer than all else.

    The name it is kept by is made of everything that `make` is given, so it can be nobody else's; nobody may change it.
    """
    name = hashlib.blake2b(pickle.dumps((make.__module__, make.__qualname__, given, sorted(more.items()))))
    return resources.drawing(name.digest(), lambda: make(*given, **more))


def chart(figure: go.Figure, key: str) -> None:
    """Draw a figure; `key`, unique on the page, also names the files (PNG, SVG, CSV) that are made in the browser."""
    with st.container(key=f"chart_{key}"):
        _mount(key=f"{key}_menu", data={"file": file_stem(key.replace("_", "-"))}, height="content")
        st.plotly_chart(figure, theme=None, config={"displayModeBar": False}, key=key)
