"""Reads a JSON object from an untrusted file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

from core.errors import CheckpointError


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


def read_object(path: Path, max_bytes: int) -> dict[str, Any]:
    """The object in `path`. Raises CheckpointError: missing, too large, not JSON, or not an object."""
    try:
        if not path.is_file():
            raise CheckpointError(f"{path} is missing; a checkpoint is not complete without it.")
        if (size := path.stat().st_size) > max_bytes:
            raise CheckpointError(
                f"{path} has {size:,} bytes; at most {max_bytes:,} are read: make it smaller."
            )
        content = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse)
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
