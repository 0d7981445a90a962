"""The logit lens in the browser: a grid of steps and depths, and the ten words of one cell.

The DecoderLens ladder in the browser: a text a layer of the encoder, with what differs from the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError
from ui.inside.lens_data import Rung
from ui.session.state import reported
from ui.shared.checks import axis_labels, file_stem
from ui.shared.mount import register

_mount = register("lens")


class LensData(TypedDict):
    """The lens as the browser gets it: words in `meta`, numbers depth by depth, step by step."""

    meta: dict[str, Any]
    tops: NDArray[np.float32]
    shares: NDArray[np.float32]
    ranks: NDArray[np.float32]
    finals: NDArray[np.float32]


def lens_data(
    steps: Sequence[str],
    depths: Sequence[str],
    labels: Sequence[str],
    top: ArrayLike,
    probability: ArrayLike,
    rank: ArrayLike,
    written: ArrayLike,
    *,
    choices: Sequence[int],
    normed: bool,
    cell: tuple[int, int] | None = None,
    report: bool = False,
    file_name: str = "logit-lens",
) -> LensData:
    """`top` and `probability` (depths, steps, k), `rank` and `written` (depths, steps); `top` are places in `labels`.

    `choices`: the steps at which the model had a choice. `cell` (step, depth) is pinned, left out where it does not
    exist. Raises `InputError` for numbers that do not fit the words.
    """
    tops, shares = np.asarray(top), np.asarray(probability)
    if tops.ndim != 3 or tops.shape != shares.shape:
        raise InputError(
            f"The lens has words {tops.shape} and probabilities {shares.shape}; give (depths, steps, k) twice."
        )
    rows, columns, count = tops.shape
    if np.shape(rank) != (rows, columns) or np.shape(written) != (rows, columns):
        raise InputError(f"Ranks and probabilities of the words written must be {(rows, columns)}.")
    exists = cell is not None and cell[0] < columns and cell[1] < rows
    meta = {
        "steps": axis_labels(steps, columns, "step"),
        "depths": axis_labels(depths, rows, "depth"),
        "labels": list(labels),
        "k": count,
        "choices": list(choices),
        "normed": normed,
        "title": "",
        "cell": list(cell) if cell is not None and exists else None,
        "report": report,
        "file": file_stem(file_name),
    }
    flat = [np.asarray(each).ravel().astype(np.float32) for each in (tops, shares, rank, written)]
    return {"meta": meta, "tops": flat[0], "shares": flat[1], "ranks": flat[2], "finals": flat[3]}


def lens_view(
    lens: LensData, *, on_picked: Callable[[tuple[int, int] | None], None], key: str = "lens_view"
) -> None:
    """Draw the lens; `on_picked` gets the cell (step, depth) that is pinned, or None."""

    def changed() -> None:
        on_picked(_cell(reported(key, "picked")))

    _mount(key=key, data=lens, on_picked_change=changed)


def _cell(value: object) -> tuple[int, int] | None:
    """The browser's cell, or None where it is none."""
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        return None
    if not all(isinstance(each, (int, float)) and 0 <= each < 1e6 for each in value):
        return None
    return int(value[0]), int(value[1])


_mount_ladder = register("ladder")


class LadderData(TypedDict):
    """The rungs, the lowest layer first, and the words around them."""

    rungs: list[dict[str, Any]]
    title: str
    subtitle: str
    note: str
    file: str


def ladder_data(
    rungs: Sequence[Rung], *, title: str, subtitle: str = "", note: str = "", file_name: str = "decoder-lens"
) -> LadderData:
    """The ladder of `rungs`."""
    listed = [
        {
            "name": each.name,
            "text": each.text,
            "parts": [list(part) for part in each.difference],
            "shared": each.shared,
        }
        for each in rungs
    ]
    return {"rungs": listed, "title": title, "subtitle": subtitle, "note": note, "file": file_stem(file_name)}


def ladder_view(ladder: LadderData, key: str = "ladder_view") -> None:
    """Draw the ladder."""
    _mount_ladder(key=key, data=ladder)
