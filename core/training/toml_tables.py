"""TOML tables to dataclasses, by their type hints."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from core.errors import ConfigError


def build(kind: type, table: Any, place: str) -> Any:
    """Turn a table into the dataclass `kind`, as deep as it goes.

    Raises ConfigError for an unknown or missing key and for a value of another type; `place` says where.
    """
    if not isinstance(table, Mapping):
        raise ConfigError(f"{place} must be a table of settings, not {table!r}.")
    hints = get_type_hints(kind)
    known = {f.name: f for f in dataclasses.fields(kind)}
    for key in table:
        if key not in known:
            raise ConfigError(f"{place} does not know {key!r}; it knows {', '.join(sorted(known))}.")
    for name, item in known.items():
        needed = item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING
        if needed and name not in table:
            raise ConfigError(f"{place} needs {name!r}, which is missing.")
    return kind(**{key: _convert(hints[key], value, f"{place}, {key}") for key, value in table.items()})


def _convert(hint: Any, value: Any, place: str) -> Any:
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return _convert(next(arg for arg in get_args(hint) if arg is not type(None)), value, place)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return build(hint, value, place)
    if origin is tuple:
        if not isinstance(value, list):
            raise ConfigError(f"{place} must be a list, not {value!r}.")
        return tuple(_convert(get_args(hint)[0], item, place) for item in value)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    plain = hint if isinstance(hint, type) else origin
    if not isinstance(value, plain) or (isinstance(value, bool) and plain is not bool):
        raise ConfigError(f"{place} must be {getattr(plain, '__name__', plain)}, not {value!r}.")
    return value
