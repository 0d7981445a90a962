"""How a field of the selection is read from a URL parameter and written into one: typed, bounded, whitelisted. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from core.experiments.edits import Edits, Kind

MEAN: Final = -1  # a layer or head: all of them, by mean or maximum; "mean" in a link


def plain(value: Any) -> str:
    """A truth value as 0 or 1, a number at its shortest, anything else as it prints."""
    if isinstance(value, bool):
        return "1" if value else "0"
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Codec:
    """`read` raises ValueError for what makes no sense or is out of bounds; `write` is its inverse."""

    read: Callable[[str], Any]
    write: Callable[[Any], str] = plain


def checked(holds: Callable[[str], object], value: Callable[[str], Any] = str) -> Codec:
    """What `value` makes of a text for which `holds` is true."""

    def read(text: str) -> Any:
        if not holds(text):
            raise ValueError(text)
        return value(text)

    return Codec(read)


def one_of(names: Collection[str], **old: str) -> Codec:
    """One of these names; `old` says what a name in an old link means now."""
    return checked(lambda text: old.get(text, text) in names, lambda text: old.get(text, text))


def integer(low: int, high: int) -> Codec:
    """A whole number from `low` to `high`."""
    return checked(lambda text: re.fullmatch(r"-?\d{1,9}", text, re.ASCII) and low <= int(text) <= high, int)


def number(low: float, high: float) -> Codec:
    """A number from `low` to `high`."""
    return checked(lambda text: len(text) <= 12 and low <= float(text) <= high, float)


def index(high: int) -> Codec:
    """A layer or head up to `high`, or "mean" for all of them."""
    counted = integer(0, high)
    return Codec(
        lambda text: MEAN if text == "mean" else counted.read(text),
        lambda value: "mean" if value == MEAN else str(value),
    )


def matching(pattern: str) -> Codec:
    """Text that matches a pattern as a whole."""
    return checked(lambda text: re.fullmatch(pattern, text, re.ASCII))


def words(limit: int) -> Codec:
    """A sentence of at most `limit` characters."""
    return checked(lambda text: len(text) <= limit and text.strip())


def pairs(first: str, between: str, second: str, limit: int, rising: bool = True) -> Codec:
    """ "3:512,7:18" → ((3, 512), (7, 18)), the first numbers rising, or else each pair once.

    `first` and `second` are the patterns of the numbers.
    """
    pair = f"{first}{re.escape(between)}{second}"

    def read(text: str) -> tuple[tuple[int, int], ...]:
        if not re.fullmatch(rf"{pair}(,{pair})*", text, re.ASCII):
            raise ValueError(text)
        numbers = [(int(a), int(b)) for a, b in (part.split(between) for part in text.split(","))]
        keys = [key for key, _ in numbers]
        sound = keys == sorted(set(keys)) if rising else len(numbers) == len(set(numbers))
        if len(numbers) > limit or not sound:
            raise ValueError(text)
        return tuple(numbers)

    return Codec(read, lambda numbers: ",".join(f"{a}{between}{b}" for a, b in numbers))


def heads(limit: int) -> Codec:
    """ "2.5,3.1" → ((2, 5), (3, 1)), each head once."""
    return pairs(r"\d{1,3}", ".", r"\d{1,3}", limit, rising=False)


def pins(limit: int) -> Codec:
    """ "q3,k0" → ("q3", "k0"), each token once."""
    pin = matching(r"[qk]\d{1,5}")

    def read(text: str) -> tuple[str, ...]:
        listed = text.split(",")
        if len(listed) > limit or len(listed) != len(set(listed)):
            raise ValueError(text)
        return tuple(map(pin.read, listed))

    return Codec(read, ",".join)


class Pin(NamedTuple):
    """A pair of tokens: the one that looks, by its position among the rows of a map of this kind, and the one looked at."""

    kind: Kind
    query: int
    key: int


_SIDES: Final[dict[Kind, tuple[str, str]]] = {
    "encoder": ("s", "s"),
    "causal": ("t", "t"),
    "cross": ("t", "s"),
}


UNPINNED: Final = Pin("cross", -1, -1)
"""Nothing is pinned, by the reader's wish; "none" in a link. Without a word about it the first sentence has a pin of its own."""


def _pin(text: str) -> Pin:
    """ "t5-s7": decoder position 5 looks at source token 7."""
    if text == "none":
        return UNPINNED
    parts = re.fullmatch(r"([st])(\d{1,5})-([st])(\d{1,5})", text, re.ASCII)
    kind = next((kind for kind, sides in _SIDES.items() if parts and sides == (parts[1], parts[3])), None)
    if parts is None or kind is None:
        raise ValueError(text)
    return Pin(kind, int(parts[2]), int(parts[4]))


def _written_pin(pin: Pin) -> str:
    if pin == UNPINNED:
        return "none"
    query, key = _SIDES[pin.kind]
    return f"{query}{pin.query}-{key}{pin.key}"


def _edits(text: str) -> Edits:
    """ "zc1-2_n": the steps in order; "none": an empty list."""
    return Edits() if text == "none" else Edits.parse(text)


def gold(limit: int) -> Codec:
    """ "a1b2c3:1-1,2p3": a digest of the words, and their links."""
    marked = matching(r"[0-9a-f]{6}:(\d{1,4}[-p]\d{1,4}(,\d{1,4}[-p]\d{1,4})*)?")
    return checked(lambda text: text.count(",") < limit, marked.read)


def _zoom(text: str) -> tuple[int, int, int, int]:
    """ "3-9,0-12": rows 3 to 8, columns 0 to 11."""
    parts = re.fullmatch(r"(\d{1,5})-(\d{1,5}),(\d{1,5})-(\d{1,5})", text, re.ASCII)
    if parts is None:
        raise ValueError(text)
    top, bottom, left, right = (int(part) for part in parts.groups())
    if not (top < bottom and left < right):
        raise ValueError(text)
    return top, bottom, left, right


def _cell(text: str) -> tuple[int, int | None, int | None]:
    """ "2.3.5": row 3, column 5 of map 2; "0.-.5": all of column 5."""
    parts = re.fullmatch(r"([012])\.(\d{1,5}|-)\.(\d{1,5}|-)", text, re.ASCII)
    if parts is None or parts[2] == parts[3] == "-":
        raise ValueError(text)
    row, column = (None if part == "-" else int(part) for part in parts.groups()[1:])
    return int(parts[1]), row, column


NAME: Final = checked(lambda text: text.isprintable() and 1 <= len(text) <= 100 and "/" not in text)
"""A folder's name, spaces and all scripts included; it is only ever compared with those that are there."""
FLAG: Final = checked(lambda text: text in ("0", "1"), lambda text: text == "1")
ZOOM: Final = Codec(_zoom, lambda part: "{}-{},{}-{}".format(*part))
PIN: Final = Codec(_pin, _written_pin)
EDITS: Final = Codec(_edits, lambda edits: str(edits) or "none")
CELL: Final = Codec(_cell, lambda cell: ".".join("-" if part is None else str(part) for part in cell))
