"""The functions of `import core`: load a checkpoint, translate with it, trace what it does."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import overload

import torch

from core.checkpoints.bundle import Bundle, load_bundle, save
from core.decoding.inputs import source_ids
from core.decoding.search import translate_batch
from core.decoding.tracing import trace, trace_many
from core.errors import InputError

__all__ = ["Checkpoint", "load", "save", "trace", "trace_many"]


class Checkpoint(Bundle):
    """A model ready to use, with its tokenizers and card. Safe to share between threads: nothing here changes after loading."""

    def encode_source(self, text: str) -> list[int]:
        """Source ids of a text, with the end token. Raises InputError if it is empty or too long for the model."""
        return source_ids(self, text)

    @overload
    def translate(self, text: str, strategy: str = "greedy", beam_size: int = 5) -> str: ...
    @overload
    def translate(self, text: list[str], strategy: str = "greedy", beam_size: int = 5) -> list[str]: ...

    def translate(
        self, text: str | list[str], strategy: str = "greedy", beam_size: int = 5
    ) -> str | list[str]:
        """The translation of a text, or of each of several. `strategy`: "greedy" or "beam".

        Raises InputError for an empty or over-long text (of several, it says which) or an unknown strategy.
        """
        if strategy not in ("greedy", "beam"):
            raise InputError(f"strategy is {strategy!r}; choose 'greedy' or 'beam'.")
        if type(beam_size) is not int or beam_size < 1:
            raise InputError(f"beam_size is {beam_size!r}; give a whole number from 1 on.")
        if not isinstance(text, str | list | tuple):
            raise InputError(f"give a text or a list of texts, not a {type(text).__name__}.")
        texts = [text] if isinstance(text, str) else list(text)
        sources = [self._encode_numbered(index, each, len(texts)) for index, each in enumerate(texts)]
        written = translate_batch(self.model, sources, beam_size=beam_size if strategy == "beam" else 1)
        translations = [self.target_tokenizer.decode(ids) for ids in written]
        return translations[0] if isinstance(text, str) else translations

    def _encode_numbered(self, index: int, text: str, total: int) -> list[int]:
        try:
            return self.encode_source(text)
        except InputError as error:
            raise InputError(f"text {index + 1} of {total}: {error}" if total > 1 else str(error)) from None


def load(path: str | Path, device: str | torch.device | None = None) -> Checkpoint:
    """The checkpoint in folder `path`, on `device` (None: the first available of cuda, mps and cpu), in float32.

    Also opens a folder of Hugging Face's, or a repository in the hub's cache, as it is: converted in memory, written
    nowhere, nothing downloaded. Everything is checked before it is used. Raises CheckpointError with one sentence for
    whatever is wrong with the folder, InputError for a device that is not there.
    """
    bundle = load_bundle(path, device)
    return Checkpoint(**{each.name: getattr(bundle, each.name) for each in dataclasses.fields(Bundle)})
