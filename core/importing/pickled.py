"""Reads PyTorch's own files (.pt, .pth, .bin) without running anything in them.

A pickle is a program. Its instructions are first walked through as text: only the few names that a state dict needs are
allowed, and the sizes it declares must fit in the file. Then `torch.load(weights_only=True)` reads it, which has its
own
list of allowed calls.
"""

from __future__ import annotations

import io
import pickletools
import zipfile
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from core.errors import CheckpointError
from core.files import TooLongError, open_zip, regular_file
from core.importing.toolkits import fairseq_arguments
from core.language import numeral

MAX_PROGRAM_BYTES = 32 * 2**20
MAX_ENTRIES = 20_000
MAX_INSTRUCTIONS = 500_000  # a state dict of 10,000 tensors needs fewer
_LEGACY_PROGRAMS = 5  # magic number, protocol, system, the object, the list of storages
_STORAGES = (
    "Float",
    "Half",
    "BFloat16",
    "Double",
    "Long",
    "Int",
    "Short",
    "Char",
    "Byte",
    "Bool",
    "ComplexFloat",
)
_ALLOWED = {
    "argparse Namespace",  # of fairseq's files: nothing but attributes
    "collections OrderedDict",
    "torch Size",
    "torch device",
    "torch._utils _rebuild_tensor_v2",
    "torch._utils _rebuild_tensor",
    "torch._utils _rebuild_parameter",
    *(f"torch {name}Storage" for name in _STORAGES),
    *(f"torch {name}" for name in ("float32", "float16", "bfloat16", "float64", "int64")),
    "torch.storage UntypedStorage",
    "torch.storage TypedStorage",
}
_NESTED = ("model_state_dict", "state_dict", "model", "model_state", "net", "weights", "params")
_STRINGS = ("UNICODE", "STRING")


def read_pickled(path: Path, max_bytes: int) -> tuple[dict[str, Tensor], list[str], Mapping[str, Any] | None]:
    """The state dict in `path`, notes on what was left out, and the arguments that fairseq keeps beside it.

    Raises CheckpointError with one sentence.
    """
    zipped = zipfile.is_zipfile(path)
    if zipped:
        _check_zip(path, max_bytes)
    else:
        _check_legacy(path)
    try:
        with torch.serialization.safe_globals([Namespace]):
            content = torch.load(path, map_location="cpu", weights_only=True, mmap=True if zipped else None)
    except Exception as error:
        reason = " ".join(str(error).split("\n")[0].split())[:120] or type(error).__name__
        raise CheckpointError.tr(
            "{file} is not a readable PyTorch file ({reason}); save it again.", file=path.name, reason=reason
        ) from None
    state, notes = _state_dict(path, content)
    for key, tensor in state.items():
        _check_tensor(path, key, tensor, max_bytes)
    return state, notes, fairseq_arguments(content)


def _check_zip(path: Path, max_bytes: int) -> None:
    size = path.stat().st_size
    try:
        with regular_file(path) as file, open_zip(file, MAX_ENTRIES) as archive:
            entries = archive.infolist()
            names = {"/" + entry.filename for entry in entries}
            if any("/code/" in name for name in names) and any(n.endswith("/constants.pkl") for n in names):
                raise CheckpointError.tr(
                    "{file} is TorchScript, a compiled program; load it with torch.jit.load and save model.state_dict() with torch.save.",
                    file=path.name,
                )
            if names and all(name.endswith(".npy") for name in names):
                raise CheckpointError.tr(
                    "{file} is a NumPy archive; load it with numpy.load and save its arrays as tensors with torch.save, a name for each.",
                    file=path.name,
                )
            for entry in entries:
                folders = entry.filename.replace("\\", "/").split("/")
                if entry.filename.startswith(("/", "\\")) or ".." in folders or ":" in folders[0]:
                    raise CheckpointError.tr(
                        "{file} holds an entry whose name leads out of it; save it again.", file=path.name
                    )
                if entry.compress_type != zipfile.ZIP_STORED:
                    raise CheckpointError.tr(
                        "{file} is a compressed archive, which torch.save never writes.", file=path.name
                    )
            total = sum(entry.file_size for entry in entries)
            if total > min(size, max_bytes):
                raise CheckpointError.tr(
                    "{file} declares {total} bytes and has {size}; save it again.",
                    file=path.name,
                    total=numeral(total, ","),
                    size=numeral(size, ","),
                )
            programs = [entry for entry in entries if entry.filename.endswith(".pkl")]
            if len(programs) != 1 or not programs[0].filename.endswith("data.pkl"):
                raise CheckpointError.tr(
                    "{file} is an archive without one data.pkl; give a file torch.save wrote.", file=path.name
                )
            if programs[0].file_size > MAX_PROGRAM_BYTES:
                raise CheckpointError.tr(
                    "{file} has a data.pkl of {file_size} bytes; that is too long.",
                    file=path.name,
                    file_size=numeral(programs[0].file_size, ","),
                )
            _walk(path, io.BytesIO(archive.read(programs[0])), size)
    except TooLongError:
        raise CheckpointError.tr(
            "{file} holds too many entries; at most {max_entries} are read.",
            file=path.name,
            max_entries=numeral(MAX_ENTRIES, ","),
        ) from None
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError.tr("{file} is a damaged archive; copy it again.", file=path.name) from None


