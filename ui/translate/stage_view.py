"""A next-word distribution as the plain data that `next_word.ts` draws.

What speaks against a translation, handed to the stage that shows it: computed after the stage is drawn, shown in it.

The Translate page's stage: lines, next word and map of one decode, played and explored in the browser.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, TypeGuard, get_args

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike, NDArray

from core.analysis.glossary import MEASURES
from core.analysis.readout import subject
from core.model.hooks import ATTENTION
from ui.session.state import reported
from ui.shared.decode import NextWord
from ui.shared.mount import quantise, register


def step_data(step: NextWord) -> dict[str, object]:
    """A distribution as the plain data next_word.ts reads. Raises ValueError when its lists differ in length."""
    if not len(step.ids) == len(step.labels) == len(step.probabilities):
        raise ValueError(
            f"a distribution needs as many ids, labels and probabilities, got {len(step.ids)},"
            f" {len(step.labels)} and {len(step.probabilities)}"
        )
    return {
        "ids": list(step.ids),
        "labels": list(step.labels),
        "probabilities": [round(p, 6) for p in step.probabilities],
        "rest": [step.others[0], round(step.others[1], 6)],
        "chosen": step.chosen,
        "forced": step.forced,
        "barred": list(step.barred),
        "fixed": step.fixed,
        "cut": {"count": step.cut[0], "label": step.cut[1]} if step.cut else None,
        "extra": dict(zip(("label", "probability", "rank"), step.extra, strict=True)) if step.extra else None,
    }


_mount_strip = register("trouble")


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
    _mount_strip(key=key, data=strip)


MAX_NUMBERS = 600_000
"""Above this many weights (1.2 MB) only the chosen layer and head are sent; the pickers then ask the server."""

Drawn = Literal["weight", "alti"]
_METRICS = ("weight", "probability", "rank")
_mount = register("stage")


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


def is_id(value: object) -> TypeGuard[int]:
    """A non-negative integer, as token ids and positions from the browser must be."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


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


class StageData(TypedDict):
    """A decode as the browser gets it. `shape` is that of `weights`; `layers` and `heads` are the model's.

    `subjects[l][h]` says who looked: 0 is the mean over layers or heads, n + 1 layer or head n.
    """

    source: list[str]
    target: list[str]
    weights: npt.NDArray[np.uint16]
    shape: list[int]
    layers: int
    heads: int
    layer: int | None
    head: int | None
    steps: list[dict[str, object]]
    position: int
    ended: bool
    forced: list[int]
    notes: list[str]
    kind: str
    kindName: str
    subjects: list[list[str]]
    id: str
    writes: bool
    grown: list[list[Any]]
    remarks: list[str]
    opens: dict[str, Any] | None
    metrics: list[list[str]]
    decode: str
    measure: str


def stage_data(
    *,
    source: Sequence[str],
    target: Sequence[str],
    weights: npt.NDArray[np.floating],
    steps: Sequence[NextWord],
    position: int,
    layer: int | None = None,
    head: int | None = None,
    ended: bool = False,
    forced: Sequence[int] = (),
    notes: Sequence[str] = (),
    identity: str = "",
    writes: bool = False,
    grown: Sequence[tuple[int, str]] = (),
    remarks: Sequence[str] = (),
    opens: tuple[int, int, str] | None = None,
    decode: str = "",
    measure: str = "weight",
) -> StageData:
    """A whole decode: every step of every head.

    Args:
        source: S labels of the source tokens; target: T labels of the tokens written.
        weights: (L, H, T, S) cross-attention, row t = what was looked at while writing `target[t]`.
        steps: the distribution each token was chosen from (T, or one for the first token when T is 0).
        position: how many tokens to show at first (a deep link); later the browser keeps its own position
            and reports it as a `View`. It follows `position` again when the decode changes.
        ended: whether the last token is the end token; the finished sentence then rests with no row lit.
        layer, head: the map shown; None is the mean. forced: indices of forced tokens. notes: trust facts.
        identity: names the decode, the same for all paths of one search; what was covered of it stays so.
        writes: the decode writes itself, within about two seconds, where the browser shows it for the first time
            after another one, and rests on its last token.
        grown: for each token, how many characters of the text before it stay, and the text it adds; empty: no
            sentence is shown. remarks: what is to be said of the whole, not told before the end was reached.
        opens: layer and head that open where none was chosen, and why.
        decode: names this very path; a strip (ui/translate/stage_view.py) of the same name is put under the translation,
            where its place is kept. Empty: there is no strip. measure: "alti" draws what the strip brings in place of weights.
    Until the end was reached, and after “to the start”, the browser tells nothing of the tokens to come.
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
        "ended": ended,
        "forced": list(forced),
        "notes": list(notes),
        "kind": "cross",
        "kindName": ATTENTION["cross"].title,
        "subjects": [
            [subject(chosen, one, heads=heads, layers=layers) for one in (None, *range(heads))]
            for chosen in (None, *range(layers))
        ],
        "id": identity,
        "writes": writes,
        "grown": [list(each) for each in grown],
        "remarks": list(remarks),
        "opens": dict(zip(("layer", "head", "why"), opens, strict=True)) if opens else None,
        "decode": decode,
        "measure": measure,
        "metrics": [[MEASURES[name].label.lower(), MEASURES[name].definition] for name in _METRICS],
    }


def decode_stage(
    stage: StageData,
    *,
    on_forced: Callable[[Forced], None],
    on_view: Callable[[View], None],
    on_measure: Callable[[Drawn], None] = lambda measure: None,
    key: str = "decode_stage",
) -> None:
    """Show a decode: the data are sent once, the browser does the rest.

    `on_forced` gets a candidate that is clicked; `on_view` where the reader came to rest; `on_measure` what is drawn.
    """

    def force() -> None:
        choice = parse_forced(reported(key, "forced"))
        if choice:
            on_forced(choice)

    def moved() -> None:
        view = parse_view(reported(key, "view"), len(stage["target"]), stage["layers"], stage["heads"])
        if view:
            on_view(view)

    def measured() -> None:
        told = reported(key, "measured")
        if told in get_args(Drawn):
            on_measure(told)

    _mount(key=key, data=stage, on_forced_change=force, on_view_change=moved, on_measured_change=measured)
