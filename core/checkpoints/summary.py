"""What a page can say of a checkpoint without torch; and its parameters, read from the file one at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from core.checkpoints import files
from core.errors import CheckpointError
from core.model.config import ModelConfig
from core.tokenizer import Tokenizer


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
    """The values of one parameter, flat, float32. Raises CheckpointError."""
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


@dataclass(frozen=True)
class CheckpointSummary:
    """The light parts of a checkpoint folder; the digest is computed on first use, the tokenizers are read each time."""

    path: Path
    config: ModelConfig
    card: dict[str, Any]
    parameters: int  # learned numbers, tied tensors counted once
    stored_bytes: int  # size of the weights file
    has_example: bool
    has_atlas: bool
    has_importance: bool
    has_dynamics: bool

    def read_tokenizers(self) -> tuple[Tokenizer, Tokenizer]:
        """(source, target), read at each call and not kept: they can take hundreds of megabytes. Raises CheckpointError."""
        source, target = files.read_tokenizers(self.path)
        files.check_tokenizers(self.config, source, target)
        return source, target

    @cached_property
    def digest(self) -> str:
        """The same as `Checkpoint.digest` of the loaded folder."""
        return files.folder_digest(self.path)


def read_summary(path: str | Path) -> CheckpointSummary:
    """Config, card and the weights' header of a checkpoint folder. Raises CheckpointError with one sentence."""
    folder = files.open_folder(path)
    config, card = files.read_config(folder), files.read_card(folder)
    files.tokenizer_files(folder)  # so that a missing one is reported now
    weights = files.file_in(folder, files.WEIGHTS)
    header = files.read_header(weights)
    return CheckpointSummary(
        path=folder,
        config=config,
        card=card,
        parameters=sum(math.prod(info.shape) for info in header.values()),
        stored_bytes=weights.stat().st_size,
        has_example=(folder / files.EXAMPLE).is_file(),
        has_atlas=(folder / files.ATLAS).is_file(),
        has_importance=(folder / files.IMPORTANCE).is_file(),
        has_dynamics=(folder / files.DYNAMICS).is_file(),
    )
