"""What speaks against a translation, handed to the stage that shows it: computed after the stage is drawn, shown in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ui.components.base import register

_mount = register("trouble")


class StripData(TypedDict):
    """The lines of one decode, and what their numbers are: (name, definition)."""

    decode: str
    lines: list[str]
    told: list[list[str]]
    shares: NDArray[np.float32] | None


def strip_data(
    decode: str,
    lines: Sequence[str],
    told: Sequence[tuple[str, str]] = (),
    shares: ArrayLike | None = None,
) -> StripData:
    """`decode` is the name that the stage has for the same path; `shares` (T, S) are those of ALTI+, which it can draw."""
    flat = None if shares is None else np.asarray(shares, dtype=np.float32).ravel()
    return {"decode": decode, "lines": list(lines), "told": [list(each) for each in told], "shares": flat}


def trouble_strip(strip: StripData, key: str = "trouble_strip") -> None:
    """Hand the lines to the stage of the page; takes no room itself."""
    _mount(key=key, data=strip)
