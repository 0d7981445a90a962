"""One head in detail, or up to eight together: linked lines and heatmap with exact numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.maps import only_allowed
from core.analysis.readout import subject as subject_of
from core.errors import InputError
from ui.session.state import reported
from ui.shared.checks import axis_labels, file_stem, kind_name, shares
from ui.shared.mount import register
from ui.shared.wall_data import Quantity, to_bytes
from ui.style.theme import Kind

Mode = Literal["weights", "scores", "masked", "difference", "contribution", "length"]
UNITS: dict[str, str] = {
    "weights": "share",
    "contribution": "share",
    "length": "length",
    "difference": "points",
    "scores": "number",
    "masked": "number",
}
MOST_HEADS = 8
MOST_PINS = 1024
"""Pinned tokens of one side that Python listens to."""
EXACT_NUMBERS = 512 * 512
"""Numbers sent as float32. Heads beyond this many numbers are overlaid from one byte a weight."""

_mount = register("head")


@dataclass(frozen=True)
class HeadMap:
    """One map to draw: `values (T, S)`, −inf or NaN where attending is not allowed.

    `layer` and `head` count from 0; None stands for a mean over them. `name` labels the swatch
    ("2.5" by default) and `subject` the sentence ("head 2.5"). `hidden (T,)` is what each row gave to tokens
    that were taken out; rows of NaN had too little left to draw.
    """

    values: ArrayLike
    layer: int | None = None
    head: int | None = None
    name: str | None = None
    subject: str | None = None
    hidden: ArrayLike | None = None


@dataclass(frozen=True)
class Viewed:
    """How the reader looks at the open map. None leaves it to the view, which goes by the map's size.

    `threshold`: lines from this strength on, in percent. `log`: logarithmic colour. `zoom`: the part drawn,
    (first row, row after the last, first column, column after the last).
    """

    threshold: int | None = None
    log: bool | None = None
    zoom: tuple[int, int, int, int] | None = None


@dataclass(frozen=True)
class DetailResult:
    """Tokens that were pinned (positions), or None when the browser's message is none."""

    pinned_rows: tuple[int, ...] | None = None
    pinned_columns: tuple[int, ...] | None = None


class DetailData(TypedDict):
    """The maps as the browser gets them: words in `meta`, exact float32 numbers, bytes for the heads beyond them."""

    meta: dict[str, Any]
    exact: NDArray[np.float32]
    levels: NDArray[np.uint8]


