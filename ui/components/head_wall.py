"""The wall: every head of one attention kind as a small picture with its score; a click opens one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.glossary import SCORES
from core.analysis.maps import reduce_map
from core.errors import InputError
from ui.components.base import event, register
from ui.components.checks import axis_labels, file_stem, kind_name
from ui.components.levels import to_bytes
from ui.theme import Kind

FULL_SIDE = 128
"""Up to this many tokens a side every cell is sent; longer maps are reduced to REDUCED_SIDE."""
REDUCED_SIDE = 96
STRONG = 0.8
"""A share at least this large is highlighted; a score without an upper end marks its top tenth instead."""

_mount = register("head_wall", uses=("picture", "readout"))


@dataclass(frozen=True)
class WallResult:
    """What the reader did in this run: opened a head, closed the open one, or neither."""

    picked: tuple[int, int] | None = None
    closed: bool = False


def wall_data(
    weights: ArrayLike,
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    *,
    kind: Kind,
    scores: Mapping[str, ArrayLike] | None = None,
    badge: str | None = None,
    selected: tuple[int, int] | None = None,
    title: str = "All heads",
    subtitle: str = "click one to open it",
    rows: int | None = None,
    tall: int = 620,
    file_name: str = "heads",
) -> dict[str, object]:
    """What the browser gets: `meta` and one byte a cell. See `head_wall` for the arguments."""
    full = np.asarray(weights)
    if full.ndim != 4 or 0 in full.shape:
        raise InputError(f"Weights have shape {full.shape}; the wall needs (layers, heads, queries, keys).")
    layers, heads, queries, keys = full.shape
    query_words = axis_labels(query_labels, queries, "query")
    key_words = axis_labels(key_labels, keys, "key")
    pictures, block = _pictures(full)
    total = max(queries, rows or 0)
    blank = -(-total // block[0]) - pictures.shape[2]
    if blank:
        pictures = np.pad(pictures, ((0, 0), (0, 0), (0, blank), (0, 0)))
    labelled = block == (1, 1)
    told = {name: _score(name, values, (layers, heads)) for name, values in (scores or {}).items()}
    shape = pictures.shape[2:]
    meta: dict[str, object] = {
        "kind": kind_name(kind),
        "title": title,
        "subtitle": subtitle,
        "layers": layers,
        "heads": heads,
        "shape": shape,
        "keys": keys,
        "size": shape[0] * shape[1],
        "block": block,
        "labelled": labelled,
        "causal": kind == "causal",
        "square": kind != "cross",
        "written": -(-queries // block[0]),
        "rows": query_words + ["·"] * (total - queries) if labelled else [""] * shape[0],
        "cols": key_words if labelled else [""] * shape[1],
        "scores": told,
        "badge": badge if badge in told else next(iter(told), None),
        "selected": _selected(selected, layers, heads),
        "tall": tall,
        "file": file_stem(file_name),
    }
    return {"meta": meta, "levels": pictures.ravel()}


def head_wall(
    weights: ArrayLike,
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    *,
    kind: Kind,
    scores: Mapping[str, ArrayLike] | None = None,
    badge: str | None = None,
    selected: tuple[int, int] | None = None,
    title: str = "All heads",
    subtitle: str = "click one to open it",
    rows: int | None = None,
    tall: int = 620,
    file_name: str = "heads",
    on_change: Callable[[WallResult], None] | None = None,
    key: str = "head_wall",
) -> WallResult:
    """Draw all heads of `weights (L, H, T, S)`; returns what was picked in this run.

    `scores` maps names (those of core.analysis.glossary get its words) to `(L, H)` arrays, NaN where
    unknown; `badge` is the one written under each head at first. `selected` is outlined. `rows` is the
    number of rows to draw when the decode has not written them all yet. Above 128 tokens a side the
    pictures are reduced and each cell shows its strongest weight. `tall` is the height aimed at in CSS
    pixels. `on_change(result)` is called before the run, for pages that keep state in callbacks.
    """

    def changed() -> None:
        if on_change:
            on_change(_result(event(key, "picked")))

    data = wall_data(
        weights,
        query_labels,
        key_labels,
        kind=kind,
        scores=scores,
        badge=badge,
        selected=selected,
        title=title,
        subtitle=subtitle,
        rows=rows,
        tall=tall,
        file_name=file_name,
    )
    mounted = _mount(key=key, data=data, on_picked_change=changed)
    return _result(mounted.get("picked"))


def _pictures(full: NDArray[Any]) -> tuple[NDArray[np.uint8], tuple[int, int]]:
    """Bytes `(L, H, T', S')` and the cells each one stands for; layer by layer to keep memory small."""
    if max(full.shape[2:]) <= FULL_SIDE:
        return to_bytes(full), (1, 1)
    reduced = [reduce_map(layer, REDUCED_SIDE, how="max") for layer in full]
    return np.stack([to_bytes(picture) for picture, _ in reduced]), reduced[0][1]


def _score(name: str, values: ArrayLike, shape: tuple[int, int]) -> dict[str, object]:
    """One score for the browser: words, numbers to four digits, and from where on it is highlighted."""
    table = np.asarray(values, dtype=np.float64)
    if table.shape != shape:
        raise InputError(f"Score {name!r} has shape {table.shape} but the wall has {shape} layers and heads.")
    known = table[np.isfinite(table)]
    entry = SCORES.get(name)
    share = entry.high == 1.0 if entry else bool(known.size and 0 <= known.min() and known.max() <= 1)
    mark = STRONG if share else float(np.quantile(known, 0.9)) if known.size else None
    return {
        "label": entry.label if entry else name.replace("_", " "),
        "units": entry.units.split(" (")[0] if entry and name != "distance" else "",
        "mark": mark,
        "values": [round(float(v), 4) if np.isfinite(v) else None for v in table.ravel()],
    }


def _selected(selected: tuple[int, int] | None, layers: int, heads: int) -> int | None:
    if selected is None:
        return None
    layer, head = selected
    if not (0 <= layer < layers and 0 <= head < heads):
        raise InputError(
            f"Head {layer}.{head} does not exist; layers go from 0 to {layers - 1}, heads from 0 to {heads - 1}."
        )
    return layer * heads + head


def _result(value: object) -> WallResult:
    """The browser's message as a result; anything unexpected counts as nothing."""
    if not isinstance(value, Mapping):
        return WallResult()
    layer, head = value.get("layer"), value.get("head")
    if isinstance(layer, (int, float)) and isinstance(head, (int, float)):
        return WallResult(picked=(int(layer), int(head)))
    return WallResult(closed=True)
