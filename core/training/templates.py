"""Sentence pairs made from templates with slots: names, places, times, years, prices and phone numbers.

A line of the file has one template a language. `{man}`, `{woman}`, `{surname}` and `{city}` take an item of the list that
`core.training.substitution` reads, in the form of the language; `{year}`, `{number}`, `{price}`, `{time}` and `{phone}` are
drawn here. A digit after a name tells two of a kind apart: `{man2}`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from core.errors import TrainingError
from core.training.data import Pair, read_lines
from core.training.substitution import NAMES, Substitution

_SLOT = re.compile(r"\{([a-z]+)\d?\}")


def _time(rng: random.Random, language: str) -> str:
    hour, minute = rng.randint(1, 12), f"{rng.randrange(0, 60):02d}"
    return f"{hour} h {minute}" if language == "fr" else f"{hour}:{minute}"


def _price(rng: random.Random, language: str) -> str:
    whole, cents = rng.randint(2, 300), f"{rng.randrange(5, 100, 5):02d}"
    if rng.random() < 0.5:
        return str(whole)
    return f"{whole}.{cents}" if language == "en" else f"{whole},{cents}"


def _phone(rng: random.Random, _language: str) -> str:
    groups = rng.choice(((2, 2, 2, 2, 2), (3, 4), (3, 3, 4), (4, 6), (3, 3, 3)))
    between = rng.choice((" ", "-"))
    return between.join("".join(str(rng.randrange(10)) for _ in range(size)) for size in groups)


DRAWN: Mapping[str, Callable[[random.Random, str], str]] = {
    "year": lambda rng, _: str(rng.randint(1600, 2060)),
    "number": lambda rng, _: str(rng.randint(2, rng.choice((12, 31, 99, 999)))),
    "day": lambda rng, _: str(rng.randint(2, 31)),
    "time": _time,
    "price": _price,
    "phone": _phone,
}


class Templates:
    """The templates of one file, with the names and places that go into them."""

    def __init__(self, lines: list[tuple[str, str]], names: Substitution, languages: tuple[str, str]) -> None:
        """`lines` hold a template of each language; both sides of one have the same slots."""
        self.lines, self.names, self.languages = lines, names, languages
        self._items = {kind: names.items(kind) for kind in (*NAMES, "city")}
        known = {*DRAWN, *(kind for kind, items in self._items.items() if items)}
        for source, target in lines:
            slots = {match[0]: match[1] for match in _SLOT.finditer(source)}
            if set(slots) != {match[0] for match in _SLOT.finditer(target)} or not known >= set(
                slots.values()
            ):
                raise TrainingError(
                    f"The template {source!r} and its translation need the same slots, of {', '.join(sorted(known))}."
                )

    @classmethod
    def read(cls, path: str | Path, names: Substitution, source: str, target: str) -> Templates:
        """The templates of a tab-separated file whose first line names its languages."""
        header, *rows = [line.split("\t") for line in read_lines(path) if line and not line.startswith("#")]
        if source not in header or target not in header or any(len(row) != len(header) for row in rows):
            raise TrainingError(
                f"The templates in {str(path)!r} need a column for {source!r} and one for {target!r}, full in every row."
            )
        columns = header.index(source), header.index(target)
        return cls([(row[columns[0]], row[columns[1]]) for row in rows], names, (source, target))

    def draw(self, rng: random.Random, invented: float) -> Pair:
        """One pair; a name in it is an invented one with probability `invented`."""
        templates = rng.choice(self.lines)
        values = {match[0]: self._value(match[1], rng, invented) for match in _SLOT.finditer(templates[0])}
        source, target = (
            _SLOT.sub(lambda match: values[match[0]][0], templates[0]),
            _SLOT.sub(lambda match: values[match[0]][1], templates[1]),
        )
        return Pair(source, target)

    def _value(self, kind: str, rng: random.Random, invented: float) -> tuple[str, str]:
        """What goes into a slot, in each language."""
        if kind in DRAWN:
            seed = rng.getrandbits(32)  # the same draw for both
            source, target = (DRAWN[kind](random.Random(seed), language) for language in self.languages)
            return source, target
        if kind in NAMES and rng.random() < invented:
            name = self.names.invented_name(rng)
            return name, name
        item = rng.choice(self._items[kind])
        return item.source, item.target
