"""Views drawn without a server: the data that Python makes, the script that the server would send, an empty page.

The words are set in the fonts that Streamlit ships, so that they are as wide on every machine.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit

from ui.style.theme import PALETTES, Mode
from ui.web import contract as web
from ui.web.contract import pack

if TYPE_CHECKING:
    from playwright.sync_api import Page

_MEDIA = Path(streamlit.__file__).parent / "static" / "static" / "media"
_FONTS = {"Source Sans": "SourceSansVF-Upright", "Source Code Pro": "SourceCodeVF-Upright"}
_ADDRESS = "http://atlas.test/"
_SHOW = """async ([name, data]) => {
  const numbers = ({ base64, type }) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const array = new { float32: Float32Array, uint16: Uint16Array, uint8: Uint8Array }[type](bytes.buffer);
    return { getChildAt: () => ({ toArray: () => array }) };
  };
  for (const name of Object.keys(data)) if (name.startsWith('column')) data[name] = numbers(data[name]);
  for (const font of ['400 15px "Source Sans"', '650 15px "Source Sans"', '15px "Source Code Pro"']) await document.fonts.load(font);
  const { show } = await import('/views.js');
  window.told = [];
  const tell = (name, value) => window.told.push([name, value]);
  show(name, { parentElement: document.getElementById('view'), data, setTriggerValue: tell, setStateValue: tell });
}"""


@dataclass(frozen=True)
class Drawing:
    """A view with its data, and its width in the app on a screen of 1440 pixels."""

    view: str
    data: Any
    width: int


def font_faces() -> str:
    """Streamlit's fonts inside a style sheet."""
    faces = []
    for family, stem in _FONTS.items():
        (path,) = _MEDIA.glob(f"{stem}*.woff2")
        code = base64.b64encode(path.read_bytes()).decode("ascii")
        source = f"url(data:font/woff2;base64,{code})"
        faces.append(f'@font-face {{ font-family: "{family}"; src: {source}; font-weight: 200 900; }}')
    return "".join(faces)


def show(page: Page, drawing: Drawing, mode: Mode) -> None:
    """Mount the view on an empty page, as wide as the page allows."""
    palette = PALETTES[mode]
    style = (
        f"body {{ margin: 16px; background: {palette.background}; }} #view {{ max-width: {drawing.width}px; }}"
        f":root {{ --st-background-color: {palette.background}; --st-font: 'Source Sans'; }}"
    )
    html = (
        f"<!doctype html><meta charset=utf-8><style>{font_faces()}{style}</style>"
        '<div id="view"><div class="atlas"></div></div>'
    )
    page.route(f"{_ADDRESS}**", lambda route: route.fulfill(body=html, content_type="text/html"))
    code = web.views_script().decode("utf-8")
    page.route(f"{_ADDRESS}views.js", lambda route: route.fulfill(body=code, content_type="text/javascript"))
    page.goto(_ADDRESS)
    page.evaluate(_SHOW, [drawing.view, pack(drawing.data, _bytes)])
    page.wait_for_timeout(120)


def _bytes(values: np.ndarray) -> dict[str, str]:
    """An array as JSON can hold it."""
    code = base64.b64encode(np.ascontiguousarray(values).tobytes()).decode("ascii")
    return {"base64": code, "type": str(values.dtype)}
