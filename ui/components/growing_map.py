"""Attention as a map that grows one row a written word."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ui.components.base import register
from ui.components.decode_lines import frame_data
from ui.theme import Kind

_mount = register("growing_map", uses=("token_link", "direction", "decode_lines"))


def growing_map(
    source: Sequence[str],
    target: Sequence[str],
    weights: npt.NDArray[np.floating],
    *,
    written: int | None = None,
    current: int | None = None,
    kind: Kind = "cross",
    who: str = "the decoder",
    notes: Sequence[str] = (),
    complete: bool = True,
    title: str = "The map so far",
    key: str = "growing_map",
) -> None:
    """Draw (T, S) weights as cells, rows = attending words; arguments as in `decode_lines`.

    Rows from `written` on are drawn empty. Hover and pins stay in the browser; nothing is returned.
    """
    data = frame_data(
        source,
        target,
        weights,
        written=written,
        current=current,
        kind=kind,
        who=who,
        notes=notes,
        complete=complete,
        title=title,
    )
    _mount(key=key, data=data)