def _check_legacy(path: Path) -> None:
    with path.open("rb") as file:
        if file.read(1) != b"\x80":
            raise CheckpointError.tr(
                "{file} is neither safetensors nor a PyTorch file; give one of the two.", file=path.name
            )
        file.seek(0)
        left = MAX_INSTRUCTIONS
        for _ in range(_LEGACY_PROGRAMS):
            left = _walk(path, file, path.stat().st_size, left)
            if file.tell() == path.stat().st_size:
                raise CheckpointError.tr(
                    "{file} is a bare pickle, not a PyTorch file; use torch.save.", file=path.name
                )


def _walk(path: Path, stream: Any, size: int, most: int = MAX_INSTRUCTIONS) -> int:
    """Refuse a pickle that names anything but tensors, or declares more numbers than the file has bytes.

    Returns how many of `most` instructions are left.
    """
    strings: list[str] = []
    last_number, declared, start = 0, 0, stream.tell()
    try:
        for instruction, argument, _ in pickletools.genops(stream):
            name, most = instruction.name, most - 1
            if most < 0 or stream.tell() - start > MAX_PROGRAM_BYTES:
                raise CheckpointError.tr(
                    "{file} holds a pickle that is too long; save only model.state_dict().", file=path.name
                )
            if name.endswith(_STRINGS) or "UNICODE" in name:
                strings = [*strings[-1:], str(argument)]
            elif (isinstance(argument, int) and "INT" in name) or name.startswith("LONG"):
                last_number = int(argument) if argument is not None else 0
            elif name in ("BINPERSID", "PERSID"):
                declared += max(last_number, 0)
            if name in ("GLOBAL", "INST"):
                _allow(path, str(argument))
            elif name == "STACK_GLOBAL":
                _allow(path, " ".join(strings))
            elif name.startswith("EXT"):
                _allow(path, "an extension")
    except CheckpointError:
        raise
    except Exception:
        raise CheckpointError.tr(
            "{file} is damaged: its pickle breaks off; copy it again.", file=path.name
        ) from None
    if declared > 16 * size:
        raise CheckpointError.tr(
            "{file} declares {declared} numbers in {size} bytes; save it again.",
            file=path.name,
            declared=numeral(declared, ","),
            size=numeral(size, ","),
        )
    return most


def _allow(path: Path, name: str) -> None:
    if name not in _ALLOWED:
        dotted = ".".join(name.split())[:80]
        raise CheckpointError.tr(
            "{file} would run {dotted!r} when opened, so it is not; save only model.state_dict() and give that.",
            file=path.name,
            dotted=dotted,
        )


def _state_dict(path: Path, content: Any) -> tuple[dict[str, Tensor], list[str]]:
    """The mapping of names to tensors, also where a training script stored it under another name."""
    inside: list[str] = []
    for _ in range(3):
        if not isinstance(content, Mapping):
            break
        # The state of a random generator, which JoeyNMT keeps beside the weights, is no weight.
        weights = any(isinstance(each, Tensor) and each.is_floating_point() for each in content.values())
        nested = [key for key in _NESTED if isinstance(content.get(key), Mapping)]
        if weights or not nested:
            break
        inside.append(nested[0])
        aside = [str(key)[:40] for key in content if key != nested[0]]
        content = content[nested[0]]
    if not isinstance(content, Mapping):
        raise CheckpointError.tr(
            "{file} holds a {name}, not a state dict; save model.state_dict() and give that.",
            file=path.name,
            name=type(content).__name__,
        )
    tensors = {key: value for key, value in content.items() if isinstance(value, Tensor)}
    if not all(isinstance(key, str) for key in tensors) or not tensors:
        raise CheckpointError.tr(
            "{file} holds no named tensors; save model.state_dict() and give that.", file=path.name
        )
    rest = [str(key)[:80] for key in content if key not in tensors]
    if rest:
        raise CheckpointError.tr(
            "{file} mixes tensors with {rest!r}, which is none; save model.state_dict().",
            file=path.name,
            rest=rest[0],
        )
    notes = [f"the state dict was found under {' → '.join(inside)}"] if inside else []
    if inside and aside:
        notes.append(f"beside it, not read: {', '.join(aside[:8])}")
    return tensors, notes


def _check_tensor(path: Path, key: str, tensor: Tensor, max_bytes: int) -> None:
    """Refuse a tensor that is larger than its stored bytes (strides of 0 can turn a few bytes into billions)."""
    if tensor.layout != torch.strided or tensor.is_quantized or tensor.is_meta:
        raise CheckpointError.tr(
            "{file}: {key} is not a plain tensor; store it dense and unquantised.",
            file=path.name,
            key=key[:80],
        )
    if tensor.numel() * tensor.element_size() > max(tensor.untyped_storage().nbytes(), 0):
        raise CheckpointError.tr(
            "{file}: {key} is larger than the bytes stored for it; save a copy of it.",
            file=path.name,
            key=key[:80],
        )
    if tensor.numel() * tensor.element_size() > max_bytes:
        raise CheckpointError.tr(
            "{file}: {key} is larger than {max_bytes} bytes.",
            file=path.name,
            key=key[:80],
            max_bytes=numeral(max_bytes, ","),
        )
