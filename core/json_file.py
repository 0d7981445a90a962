"""Reads a JSON object from an untrusted file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

from core.errors import CheckpointError

MOST_PARTS = 5_000_000
"""Lists and objects in one file; each takes ten times the memory of the two bytes that an empty one is written in."""


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


def read_object(path: Path, max_bytes: int, most_values: int | None = None) -> dict[str, Any]:
    """The object in `path`. Raises CheckpointError: missing, too large, not JSON, or not an object.

    `most_values` bounds what it holds in all, counted by its commas.
    """
    try:
        if not path.is_file():
            raise CheckpointError(f"{path} is missing; a checkpoint is not complete without it.")
        if (size := path.stat().st_size) > max_bytes:
            raise CheckpointError(
                f"{path} has {size:,} bytes; at most {max_bytes:,} are read: make it smaller."
            )
        text = path.read_text(encoding="utf-8")
        if (parts := text.count("[") + text.count("{")) > MOST_PARTS:
            raise CheckpointError(f"{path} has {parts:,} lists and objects; at most {MOST_PARTS:,} are read.")
        if most_values is not None and (values := parts + text.count(",")) > most_values:
            raise CheckpointError(
                f"{path} has {values:,} values or so; at most {most_values:,} are read: leave some out."
            )
        content = json.loads(text, parse_constant=_refuse)
    except CheckpointError:
        raise
    except RecursionError:
        raise CheckpointError(f"{path} nests its objects too deeply; write it again.") from None
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path} is not a readable JSON file ({error}); write it again.") from None
    if not isinstance(content, dict):
        raise CheckpointError(
            f"{path} must hold a JSON object, not a {type(content).__name__}; write it again."
        )
    return content
