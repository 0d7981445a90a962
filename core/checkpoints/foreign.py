"""Folders of another project that open as they are: Hugging Face's, inside the hub's cache too. No torch, no download.

`core.importing.folders` converts them in memory. It stands above this package and is imported by its name, on first use.
"""

from __future__ import annotations

import hashlib
import os
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from core.checkpoints import files
from core.errors import CheckpointError
from core.files import read_object

_CONVERTER: Final = "core.importing.folders"
_REPOSITORY: Final = "models--"
_HIDDEN: Final = (".", "datasets--", "spaces--")
_SNAPSHOTS: Final = "snapshots"
_READ: Final = (".json", ".txt", ".spm", ".model", ".safetensors", ".bin", ".pt")
_MAX_CONFIG_BYTES: Final = 4 * 2**20
_NOT_DOWNLOADED: Final = "nothing is downloaded by itself, so fetch the model with its own library first"


def opened(path: str | Path) -> Path:
    """The folder `path`, or the snapshot in it if it is a repository of the hub's cache. Raises CheckpointError."""
    return snapshot(files.open_folder(path))


def snapshot(folder: Path) -> Path:
    """The revision `main` of a repository in the hub's cache, else its newest; any other folder as it is."""
    if not folder.name.startswith(_REPOSITORY):
        return folder
    try:
        kept = [each for each in (folder / _SNAPSHOTS).iterdir() if each.is_dir()]
        main = folder / "refs" / "main"
        named = main.read_text(encoding="utf-8", errors="replace").strip() if main.is_file() else ""
    except OSError:
        kept, named = [], ""
    if not kept:
        raise CheckpointError(f"{folder.name} holds no snapshot: {_NOT_DOWNLOADED}.")
    return next(
        (each for each in kept if each.name == named), max(kept, key=lambda each: each.stat().st_mtime)
    )


def repository(folder: Path) -> str:
    """`Helsinki-NLP/opus-mt-en-fr` for a snapshot of the hub's cache; empty for any other folder."""
    above = folder.parent.parent.name
    inside = folder.parent.name == _SNAPSHOTS and above.startswith(_REPOSITORY)
    return above.removeprefix(_REPOSITORY).replace("--", "/") if inside else ""


def folder_name(folder: Path) -> str:
    """The name of a folder in a list: of a snapshot, its repository's without the owner."""
    return repository(folder).rpartition("/")[2] or folder.name


def checkpoint_folders(root: Path) -> list[Path]:
    """The folders below `root` that are listed, or `root` itself if it is a model's folder. Raises OSError.

    Of the hub's cache, the snapshots of encoder-decoders; nothing else in it is a checkpoint.
    """
    if not root.is_dir():
        return []
    if _is_repository(root) or (root / files.CONFIG).is_file():
        return _of_hub(root) if _is_repository(root) else [root]
    with os.scandir(root) as inside:
        names = [each.name for each in inside if not each.name.startswith(_HIDDEN) and _is_folder(each)]
    listed: list[Path] = []
    for folder in (root / name for name in names):
        listed += _of_hub(folder) if _is_repository(folder) else [folder]
    return sorted(listed)


def _of_hub(folder: Path) -> list[Path]:
    try:
        model = snapshot(folder)
        return [model] if _config(model).get("is_encoder_decoder") is True else []
    except CheckpointError:
        return []


def _is_repository(folder: Path) -> bool:
    return folder.name.startswith(_REPOSITORY) and (folder / _SNAPSHOTS).is_dir()


def _is_folder(each: os.DirEntry[str]) -> bool:
    try:
        return each.is_dir()
    except OSError:  # a link that leads to itself
        return False


def is_foreign(folder: Path) -> bool:
    """Whether a folder is Hugging Face's: its config.json names a model there, and there is no card of this project."""
    if (folder / files.CARD).exists():
        return False
    try:
        return isinstance(_config(folder).get("model_type"), str)
    except CheckpointError:
        return False


def _config(folder: Path) -> dict[str, Any]:
    """The content of config.json, which may be a link to a blob of the hub's cache."""
    return read_object(folder / files.CONFIG, _MAX_CONFIG_BYTES)


def converter() -> Any:
    """`core.importing.folders`: `convert`, `summary` and `tokenizers` of a folder, each raising CheckpointError."""
    return import_module(_CONVERTER)


def digest(folder: Path) -> str:
    """SHA-256 over the settings, vocabularies and PyTorch weights of a foreign folder, by name."""
    total = hashlib.sha256()
    for path in sorted(each for each in folder.iterdir() if each.suffix in _READ and each.is_file()):
        total.update(f"{path.name}\0{path.stat().st_size}\0".encode())
        with path.open("rb") as file:
            while chunk := file.read(2**20):
                total.update(chunk)
    return total.hexdigest()
