"""The Translate page's stage: lines, next word and map of one decode, played and explored in the browser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from ui.components.base import event, quantise, register
from ui.components.next_word import NextWord, is_id, step_data
from ui.theme import KIND_NAMES, Kind

MAX_NUMBERS = 600_000
"""Above this many weights (1.2 MB) only the chosen layer and head are sent; the pickers then ask the server."""

Asked = Literal["step", "run"]

_mount = register(
    "decode_stage",
    uses=("token_link", "direction", "decode_lines", "growing_map", "next_word", "play_controls"),
)


@dataclass(frozen=True)
class View:
    """Where the reader came to rest: tokens shown, layer and head (None = mean)."""

    position: int
    layer: int | None
    head: int | None


@dataclass(frozen=True)
class Forced:
    """A candidate clicked: write token `id` at target position `position`, dropping what followed."""

    position: int
    id: int
    label: str


@dataclass(frozen=True)
class StageEvents:
    """What the reader did in this run; triggers are None in every other run, `view` is the last rest."""

    asked: Asked | None
    forced: Forced | None
    view: View | None


def _index(value: object, count: int) -> int | None:
    return value if is_id(value) and value < count else None


def parse_view(value: Any, rows: int, layers: int, heads: int) -> View | None:
    """A view from the browser, or None when it is not one; numbers out of range become the mean or the end."""
    if not hasattr(value, "get") or not is_id(value.get("position")):
        return None
    return View(
        min(value["position"], rows), _index(value.get("layer"), layers), _index(value.get("head"), heads)
    )


def parse_forced(value: Any) -> Forced | None:
    """A forced candidate from the browser, or None when it is not one."""
    if not hasattr(value, "get") or not (is_id(value.get("id")) and is_id(value.get("position"))):
        return None
    return Forced(value["position"], value["id"], str(value.get("label", "")))


def _choose(
    weights: npt.NDArray[np.floating], layer: int | None, head: int | None
) -> npt.NDArray[np.floating]:
    """All of (L, H, T, S) when small enough; else the chosen slice or mean as (1, 1, T, S)."""
    if weights.size <= MAX_NUMBERS:
        return weights
    layers = weights if layer is None else weights[layer : layer + 1]
    chosen = layers if head is None else layers[:, head : head + 1]
    mean: npt.NDArray[np.floating] = chosen.mean(axis=(0, 1), keepdims=True)
    return mean


def stage_data(
    *,
    source: Sequence[str],
    target: Sequence[str],
    weights: npt.NDArray[np.floating],
    steps: Sequence[NextWord],
    position: int,
    complete: bool,
    layer: int | None,
    head: int | None,
    forced: Sequence[int] = (),
    notes: Sequence[str] = (),
    kind: Kind = "cross",
) -> dict[str, object]:
    """The data sent to the browser; see `decode_stage` for the arguments.

    Raises ValueError when shapes and labels disagree.
    """
    if weights.ndim != 4 or weights.shape[2:] != (len(target), len(source)):
        raise ValueError(
            f"weights have shape {weights.shape}; expected (layers, heads, {len(target)} target tokens,"
            f" {len(source)} source tokens)"
        )
    if len(steps) < len(target):
        raise ValueError(f"got {len(steps)} distributions for {len(target)} written tokens; give one a token")
    layers, heads = weights.shape[:2]
    for name, value, count in (("layer", layer, layers), ("head", head, heads)):
        if value is not None and not 0 <= value < count:
            raise ValueError(f"{name} {value} does not exist; choose 0 to {count - 1}, or None for the mean")
    sent = _choose(weights, layer, head)
    return {
        "source": list(source),
        "target": list(target),
        "weights": quantise(sent),
        "shape": list(sent.shape),
        "layers": layers,
        "heads": heads,
        "layer": layer,
        "head": head,
        "steps": [step_data(step) for step in steps],
        "position": max(0, min(position, len(target))),
        "complete": complete,
        "forced": list(forced),
        "notes": list(notes),
        "kind": kind,
        "kindName": KIND_NAMES[kind],
    }


def decode_stage(
    *,
    source: Sequence[str],
    target: Sequence[str],
    weights: npt.NDArray[np.floating],
    steps: Sequence[NextWord],
    position: int,
    complete: bool,
    layer: int | None = None,
    head: int | None = None,
    forced: Sequence[int] = (),
    notes: Sequence[str] = (),
    on_asked: Callable[[Asked], None] | None = None,
    on_forced: Callable[[Forced], None] | None = None,
    on_view: Callable[[View], None] | None = None,
    key: str = "decode_stage",
) -> StageEvents:
    """Show a decode: every known step of every head is sent once, the browser does the rest.

    Args:
        source: S labels of the source tokens; target: T labels of the tokens written so far (all known steps).
        weights: (L, H, T, S) cross-attention, row t = what was looked at while writing `target[t]`.
        steps: the distribution each token was chosen from (T, or T + 1 when the next is known already).
        position: how many tokens to show at first (a deep link); later the browser keeps its own position
            and reports it as `view`. It follows `position` again when the decode changes.
        complete: True when `target` is the whole translation; else stepping past its end asks the server.
        layer, head: the map shown; None is the mean. forced: indices of forced tokens. notes: trust facts.
        on_asked, on_forced, on_view: called before the run with what the reader did.
    Returns: the same events, for pages without callbacks.
    """
    layers, heads = weights.shape[:2]

    def read_view(value: Any) -> View | None:
        return parse_view(value, len(target), layers, heads)

    def asked() -> None:
        what = event(key, "asked")
        if on_asked and what in ("step", "run"):
            on_asked(cast(Asked, what))

    def force() -> None:
        choice = parse_forced(event(key, "forced"))
        if on_forced and choice:
            on_forced(choice)

    def moved() -> None:
        view = read_view(event(key, "view"))
        if on_view and view:
            on_view(view)

    data = stage_data(
        source=source,
        target=target,
        weights=weights,
        steps=steps,
        position=position,
        complete=complete,
        layer=layer,
        head=head,
        forced=forced,
        notes=notes,
    )
    result = _mount(key=key, data=data, on_asked_change=asked, on_forced_change=force, on_view_change=moved)
    what = result.get("asked")
    return StageEvents(
        asked=cast(Asked, what) if what in ("step", "run") else None,
        forced=parse_forced(result.get("forced")),
        view=read_view(result.get("view")),
    )
