"""What a page can say of a checkpoint without torch; and its parameters, read from the file one at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
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
    """One parameter: as stored, with the mean, standard deviation and Euclidean norm of its numbers.

    `broken` numbers are NaN or infinite; `dead` rows of a matrix hold nothing but zeros.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    mean: float
    std: float
    norm: float
    broken: int = 0
    dead: int = 0


def parameter_lines(folder: Path, converted: Mapping[str, Any] | None = None) -> tuple[ParameterLine, ...]:
    """All parameters in the order of their names, of the file or `converted` in memory. Raises CheckpointError."""
    with _opened(folder, converted) as stored:
        return tuple(_line(name, stored[name]) for name in sorted(stored))


def parameter_values(folder: Path, name: str, converted: Mapping[str, Any] | None = None) -> np.ndarray:
    """The values of one parameter, flat, float32. Raises CheckpointError."""
    with _opened(folder, converted) as stored:
        if name not in stored:
            raise CheckpointError.tr(
                "This checkpoint has no parameter {name!r}; choose one from its table.", name=name[:80]
            )
        values: np.ndarray = stored[name].float().flatten().numpy()
        return values


class _Stored(Mapping[str, Any]):
    """The tensors of an open safetensors file, each read when it is asked for."""

    def __init__(self, file: Any) -> None:
        self._file, self._names = file, tuple(file.keys())

    def __getitem__(self, name: str) -> Any:
        return self._file.get_tensor(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@contextmanager
def _opened(folder: Path, converted: Mapping[str, Any] | None) -> Iterator[Mapping[str, Any]]:
    if converted is not None:
        yield {name: tensor.detach().cpu() for name, tensor in converted.items()}
        return
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(folder / files.WEIGHTS, framework="pt") as file:
            yield _Stored(file)
    except (SafetensorError, OSError) as error:
        reason = str(error).split("\n")[0][:120]
        raise CheckpointError.tr(
            "The weights cannot be read ({reason}); copy the checkpoint again.", reason=reason
        ) from None


def _line(name: str, tensor: Any) -> ParameterLine:
    values = tensor.double()
    dtype = str(tensor.dtype).removeprefix("torch.")
    mean = float(values.mean()) if values.numel() else math.nan
    std = float(values.std(correction=0)) if values.numel() else math.nan
    broken = int((~values.isfinite()).sum())
    dead = int((values == 0).flatten(1).all(dim=1).sum()) if values.dim() > 1 and values.numel() else 0
    return ParameterLine(name, tuple(tensor.shape), dtype, mean, std, float(values.norm()), broken, dead)


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
        files.check_tokenizers(self.config, source, target, self.card)
        return source, target

    @property
    def foreign(self) -> bool:
        """Whether the files are another project's, converted when they are loaded."""
        return False

    @cached_property
    def digest(self) -> str:
        """The same as `Checkpoint.digest` of the loaded folder."""
        return files.foreign_digest(self.path) if self.foreign else files.folder_digest(self.path)


@dataclass(frozen=True)
class ForeignSummary(CheckpointSummary):
    """The summary of a folder whose files are another project's; its tokenizers are converted at each call but the first."""

    converted: list[tuple[Tokenizer, Tokenizer]] = field(default_factory=list, repr=False, compare=False)

    def read_tokenizers(self) -> tuple[Tokenizer, Tokenizer]:
        made: tuple[Tokenizer, Tokenizer] = (
            self.converted.pop() if self.converted else files.foreign_converter().tokenizers(self.path)
        )
        return made

    @property
    def foreign(self) -> bool:
        return True


def read_summary(path: str | Path) -> CheckpointSummary:
    """Config, card and the weights' header of a checkpoint folder. Raises CheckpointError with one sentence."""
    folder = files.checkpoint_folder(path)
    if files.is_foreign(folder):
        described: CheckpointSummary = files.foreign_converter().summary(folder)
        return described
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
