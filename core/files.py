"""Files, written atomically, and untrusted files, read within limits: JSON, TOML, zip archives and numpy's .npz.

What an archive declares is checked before memory is allocated for it.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import os
import stat
import tomllib
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NoReturn

import numpy as np

from core.errors import AtlasError, CheckpointError, InputError, TrainingError
from core.language import numeral, tr

if TYPE_CHECKING:
    import argparse

_FORMATS = frozenset(
    (".txt", ".csv", ".npz", ".npy", ".json", ".safetensors", ".pt", ".toml", ".gz", ".zip", ".png", ".svg")
)


@contextmanager
def replacing(path: str | Path) -> Iterator[IO[bytes]]:
    """A stream into a new file that replaces `path` when the block ends; until then `path` is unchanged.

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
    """Raise `InputError`, before anything is computed, unless a result can be written to `path` and its name fits the format.

    `suffix`: the ending of its format. The ending of another format is refused; an unknown one or none is not.
    """
    target = Path(path)
    if target.exists() and not target.is_file():
        raise InputError(f"{path} is a folder or a device; give the name of a file to write.")
    if not target.parent.is_dir():
        raise InputError(f"{target.parent} is not a folder; choose one that exists.")
    own = target.suffix.lower()
    if own in _FORMATS and own != suffix:
        raise InputError(f"{path} would be a {suffix} file; give a name that ends so.")


def add_checkpoint_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare --checkpoint and --device of a command."""
    parser.add_argument(
        "--checkpoint",
        required=True,
        metavar="DIR",
        help="the checkpoint's folder, or the name of a shipped model, such as en-fr",
    )
    parser.add_argument("--device", metavar="NAME", help="cpu, cuda or mps (default: the first there is)")


def write_lines(path: str | Path, lines: Iterable[str]) -> None:
    """Write the lines as UTF-8, each with its end: all of them or none; into a device such as /dev/stdout one by one.

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


def read_lines(path: str | Path) -> list[str]:
    """The lines of a UTF-8 text file, .gz or plain, without line ends."""
    file = Path(path)
    try:
        raw = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        text = raw.decode("utf-8-sig")
    except (OSError, EOFError) as error:
        raise TrainingError(f"The file {str(file)!r} cannot be read: {error}.") from error
    except UnicodeDecodeError as error:
        raise TrainingError(
            f"The file {str(file)!r} is not UTF-8 text: {error.reason} at byte {error.start}."
        ) from error
    # Only \n ends a line: str.splitlines would also cut at characters that occur inside sentences.
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines and not lines[-1] else lines


def _refusal(error: BaseException | None) -> OSError | None:
    """The OSError behind an error: torch.save raises another one when the disk is full."""
    while error is not None and not isinstance(error, OSError):
        error = error.__context__
    return error


MOST_PARTS = 5_000_000
"""Lists and objects in one file. An empty one takes two bytes in the file and ten times that in memory."""


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


def read_object(path: Path, max_bytes: int, most_values: int | None = None) -> dict[str, Any]:
    """The object in `path`. Raises CheckpointError: missing, too large, not JSON, or not an object.

    `most_values` bounds the number of values, counted by commas.
    """
    content = _read_json(path, max_bytes, most_values)
    if not isinstance(content, dict):
        raise CheckpointError.tr(
            "{file} must hold a JSON object, not a {name}; write it again.",
            file=path,
            name=type(content).__name__,
        )
    return content


def read_list(path: Path, max_bytes: int) -> list[Any]:
    """The list in `path`. Raises CheckpointError as `read_object` does."""
    content = _read_json(path, max_bytes)
    if not isinstance(content, list):
        raise CheckpointError.tr(
            "{file} must hold a JSON list, not a {name}; write it again.",
            file=path,
            name=type(content).__name__,
        )
    return content


def _read_json(path: Path, max_bytes: int, most_values: int | None = None) -> Any:
    try:
        if not path.is_file():
            raise CheckpointError.tr("{file} is missing; a checkpoint is not complete without it.", file=path)
        if (size := path.stat().st_size) > max_bytes:
            raise CheckpointError.tr(
                "{file} has {size} bytes; at most {max_bytes} are read: make it smaller.",
                file=path,
                size=numeral(size, ","),
                max_bytes=numeral(max_bytes, ","),
            )
        text = path.read_text(encoding="utf-8")
        if (parts := text.count("[") + text.count("{")) > MOST_PARTS:
            raise CheckpointError.tr(
                "{file} has {count} lists and objects; at most {most} are read: leave some out.",
                file=path,
                count=numeral(parts, ","),
                most=numeral(MOST_PARTS, ","),
            )
        if most_values is not None and (values := parts + text.count(",")) > most_values:
            raise CheckpointError.tr(
                "{file} has about {count} values; at most {most} are read: leave some out.",
                file=path,
                count=numeral(values, ","),
                most=numeral(most_values, ","),
            )
        return json.loads(text, parse_constant=_refuse)
    except CheckpointError:
        raise
    except RecursionError:
        raise CheckpointError.tr("{file} nests its objects too deeply; write it again.", file=path) from None
    except (OSError, ValueError) as error:
        raise CheckpointError.tr(
            "{file} is not a readable JSON file ({error}); write it again.", file=path, error=error
        ) from None


