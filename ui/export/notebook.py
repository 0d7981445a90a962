"""A trace or a session in a notebook's cell: walls and open heads, a tab a kind, without server or network.

`core.notebook` imports this by name when something is shown. No Streamlit here.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from core.analysis.glossary import ON_THE_WALL
from core.analysis.heads import head_scores
from core.errors import InputError
from core.model.hooks import ATTENTION, attention_of
from core.model.trace import ROUNDED, Trace
from ui.export.files import escaped, offline_page
from ui.export.rows import rows_of, texts_of
from ui.shared.map_data import Arranged, JointData, wall_data
from ui.shared.maps import PLACES
from ui.style.theme import Kind
from ui.web.contract import deflated, pack

if TYPE_CHECKING:
    from ui.export.paper import Figure

_VIEW: Final = "notebook"
_KINDS: Final[tuple[Kind, ...]] = ("cross", "causal", "encoder")
_JOINT: Final = "joint"
_HEIGHTS: Final = {_JOINT: 760}
_HEIGHT: Final = 700  # CSS pixels of a cell; the reader may drag it taller


def page_and_cell(thing: object, kind: str | None, head: tuple[int, int] | None) -> tuple[str, str]:
    """(an HTML file, the same as what a cell shows). Raises `InputError` in one sentence for what cannot be drawn."""
    trace = _trace_of(thing)
    if kind not in (None, *_KINDS, _JOINT):
        raise InputError(f"kind is {kind!r}; choose one of {', '.join((*_KINDS, _JOINT))}, or leave it out.")
    page = _page(trace, kind, head)
    return page, _framed(page, _HEIGHTS.get(kind or "", _HEIGHT))


def figure(thing: object, kind: str, head: tuple[int, int] | None, **options: Any) -> Figure:
    """The figure for a paper: see `ui.export.figure`."""
    from ui.export.figure import figure as drawn  # matplotlib, which takes a second

    return drawn(_trace_of(thing), kind, head, **options)


def _trace_of(thing: object) -> Trace:
    trace = thing if isinstance(thing, Trace) else getattr(thing, "trace", None)
    if not isinstance(trace, Trace):
        raise InputError(f"A {type(thing).__name__} cannot be shown; give a trace or a decode session.")
    return trace


def _page(trace: Trace, kind: str | None, head: tuple[int, int] | None) -> str:
    trace.require(kind)
    kinds = [each for each in _KINDS if kind in (None, each) and each in trace.kinds]
    joint = kind in (None, _JOINT) and len(trace.kinds) == len(_KINDS)
    walls = [_wall(trace, each, head, only=kind is not None) for each in kinds]
    joined = _joint(trace, head) if joint else None
    names = [attention_of(trace.config, each).title for each in kinds] + (
        ["all three, word by word"] if joint else []
    )
    tabs = "".join(
        f'<button type="button" role="tab" id="tab-{n}" aria-controls="kind-{n}">{escaped(name)}</button>'
        for n, name in enumerate(names)
    )
    sections = "".join(
        f'<section class="kind" id="kind-{n}" role="tabpanel" aria-labelledby="tab-{n}"{" hidden" if n else ""}>'
        + (
            _places(n)
            if n < len(kinds)
            else f'<div class="place" id="joint-{n}"><div class="atlas"></div></div>'
        )
        + "</section>"
        for n in range(len(names))
    )
    given = " · maps as given, not recomputed" if trace.as_given else ""
    sides = [text or "…" for text, ids in zip(texts_of(trace), _sides(trace), strict=True) if ids is not None]
    about = f"{' → '.join(f'“{text}”' for text in sides)}{given}"
    arrow = ' <span aria-hidden="true">→</span> '
    heading = arrow.join(f"<bdi>{escaped(text)}</bdi>" for text in sides)
    body = f"""<header><h1>{heading}</h1>
