"""What the maps of a view hold in place of weights: how it is called, its unit, and what its pictures are.

Attention weights in one byte each, fine where weights are small, for pictures drawn in the browser.

What the wall of heads sends to the browser; needs no Streamlit, so that reports can use it too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.contribution_glossary import READINGS
from core.analysis.glossary import ALIGNMENT, SCORES
from core.analysis.maps import reduce_map
from core.errors import InputError
from core.model.hooks import ATTENTION
from ui.session.selection import Sort, Tone
from ui.shared.checks import axis_labels, file_stem, kind_name
from ui.style.theme import Kind


@dataclass(frozen=True)
class Quantity:
    """`name` stands in titles and legends ("ALTI+"); `top` is the largest number of all maps of the kind, drawn in full
    colour: 1 for shares.

    `pictures` name the small pictures where they are layers, not heads, and `rows` the lines they stand in. `aside`: the
    last column is no token but the rest that a row came from, and no causal mask hides it.
    """

    name: str
    unit: Literal["share", "length"] = "share"
    top: float = 1.0
    pictures: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    aside: bool = False

    def data(self) -> dict[str, Any]:
        """As the browser gets it. Raises `InputError` for a `top` that colours cannot be measured by."""
        if not self.top > 0 or (self.unit == "share" and self.top != 1.0):
            raise InputError(
                f"{self.name}: its largest number is {self.top:g}; give 1 for shares, else more than 0."
            )
        return asdict(self)


LEVELS = 255
"""The largest byte. A byte b stands for the weight (b / 255)², so tiny weights keep their differences."""


def to_bytes(weights: ArrayLike) -> NDArray[np.uint8]:
    """Weights in 0..1 as bytes of the same shape, b = round(255·√w); the error is at most 1/255.

    The square root spends the bytes where eyes need them: next to 0 the steps are 4·10⁻⁶, so an even
    row over 512 tokens is not rounded to nothing. Values outside 0..1 by rounding alone are clipped.
    Raises InputError for NaN, infinities and anything further outside.
    """
    full = np.asarray(weights, dtype=np.float32)
    if not np.isfinite(full).all() or (full.size and (full.min() < -1e-4 or full.max() > 1 + 1e-4)):
        raise InputError("Weights to draw must be finite numbers from 0 to 1; pass them after the softmax.")
    return np.asarray(np.rint(LEVELS * np.sqrt(np.clip(full, 0.0, 1.0))), dtype=np.uint8)


def from_bytes(levels: ArrayLike) -> NDArray[np.float32]:
    """The weights that `to_bytes` bytes stand for, as the browser reads them."""
    return np.asarray((np.asarray(levels, dtype=np.float32) / LEVELS) ** 2, dtype=np.float32)


FULL_SIDE = 128
"""Up to this many tokens a side every cell is sent; longer maps are reduced to REDUCED_SIDE."""
REDUCED_SIDE = 96
STRONG = 0.8
"""A share at least this large is highlighted; a score without an upper end marks its top tenth instead."""


@dataclass(frozen=True)
class Arranged:
    """How the reader arranged the wall: order of the heads, score under each, least score kept, colours.

    `tone` None goes by the number of tokens: logarithmic for long maps, whose weights are small.
    """

    sort: Sort = "model"
    badge: str = ""
    least: float | None = None
    tone: Tone | None = None


class WallData(TypedDict):
    """The wall as the browser gets it: words and sizes in `meta`, one byte a cell in `levels` (ui/shared/wall_data.py)."""

    meta: dict[str, Any]
    levels: NDArray[np.uint8]


def wall_data(
    weights: ArrayLike,
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    *,
    kind: Kind,
    scores: Mapping[str, ArrayLike] | None = None,
    arranged: Arranged = Arranged(),
    whole: tuple[str, str] = ("mean", "the mean of all heads"),
    title: str = "All heads",
    subtitle: str = "",
    rows: int | None = None,
    hidden: bool = False,
    tall: int = 620,
    file_name: str = "heads",
    off: Sequence[Sequence[str | None]] | None = None,
    how: str = "",
    open_future: bool = False,
    about: str = "of this sentence only",
    quantity: Quantity | None = None,
) -> WallData:
    """All heads of `weights (L, H, T, S)`.

    `scores` maps names (those of core.analysis.glossary get its words) to `(L, H)` arrays, NaN where
    unknown. `whole` says what stands open when no head does: "mean" or "max" over all heads, and its
    name. `rows` is the number of rows to draw when the decode has not written them all yet. `hidden`: tokens
    were taken out, and rows of zeros had too little left to draw. Above 128
    tokens a side the pictures are reduced and each cell shows its strongest weight. `off` (L, H) makes the wall one of
    switches: what became of each head, None where it computes as trained; `how` is what a click makes of one.
    `open_future`: causal maps are drawn with the columns that the mask hides. `about`: what the scores are of. `quantity`
    says what stands in place of weights, from 0 to its top; where it names the pictures, they are layers. `tall` is the height aimed
    at in CSS pixels. Raises `InputError` for weights, labels or scores that do not fit each other.
    """
    full = np.asarray(weights) if quantity is None else np.asarray(weights) / quantity.top
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
    meta: dict[str, Any] = {
        "kind": kind_name(kind),
        "title": title,
        "subtitle": subtitle,
        "words": ATTENTION[kind].title,
        "layers": layers,
        "heads": heads,
        "shape": shape,
        "keys": keys,
        "size": shape[0] * shape[1],
        "block": block,
        "labelled": labelled,
        "hidden": hidden,
        "causal": kind == "causal" and not open_future,
        "square": kind != "cross",
        "written": -(-queries // block[0]),
        "rows": query_words + ["·"] * (total - queries) if labelled else [""] * shape[0],
        "cols": key_words if labelled else [""] * shape[1],
        "scores": told,
        "whole": {"how": whole[0], "subject": whole[1]},
        "tall": tall,
        "about": about,
        "file": file_stem(file_name),
    }
    if quantity is not None:
        meta["quantity"] = quantity.data()
    if off is not None:
        meta["off"] = _states(off, (layers, heads))
        meta["how"] = how
    levels = pictures.ravel()
    meta["digest"] = _digest(meta, levels)
    badge = arranged.badge if arranged.badge in told else next(iter(told), None)
    meta["arranged"] = [arranged.sort, badge, arranged.least, arranged.tone]
    return {"meta": meta, "levels": levels}


def _pictures(full: NDArray[Any]) -> tuple[NDArray[np.uint8], tuple[int, int]]:
    """Bytes `(L, H, T', S')` and the cells each one stands for; layer by layer to keep memory small."""
    if max(full.shape[2:]) <= FULL_SIDE:
        return to_bytes(full), (1, 1)
    reduced = [reduce_map(layer, REDUCED_SIDE, how="max") for layer in full]
    return np.stack([to_bytes(picture) for picture, _ in reduced]), reduced[0][1]


def _digest(meta: Mapping[str, Any], levels: NDArray[np.uint8]) -> str:
    """Changes with what is drawn, so that the browser keeps its pictures when only the arrangement is news."""
    drawn = hashlib.blake2b(json.dumps(meta).encode(), digest_size=8)
    drawn.update(levels.tobytes())
    return drawn.hexdigest()


def _states(off: Sequence[Sequence[str | None]], shape: tuple[int, int]) -> list[str | None]:
    """What became of each head, in one list; InputError when there is not one a head."""
    if len(off) != shape[0] or any(len(row) != shape[1] for row in off):
        raise InputError(f"The switches do not fit {shape[0]} layers of {shape[1]} heads; give one a head.")
    return [state for row in off for state in row]


def _score(name: str, values: ArrayLike, shape: tuple[int, int]) -> dict[str, object]:
    """One score for the browser: words, numbers to four digits, and from where on it is highlighted."""
    table = np.asarray(values, dtype=np.float64)
    if table.shape != shape:
        raise InputError(f"Score {name!r} has shape {table.shape} but the wall has {shape} layers and heads.")
    known = table[np.isfinite(table)]
    entry = SCORES.get(name) or READINGS.get(name) or ALIGNMENT.get(name)
    down = entry is not None and entry.down
    share = entry.high == 1.0 if entry else bool(known.size and known.min() >= 0 and known.max() <= 1)
    tenth = float(np.quantile(known, 0.1 if down else 0.9)) if known.size else None
    mark = STRONG if share and not down else tenth
    return {
        "label": entry.label if entry else name.replace("_", " "),
        "units": entry.units.split(" (")[0] if entry and name != "distance" else "",
        "mark": mark,
        "down": down,
        "values": [round(float(v), 4) if np.isfinite(v) else None for v in table.ravel()],
        "definition": entry.definition if entry else "",
        "told": [list(line) for line in entry.details] if entry else [],
    }
