"""Builds Streamlit's inline components from the .js and .css files of this folder, without a Node build.

A component `decode_stage` is `decode_stage.js`, which defines `function decodeStage(root, host)` (see
base.js for what a view is), and `decode_stage.css`. `uses` names other files of this folder that are put
before it, so that one component can be made of several parts.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import streamlit as st

from ui.style.theme import tokens_for_browser

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

FOLDER = Path(__file__).parent
BASE = ("base_colour", "base_paint", "base")
# Streamlit takes a string without a line break for the path of a file.
HTML = '<div class="atlas">\n</div>'


def source(name: str) -> str:
    """The JavaScript of one file of this folder."""
    return (FOLDER / f"{name}.js").read_text("utf-8")


def view_name(name: str) -> str:
    """`decode_stage` → `decodeStage`, the function its file must define."""
    return re.sub(r"_(\w)", lambda match: match.group(1).upper(), name)


def build_js(name: str, uses: Sequence[str] = ()) -> str:
    """The module sent to the browser: tokens, the base, the files used, the component, its default export."""
    files = [source(part) for part in (*BASE, *uses, name)]
    tokens = json.dumps(tokens_for_browser())
    return "\n".join(
        [f"const TOKENS = {tokens};", *files, f"export default (args) => mount(args, {view_name(name)});", ""]
    )


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


def build_css(name: str, uses: Sequence[str] = ()) -> str:
    """base.css and the style sheets of the component and of those it uses (a missing sheet is empty)."""
    sheets = [FOLDER / f"{part}.css" for part in ("base", *uses, name)]
    return "\n".join(sheet.read_text("utf-8") for sheet in sheets if sheet.exists()) + "\n"


def register(name: str, uses: Sequence[str] = ()) -> ComponentRenderer:
    """Register a component once, at module level; returns Streamlit's mounting function."""
    js = packed(build_js(name, uses))
    return st.components.v2.component(f"atlas_{name}", html=HTML, css=build_css(name, uses), js=js)


def quantise(weights: npt.ArrayLike) -> npt.NDArray[np.uint16]:
    """Weights in 0..1 flattened to integers, w·65535 (error ≤ 8e-6).

    Streamlit sends a one-dimensional integer array as a binary Arrow column, which base.js `unpack` reads.
    NaN is an error of the caller: a fully masked row is zeros.
    """
    values = np.asarray(weights, dtype=np.float64)
    if values.size and not (np.isfinite(values).all() and values.min() >= -1e-6 and values.max() <= 1 + 1e-4):
        raise ValueError(
            f"attention weights must lie in 0..1, got {values.min():.3g} to {values.max():.3g};"
            " scale scores or differences before drawing them"
        )
    return np.rint(np.clip(values, 0, 1) * 65535).astype(np.uint16).ravel()
