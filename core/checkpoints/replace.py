"""Replaces a checkpoint folder in one move, so that an interrupted save leaves the old folder."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from core.checkpoints import files
from core.errors import CheckpointError, InputError

_WRITTEN = (files.CONFIG, files.WEIGHTS, files.CARD, files.TOKENIZER, *files.TOKENIZERS)


def replace_folder(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a new folder beside `path`, then move it to `path`.

    Other files of the old folder are kept, except an example, an atlas and a report of other weights. Raises
    CheckpointError
    if `path` holds something other than a checkpoint, or cannot be written; then nothing half-written is left.
    """
    try:
        path = path.expanduser().resolve()  # follows a link to its folder
        check_replaceable(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent))
    except (OSError, RuntimeError, ValueError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(f"{path} cannot be written ({error}); choose another folder.") from None
    try:
        fresh.chmod(0o755)
        write(fresh)
        if path.exists():
            _keep_others(path, fresh)
        _flush(fresh)
        _swap(fresh, path)
    except (OSError, InputError) as error:  # an InputError about one file names the temporary folder
        raise CheckpointError(
            f"{path} cannot be written ({error.__cause__ or error}); free some space or choose another."
        ) from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def check_replaceable(path: Path) -> None:
    """Raise CheckpointError if `path` is something that a checkpoint must not replace."""
    if path.is_file():
        raise CheckpointError(f"{path} is a file; give a folder to write to.")
    known = (*_WRITTEN, files.EXAMPLE, files.ATLAS, files.DYNAMICS)
    if path.is_dir() and any(path.iterdir()) and not any((path / name).exists() for name in known):
        raise CheckpointError(f"{path} holds other files; choose a new folder for the checkpoint.")


def _keep_others(old: Path, fresh: Path) -> None:
    for entry in old.iterdir():
        if entry.name in _WRITTEN or (fresh / entry.name).exists():
            continue
        if entry.name in (files.EXAMPLE, files.ATLAS, *files.IMPORT_REPORTS) and not _same_model(old, fresh):
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.copytree(entry, fresh / entry.name, symlinks=True)
        else:
            shutil.copy2(entry, fresh / entry.name, follow_symlinks=False)


def _same_model(old: Path, fresh: Path) -> bool:
    try:
        return files.folder_digest(old) == files.folder_digest(fresh)
    except (CheckpointError, OSError):
        return False


def _flush(folder: Path) -> None:
    for entry in [*(file for file in folder.iterdir() if file.is_file()), folder]:
        handle = os.open(entry, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _swap(fresh: Path, path: Path) -> None:
    """Two renames, since no folder can be renamed onto a non-empty one; if the second fails, the first is undone."""
    if not path.exists():
        fresh.rename(path)
        return
    aside = Path(f"{fresh}.old")
    path.rename(aside)
    try:
        fresh.rename(path)
    except BaseException:
        aside.rename(path)
        raise
    shutil.rmtree(aside, ignore_errors=True)
