"""What a page can say of a checkpoint before torch is imported."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from core.checkpoints import files
from core.model.config import ModelConfig
from core.tokenizer import Tokenizer


@dataclass(frozen=True)
class CheckpointSummary:
    """The light parts of a checkpoint folder; the digest is read when first asked for, the tokenizers each time."""

    path: Path
    config: ModelConfig
    card: dict[str, Any]
    parameters: int  # numbers the model learned, tied tensors counted once
    stored_bytes: int  # size of the weights file
    has_example: bool
    has_atlas: bool
    has_dynamics: bool

    def read_tokenizers(self) -> tuple[Tokenizer, Tokenizer]:
        """(source, target), read now and not kept: they can take hundreds of megabytes. Raises CheckpointError."""
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
        has_dynamics=(folder / files.DYNAMICS).is_file(),
    )
