"""One self-contained HTML report of a decode: the app's own views in a file that needs no network.

No Streamlit here. Tokens are written by users: everything is escaped for the place it goes to.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from core.model.hooks import ATTENTION
from ui.shared.map_data import Arranged, WallData
from ui.style.theme import Kind
from ui.web.contract import deflated, pack, script, sheet

_VIEW = "report"
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_SHOWN = 6
"""Candidates listed with each step."""


@dataclass(frozen=True)
class ReportMaps:
    """All heads of one kind in a report: `weights (L, H, T, S)`, its words, and scores `(L, H)` by name.

    Rows of the decoder are named by the words they write; `query_reads` are those they read.
    """

    kind: Kind
    weights: ArrayLike
    query_labels: Sequence[str]
    key_labels: Sequence[str]
    scores: Mapping[str, ArrayLike] = field(default_factory=dict)
    badge: str | None = None
    query_reads: Sequence[str] = ()


@dataclass(frozen=True)
class ReportStep:
    """One written token and the most probable candidates at that step, as (label, probability)."""

    written: str
    candidates: Sequence[tuple[str, float]] = ()


def html_report(
    *,
    source: str,
    target: str,
    maps: Sequence[ReportMaps],
    steps: Sequence[ReportStep] = (),
    facts: Mapping[str, str] | None = None,
    title: str = "Attention Atlas",
) -> str:
    """One HTML file that shows a decode offline: every head of every kind, one at a time in detail, and each step.

    The maps are the app's own views with one byte a weight, deflated and inlined; nothing is requested from
    anywhere, and the content policy in the file forbids it. Follows the reader's light or dark setting.
    """
    walls = [packed_wall(part) for part in maps]
    listed = "".join(
        f"<dt>{escaped(name)}</dt><dd>{escaped(value)}</dd>" for name, value in (facts or {}).items()
    )
    sections = "".join(
        f'<section class="kind"><h2>{escaped(ATTENTION[part.kind].title.capitalize())}</h2>{places(n)}</section>'
        for n, part in enumerate(maps)
    )
    body = f"""<header><p class="brand">{escaped(title)}</p><button id="mode" type="button">light / dark</button>
<h1><bdi>{escaped(source)}</bdi> <span aria-hidden="true">→</span> <bdi>{escaped(target)}</bdi></h1>
<dl class="facts">{listed}</dl></header>
<main>
<noscript><p>The maps are drawn by a script inside this file; allow scripts to see them.</p></noscript>
{_steps(steps)}
{sections}
</main>
<footer><p>Weights are stored in one byte each: a percentage can be off by up to 0.4 points.
Axes: attending (query) ↓ attended (key) →. Numbers beside a head are layer.head, counted from 0.</p></footer>"""
    return offline_page(_VIEW, walls, f"{title}: {source}", body)


def offline_page(view: str, argument: object, title: str, body: str, data: Sequence[str] = ()) -> str:
    """One HTML file around a page's view, which is called with `argument`; `body` is HTML, the rest is escaped here.

    `data` are blocks of base64 that follow the script. Nothing is requested from anywhere, and the content policy in the
    file forbids it, as it does any script but this one.
    """
    # The name of the SVG language is no address to visit, but a reader who searches the file should find none.
    drawn = "\n" + script(view, _json(argument)).replace('"http://', '"http:" + "//')
    digest = base64.b64encode(hashlib.sha256(drawn.encode()).digest()).decode("ascii")
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data: blob:; "
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
<style>{sheet(view)}</style>
</head>
<body>
{body}
<script>{drawn}</script>
{blocks}</body>
</html>
"""


def places(number: int) -> str:
    """Where a wall and its open heads are drawn (`showKind` in ui/export/report.ts)."""
    return (
        f'<div class="pair"><div class="place" id="wall-{number}"><div class="atlas"></div></div>'
        f'<div class="place" id="detail-{number}"><div class="atlas"></div></div></div>'
    )


def packed_wall(part: ReportMaps, opened: int | None = None) -> dict[str, object]:
    """The wall's data with its bytes deflated as base64; `opened` is the head that stands open, counted over all layers."""
    title = f"All {np.shape(part.weights)[0] * np.shape(part.weights)[1]} heads"
    data = WallData(
        part.weights,
        part.query_labels,
        part.key_labels,
        kind=part.kind,
        reads=part.query_reads,
        scores_of=part.scores,
        arranged=Arranged(badge=part.badge or ""),
        title=title,
        file=f"{part.kind}-heads",
        open=None if opened is None else (opened,),
    )
    return pack(data, deflated)


def _steps(steps: Sequence[ReportStep]) -> str:
    """Every step with its distribution as bars; readable without the script."""
    if not steps:
        return ""
    cards = []
    for number, step in enumerate(steps, start=1):
        bars = "".join(
            f"<li{' class=taken' if label == step.written else ''}><bdi>{escaped(label)}</bdi>"
            f'<span class="bar"><i style="width:{100 * min(1.0, max(0.0, share)):.1f}%"></i></span>'
            f"<output>{100 * share:.1f} %</output></li>"
            for label, share in list(step.candidates)[:_SHOWN]
        )
        cards.append(
            f"<li><p><span>{number}</span> <bdi>{escaped(step.written)}</bdi></p><ol>{bars}</ol></li>"
        )
    # A long decode would push the maps off the first screens.
    opened = " open" if len(steps) <= 16 else ""
    return (
        f'<details class="steps"{opened}><summary>Step by step</summary><ol>{"".join(cards)}</ol></details>'
    )


def escaped(text: str) -> str:
    """Text for an HTML page."""
    return html.escape(_CONTROL.sub("\ufffd", text), quote=True)


def _json(value: object) -> str:
    """JSON for a script element, escaped so that no character can end the element or open a comment."""
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", written)
