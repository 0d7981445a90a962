"""What a page can say of a checkpoint before torch is imported."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from core import stored
from core.config import ModelConfig
from core.tokenizer import Tokenizer


@dataclass(frozen=True)
class CheckpointSummary:
    """The light parts of a checkpoint folder; tokenizers and digest are read when first asked for."""

    path: Path
    config: ModelConfig
    card: dict[str, Any]
    parameters: int  # numbers the model learned, tied tensors counted once
    stored_bytes: int  # size of the weights file
    has_example: bool
    has_dynamics: bool

    @cached_property
    def _tokenizers(self) -> tuple[Tokenizer, Tokenizer]:
        source, target = stored.read_tokenizers(self.path)
        stored.check_tokenizers(self.config, source, target)
        return source, target

    @property
    def source_tokenizer(self) -> Tokenizer:
        return self._tokenizers[0]

    @property
    def target_tokenizer(self) -> Tokenizer:
        return self._tokenizers[1]

    @cached_property
    def digest(self) -> str:
        """The same as `Checkpoint.digest` of the loaded folder."""
        return stored.folder_digest(self.path)


def read_summary(path: str | Path) -> CheckpointSummary:
    """Config, card and the weights' header of a checkpoint folder. Raises CheckpointError with one sentence."""
    folder = stored.open_folder(path)
    config, card = stored.read_config(folder), stored.read_card(folder)
    stored.tokenizer_files(folder)  # so that a missing one is reported now
    weights = stored.file_in(folder, stored.WEIGHTS)
    header = stored.read_header(weights)
    return CheckpointSummary(
        path=folder,
        config=config,
        card=card,
        parameters=sum(math.prod(info.shape) for info in header.values()),
        stored_bytes=weights.stat().st_size,
        has_example=(folder / stored.EXAMPLE).is_file(),
        has_dynamics=(folder / stored.DYNAMICS).is_file(),
    )
