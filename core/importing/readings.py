"""What an untrusted file itself tells of a model's options: shapes and names of its tensors, and config.json."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import torch

from core.errors import CheckpointError
from core.importing.weights import Weights
from core.model.positions import sinusoid_table

How = Literal[
    "told", "shapes", "config.json", "generation_config.json", "vocabulary", "layout", "measured", "assumed"
]
SAME_TABLE: Final = 4e-3  # sinusoids stored in bfloat16 differ by as much
_TABLE_BYTES: Final = 2**28  # the largest table of positions that is compared with sinusoids


class Unknown:
    """What a reading gives where the file does not tell."""


UNKNOWN: Final = Unknown()


class Readings:
    """One file's answers; each is UNKNOWN where the file does not tell. Raises CheckpointError where it contradicts itself."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights

    def axis(self, pattern: str, axis: int) -> int | None:
        for key in self.weights.find(pattern):
            shape = self.weights.info[key].shape
            if axis < len(shape):
                return shape[axis]
        return None

    def size(self, source: Mapping[str, Any]) -> tuple[Any, How, str]:
        axis = source.get("axis", 0)
        keys = self.weights.find(source.get("size", source.get("least")))
        sizes = [
            self.weights.info[key].shape[axis] for key in keys if axis < len(self.weights.info[key].shape)
        ]
        if not sizes:
            return UNKNOWN, "shapes", ""
        size = min(sizes) if "least" in source else sizes[0]
        return size + source.get("plus", 0) - source.get("minus", 0), "shapes", f"shape of {keys[0][:80]}"

    def count(self, pattern: str) -> Any:
        expression = re.compile(pattern)
        matches = (expression.fullmatch(key) for key in self.weights.info)
        numbers = {match.group(1) for match in matches if match}
        found = sorted(int(number) for number in numbers if number.isdecimal() and len(number) < 5)
        if found != list(range(len(found))):
            missing = next(n for n in range(len(found) + 1) if n not in found)
            raise CheckpointError(
                f"the keys number their layers {found[:12]} without layer {missing}; the file is not whole."
            )
        return len(found) if found else UNKNOWN

    def agreed(self, names: Sequence[str]) -> Any:
        found = {name: look_up(self.weights.config, name) for name in names}
        values = [value for value in found.values() if value is not None]
        if len(set(values)) > 1:
            given = " and ".join(f"{name} = {str(value)[:20]}" for name, value in found.items())
            raise CheckpointError(
                f"config.json gives {given}, and a model here has one number for both stacks; "
                "it cannot be imported, so give a checkpoint whose two numbers are the same."
            )
        return values[0] if values else UNKNOWN

    def equal(self, patterns: Sequence[str]) -> bool | Unknown:
        """Whether the first pattern's tensor holds what the first present of the others holds."""
        first = self.weights.find(patterns[0])
        other = next((keys[0] for pattern in patterns[1:] if (keys := self.weights.find(pattern))), None)
        if not first or other is None:
            return UNKNOWN
        if self.weights.info[first[0]].shape != self.weights.info[other].shape:
            return False
        return torch.equal(self.weights.tensor(first[0]), self.weights.tensor(other))

    def sinusoid(self, pattern: str) -> Any:
        keys = self.weights.find(pattern)
        if not keys:
            return UNKNOWN
        shape = self.weights.info[keys[0]].shape
        if not shape or 0 in shape or shape[-1] % 2:
            return "learned"
        table = self.weights.tensor(keys[0]).reshape(-1, shape[-1]).float()
        if table.numel() * 8 > _TABLE_BYTES:
            raise CheckpointError(f"{keys[0][:80]} has {table.shape[0]:,} positions; shorten the table.")
        for layout in ("sinusoidal", "sinusoidal_halves"):
            if torch.allclose(
                table, sinusoid_table(table.shape[0], table.shape[1], layout).float(), atol=SAME_TABLE, rtol=0
            ):
                return layout
        return "learned"


def look_up(config: Mapping[str, Any] | None, name: str) -> Any:
    value = (config or {}).get(name)
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, (dict, list)):
        raise CheckpointError(
            f"the configuration gives {name} as a {type(value).__name__}; it must be a number or a word."
        )
    return value


def mapped(source: Mapping[str, Any], value: Any, name: str) -> Any:
    if value is None or "map" not in source:
        return value
    word = str(value).lower() if isinstance(value, bool) else str(value)
    if word not in source["map"]:
        raise CheckpointError(
            f"config.json gives {source['json']} as {word[:40]!r}, which {name} has no counterpart for; "
            f"known are {', '.join(source['map'])}."
        )
    return source["map"][word]
