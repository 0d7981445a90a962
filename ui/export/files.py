"""How a file is written that leaves the app: numbers and tables as CSV, a view as one HTML page that needs no network.

No Streamlit here: figures and notebooks use it too. Tokens are written by users: everything is escaped for where it goes,
a spreadsheet or a browser.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import html
import io
import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from core.errors import InputError
from ui.web.contract import axis_labels, script, sheet

# -- CSV -------------------------------------------------------------------------------------------------------

_FORMULA: Final = re.compile("[=+\\-@\t\r\n＝＋－＠]")
_NUMBER: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)


MAP_COLUMNS: Final = ("query_position", "query_reads", "query_writes", "key_position", "key", "value")
"""The columns of a map's cells; ui/web/maps/sheet.ts writes the same."""


def query_cells(
    labels: Sequence[str], reads: Sequence[str], of_encoder: bool = True
) -> list[tuple[str, str]]:
    """What each row reads and what it writes; a row of the encoder writes nothing."""
    if reads:
        return list(zip(reads, labels, strict=True))
    return [(label, "") if of_encoder else ("", label) for label in labels]


def csv_of(
    values: ArrayLike, query_labels: Sequence[str], key_labels: Sequence[str], query_reads: Sequence[str] = ()
) -> str:
    """The numbers of a map `(T, S)` as CSV, a line per cell, with the columns `MAP_COLUMNS`.

    With `query_reads` the labels of the rows are the words written; without, the words read by the encoder.

    Nine digits keep float32 exact; a cell that may not be attended has an empty value. Raises `InputError` when
    the map is not two-dimensional or does not fit its labels.
    """
    full = np.asarray(values, dtype=np.float64)
    if full.ndim != 2:
        raise InputError(f"A map has shape {full.shape}; one head is (queries, keys).")
    queries = axis_labels(query_labels, full.shape[0], "query")
    keys = axis_labels(key_labels, full.shape[1], "key")
    rows = (
        [i, *query, j, key, number(full[i, j])]
        for i, query in enumerate(query_cells(queries, query_reads))
        for j, key in enumerate(keys)
    )
    return csv_text(MAP_COLUMNS, rows)


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as CSV; no cell of it is a formula to a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(head)
    writer.writerows([harmless(str(value)) for value in row] for row in rows)
    return out.getvalue()


def harmless(text: str) -> str:
    """A cell's text; what a spreadsheet would run as a formula begins with an apostrophe (as in base/export.ts).

    tests/csv_cells.json says how cells are written, here and in the browser.
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def number(value: float) -> str:
    """A number of a map in a CSV; empty where attending is forbidden (NaN, see `only_allowed`)."""
    return f"{value:.9g}" if np.isfinite(value) else ""


# -- pages that stand by themselves ---------------------------------------------------------------------------

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
