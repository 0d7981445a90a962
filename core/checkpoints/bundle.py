"""A bundle: a trained model with its tokenizers and card, saved to and loaded from a folder, on a chosen device. No pickle."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from core.checkpoints import files
from core.checkpoints.files import replace_folder
from core.errors import CheckpointError, InputError, listed
from core.language import message, tr
from core.model.config import ModelConfig
from core.model.transformer import Transformer
from core.tokenizer import Tokenizer

STORED_DTYPES = {"float16": torch.float16, "float32": torch.float32}
READ_DTYPES = ("F16", "BF16", "F32")  # safetensors' names; the model always computes in float32


def available_devices() -> list[str]:
    """The devices of this machine, the fastest kind first: "cuda" (or "cuda:0", "cuda:1", …), "mps", "cpu"."""
    names: list[str] = []
    if torch.cuda.is_available():
        count = torch.cuda.device_count()
        names += ["cuda"] if count == 1 else [f"cuda:{i}" for i in range(count)]
    if torch.backends.mps.is_available():
        names.append("mps")
    return [*names, "cpu"]


def pick_device(name: str | torch.device | None = None) -> torch.device:
    """The device called `name`, or the first available one. Raises InputError that lists the available ones."""
    names = available_devices()
    if name is None:
        return torch.device(names[0])
    wanted = str(name)
    reachable = {*names, *(("cuda", "cuda:0") if names[0].startswith("cuda") else ())}
    if wanted not in reachable:
        raise InputError.tr(
            "device {name!r} is not available here; choose {names}.",
            name=wanted,
            names=tr(" or ").join(names),
        )
    return torch.device(wanted)


@dataclass(eq=False)
class Bundle:
    """The contents of a checkpoint folder, in memory. Safe to share between threads: nothing here changes after loading."""

    model: Transformer
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    card: dict[str, Any] = field(default_factory=dict)
    path: Path | None = None
    stored_digest: str | None = None

    @property
    def config(self) -> ModelConfig:
        return self.model.config

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of the target side."""
        return self.target_tokenizer

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device

    @cached_property
    def digest(self) -> str:
        """SHA-256 of config, weights and tokenizers: of the files it was loaded from, or of the model in memory."""
        if self.stored_digest is not None:
            return self.stored_digest
        digest = hashlib.sha256(json.dumps(self.config.to_json(), sort_keys=True).encode())
        for name, tensor in unique_tensors(self.model).items():
            digest.update(name.encode())
            digest.update(tensor.detach().float().cpu().contiguous().numpy().tobytes())
        digest.update((self.source_tokenizer.fingerprint + self.target_tokenizer.fingerprint).encode())
        return digest.hexdigest()

    def to(self, device: str | torch.device) -> Self:
        """A checkpoint on another device, with its own copy of the model. Raises InputError if it does not fit in memory."""
        model = _move(copy.deepcopy(self.model), pick_device(device))
        return dataclasses.replace(self, model=model)


def folder_of(
    checkpoint: Bundle,
    folder: str | Path | None = None,
    remedy: str = "save it first, or give the folder to write to",
) -> Path:
    """The folder to write a side file to: `folder`, or the checkpoint's own.

    Raises `InputError` if there is none; `remedy` is what the caller's user can do.
    """
    target = Path(folder) if folder is not None else checkpoint.path
    if target is None:
        raise InputError(f"This checkpoint has no folder; {remedy}.")
    return target


def unique_tensors(model: torch.nn.Module) -> dict[str, Tensor]:
    """Parameters and stored buffers by name; a tied one appears once, under its first name."""
    state = model.state_dict(keep_vars=True)
    firsts: dict[int, str] = {}
    for name, tensor in state.items():
        firsts.setdefault(id(tensor), name)
    return {name: tensor for name, tensor in state.items() if firsts[id(tensor)] == name}


def save(
    path: str | Path,
    model: Transformer,
    source_tokenizer: Tokenizer,
    target_tokenizer: Tokenizer,
    card: Mapping[str, Any],
    dtype: str = "float16",
    beside: Mapping[str, str] | None = None,
) -> None:
    """Write a checkpoint folder, all of it or nothing. `dtype` of the weights: "float16" or "float32".

    `beside`: texts to write into it, by file name. A folder that already is a checkpoint is replaced; its other files
    stay, except an example, an atlas or a report of other weights.
    Raises CheckpointError if something does not fit together or `path` is a folder of something else.
    """
    files.check_tokenizers(model.config, source_tokenizer, target_tokenizer, card)
    weights = _stored_weights(model, dtype)
    card_text = _card_text(card)
    shared = source_tokenizer == target_tokenizer and source_tokenizer.counts == target_tokenizer.counts

    def write(folder: Path) -> None:
        try:
            save_file(weights, folder / files.WEIGHTS, metadata={"format": "pt"})
        except SafetensorError as error:  # raised by the library when the disk is full
            raise OSError(_first_line(error)) from None
        (folder / files.WEIGHTS).chmod(0o644)  # the library makes it readable by its owner alone
        config = json.dumps(model.config.to_json(), indent=2)
        (folder / files.CONFIG).write_text(config + "\n", encoding="utf-8")
        (folder / files.CARD).write_text(card_text, encoding="utf-8")
        for name, text in (beside or {}).items():
            (folder / name).write_text(text, encoding="utf-8")
        if shared:
            target_tokenizer.save(folder / files.TOKENIZER)
        else:
            source_tokenizer.save(folder / files.TOKENIZERS[0])
            target_tokenizer.save(folder / files.TOKENIZERS[1])

    replace_folder(Path(path), write)


