"""A damaged file beside the weights costs what it is for, in one sentence, and nothing else."""

from __future__ import annotations

import dataclasses
import shutil
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.checkpoints import files
from core.checkpoints.summary import read_summary
from core.decoding.example import load_example
from core.errors import AtlasError
from core.experiments.corpus import load_atlas
from core.model.hooks import Site
from core.model.trace import Trace
from core.training.dynamics import stored_dynamics

ROOT = Path(__file__).resolve().parents[3] / "checkpoints" / "en-fr"
HEADER = b"{'descr': (3,\n"
CONFIG = files.read_config(ROOT)
READ: dict[str, Callable[[Path], object]] = {
    files.EXAMPLE: lambda folder: load_example(folder, CONFIG),
    files.ATLAS: lambda folder: load_atlas(folder, CONFIG, files.folder_digest(folder)),
    files.DYNAMICS: lambda folder: stored_dynamics(folder, CONFIG),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("side") / "en-fr"
    shutil.copytree(ROOT, copy)
    return copy


@pytest.mark.parametrize("name", READ)
def test_a_damaged_header_is_one_sentence(folder: Path, name: str) -> None:
    """numpy's own reader of headers raises TokenError for this one; tests/core/test_archives.py has more of them."""
    path = folder / name
    kept = path.read_bytes() if path.exists() else None
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(HEADER)) + HEADER + bytes(64))
    try:
        with pytest.raises(AtlasError) as refused:
            READ[name](folder)
        assert 0 < len(str(refused.value)) <= 300 and "\n" not in str(refused.value)
        assert read_summary(folder).parameters > 0, "the checkpoint itself is usable"
    finally:
        path.unlink()
        if kept is not None:
            path.write_bytes(kept)


def _row(change: Callable[[np.ndarray], None]) -> Callable[[np.ndarray], np.ndarray]:
    def changed(array: np.ndarray) -> np.ndarray:
        other = array.copy()
        change(other[0, -1])
        return other

    return changed


def _negative(row: np.ndarray) -> None:
    row[0], row[1] = -0.5, row[0] + row[1] + 0.5  # still sums to 1


def _nan(row: np.ndarray) -> None:
    row[0] = np.nan


def _above(row: np.ndarray) -> None:
    row[:] = 7.0


def _nothing(row: np.ndarray) -> None:
    row[:] = 0.0


@pytest.mark.parametrize("change", [_negative, _nan, _above, _nothing])
@pytest.mark.parametrize("site", ["encoder.0.self.weights", "decoder.1.cross.weights"])
def test_weights_that_are_none_are_refused(
    tmp_path: Path, site: str, change: Callable[[np.ndarray], None]
) -> None:
    sound = load_example(ROOT, CONFIG)
    place = Site.parse(site)
    damaged = dataclasses.replace(sound, records={**sound.records, place: _row(change)(sound.array(place))})
    damaged.save(tmp_path / files.EXAMPLE)
    assert isinstance(Trace.load(tmp_path / files.EXAMPLE), Trace)
    with pytest.raises(AtlasError):
        load_example(tmp_path, CONFIG)


def test_a_causal_map_that_looks_ahead_is_refused(tmp_path: Path) -> None:
    sound = load_example(ROOT, CONFIG)
    place = Site.parse("decoder.0.self.weights")
    array = sound.array(place).copy()
    array[0, 0, :2] = 0.5
    dataclasses.replace(sound, records={**sound.records, place: array}).save(tmp_path / files.EXAMPLE)
    with pytest.raises(AtlasError):
        load_example(tmp_path, CONFIG)
