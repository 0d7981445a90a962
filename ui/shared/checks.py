"""Checks shared by the wrappers of map views: labels, kinds and file names that reach the browser."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from core.errors import InputError
from ui.style.theme import KINDS, Kind

_NOT_IN_A_NAME = re.compile(r"[^\w.\-]+")


def axis_labels(labels: Sequence[str], length: int, axis: str) -> list[str]:
    """The labels as a list of strings, one per token of an axis; InputError when the count differs."""
    words = [str(label) for label in labels]
    if len(words) != length:
        raise InputError(f"{len(words)} {axis} labels for a map with {length}; give one label per {axis}.")
    return words


def kind_name(kind: str) -> Kind:
    """`kind` itself when it is one of the three; InputError otherwise."""
    if kind not in KINDS:
        raise InputError(f"Attention kind {kind!r} is unknown; choose one of {', '.join(KINDS)}.")
    return kind


def read_labels(reads: Sequence[str], length: int) -> list[str]:
    """The words that rows of the decoder read, one per row, or none; InputError when the count differs."""
    return axis_labels(reads, length, "read token") if reads else []


def shares(values: ArrayLike | None, length: int) -> tuple[float, ...] | None:
    """Shares 0..1 of the rows of a map, to four digits; None where there are none. InputError for a wrong count."""
    if values is None:
        return None
    full = np.asarray(values, dtype=np.float64)
    if full.shape != (length,):
        raise InputError(f"{full.size} hidden shares for a map with {length} rows; give one share per row.")
    return tuple(round(float(share), 4) for share in full)


def file_stem(name: str) -> str:
    """A name safe to offer for a download: letters, digits, dots, hyphens; at most 80 characters.

    Raises InputError when nothing is left.
    """
    stem = _NOT_IN_A_NAME.sub("-", name).strip("-._")[:80].rstrip("-._")
    if not stem:
        raise InputError(f"{name!r} leaves no file name; use letters, digits, dots or hyphens.")
    return stem
