"""Reset, back, step, run, auto-play and their keys, for pages without `decode_stage`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ui.components.base import event, register

Action = Literal["reset", "back", "step", "run", "go"]

_mount = register("play_controls")


@dataclass(frozen=True)
class Press:
    """A control used; `position` is where to go when `action` is "go"."""

    action: Action
    position: int | None = None


def parse_press(value: object) -> Press | None:
    """What the browser sent, or None when it is none of the actions."""
    if value in ("reset", "back", "step", "run"):
        return Press(value)
    match = re.fullmatch(r"go:(\d{1,6})", value) if isinstance(value, str) else None
    return Press("go", int(match[1])) if match else None


def play_controls(
    *,
    position: int,
    known: int,
    complete: bool,
    on_press: Callable[[Press], None] | None = None,
    key: str = "play_controls",
) -> Press | None:
    """Draw the controls at `position` of `known` steps (`complete`: there are no more); returns the press.

    Auto-play asks for one step at a time, the next only after the answer has been drawn.
    """

    def changed() -> None:
        press = parse_press(event(key, "pressed"))
        if on_press and press:
            on_press(press)

    data = {"position": position, "known": known, "complete": complete}
    return parse_press(_mount(key=key, data=data, on_pressed_change=changed).get("pressed"))
