"""The selection as the parameters of a URL, and back. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ui.session.selection import FIELDS, PARAMETER_OF, Selection

PARAMETERS: Final = tuple(PARAMETER_OF.values())
"""The names of all parameters."""


def parse(params: Mapping[str, str]) -> tuple[Selection, tuple[str, ...]]:
    """The selection a link describes, and the names of its parameters that could not be read.

    Unknown names are ignored; a value outside its bounds falls back to the default.
    """
    values: dict[str, Any] = {}
    refused: list[str] = []
    for each in FIELDS:
        if (name := PARAMETER_OF[each.name]) in params:
            try:
                values[each.name] = each.metadata["codec"].read(str(params[name]))
            except ValueError:
                refused.append(name)
    return Selection(**values), tuple(refused)


def to_params(selection: Selection) -> dict[str, str]:
    """The URL parameters of a selection: only values that differ from the default, in a fixed order."""
    values = ((each, getattr(selection, each.name)) for each in FIELDS)
    return {
        PARAMETER_OF[each.name]: each.metadata["codec"].write(value)
        for each, value in values
        if value != each.default
    }


def refusal(refused: tuple[str, ...]) -> str:
    """One quiet sentence about the parts of a link that could not be used."""
    if not refused:
        return ""
    *others, last = refused
    named = f"{', '.join(others)} and {last}" if others else last
    return f"This link's {named} could not be read, so the standard view is shown there."
