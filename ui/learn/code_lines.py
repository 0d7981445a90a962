"""The code beside a lesson's picture: the result of the line that was pressed, and the card of Inside that shows it.

A line runs when it is pressed, with all lines before it, on the model and the sentence of the step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.analysis.readout import decimal, quoted
from core.errors import AtlasError
from core.language import tr
from core.learning.lesson import Step
from core.learning.measures import Scene
from core.learning.scene_code import CODE, Place, SceneCode, fits
from ui.learn.shelf import Numbers
from ui.session.selection import Selection

PAGE = "inside"
_NUMBERS = 4  # of a result's row


@dataclass(frozen=True)
class LineData:
    """The pressed line, from 0: what its result is, its shape, the token whose row is given, and that row's first numbers."""

    number: int
    says: str
    shape: str
    row: str
    numbers: str


@dataclass(frozen=True)
class CodeData:
    """The lines of a step's picture, what they begin with as (kind, words), and the pressed one, None while none is."""

    given: tuple[tuple[str, str], ...]
    lines: tuple[str, ...]
    pressed: LineData | None = None


def code_of(step: Step, numbers: Numbers | None) -> SceneCode | None:
    """The step's code, None where it names none or its model, once loaded, computes otherwise."""
    if numbers is None or not step.code or not fits(numbers.shown.entry.config):
        return None
    return CODE[step.code]


def code_data(code: SceneCode, numbers: Numbers, pressed: int | None) -> CodeData:
    """What the panel draws; `pressed` is the line whose result is shown, from 0."""
    words = tr(code.given).split("`")
    given = tuple(("code" if n % 2 else "text", part) for n, part in enumerate(words) if part)
    lines = tuple(line.code for line in code.lines)
    try:
        shown = None if pressed is None or pressed >= len(lines) else result(code, numbers, pressed)
    except AtlasError:  # a sentence that this model cannot read; the page says so
        shown = None
    return CodeData(given, lines, shown)


def result(code: SceneCode, numbers: Numbers, pressed: int) -> LineData:
    """Run the lines up to the pressed one on the step's sentence. Raises `AtlasError` where that cannot be had."""
    scene, shown = numbers.scene, numbers.shown.decoded
    layer, head = head_of(code, scene)
    trace = shown.recorded(code.sites(layer))
    place = Place(shown.load(), trace, shown.decode.source_text, (layer, head))
    values = np.asarray(code.run(place, pressed + 1)[-1])
    line = code.lines[pressed]
    shape = str(values.shape) if values.shape else tr("one number")
    row, numbers_of_row = _row(values, line.axes, scene, head)
    return LineData(pressed, tr(line.says), shape, row, numbers_of_row)


def head_of(code: SceneCode, scene: Scene) -> tuple[int, int]:
    """The layer and head that the code is about: the step's own, or the first of the encoder."""
    return (0, 0) if code.kind == "encoder" else scene.head


def _row(values: NDArray[Any], axes: str, scene: Scene, head: int) -> tuple[str, str]:
    """The token whose row is given, empty where rows are not tokens, and that row's first numbers."""
    at, token = values, ""
    for axis in axes[:-1]:  # the last one is given
        number = {"h": head, "t": scene.row, "s": scene.token}.get(axis, 0)
        if axis in "ts":
            token = _label(scene, axis, number)
        at = at[min(number, len(at) - 1)]
    listed = at.ravel().tolist()
    written = [_number(each) for each in listed[:_NUMBERS]]
    more = " …" if len(listed) > _NUMBERS else ""
    return quoted(token) if token else "", f"{'  '.join(written)}{more}"


def _label(scene: Scene, axis: str, number: int) -> str:
    """A source token, or both words of a decoder row."""
    tokens = scene.trace.tokens
    return f"{tokens.target[number]} → {tokens.written[number]}" if axis == "t" else tokens.source[number]


def _number(value: float | bool) -> str:
    """1,157 as it is, 0.7142 with three digits, −∞ and truth by their signs."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int):
        return str(value)
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    return decimal(value, 3 if abs(value) < 10 else 1)


def view_of(code: SceneCode, step: Step, scene: Scene, pressed: int, now: Selection) -> dict[str, str]:
    """The parameters of the card of Inside that shows what a line computes, of the step's sentence and token."""
    layer, head = head_of(code, scene)
    row = {"token": f"s{scene.token}"} if code.kind == "encoder" else {"step": str(scene.row + 1)}
    return {
        **{name: step.link[name] for name in ("text", "checkpoint") if name in step.link},
        "kind": code.kind,
        "layer": str(layer),
        "head": str(head),
        "card": code.lines[pressed].card,
        **row,
        **({"full": PAGE} if now.full else {}),
    }