def _stored_weights(model: Transformer, dtype: str) -> dict[str, Tensor]:
    if dtype not in STORED_DTYPES:
        raise CheckpointError(f"dtype is {dtype!r}; choose {' or '.join(STORED_DTYPES)}.")
    weights: dict[str, Tensor] = {}
    # A wrapped model may share one tensor between two names, which the file cannot.
    storages: set[int] = set()
    for name, tensor in unique_tensors(model).items():
        held = tensor.detach().cpu()
        held = held.to(STORED_DTYPES[dtype]) if held.is_floating_point() else held
        if held.is_floating_point() and not bool(torch.isfinite(held).all()):
            fits = bool(torch.isfinite(tensor.detach()).all())
            reason = (
                f"is too large for {dtype}; save it as float32"
                if fits
                else "holds NaN or infinity; train it again"
            )
            raise CheckpointError(f"tensor {name} {reason}.")
        held = held.contiguous()
        storage = held.untyped_storage().data_ptr()
        weights[name] = held.clone() if storage in storages else held
        storages.add(storage)
    return weights


def _card_text(card: Mapping[str, Any]) -> str:
    try:
        text = json.dumps(dict(card), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        size = len(text.encode())
    except (TypeError, ValueError, RecursionError) as error:
        raise CheckpointError(
            f"the card cannot be written as JSON ({error}); keep to text and numbers."
        ) from None
    if size > files.MAX_JSON_BYTES:
        raise CheckpointError(f"the card has {size:,} bytes; keep it below {files.MAX_JSON_BYTES:,}.")
    return text


def load_bundle(path: str | Path, device: str | torch.device | None = None, compare: bool = True) -> Bundle:
    """The checkpoint in folder `path`, on `device` (None: the first available of cuda, mps and cpu), in float32.

    A folder of Hugging Face's is converted in memory and, with `compare`, compared with its own library's model. Everything is checked before it is used. Raises CheckpointError
    with one sentence for whatever is wrong with the folder, InputError for a device that is not there.
    """
    target = pick_device(device)
    folder = files.checkpoint_folder(path)
    if files.is_foreign(folder):
        converted: Bundle = files.foreign_converter().convert(folder, compare)
        _move(converted.model, target)
        return converted
    config, card = files.read_config(folder), files.read_card(folder)
    source, written = files.read_tokenizers(folder)
    files.check_tokenizers(config, source, written, card)
    weights = files.file_in(folder, files.WEIGHTS)
    _check_names_and_shapes(weights, config)
    digest = files.folder_digest(folder)
    model = _move(_build(weights, config), target)
    return Bundle(model, source, written, card, folder, digest)


def _check_names_and_shapes(path: Path, config: ModelConfig) -> None:
    """Compare the file's header with the model that the config describes, built without memory."""
    header = files.read_header(path)
    with torch.device("meta"):
        expected = {name: tuple(tensor.shape) for name, tensor in unique_tensors(Transformer(config)).items()}
    for sentence, names in (
        (
            message("{file} lacks {names}; use the {config} that the model was trained with."),
            [name for name in expected if name not in header],
        ),
        (
            message(
                "{file} holds {names}, which the model does not have; use the {config} that it was trained with."
            ),
            [name for name in header if name not in expected],
        ),
    ):
        if names:
            raise CheckpointError.tr(sentence, file=path, names=listed(names), config=files.CONFIG)
    for name, info in header.items():
        if info.shape != expected[name]:
            raise CheckpointError.tr(
                "{file}: {name} has shape {shape} but {config} asks for {expected}; use the one the model was trained with.",
                file=path,
                name=name,
                shape=info.shape,
                config=files.CONFIG,
                expected=expected[name],
            )
        if info.dtype not in READ_DTYPES:
            raise CheckpointError.tr(
                "{file}: {name} is stored as {dtype}; store it as one of {listed}.",
                file=path,
                name=name,
                dtype=info.dtype,
                listed=", ".join(READ_DTYPES),
            )


def _build(path: Path, config: ModelConfig) -> Transformer:
    try:
        tensors = load_file(path, device="cpu")
    except (SafetensorError, OSError) as error:
        raise CheckpointError.tr(
            "{file} cannot be read ({reason}); copy it again.", file=path, reason=_first_line(error)
        ) from None
    for name, tensor in tensors.items():
        if not bool(torch.isfinite(tensor).all()):
            raise CheckpointError.tr(
                "{file}: {name} holds NaN or infinity; save the model again.", file=path, name=name
            )
    with torch.random.fork_rng(devices=[]):  # its random initial values are replaced below
        model = Transformer(config)
    with torch.no_grad():
        for name, parameter in unique_tensors(model).items():
            parameter.copy_(tensors[name])
    return model.eval().requires_grad_(False)


def _move(model: Transformer, device: torch.device) -> Transformer:
    try:
        return model.to(device).pack_weights()
    except RuntimeError as error:
        raise InputError.tr(
            "the model does not fit on {device} ({reason}); choose cpu.",
            device=device,
            reason=_first_line(error),
        ) from None


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0][:200]