def detail_data(
    maps: HeadMap | Sequence[HeadMap],
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    *,
    kind: Kind,
    mode: Mode = "weights",
    title: str | None = None,
    tag: str = "",
    subtitle: str = "",
    rows: int | None = None,
    current_row: int | None = None,
    writing: bool = True,
    distribution: bool = True,
    pinned_rows: Sequence[int] = (),
    pinned_columns: Sequence[int] = (),
    viewed: Viewed = Viewed(),
    report: bool = False,
    file_name: str | None = None,
    quantity: Quantity | None = None,
) -> DetailData:
    """One to eight maps over the same tokens.

    `mode` says what the numbers are: "weights" and "contribution" in 0..1, "scores" and "masked" before
    the softmax, "difference" of two maps in −1..1, "length" from 0 to the top of `quantity`, which says what
    contributions and lengths are. `rows` is the number of rows to draw when the decode
    has not written them all yet; `current_row` is the row told when nothing is hovered. `writing` False
    says that the row labels are tokens read, not written. `distribution` False: rows do not sum to 1
    (a maximum over heads).
    `viewed` is the reader's threshold, colour scale and part; `report` sends pins and view to Python (one
    rerun a change) so that a link can hold them. Raises `InputError` for maps that do not fit their mode,
    their labels or each other.
    """
    chosen = [maps] if isinstance(maps, HeadMap) else list(maps)
    values = _numbers(chosen, kind, mode, quantity is not None and quantity.aside)
    queries, keys = values[0].shape
    total = max(queries, rows or 0)
    names = [head.name or _name(head) for head in chosen]
    exact = len(values)
    if UNITS[mode] == "share":  # only shares fit a byte
        exact = max(1, min(exact, EXACT_NUMBERS // max(1, queries * keys)))
    meta = {
        "kind": kind_name(kind),
        "mode": mode,
        "unit": UNITS[mode],
        "title": title if title is not None else f"Head{'s' if len(names) > 1 else ''} {', '.join(names)}",
        "tag": tag,
        "subtitle": subtitle,
        "verb": "Reading" if kind == "encoder" or not writing else "Writing",
        "heads": [
            {"name": name, "subject": head.subject or subject_of(head.layer, head.head)}
            for name, head in zip(names, chosen, strict=True)
        ],
        "exact": exact,
        "written": queries,
        "rows": axis_labels(query_labels, queries, "query") + ["·"] * (total - queries),
        "cols": axis_labels(key_labels, keys, "key"),
        "current": current_row if current_row is not None and 0 <= current_row < queries else None,
        "distribution": distribution,
        "hidden": [shares(head.hidden, queries) for head in chosen],
        "pairs": [[h.layer, h.head] for h in chosen] if all(_single(head) for head in chosen) else [],
        "pins": [
            [int(row) for row in pinned_rows if 0 <= row < queries],
            [int(column) for column in pinned_columns if 0 <= column < keys],
        ],
        "view": [viewed.threshold, viewed.log, viewed.zoom],
        "report": report,
        "file": file_stem(file_name or f"{kind}-head-{'-'.join(names)}-{mode}"),
    }
    if quantity is not None:
        meta["quantity"] = quantity.data()
    rest = [to_bytes(np.nan_to_num(value)) for value in values[exact:]]
    return {
        "meta": meta,
        "exact": np.concatenate([value.ravel() for value in values[:exact]]).astype(np.float32),
        "levels": np.concatenate([value.ravel() for value in rest]) if rest else np.zeros(0, np.uint8),
    }


def head_detail(
    detail: DetailData,
    *,
    on_pins: Callable[[DetailResult], None] | None = None,
    on_viewed: Callable[[Viewed], None] | None = None,
    key: str = "head_detail",
) -> None:
    """Draw the maps; hover and pins stay in the browser, which tells of them where `report` asked for it."""

    def changed() -> None:
        if on_pins:
            on_pins(_result(reported(key, "pinned")))

    def seen() -> None:
        found = _viewed(reported(key, "viewed"))
        if on_viewed and found is not None:
            on_viewed(found)

    _mount(key=key, data=detail, on_pinned_change=changed, on_viewed_change=seen)


def _numbers(
    maps: Sequence[HeadMap], kind: Kind, mode: Mode, aside: bool = False
) -> list[NDArray[np.float32]]:
    """The maps to draw together, checked one by one and against each other."""
    if not 1 <= len(maps) <= MOST_HEADS:
        raise InputError(f"{len(maps)} heads were given; between 1 and {MOST_HEADS} can be drawn together.")
    if mode not in get_args(Mode):
        raise InputError(f"Cannot draw {mode!r}; choose one of {', '.join(get_args(Mode))}.")
    values = [_values(head.values, mode, kind == "causal", aside) for head in maps]
    if any(value.shape != values[0].shape for value in values):
        raise InputError("Maps drawn together must have the same tokens; their shapes differ.")
    return values


def _values(values: ArrayLike, mode: str, causal: bool, aside: bool = False) -> NDArray[np.float32]:
    """One map as float32 with NaN where attending is not allowed; checks the range its mode promises. `aside`: the
    last column is no token, and no mask hides it.
    """
    shape = np.shape(values)
    if len(shape) != 2 or shape[1] == 0:
        raise InputError(f"A map has shape {shape}; one head is (queries, keys).")
    full = only_allowed(values, causal, mode).astype(np.float32)
    if aside:
        full[:, -1] = np.asarray(values)[:, -1]
    finite = full[np.isfinite(full)]
    low, high = {"share": (0.0, 1.0), "points": (-1.0, 1.0), "length": (0.0, np.inf)}.get(
        UNITS[mode], (-np.inf, np.inf)
    )
    if finite.size and (finite.min() < low - 1e-3 or finite.max() > high + 1e-3):
        raise InputError(
            f"Numbers drawn as {mode} must lie between {low:.0f} and {high:.0f}, "
            f"these go from {finite.min():.3g} to {finite.max():.3g}; choose the mode that fits them."
        )
    return full


def _name(head: HeadMap) -> str:
    if head.layer is not None and head.head is not None:
        return f"{head.layer}.{head.head}"
    return subject_of(head.layer, head.head).removeprefix("the ")


def _single(head: HeadMap) -> bool:
    return head.layer is not None and head.head is not None


def _result(value: object) -> DetailResult:
    """The browser's message as a result; anything unexpected counts as nothing."""
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        return DetailResult()
    rows, columns = (_whole_numbers(side) for side in value)
    return DetailResult() if rows is None or columns is None else DetailResult(rows, columns)


def _whole_numbers(value: object) -> tuple[int, ...] | None:
    """A bounded list of numbers from the browser, or None when it is something else."""
    if not isinstance(value, (list, tuple)) or len(value) > MOST_PINS:
        return None
    if not all(isinstance(item, (int, float)) and 0 <= item < 1e6 for item in value):
        return None
    return tuple(int(item) for item in value)


def _viewed(value: object) -> Viewed | None:
    """The browser's threshold, colour scale and part, or None when they are something else."""
    if not isinstance(value, (list, tuple)) or len(value) != 3:
        return None
    threshold, log, zoom = value
    part = _whole_numbers(zoom) if zoom is not None else None
    if not isinstance(threshold, (int, float)) or not 0 <= threshold <= 50 or not isinstance(log, bool):
        return None
    if zoom is not None and (part is None or len(part) != 4):
        return None
    rows_and_columns = None if part is None else (part[0], part[1], part[2], part[3])
    return Viewed(int(threshold), log, rows_and_columns)