LARGEST: Final = 2**63
"""One past the largest integer that TOML guarantees to keep."""
_LONGEST: Final = 120


def parse_toml(text: str) -> dict[str, Any]:
    """The table in `text`. Raises ValueError with one short reason for everything else.

    tomllib alone also raises RecursionError, and accepts hexadecimal numbers of more than 4,300 digits, which Python
    refuses to print in a message.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(" ".join(str(error).split())[:_LONGEST]) from None
    except RecursionError:
        raise ValueError(tr("it is nested too deeply")) from None
    except ValueError:
        raise ValueError(tr("a number has too many digits")) from None
    rest: list[Any] = [table]
    while rest:
        node = rest.pop()
        if isinstance(node, dict | list):
            rest += node.values() if isinstance(node, dict) else node
        elif isinstance(node, int) and not -LARGEST <= node < LARGEST:
            raise ValueError(tr("a number has too many digits"))
    return table


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
    """Raise `kind(sentence(reason))` for any error that reading an untrusted file raises in this block.

    Damaged bytes make parsers raise anything: numpy's header alone raises TokenError, SyntaxError and MemoryError.
    An AtlasError passes unchanged, and so does what is no Exception.
    """
    try:
        yield
    except AtlasError:
        raise
    except Exception as error:
        raise kind(sentence(_reason(error))) from error


def _reason(error: Exception) -> str:
    if isinstance(error, KeyError):
        words = tr("it lacks {name}", name=str(error)[:60])
    elif isinstance(error, OSError):
        words = error.strerror or str(error)
    else:
        words = (
            str(error)
            if isinstance(error, ValueError | TypeError)
            else tr("it is damaged: {name}", name=type(error).__name__)
        )
    return " ".join(words.split())[:120] or tr("it is damaged")


class _Listed:
    """A file that reads at most `most` bytes at once: the list of an archive is read in one piece."""

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
    listed.most = 2**62  # the caller bounds what is read from now on
    return archive


def regular_file(path: str | Path) -> IO[bytes]:
    """The file, open for reading. Raises OSError for a folder, a device, or a pipe, which would block."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError("it is not a regular file")
    return os.fdopen(handle, "rb")


def read_npz(path: str | Path, most_bytes: int) -> dict[str, np.ndarray]:
    """Every array of an .npz by name. At most `most_bytes` in all are unpacked, and nothing is unpickled.

    Raises OSError if the file cannot be opened, and DamagedError for everything that can be wrong in it.
    """
    with regular_file(path) as file:
        try:
            return _arrays(file, most_bytes)
        except DamagedError:
            raise
        except Exception as error:
            reason = str(error) if isinstance(error, ValueError) else type(error).__name__
            raise DamagedError(reason[:200] or tr("it is damaged")) from error


def _arrays(file: IO[bytes], most_bytes: int) -> dict[str, np.ndarray]:
    with open_zip(file, MOST_ARRAYS) as archive:
        entries = archive.infolist()
        if (total := sum(entry.file_size for entry in entries)) > most_bytes:
            raise DamagedError(
                tr(
                    "it unpacks to {size} bytes; at most {most} are read",
                    size=numeral(total, ","),
                    most=numeral(most_bytes, ","),
                )
            )
        arrays = {}
        for entry in entries:
            if entry.flag_bits & 1:
                raise DamagedError(tr("it is encrypted"))
            arrays[entry.filename.removesuffix(".npy")] = _array(_content(archive, entry), entry.filename)
    return arrays


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytearray:
    """The unpacked bytes of a member, held once; `archive.read` and an array of its own would hold them three times."""
    content, filled = bytearray(entry.file_size), 0
    with archive.open(entry) as member, memoryview(content) as view:
        while chunk := member.read(_PART_BYTES):
            view[filled : filled + len(chunk)] = chunk
            filled += len(chunk)
    if filled < len(content):
        raise DamagedError(tr("it holds less than it declares"))
    return content


def _array(content: bytearray, name: str) -> np.ndarray:
    """One .npy, whose header must account for every byte; the array is a view of `content`."""
    stream = io.BytesIO(bytes(content[: 2 * _HEADER_BYTES]))
    version = np.lib.format.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise DamagedError(tr("{name} has an unknown version", name=name[:80]))
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, columns_first, dtype = read(stream, max_header_size=_HEADER_BYTES)
    if dtype.hasobject or dtype.fields or dtype.itemsize == 0 or not all(0 <= size < 2**40 for size in shape):
        raise DamagedError(tr("{name} is not a plain array of numbers", name=name[:80]))
    if math.prod(shape) * dtype.itemsize != len(content) - stream.tell():
        raise DamagedError(tr("{name} declares more or other numbers than it holds", name=name[:80]))
    flat = np.frombuffer(content, dtype, offset=stream.tell())
    return flat.reshape(shape, order="F" if columns_first else "C")
