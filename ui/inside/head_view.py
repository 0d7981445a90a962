"""Inside a head in the browser: the cards as matrices, and the terms of the one number that is asked about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.learning.card import Card, Why
from ui.session.state import reported
from ui.shared.checks import axis_labels, file_stem, kind_name
from ui.shared.mount import register

MOST_ROWS: Final = 64
"""Tokens of one side that are drawn: of a longer text those around the token in hand."""
MOST_TERMS: Final = 4096
"""Terms that are drawn one by one; of more only the largest are told."""
LARGEST: Final = 12
"""Terms that are told in words."""

SHORT: Final = {
    **{
        "tokens": "token",
        "positions": "position",
        "embedded": "sum",
        "entering": "stream",
        "memory": "memory",
    },
    **dict.fromkeys(
        ("embedding_norm", "norm", "added_norm", "forward_norm", "forward_added_norm", "final_norm"), "norm"
    ),
    **{"q": "Q", "k": "K", "v": "V", "q_head": "Q head", "k_head": "K head", "v_head": "V head"},
    **{"products": "Q Kᵀ", "scaled": "÷ √d", "biased": "+ bias", "masked": "mask", "weights": "softmax"},
    **{"mixed": "× V", "joined": "concat", "output": "W_O", "added": "+ residual", "between": "cross"},
    **{"up": "W₁", "gate": "gate", "hidden": "activation", "down": "W₂", "forward_added": "+ residual"},
    **{"rest": "…", "logits": "logits", "probabilities": "next token"},
}
"""What an operation is called in the line of all of them."""

_mount = register("inside")
_mount_terms = register("inside_terms")


class Picked(NamedTuple):
    """The open card, and the cell that is asked about (row, column), or None."""

    card: str
    cell: tuple[int, int] | None


class InsideData(TypedDict):
    """What the browser gets: words in `meta`, the numbers of all cards one after the other, row by row."""

    meta: dict[str, Any]
    numbers: NDArray[np.float32]
    why: dict[str, Any] | None


def inside_data(
    cards: Sequence[Card],
    *,
    kind: str,
    layer: int,
    head: int,
    token: str,
    writes: str = "",
    stamp: str,
    picked: Picked,
    every: bool = False,
    why: dict[str, Any] | None = None,
    report: bool = False,
    file_name: str = "inside-a-head",
) -> InsideData:
    """`writes` is what the row of `token` writes, in the decoder. `stamp` says of which numbers the cards are, so that terms of others are not taken for theirs. Raises `InputError`
    for labels that do not fit the numbers.
    """
    described, numbers = [], []
    for card in cards:
        if card.values.shape != (len(card.rows.labels), len(card.columns.labels)):
            raise InputError(
                f"The card “{card.title}” has {card.values.shape} numbers for {len(card.rows.labels)} rows and "
                f"{len(card.columns.labels)} columns; give a label to each."
            )
        first, last = _window(len(card.values), card.focus)
        part = np.asarray(card.values[first:last], dtype=np.float32)
        numbers.append(part.ravel())
        described.append(
            {
                "key": card.key,
                "part": card.part,
                "title": card.title,
                "short": SHORT[card.key],
                "formula": card.formula,
                "says": card.says,
                "shape": card.shape,
                "rows": axis_labels(card.rows.labels[first:last], len(part), "row"),
                "cols": axis_labels(card.columns.labels, part.shape[1], "column"),
                "row_axis": card.rows.name,
                "col_axis": card.columns.name,
                "first": first,
                "of": len(card.values),
                "focus": card.focus,
                "band": list(card.band) if card.band else None,
                "look": card.look,
                "reads": list(card.reads),
            }
        )
    meta = {
        "cards": described,
        "kind": kind_name(kind),
        "layer": layer,
        "head": head,
        "token": token,
        "writes": writes,
        "stamp": stamp,
        "picked": [picked.card, *(picked.cell or (None, None))],
        "every": every,
        "report": report,
        "file": file_stem(file_name),
    }
    return {"meta": meta, "numbers": np.concatenate(numbers), "why": why}


def _window(count: int, focus: int | None) -> tuple[int, int]:
    """First row and the row after the last that are drawn."""
    first = max(0, min((focus or 0) - MOST_ROWS // 2, count - MOST_ROWS))
    return first, min(count, first + MOST_ROWS)


def why_data(card: Card, row: int, column: int, why: Why, stamp: str) -> dict[str, Any]:
    """The terms of one cell, as `inside_data` and `inside_terms` take them."""
    count = len(why.terms)
    order = np.argsort(-np.abs(why.terms), kind="stable")[:LARGEST]
    drawn = count if count <= MOST_TERMS else 0
    told = []
    for place in (int(each) for each in order):
        term: dict[str, Any] = {"place": place, "name": why.name(place), "value": float(why.terms[place])}
        if why.a is not None and why.b is not None:
            term |= {"a": float(why.a[place]), "b": float(why.b[place])}
        told.append(term)

    def flat(values: NDArray[np.float64] | None) -> NDArray[np.float32]:
        return np.zeros(0, np.float32) if values is None else values[:drawn].astype(np.float32)

    meta = {
        "stamp": stamp,
        "card": card.key,
        "row": row,
        "column": column,
        "formula": why.formula,
        "count": count,
        "told": told,
        "others": float(why.terms.sum() - why.terms[order].sum()),
        "total": why.total,
        "steps": [[step.op, step.name, _finite(step.number), _finite(step.result)] for step in why.steps],
        "value": _finite(why.value),
        "shown": _finite(float(card.values[row, column])),
        "a_name": why.a_name,
        "b_name": why.b_name,
        "what": why.what,
    }
    return {"meta": meta, "a": flat(why.a), "b": flat(why.b), "terms": flat(why.terms)}


def _finite(number: float | None) -> float | str | None:
    """A number as JSON holds it: what is masked goes as its sign."""
    return "−∞" if number is not None and not np.isfinite(number) else number


def inside_terms(why: dict[str, Any] | None, key: str = "inside_terms") -> None:
    """Hand the terms of one number to the view; a piece of its own, so that a click sends no matrix again."""
    _mount_terms(key=key, data=why or {"meta": None})


def inside_view(
    data: InsideData,
    *,
    on_picked: Callable[[Picked], None],
    on_every: Callable[[bool], None],
    key: str = "inside",
) -> None:
    """Draw the cards; `on_picked` gets the open card and the cell asked about, `on_every` whether all are shown."""
    known = {card["key"]: (card["of"], len(card["cols"])) for card in data["meta"]["cards"]}

    def picked() -> None:
        found = _picked(reported(key, "picked"))
        if found is None or found.card not in known:
            return
        rows, columns = known[found.card]
        inside = found.cell is not None and found.cell[0] < rows and found.cell[1] < columns
        on_picked(found if inside else Picked(found.card, None))

    def every() -> None:
        on_every(reported(key, "every") is True)

    _mount(key=key, data=data, on_picked_change=picked, on_every_change=every)


def _picked(value: object) -> Picked | None:
    """The browser's card and cell, or None where it is none."""
    parts = list(value) if isinstance(value, (list, tuple)) else []
    if len(parts) != 3 or not isinstance(parts[0], str):
        return None
    if not all(isinstance(part, (int, float)) and 0 <= part < 1e6 for part in parts[1:]):
        return Picked(parts[0], None)
    return Picked(parts[0], (int(parts[1]), int(parts[2])))
