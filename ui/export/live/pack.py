"""A checkpoint as one binary file for a live page: configuration, tokenizers, and every weight once, as float16.

| part | bytes | what |
|---|---|---|
| `ATLASPG1` | 8 | the format |
| sizes | 4 + 4 | of the header and of the tables, uint32 |
| header | | JSON: configuration, tokenizers, examples, and where each array lies; padded to a multiple of 4 bytes |
| tables | | float32: what is computed and not learned (sinusoids, buckets of distances) |
| weights | 2 · n | float16: the low bytes of all numbers, then their high bytes, which deflate packs better so |

Everything is little-endian, and the same checkpoint gives the same bytes. `ui/web/engine/blob.ts` reads it.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import struct
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.language import numeral
from core.tokenizer import Tokenizer
from core.tokenizer.untrusted import needs_guard

if TYPE_CHECKING:
    from torch import Tensor

    from core.checkpoints.bundle import Bundle

MAGIC: Final = b"ATLASPG1"
FORMAT: Final = "attention-atlas-page/1"
MOST_NUMBERS: Final = 64_000_000
"""Weights that a page holds: 128 MB of float16, and 256 MB of memory in the browser's tab."""
MOST_TABLE_BYTES: Final = 32 * 2**20
_ALIGNED: Final = 4
# Steps that the page runs exactly as the library does (tests/page_parity.py).
_STEPS: Final[Mapping[str, tuple[str, ...]]] = {
    "normalizer": (
        "Sequence",
        "NFC",
        "NFD",
        "NFKC",
        "NFKD",
        "Lowercase",
        "Replace",
        "Strip",
        "StripAccents",
        "Prepend",
        "BertNormalizer",
        "Precompiled",
    ),
    "pre_tokenizer": (
        "Sequence",
        "Metaspace",
        "Split",
        "ByteLevel",
        "WhitespaceSplit",
        "Whitespace",
        "BertPreTokenizer",
    ),
    "decoder": (
        "Sequence",
        "Metaspace",
        "Fuse",
        "WordPiece",
        "ByteLevel",
        "BPEDecoder",
        "Replace",
        "Strip",
        "ByteFallback",
    ),
}
_MODELS: Final = ("BPE", "Unigram", "WordPiece", "WordLevel")


def pack(checkpoint: Bundle, examples: Sequence[str] = (), name: str = "") -> bytes:
    """The file of `checkpoint`, with source sentences to offer. Raises `InputError` for what no page can hold or run."""
    weights = _Arrays(np.dtype("<f2"))
    tensors = {key: weights.add(_as_half(key, tensor)) for key, tensor in _parameters(checkpoint)}
    tables = _Arrays(np.dtype("<f4"))
    computed = {
        key: tables.add(tensor.detach().cpu().numpy().astype("<f4"))
        for key, tensor in checkpoint.model.named_buffers()
    }
    _check_sizes(weights.size, tables.size * 4)
    source, target = checkpoint.source_tokenizer, checkpoint.target_tokenizer
    header = {
        "format": FORMAT,
        "name": name,
        "config": checkpoint.config.to_json(),
        "halves": weights.size,
        "tensors": tensors,
        "tables": computed,
        "source": tokenizer_layout(source),
        "target": None if source == target else tokenizer_layout(target),
        "examples": list(examples),
    }
    text = json.dumps(header, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _ALIGNED)
    planes = np.frombuffer(weights.joined(), dtype=np.uint8).reshape(-1, 2)
    sizes = struct.pack("<II", len(text), tables.size * 4)
    return b"".join((MAGIC, sizes, text, tables.joined(), planes[:, 0].tobytes(), planes[:, 1].tobytes()))


def rounded_to_halves(checkpoint: Bundle) -> Bundle:
    """The same checkpoint with every weight rounded to float16, as a page has them."""
    import torch

    model = copy.deepcopy(checkpoint.model)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.half().float())
    return dataclasses.replace(checkpoint, model=model, stored_digest=None)


