"""Zip archives and numpy's .npz, read with what they declare checked before memory is taken for it."""

from __future__ import annotations

import io
import math
import os
import stat
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

import numpy as np

from core.errors import AtlasError

MOST_ARRAYS: Final = 20_000
_NAME_BYTES: Final = 128  # one line of an archive's list, with its name
_HEADER_BYTES: Final = 10_000
_PART_BYTES: Final = 2**20


class TooLongError(ValueError):
    """An archive lists more than was asked for."""


class DamagedError(ValueError):
    """A file does not hold what its kind of file holds; the message says why."""


@contextmanager
def damage_as(kind: type[AtlasError], sentence: Callable[[str], str]) -> Iterator[None]:
    """Raise `kind(sentence(reason))` for whatever reading somebody else's file in this block raises.

    Damaged bytes make parsers raise anything: numpy's header alone raises TokenError, SyntaxError and MemoryError.
    A sentence that is already one, and what is no Exception, passes.
    """
    try:
        yield
    except AtlasError:
        raise
    except Exception as error:
        raise kind(sentence(_reason(error))) from error


def _reason(error: Exception) -> str:
    if isinstance(error, KeyError):
        words = f"it lacks {str(error)[:60]}"
    elif isinstance(error, OSError):
        words = error.strerror or str(error)
    else:
        words = (
            str(error)
            if isinstance(error, ValueError | TypeError)
            else f"it is damaged: {type(error).__name__}"
        )
    return " ".join(words.split())[:120] or "it is damaged"


class _Listed:
    """A file that hands over no more than `most` bytes at once: the list of an archive is read in one piece."""

    def __init__(self, file: IO[bytes], most: int) -> None:
        self._file, self.most = file, most

    def read(self, size: int = -1) -> bytes:
        if size > self.most:
            raise TooLongError
        return self._file.read(size)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def open_zip(file: str | Path | IO[bytes], most_entries: int) -> zipfile.ZipFile:
    """The archive. Raises TooLongError, before its list is parsed, if that is longer than `most_entries` need."""
    stream = regular_file(file) if isinstance(file, str | Path) else file
    listed = _Listed(stream, most_entries * _NAME_BYTES)
    try:
        archive = zipfile.ZipFile(listed)
        if len(archive.infolist()) > most_entries:
            raise TooLongError
    except BaseException:
        if stream is not file:
            stream.close()
        raise
    listed.most = 2**62  # what is read from now on is bounded by its caller
    return archive


def regular_file(path: str | Path) -> IO[bytes]:
    """The file, open for reading. Raises OSError for a folder, a device, or a pipe, which would wait for a writer."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError("it is not a regular file")
    return os.fdopen(handle, "rb")


def read_npz(path: str | Path, most_bytes: int) -> dict[str, np.ndarray]:
    """Every array of an .npz by name. Nothing larger than `most_bytes` together is unpacked, and nothing is unpickled.

    Raises OSError if the file cannot be opened, and DamagedError for everything that can be wrong in it.
    """
    with regular_file(path) as file:
        try:
            return _arrays(file, most_bytes)
        except DamagedError:
            raise
        except Exception as error:
            reason = str(error) if isinstance(error, ValueError) else type(error).__name__
            raise DamagedError(reason[:200] or "it is damaged") from error


def _arrays(file: IO[bytes], most_bytes: int) -> dict[str, np.ndarray]:
    with open_zip(file, MOST_ARRAYS) as archive:
        entries = archive.infolist()
        if (total := sum(entry.file_size for entry in entries)) > most_bytes:
            raise DamagedError(f"it unpacks to {total:,} bytes; at most {most_bytes:,} are read")
        arrays = {}
        for entry in entries:
            if entry.flag_bits & 1:
                raise DamagedError("it is encrypted")
            arrays[entry.filename.removesuffix(".npy")] = _array(_content(archive, entry), entry.filename)
    return arrays


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytearray:
    """What a member unpacks to, held once; `archive.read` and an array of its own would hold it three times."""
    content, filled = bytearray(entry.file_size), 0
    with archive.open(entry) as member, memoryview(content) as room:
        while part := member.read(_PART_BYTES):
            room[filled : filled + len(part)] = part
            filled += len(part)
    if filled < len(content):
        raise DamagedError("it holds less than it declares")
    return content


def _array(content: bytearray, name: str) -> np.ndarray:
    """One .npy, whose header must account for every byte; the array keeps `content`."""
    stream = io.BytesIO(bytes(content[: 2 * _HEADER_BYTES]))
    version = np.lib.format.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise DamagedError(f"{name[:80]} has an unknown version")
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, columns_first, dtype = read(stream, max_header_size=_HEADER_BYTES)
    if dtype.hasobject or dtype.fields or dtype.itemsize == 0 or not all(0 <= size < 2**40 for size in shape):
        raise DamagedError(f"{name[:80]} is no plain array")
    if math.prod(shape) * dtype.itemsize != len(content) - stream.tell():
        raise DamagedError(f"{name[:80]} declares more or other numbers than it holds")
    flat = np.frombuffer(content, dtype, offset=stream.tell())
    return flat.reshape(shape, order="F" if columns_first else "C")
