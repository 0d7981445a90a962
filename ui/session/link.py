"""Every URL parameter of the app: typed, bounded, whitelisted, in this one file. Pure."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, get_args

from core.experiments.edits import Edits
from core.learning import mistakes, tutorials
from ui.session.selection import (
    ANSWER_LIMIT,
    FORCE_LIMIT,
    GOLD_LIMIT,
    MEAN,
    OVERLAY_LIMIT,
    PIN_LIMIT,
    SEEDS,
    By,
    Cell,
    Desk,
    Draw,
    How,
    Measure,
    Off,
    Reading,
    Scale,
    Selection,
    Sort,
    Strategy,
    Task,
    Tone,
    Versus,
    View,
    Watch,
    Zoom,
)

TEXT_LIMIT: Final = 2000  # characters of a sentence that a link carries


# -- reading and writing one parameter ----------------------------------------------------------------------


def _choice(kind: Any) -> Callable[[str], str]:
    return _one_of(get_args(kind))


def _one_of(names: Collection[str]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in names:
            raise ValueError(text)
        return text

    return read


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch(r"-?\d{1,9}", text, re.ASCII) or not low <= int(text) <= high:
            raise ValueError(text)
        return int(text)

    return read


def _number(low: float, high: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        value = float(text) if len(text) <= 12 else math.nan
        if not low <= value <= high:
            raise ValueError(text)
        return value

    return read


def _name(text: str) -> str:
    """A folder's name, spaces and all scripts included; it is only ever compared with those that are there."""
    if not text.isprintable() or not 1 <= len(text) <= 100 or "/" in text:
        raise ValueError(text)
    return text


def _index(high: int) -> Callable[[str], int]:
    number = _whole(0, high)
    return lambda text: MEAN if text == "mean" else number(text)


