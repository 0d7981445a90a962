"""Reads TOML that somebody else wrote."""

from __future__ import annotations

import tomllib
from typing import Any, Final

LARGEST: Final = 2**63
"""One past the largest whole number that TOML itself promises to keep."""
_LONGEST: Final = 120


def parse_toml(text: str) -> dict[str, Any]:
    """The table in `text`. Raises ValueError with one short reason for everything else.

    tomllib alone also raises RecursionError, and reads a hexadecimal number that no later message can be made of:
    Python refuses to write one of more than 4,300 digits.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(" ".join(str(error).split())[:_LONGEST]) from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError:
        raise ValueError("a number has too many digits") from None
    rest: list[Any] = [table]
    while rest:
        part = rest.pop()
        if isinstance(part, dict | list):
            rest += part.values() if isinstance(part, dict) else part
        elif isinstance(part, int) and not -LARGEST <= part < LARGEST:
            raise ValueError("a number has too many digits")
    return table
