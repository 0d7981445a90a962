"""What every page that stands by itself is put together with: one HTML file around a view, which needs no network.

No Streamlit here. Tokens are written by users: everything is escaped for the place it goes to.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from ui.web.contract import script, sheet

_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_FONTS: Final = {"Source Sans": "SourceSansVF-Upright", "Source Code Pro": "SourceCodeVF-Upright"}


def offline_page(
    view: str, argument: object, title: str, body: str, data: Sequence[str] = (), *, fonts: bool = True
) -> str:
    """One HTML file around a page's view, which is called with `argument`; `body` is HTML, the rest is escaped here.

    `data` are blocks of base64 that follow the script; `fonts` brings the app's typefaces, some 0.35 MB. Nothing is requested from anywhere, and the content policy in the
    file forbids it, as it does any script but this one.
    """
    # The name of the SVG language is no address to visit, but a reader who searches the file should find none.
    drawn = "\n" + script(view, json_text(argument)).replace('"http://', '"http:" + "//')
    digest = base64.b64encode(hashlib.sha256(drawn.encode()).digest()).decode("ascii")
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; font-src data:; img-src data: blob:; "
        "connect-src 'none'; base-uri 'none'; form-action 'none'"
    )
    blocks = "".join(
        f'<script type="application/octet-stream" class="model">{block}</script>\n' for block in data
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escaped(title)}</title>
<style>{font_faces() if fonts else ""}{sheet(view)}</style>
</head>
<body>
{body}
<script>{drawn}</script>
{blocks}</body>
</html>
"""


@cache
def font_faces() -> str:
    """The app's two typefaces as a style sheet with the fonts inside (SIL Open Font License); empty without Streamlit,
    which brings them.
    """
    try:
        package = find_spec("streamlit")
    except ModuleNotFoundError:  # kept away by the environment's import hooks
        return ""
    if package is None or package.origin is None:
        return ""
    media = Path(package.origin).parent / "static" / "static" / "media"
    faces = []
    for family, stem in _FONTS.items():
        for path in sorted(media.glob(f"{stem}*.woff2"))[:1]:
            code = base64.b64encode(path.read_bytes()).decode("ascii")
            source = f"url(data:font/woff2;base64,{code})"
            faces.append(f'@font-face {{ font-family: "{family}"; src: {source}; font-weight: 200 900; }}')
    return "\n".join(faces)


def escaped(text: str) -> str:
    """Text for an HTML page."""
    return html.escape(_CONTROL.sub("\ufffd", text), quote=True)


def json_text(value: object) -> str:
    """JSON for a script element, escaped so that no character can end the element or open a comment."""
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", written)
