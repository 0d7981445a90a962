"""Attention as curves between two rows of words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ui.components.base import quantise, register
from ui.theme import Kind

_mount = register("decode_lines", uses=("token_link", "direction"))


def frame_data(
    source: Sequence[str],
    target: Sequence[str],
    weights: npt.NDArray[np.floating],
    *,
    written: int | None = None,
    current: int | None = None,
    kind: Kind = "cross",
    who: str = "the decoder",
    forced: Sequence[int] = (),
    notes: Sequence[str] = (),
    complete: bool = True,
    title: str | None = None,
    subtitle: str = "cross-attention",
) -> dict[str, object]:
    """What `decode_lines` and `growing_map` send to the browser; `decode_lines` explains the arguments.

    Raises ValueError when the shape of the weights and the labels disagree.
    """
    if weights.shape != (len(target), len(source)):
        raise ValueError(
            f"weights have shape {weights.shape}; expected ({len(target)} attending, {len(source)} attended words)"
        )
    shown = len(target) if written is None else max(0, min(written, len(target)))
    row = shown - 1 if current is None else current
    return {
        "source": list(source),
        "target": list(target),
        "weights": quantise(weights),
        "shape": list(weights.shape),
        "written": shown,
        "current": max(-1, min(row, shown - 1)),
        "kind": kind,
        "who": who,
        "forced": list(forced),
        "notes": list(notes),
        "complete": complete,
        "title": title,
        "subtitle": subtitle,
    }


def decode_lines(
    source: Sequence[str],
    target: Sequence[str],
    weights: npt.NDArray[np.floating],
    *,
    written: int | None = None,
    current: int | None = None,
    kind: Kind = "cross",
    who: str = "the decoder",
    forced: Sequence[int] = (),
    notes: Sequence[str] = (),
    complete: bool = True,
    title: str | None = None,
    subtitle: str = "cross-attention",
    key: str = "decode_lines",
) -> None:
    """Draw lines from `target` words (attending, below) to `source` words (attended, above).

    Args:
        weights: (T, S), rows sum to 1. written: how many target words exist (the rest are dots; None = all).
        current: the row drawn strongly (None: the last written). kind: which colour. who: subject of the sentence
            underneath ("head 2.5"). notes: trust facts after it. complete: False adds dots for words to come.
        title: None writes “Where the decoder looks while it writes …”.
    Hover and pins stay in the browser; nothing is returned.
    """
    _mount(
        key=key,
        data=frame_data(
            source,
            target,
            weights,
            written=written,
            current=current,
            kind=kind,
            who=who,
            forced=forced,
            notes=notes,
            complete=complete,
            title=title,
            subtitle=subtitle,
        ),
    )
