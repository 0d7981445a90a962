"""What an archive declares is checked before memory or time is taken for it."""

from __future__ import annotations

import io
import os
import random
import resource
import struct
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.files import DamagedError, TooLongError, open_zip, read_npz

LIMIT = 2**26


def packed(path: Path, members: dict[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", how) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def header(shape: str, dtype: str) -> bytes:
    text = f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': {shape}}}".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text) + 1) + text + b"\n"


def bomb(folder: Path) -> Path:
    path = folder / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a.npy", "w") as member:
        member.write(header(f"({2**27},)", "|u1"))
        for _ in range(8):
            member.write(bytes(2**24))
    return path


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("make", "said"),
    [
        (bomb, "unpacks to 134,"),
        (lambda folder: packed(folder / "a", {"a.npy": header("(1000000000000,)", "<f8") + bytes(8)}), "declares more"),
        (lambda folder: packed(folder / "a", {"a.npy": header("(-1, -8)", "|u1") + bytes(8)}), "not a plain array"),
        (lambda folder: packed(folder / "a", {"a.npy": header("(10000000000000,)", "<U0")}), "not a plain array"),
        (lambda folder: packed(folder / "a", {"a.npy": header("(1,)", "|O") + bytes(8)}), "not a plain array"),
        (lambda folder: packed(folder / "a", {"a.npy": b"not numpy's"}), "magic"),
        (lambda folder: os.mkfifo(folder / "a") or folder / "a", "not a regular file"),
        (lambda folder: folder, "not a regular file"),
    ],
    ids=["bomb", "declared", "negative", "no-bytes", "pickled", "text", "pipe", "folder"],
)  # fmt: skip
def test_an_npz_that_lies_is_refused_at_once(tmp_path: Path, make: Callable[[Path], Path], said: str) -> None:
    path, peak, began = make(tmp_path), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    with pytest.raises((OSError, ValueError), match=said):
        read_npz(path, LIMIT)
    assert time.monotonic() - began < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 100_000, "memory in KiB"


def test_what_numpy_wrote_comes_back(tmp_path: Path) -> None:
    arrays = {
        "a": np.arange(6.0).reshape(2, 3).T,
        "words": np.array(["é", "two"]),
        "none": np.zeros((0, 4), np.int8),
        "one": np.array(7),
    }
    np.savez_compressed(tmp_path / "a.npz", **arrays)  # type: ignore[arg-type]
    again = read_npz(tmp_path / "a.npz", LIMIT)
    assert again.keys() == arrays.keys()
    for name, array in arrays.items():
        assert again[name].dtype == array.dtype and np.array_equal(again[name], array)
        again[name].fill(0)  # its own memory, as numpy's is


def test_a_list_of_a_million_members_is_not_parsed() -> None:
    line = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, *[0] * 8, 1, *[0] * 5) + b"x"
    count = 1_000_000
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0xFFFF, 0xFFFF, len(line) * count, 0, 0)
    began = time.monotonic()
    with pytest.raises(TooLongError):
        open_zip(io.BytesIO(line * count + end), 2000)
    assert time.monotonic() - began < 1


@pytest.mark.thorough
def test_reading_takes_little_more_memory_than_the_arrays(tmp_path: Path) -> None:
    np.savez_compressed(
        tmp_path / "a.npz", a=np.zeros((30, 1_000_000), np.float32), b=np.arange(6).reshape(2, 3).T
    )
    tracemalloc.start()
    arrays = read_npz(tmp_path / "a.npz", 2**28)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert arrays["a"].shape == (30, 1_000_000) and peak < 1.1 * arrays["a"].nbytes
    assert arrays["b"].tolist() == [[0, 3], [1, 4], [2, 5]] and arrays["b"].flags.writeable


def raw_header(text: bytes) -> bytes:
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + bytes(64)


DAMAGED_HEADERS = {
    "open bracket": b"{'descr': '<f4', 'fortran_order': False, 'shape': (3,\n",
    "indented": b"  {'descr':\n   3\n 4",
    "not closed": b"'''",
    "deep": b"(" * 9000,
    "minus": b"-" * 9000 + b"1",
    "null": b"{'descr': '\x00<f4', 'fortran_order': False, 'shape': (3,)}",
    "no type": b"{'descr': '<q9', 'fortran_order': False, 'shape': (3,)}",
    "long number": b"{'descr': '<f4', 'fortran_order': False, 'shape': (" + b"9" * 5000 + b",)}",
    "bytes": bytes(range(128, 250)),
    "list": b"[1, 2]",
    "none": b"",
}


@pytest.mark.parametrize("how", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("name", DAMAGED_HEADERS)
def test_a_damaged_header_is_one_kind_of_error(tmp_path: Path, name: str, how: int) -> None:
    path = packed(tmp_path / "a.npz", {"a.npy": raw_header(DAMAGED_HEADERS[name])}, how)
    with pytest.raises(DamagedError):
        read_npz(path, LIMIT)


def test_any_damage_of_the_bytes_is_one_kind_of_error(tmp_path: Path) -> None:
    chance = random.Random(4)
    np.savez(tmp_path / "s.npz", a=np.arange(12.0), words=np.array(["é", "two"]))
    np.savez_compressed(tmp_path / "c.npz", a=np.arange(12.0), words=np.array(["é", "two"]))
    refused = 0
    for number in range(600):
        raw = bytearray((tmp_path / ("s.npz", "c.npz")[number % 2]).read_bytes())
        for _ in range(chance.choice((1, 1, 3, 30))):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        (tmp_path / "d.npz").write_bytes(raw[: chance.choice((len(raw), chance.randrange(len(raw))))])
        try:
            read_npz(tmp_path / "d.npz", LIMIT)
        except DamagedError:
            refused += 1
    assert refused > 300