class _Arrays:
    """Arrays of one type laid one after another; equal ones share their numbers."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype
        self.size = 0
        self._parts: dict[tuple[tuple[int, ...], bytes], int] = {}

    def add(self, array: NDArray[Any]) -> Mapping[str, Any]:
        """Where `array` lies: its shape, and its first number."""
        key = array.shape, np.ascontiguousarray(array, dtype=self.dtype).tobytes()
        if key not in self._parts:
            self._parts[key] = self.size
            self.size += array.size
        return {"shape": list(array.shape), "at": self._parts[key]}

    def joined(self) -> bytes:
        return b"".join(content for _, content in self._parts)


def _parameters(checkpoint: Bundle) -> Iterable[tuple[str, Tensor]]:
    """Every parameter by each of its names: tied tables have two."""
    return checkpoint.model.named_parameters(remove_duplicate=False)


def _as_half(name: str, tensor: Tensor) -> NDArray[np.float16]:
    array = tensor.detach().float().cpu().numpy()
    with np.errstate(over="ignore"):
        half = array.astype(np.float16)
    if not np.isfinite(half).all():
        raise InputError.tr(
            "The weights {name} reach {value}, beyond the 65,504 of float16; a page cannot hold them.",
            name=name,
            value=numeral(np.abs(array).max(), ".3g"),
        )
    return half


def _check_sizes(numbers: int, table_bytes: int) -> None:
    if numbers > MOST_NUMBERS:
        raise InputError.tr(
            "The model has {numbers} weights; a page holds at most {most_numbers}, so choose a smaller model.",
            numbers=numeral(numbers, ","),
            most_numbers=numeral(MOST_NUMBERS, ","),
        )
    if table_bytes > MOST_TABLE_BYTES:
        raise InputError.tr(
            "The model’s tables of positions take {size} MB; a page holds at most {most} MB, so choose a model that reads shorter texts.",
            size=numeral(table_bytes / 1000000.0, ".0f"),
            most=numeral(MOST_TABLE_BYTES / 1000000.0, ".0f"),
        )


# -- what a page needs of a tokenizer ---------------------------------------------------------------------------


def tokenizer_layout(tokenizer: Tokenizer) -> dict[str, Any]:
    """The tokenizer as JSON for `ui/web/engine/tokenizer.ts`. Raises `InputError` for one that a page cannot run."""
    pipeline = _pipeline(tokenizer)
    if needs_guard(pipeline):
        raise InputError.tr(
            "This model’s tokenizer cuts text by a pattern of its own, and no page can bound how long that takes; choose a model with another tokenizer."
        )
    if (step := _unknown_step(pipeline)) is not None:
        raise InputError.tr(
            "This model’s tokenizer has the step {step}, which a page cannot run exactly; choose a model with another tokenizer.",
            step=step[:60],
        )
    frame, (before, after) = tokenizer.frame, tokenizer.around
    ids = range(tokenizer.vocab_size)
    return {
        "pipeline": pipeline,
        "family": tokenizer.family,
        "specials": asdict(tokenizer.specials),
        "before": list(before),
        "after": list(after),
        "ids": list(frame.ids) if frame is not None and frame.ids is not None else None,
        "tokens": _tokens(tokenizer),
        "labels": [tokenizer.label(token_id) for token_id in ids],
        # Ids that stand for no text: no text may give them, and none is written of them.
        "control": [token_id for token_id in ids if tokenizer.words([token_id]) == [-1]],
    }


def _unknown_step(pipeline: Mapping[str, Any]) -> str | None:
    """The first part of a pipeline that the page does not run as the library does, or None."""
    model = pipeline["model"]
    if model["type"] not in _MODELS:
        return str(model["type"])
    if model["type"] == "BPE" and (model.get("dropout") or model.get("continuing_subword_prefix")):
        return "BPE with dropout or a prefix of word parts"
    for name, known in _STEPS.items():
        for step in _nested(pipeline.get(name)):
            if step["type"] not in known:
                return str(step["type"])
            inverted = step.get("behavior") == "Removed" and step.get("invert") is True
            if step["type"] == "Split" and step.get("behavior") != "Isolated" and not inverted:
                return f"Split with behavior {step.get('behavior')}"
    return None


def _nested(step: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """A step and those inside it."""
    if step is None:
        return []
    inner = [
        *(step.get("normalizers") or []),
        *(step.get("pretokenizers") or []),
        *(step.get("decoders") or []),
    ]
    return [step, *(deep for each in inner for deep in _nested(each))]


def _pipeline(tokenizer: Tokenizer) -> dict[str, Any]:
    """The `tokenizers` pipeline that the tokenizer's own file holds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        tokenizer.save(path)
        content = json.loads(path.read_text("utf-8"))
    pipeline: dict[str, Any] = content["tokenizer"]
    return pipeline


def _tokens(tokenizer: Tokenizer) -> list[str] | None:
    """The token of each id where the pipeline's own vocabulary has other ids (MarianMT)."""
    frame = tokenizer.frame
    return list(frame.tokens) if frame is not None and frame.tokens is not None else None
