"""Checks untrusted tables, TOML or JSON: types, bounds, unknown and missing keys.

`problem_in` looks at a table and gives what is wrong; the reader of a file says it in its own sentence. `build` turns a
table into a dataclass by its type hints, and `check_fields` checks one that was made in code; both raise `ConfigError`.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import math
import sys
from collections.abc import Collection, Iterable, Mapping
from types import UnionType
from typing import Any, Final, NamedTuple, Union, get_args, get_origin, get_type_hints

from core.errors import ConfigError
from core.language import message, numeral, tr

KINDS: Final[Mapping[Any, str]] = {
    str: message("text in quotes"),
    int: message("a whole number"),
    float: message("a number"),
    bool: message("true or false"),
    dict: message("a table"),
    list: message("a list"),
}
_SHOWN: Final = 60
"""Characters of a key or value in a sentence."""


class Problem(NamedTuple):
    """What is wrong in a table: at which key, what was given, and what is allowed."""

    key: str
    given: str
    allowed: str


class Bounds(NamedTuple):
    """The least and the largest value of a number; with `below`, `most` itself is not allowed."""

    least: float
    most: float = math.inf
    below: bool = False

    def hold(self, value: float) -> bool:
        """Whether the number lies within the bounds."""
        return self.least <= value and (value < self.most if self.below else value <= self.most)

    def __str__(self) -> str:
        if self.most == math.inf:
            return tr("{least} or more", least=numeral(self.least, ",g"))
        ends = {"least": numeral(self.least, ",g"), "most": numeral(self.most, ",.15g")}
        return (
            tr("from {least} to below {most}", **ends) if self.below else tr("from {least} to {most}", **ends)
        )


def fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a kind of `KINDS`. A switch is no number, a whole number is a number, NaN and ∞ are none."""
    if isinstance(value, bool) or kind is bool:
        return isinstance(value, bool) and kind is bool
    if kind is float:
        return isinstance(value, int | float) and abs(value) <= sys.float_info.max
    return isinstance(value, kind)


def unknown_key(key: object, known: Iterable[str]) -> str:
    """The key in quotes, with the nearest known one where it looks like a slip."""
    name, near = str(key)[:_SHOWN], difflib.get_close_matches(str(key)[:_SHOWN], list(known), 1)
    return tr("{name!r} (did you mean {near!r}?)", name=name, near=near[0]) if near else repr(name)


def problem_in(
    table: Mapping[str, Any],
    kinds: Mapping[str, Any],
    needed: Collection[str] = (),
    bounds: Mapping[str, Bounds] | None = None,
) -> Problem | None:
    """The first thing that is wrong in a table whose values are of `kinds`; None where nothing is."""
    for key, value in table.items():
        if key not in kinds:
            return Problem(key, f"the key {unknown_key(key, kinds)}", f"the keys {', '.join(kinds)}")
        if not fits(value, kinds[key]):
            return Problem(key, f"{key} = {str(value)[:_SHOWN]!r}", tr(KINDS[kinds[key]]))
        if bounds and key in bounds and not bounds[key].hold(value):
            return Problem(key, f"{key} = {value}", str(bounds[key]))
    for key in needed:
        if key not in table:
            return Problem(key, f"nothing for {key}", f"{key} = {tr(KINDS[kinds[key]])}")
    return None


@functools.cache
def _hints(kind: Any) -> dict[str, Any]:
    """The type hints of a class; they are strings until now."""
    return get_type_hints(kind)


def check_keys(kind: type, table: Any, where: str) -> None:
    """Check the keys of a table for the dataclass `kind`. Raises `ConfigError` that names `where` for the first problem."""
    if not isinstance(table, Mapping):
        raise ConfigError.tr("{where} must be a table of settings, not {table!r}.", where=where, table=table)
    known = {each.name: each for each in dataclasses.fields(kind)}
    for key in table:
        if key not in known:
            raise ConfigError.tr(
                "{where} does not know {key}; it knows {names}.",
                where=where,
                key=unknown_key(key, known),
                names=", ".join(sorted(known)),
            )
    missing = [
        name
        for name, item in known.items()
        if item.default is item.default_factory is dataclasses.MISSING and name not in table
    ]
    if missing:
        raise ConfigError(f"{where} lacks {' and '.join(missing)}; add {'them' if missing[1:] else 'it'}.")


def build(kind: type, table: Any, where: str) -> Any:
    """The dataclass `kind` from a table, as deep as it goes. Raises `ConfigError` for what does not fit; `where` names the table."""
    check_keys(kind, table, where)
    hints = _hints(kind)
    return kind(**{key: _converted(hints[key], value, f"{where}, {key}") for key, value in table.items()})


def _converted(hint: Any, value: Any, where: str) -> Any:
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return _converted(next(each for each in get_args(hint) if each is not type(None)), value, where)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return build(hint, value, where)
    if origin is tuple:
        if not isinstance(value, list):
            raise ConfigError(f"{where} must be a list, not {value!r}.")
        return tuple(_converted(get_args(hint)[0], item, where) for item in value)
    kind = hint if isinstance(hint, type) else origin
    if not fits(value, kind):
        raise ConfigError(
            f"{where} must be {KINDS.get(kind) or getattr(kind, '__name__', kind)}, not {value!r}."
        )
    return float(value) if kind is float else value


def check_fields(
    made: Any,
    *,
    choices: Mapping[str, Collection[str]] | None = None,
    bounds: Mapping[str, Bounds] | None = None,
) -> None:
    """Check the plain fields of a dataclass: their types, then their choices, then their bounds. Raises `ConfigError`."""
    values = {each.name: getattr(made, each.name) for each in dataclasses.fields(made)}
    kind: Any = type(made)
    for name, hint in _hints(kind).items():
        either = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        if values[name] is None and type(None) in either:
            continue
        if either[0] in KINDS and not fits(values[name], either[0]):
            raise ConfigError.tr(
                "{name} is {value}; it must be {allowed}.",
                name=name,
                value=repr(values[name]),
                allowed=tr(KINDS[either[0]]),
            )
    for name, allowed in (choices or {}).items():
        if values[name] is not None and values[name] not in allowed:
            raise ConfigError.tr(
                "{name} is {value!r}; choose one of {names}.",
                name=name,
                value=values[name],
                names=", ".join(allowed),
            )
    for name, bound in (bounds or {}).items():
        if values[name] is not None and not bound.hold(values[name]):
            raise ConfigError.tr(
                "{name} is {value}; it must be {allowed}.",
                name=name,
                value=str(values[name]),
                allowed=str(bound),
            )