<div class="tabs" role="tablist">{tabs}</div><button id="mode" type="button">light / dark</button></header>
<noscript><p>The maps are drawn by a script inside this cell; trust the notebook to see them.</p></noscript>
<main>{sections}</main>
<footer><p>Axes: query ↓ key →. A head is layer.head, counted from 0; in the walls a percentage can be
off by 0.4 points.{given}</p></footer>"""
    argument = {"about": about, "walls": walls, "joint": joined}
    return offline_page(_VIEW, argument, f"Attention Atlas: {sides[0]}", body, fonts=False).replace(
        "<body>", '<body class="cell">'
    )


def _sides(trace: Trace) -> tuple[object, object]:
    """What is there of the source and of the target; None for a side that maps as given do not have."""
    if not trace.as_given:
        return trace.source_ids, trace.target_ids
    return trace.source_ids or None, trace.target_ids or None


def _places(number: int) -> str:
    """Where a wall and its open heads are drawn (`showKind` in ui/export/heads.ts)."""
    return (
        f'<div class="pair"><div class="place" id="wall-{number}"><div class="atlas"></div></div>'
        f'<div class="place" id="detail-{number}"><div class="atlas"></div></div></div>'
    )


def _wall(trace: Trace, kind: Kind, head: tuple[int, int] | None, only: bool) -> dict[str, object]:
    weights, rows = trace.stacked(*PLACES[kind], "weights"), rows_of(trace, kind)
    # Scores go by what the rows read, whatever they wrote.
    name = ATTENTION[kind].name
    scores = head_scores(weights, name, queries=rows.reads, keys=rows.keys, names=ON_THE_WALL[name])
    queries, reads = rows.named
    opened = None
    if head is not None:
        layers, heads = weights.shape[:2]
        inside = 0 <= head[0] < layers and 0 <= head[1] < heads
        if only and not inside:
            raise InputError(
                f"There is no head {head[0]}.{head[1]}; {kind} has {layers} layers of {heads}, counted from 0."
            )
        opened = head[0] * heads + head[1] if inside else None
    data = wall_data(
        weights,
        queries,
        rows.keys,
        kind=kind,
        reads=reads,
        scores_of=scores,
        arranged=Arranged(badge=ON_THE_WALL[name][0]),
        title=f"All {weights.shape[0] * weights.shape[1]} heads",
        words=attention_of(trace.config, kind).title,
        one_label=kind != "encoder" and not rows.writes,
        distribution=not trace.as_given or bool(np.allclose(weights.sum(axis=-1), 1, atol=ROUNDED)),
        file=f"{kind}-heads",
        open=None if opened is None else (opened,),
    )
    return pack(data, deflated)


def _joint(trace: Trace, head: tuple[int, int] | None) -> dict[str, object]:
    """All three kinds by one head each, or by the mean of every head."""

    def one(kind: Kind) -> NDArray[np.float32]:
        weights = trace.stacked(*PLACES[kind], "weights")
        return np.asarray(weights.mean(axis=(0, 1)) if head is None else weights[head], dtype=np.float32)

    if head is not None and not all(0 <= n < size for n, size in zip(head, _shared(trace), strict=True)):
        raise InputError(
            f"There is no head {head[0]}.{head[1]} in all three kinds; they share {_shared(trace)} layers and heads."
        )
    subject = "the mean of all heads" if head is None else f"head {head[0]}.{head[1]}"
    data = JointData(
        one("encoder"),
        one("cross"),
        one("causal"),
        *trace.tokens,
        subject=subject,
        subtitle=subject if head is None else f"{subject} of each kind",
        labels={kind: attention_of(trace.config, kind).label for kind in _KINDS},
    )
    return pack(data, deflated)


def _shared(trace: Trace) -> tuple[int, int]:
    encoder, decoder = trace.config.shape("encoder"), trace.config.shape("decoder")
    return min(encoder[0], decoder[0]), min(encoder[1], decoder[1])


def _framed(page: str, height: int) -> str:
    """The page in a frame of its own: its styles and scripts reach nothing of the notebook, nor the notebook's them."""
    style = f"width:100%;height:{height}px;border:0;resize:vertical;overflow:auto"
    return (
        f'<iframe title="Attention Atlas" sandbox="allow-scripts allow-downloads" style="{style}" '
        f'srcdoc="{html.escape(page, quote=True)}"></iframe>'
    )
