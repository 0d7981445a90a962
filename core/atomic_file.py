"""Writes a file whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from core.errors import InputError

_FORMATS = frozenset(
    (".txt", ".csv", ".npz", ".npy", ".json", ".safetensors", ".pt", ".toml", ".gz", ".zip", ".png", ".svg")
)


@contextmanager
def replacing(path: str | Path) -> Iterator[IO[bytes]]:
    """A stream into a new file that takes the place of `path` when the block ends; until then `path` stays as it was.

    A kill leaves either the old file or the new one, and an error leaves the old one and nothing beside it.
    Raises InputError if `path` is a folder or a device, or the disk refuses.
    """
    target = Path(path)
    if target.exists() and not target.is_file():  # a device such as /dev/null would be replaced by a file
        raise InputError(f"{path} is a folder or a device; give the name of a file to write.")
    scratch = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with scratch.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        scratch.replace(target)
    except BaseException as error:
        scratch.unlink(missing_ok=True)
        refused = _refusal(error)
        if refused is None:
            raise
        reason = refused.strerror or "the disk refused it"
        raise InputError(f"{path} cannot be written ({reason}); choose a folder you can write to.") from error


def check_out(path: str, suffix: str) -> None:
    """Raise `InputError` unless a result can be written to `path` and its name says what it is, before it is computed.

    `suffix`: the ending of its format; a name that ends in another format's is refused, one without any is not.
    """
    place = Path(path)
    if place.exists() and not place.is_file():
        raise InputError(f"{path} is a folder or a device; give the name of a file to write.")
    if not place.parent.is_dir():
        raise InputError(f"{place.parent} is not a folder; choose one that exists.")
    own = place.suffix.lower()
    if own in _FORMATS and own != suffix:
        raise InputError(f"{path} would be a {suffix} file; give a name that ends so.")


def write_lines(path: str | Path, lines: Iterable[str]) -> None:
    """Write the lines, each with its end, as UTF-8: all of them or none; into a device such as /dev/stdout one by one.

    Raises InputError where the file cannot be written.
    """
    target = Path(path)
    if target.exists() and not target.is_file() and not target.is_dir():
        try:
            with target.open("w", encoding="utf-8") as device:
                device.writelines(f"{line}\n" for line in lines)
        except OSError as error:
            raise InputError(f"{path} cannot be written ({error.strerror}); choose a file.") from error
        return
    with replacing(target) as stream:
        stream.writelines(f"{line}\n".encode() for line in lines)


def _refusal(error: BaseException | None) -> OSError | None:
    """The disk's own error; torch.save raises another one while it closes the archive that the disk cut short."""
    while error is not None and not isinstance(error, OSError):
        error = error.__context__
    return error
