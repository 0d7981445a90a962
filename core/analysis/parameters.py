"""The parameters of a stored checkpoint, read from its file one at a time, so that no second copy is held."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.checkpoints import files
from core.errors import CheckpointError


@dataclass(frozen=True)
class ParameterLine:
    """One parameter: as stored, with the mean, standard deviation and Euclidean norm of its numbers."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    mean: float
    std: float
    norm: float


def parameter_lines(folder: Path) -> tuple[ParameterLine, ...]:
    """All parameters in the order of their names. Raises CheckpointError."""
    with _opened(folder) as file:
        return tuple(_line(name, file.get_tensor(name)) for name in sorted(file.keys()))


def parameter_values(folder: Path, name: str) -> np.ndarray:
    """The numbers of one parameter, flat, float32. Raises CheckpointError."""
    with _opened(folder) as file:
        if name not in file.keys():  # noqa: SIM118 - a safetensors file is no mapping
            raise CheckpointError(f"This checkpoint has no parameter {name[:80]!r}; choose one of its table.")
        values: np.ndarray = file.get_tensor(name).float().flatten().numpy()
        return values


@contextmanager
def _opened(folder: Path) -> Iterator[Any]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(folder / files.WEIGHTS, framework="pt") as file:
            yield file
    except (SafetensorError, OSError) as error:
        reason = str(error).split("\n")[0][:120]
        raise CheckpointError(f"The weights cannot be read ({reason}); copy the checkpoint again.") from None


def _line(name: str, tensor: Any) -> ParameterLine:
    values = tensor.double()
    dtype = str(tensor.dtype).removeprefix("torch.")
    mean = float(values.mean()) if values.numel() else math.nan
    std = float(values.std(correction=0)) if values.numel() else math.nan
    return ParameterLine(name, tuple(tensor.shape), dtype, mean, std, float(values.norm()))
