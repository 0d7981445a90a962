"""Results of small experiments as they were measured for the lessons, one JSON file each beside the code that measures it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from core.errors import CheckpointError, ConfigError
from core.schema import build

T = TypeVar("T")


def read_stored(kind: type[T], file: Path, command: str) -> T:
    """The dataclass `kind` from a file. Raises CheckpointError, which names `command`, where it is missing or damaged."""
    try:
        result: T = build(kind, json.loads(file.read_text("utf-8")), file.name)
    except (OSError, ValueError, ConfigError) as error:
        raise CheckpointError(f"{file.name} cannot be read; run {command}.") from error
    return result


def write_stored(result: Any, file: Path) -> None:
    """Write the dataclass as `read_stored` reads it."""
    file.write_text(json.dumps(asdict(result), ensure_ascii=False, indent=1) + "\n", "utf-8")