def _flag(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError(text)
    return text == "1"


def _matching(pattern: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if not re.fullmatch(pattern, text, re.ASCII):
            raise ValueError(text)
        return text

    return read


def _words(text: str) -> str:
    if len(text) > TEXT_LIMIT or not text.strip():
        raise ValueError(text)
    return text


def _pairs(pair: str, between: str, limit: int) -> Callable[[str], tuple[tuple[int, int], ...]]:
    """ "3:512,7:18" → ((3, 512), (7, 18)), the first numbers rising; `pair` is the pattern of one."""

    def read(text: str) -> tuple[tuple[int, int], ...]:
        if not re.fullmatch(rf"{pair}(,{pair})*", text, re.ASCII):
            raise ValueError(text)
        pairs = [(int(a), int(b)) for a, b in (part.split(between) for part in text.split(","))]
        places = [place for place, _ in pairs]
        if len(pairs) > limit or places != sorted(set(places)):
            raise ValueError(text)
        return tuple(pairs)

    return read


def _overlay(text: str) -> tuple[tuple[int, int], ...]:
    """ "2.5,3.1" → ((2, 5), (3, 1)), each head once."""
    if not re.fullmatch(r"\d{1,3}\.\d{1,3}(,\d{1,3}\.\d{1,3})*", text, re.ASCII):
        raise ValueError(text)
    heads = [(int(a), int(b)) for a, b in (part.split(".") for part in text.split(","))]
    if len(heads) > OVERLAY_LIMIT or len(heads) != len(set(heads)):
        raise ValueError(text)
    return tuple(heads)


def _pins(text: str) -> tuple[str, ...]:
    """ "q3,k0" → ("q3", "k0"), each token once."""
    pins = text.split(",")
    if len(pins) > PIN_LIMIT or len(pins) != len(set(pins)):
        raise ValueError(text)
    return tuple(map(_matching(r"[qk]\d{1,5}"), pins))


def _zoom(text: str) -> Zoom:
    """ "3-9,0-12": rows 3 to 8, columns 0 to 11."""
    found = re.fullmatch(r"(\d{1,5})-(\d{1,5}),(\d{1,5})-(\d{1,5})", text, re.ASCII)
    if found is None:
        raise ValueError(text)
    top, bottom, left, right = (int(number) for number in found.groups())
    if not (top < bottom and left < right):
        raise ValueError(text)
    return top, bottom, left, right


def _cell(text: str) -> Cell:
    """ "2.3.5": row 3, column 5 of map 2; "0.-.5": all of column 5."""
    found = re.fullmatch(r"([012])\.(\d{1,5}|-)\.(\d{1,5}|-)", text, re.ASCII)
    if found is None or found[2] == found[3] == "-":
        raise ValueError(text)
    row, column = (None if place == "-" else int(place) for place in found.groups()[1:])
    return int(found[1]), row, column


def _gold(text: str) -> str:
    """ "a1b2c3:1-1,2p3": what the words are, and their links."""
    if not re.fullmatch(r"[0-9a-f]{6}:(\d{1,4}[-p]\d{1,4}(,\d{1,4}[-p]\d{1,4})*)?", text, re.ASCII):
        raise ValueError(text)
    if text.count(",") >= GOLD_LIMIT:
        raise ValueError(text)
    return text


_READERS: Final[Mapping[str, Callable[[str], Any]]] = {
    "checkpoint": _name,
    "text": _words,
    "strategy": _choice(Strategy),
    "target": _words,
    "temperature": _number(0.05, 5.0),
    "top_k": _whole(0, 1000),
    "top_p": _number(0.01, 1.0),
    "seed": _whole(0, SEEDS - 1),
    "beam": _whole(2, 12),
    "node": _whole(1, 99_999),
    "force": _pairs(r"\d{1,4}:\d{1,7}", ":", FORCE_LIMIT),
    "step": _whole(0, 100_000),
    "kind": _choice(View),
    "layer": _index(127),
    "head": _index(255),
    "overlay": _overlay,
    "how": _choice(How),
    "draw": _choice(Draw),
    "measure": _choice(Measure),
    "words": _flag,
    "hide": _flag,
    "versus": _choice(Versus),
    "against": _matching(r"\d{1,3}\.\d{1,3}"),
    "other_text": _words,
    "other_step": _whole(1, 100_000),
    "other_checkpoint": _name,
    "token": _matching(r"[st]\d{1,5}"),
    "pins": _pins,
    "sort": _choice(Sort),
    "badge": _matching(r"[a-z_]{1,40}"),
    "least": _number(-1000, 1000),
    "only_layer": _whole(0, 127),
    "only_role": _matching(r"[a-z][a-z -]{0,39}"),
    "tone": _choice(Tone),
    "threshold": _whole(0, 50),
    "scale": _choice(Scale),
    "zoom": _zoom,
    "cell": _cell,
    "lens": _matching(r"\d{1,5}\.\d{1,3}"),
    "card": _matching(r"[a-z_]{1,24}"),
    "number": _matching(r"\d{1,5}\.\d{1,6}"),
    "every": _flag,
    "place": _matching(r"(encoder|decoder)\.\d{1,3}\.(self|cross|ffn|embed|final)"),
    "pair": _whole(0, 8191),
    "offset": _whole(1, 200),
    "desk": _choice(Desk),
    "edits": Edits.parse,
    "off": _choice(Off),
    "alternative": _whole(0, 1_999_999),
    "probe": _flag,
    "reading": _choice(Reading),
    "by": _choice(By),
    "joined": _flag,
    "gold": _gold,
    "pitfall": _one_of(mistakes.IDS),
    "spot": _flag,
    "guess": _whole(1, 2),
    "lesson": _matching(r"[a-z0-9][a-z0-9_-]{0,39}\.\d{1,2}"),
    "answers": _pairs(r"\d{1,2}-\d", "-", ANSWER_LIMIT),
    "language": _matching(r"[a-z]{2,3}(-[a-z0-9]{2,8})?"),
    "watch": _choice(Watch),
    "at": _whole(0, 10**9 - 1),
    "sentence": _whole(0, 63),
    "task": _choice(Task),
    "tutorial": _one_of(tutorials.TUTORIALS),
    "presenter": _flag,
}
assert set(_READERS) == {field.name for field in dataclasses.fields(Selection)}


def parse(params: Mapping[str, str]) -> tuple[Selection, tuple[str, ...]]:
    """The selection a link describes, and the names of its parameters that made no sense.

    Names outside the whitelist are ignored; a value outside its bounds falls back to the default.
    """
    values: dict[str, Any] = {}
    refused: list[str] = []
    for name, read in _READERS.items():
        if name not in params:
            continue
        try:
            values[name] = read(str(params[name]))
        except ValueError:
            refused.append(name)
    return Selection(**values), tuple(refused)


PARAMETERS: Final = tuple(_READERS)
"""The names of all parameters."""


def to_params(selection: Selection) -> dict[str, str]:
    """The URL parameters of a selection: only what differs from the default, in a fixed order."""
    params = {}
    for field in dataclasses.fields(selection):
        value = getattr(selection, field.name)
        if value != field.default:
            params[field.name] = _WRITERS.get(field.name, _written)(value)
    return params


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _layer_or_head(value: int | None) -> str:
    return "mean" if value == MEAN else str(value)


_WRITERS: Final[Mapping[str, Callable[[Any], str]]] = {
    "layer": _layer_or_head,
    "head": _layer_or_head,
    "force": lambda pairs: ",".join(f"{place}:{token}" for place, token in pairs),
    "overlay": lambda heads: ",".join(f"{layer}.{head}" for layer, head in heads),
    "pins": ",".join,
    "answers": lambda pairs: ",".join(f"{step}-{choice}" for step, choice in pairs),
    "cell": lambda cell: ".".join("-" if place is None else str(place) for place in cell),
    "zoom": lambda part: "{}-{},{}-{}".format(*part),
}


def refusal(refused: tuple[str, ...]) -> str:
    """One quiet sentence about the parts of a link that could not be used."""
    if not refused:
        return ""
    *others, last = refused
    named = f"{', '.join(others)} and {last}" if others else last
    return f"This link's {named} could not be read, so the standard view is shown there."
