"""Streamlit's inline components from the bundles of ui/web: one for each view.

A Plotly figure as every page shows it: the card's own colours, no toolbar, and a way to take it away.

Runs what is around it again when the reader switches between light and dark, so that its figures follow at once.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, cast

import numpy as np
import numpy.typing as npt
import streamlit as st

from ui.shared import resources
from ui.shared.checks import file_stem
from ui.web.bundles import module, sheet

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from streamlit.components.v2.types import ComponentRenderer


# Streamlit takes a string without a line break for the path of a file.
HTML = '<div class="atlas">\n</div>'

# Streamlit sends a component's code again with every change of its data, so it travels compressed.
_UNPACK = """const bytes = Uint8Array.from(atob("{code}"), (letter) => letter.charCodeAt(0));
const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
const url = URL.createObjectURL(new Blob([await new Response(stream).text()], {{ type: "text/javascript" }}));
const view = await import(url);
URL.revokeObjectURL(url);
export default view.default;
"""


def packed(js: str) -> str:
    """A module that unpacks and stands for the module `js`; the same text always gives the same module."""
    return _UNPACK.format(code=base64.b64encode(gzip.compress(js.encode("utf-8"), mtime=0)).decode("ascii"))


def register(view: str) -> ComponentRenderer:
    """Register `ui/web/views/<view>.ts` once, at module level; returns Streamlit's mounting function."""
    mount = st.components.v2.component(f"atlas_{view}", html=HTML, css=sheet(view), js=packed(module(view)))

    def placed(*, data: Any, **given: Any) -> Any:
        return mount(data=columns(data), **given)

    return cast("ComponentRenderer", placed)


def columns(data: Any) -> Any:
    """The arrays of a view's data as columns of Arrow, which Streamlit would make of them by way of pandas, ten times slower."""
    import pyarrow as pa  # type: ignore[import-untyped]

    if not isinstance(data, dict):
        return data
    return {
        name: pa.table([pa.array(value)], names=["0"]) if isinstance(value, np.ndarray) else value
        for name, value in data.items()
    }


def quantise(weights: npt.ArrayLike) -> npt.NDArray[np.uint16]:
    """Weights in 0..1 flattened to integers, w·65535 (error ≤ 8e-6).

    Streamlit sends a one-dimensional integer array as a binary Arrow column, which `unpack` (ui/web/base/words.ts) reads.
    NaN is an error of the caller: a fully masked row is zeros.
    """
    values = np.asarray(weights, dtype=np.float64)
    if values.size and not (np.isfinite(values).all() and values.min() >= -1e-6 and values.max() <= 1 + 1e-4):
        raise ValueError(
            f"attention weights must lie in 0..1, got {values.min():.3g} to {values.max():.3g};"
            " scale scores or differences before drawing them"
        )
    return np.rint(np.clip(values, 0, 1) * 65535).astype(np.uint16).ravel()


_mount_chart = register("chart")
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
        _mount_chart(key=f"{key}_menu", data={"file": file_stem(key.replace("_", "-"))}, height="content")
        st.plotly_chart(figure, theme=None, config={"displayModeBar": False}, key=key)


_watch_theme = register("theme_watch")


def theme_watch(key: str = "theme_watch") -> None:
    """Put this beside Plotly figures; inside a fragment only the fragment runs again."""
    _watch_theme(key=key, data={}, on_switched_change=lambda: None)
