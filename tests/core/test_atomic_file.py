"""A file is written whole or not at all, whatever stops the writing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import InputError
from core.files import replacing, write_lines

FULL = """
import resource, sys, torch
from pathlib import Path
from core.training.snapshots import save_state
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))  # the disk takes no more than this
try:
    save_state(Path(sys.argv[1]), {"weights": torch.zeros(1_000_000)})
except ValueError as error:
    print(type(error).__name__, error)
"""


def test_an_error_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "card.json"
    file.write_text("old")
    with pytest.raises(ZeroDivisionError), replacing(file) as stream:
        stream.write(b"half" * (1 // 0))
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("card.json", "old")]
    with replacing(file) as stream:
        stream.write(b"new")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("card.json", "new")]


@pytest.mark.parametrize("place", ["/dev/null", "."])
def test_devices_and_folders_are_not_replaced(place: str) -> None:
    with pytest.raises(InputError, match="is a folder or a device"), replacing(place):
        pass


LINES = """
import resource, sys
from core.files import write_lines
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    write_lines(sys.argv[1], ("une phrase " * 9 for _ in range(10_000)))
except ValueError as error:
    print(type(error).__name__, error)
"""


def test_lines_are_written_all_or_none(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    write_lines(path, ["é", "two"])
    done = subprocess.run(
        [sys.executable, "-c", LINES, str(path)], capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("InputError "), done
    assert [(each.name, each.read_text("utf-8")) for each in tmp_path.iterdir()] == [("out.txt", "é\ntwo\n")]


def test_lines_go_into_a_device_too() -> None:
    write_lines("/dev/null", ["a"])
    with pytest.raises(InputError):
        write_lines("/dev/full", ["a" * 100_000])


@pytest.mark.thorough
def test_a_full_disk_is_one_sentence_from_torch_too(tmp_path: Path) -> None:
    (tmp_path / "state.pt").write_bytes(b"old")
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("InputError ") and "cannot be written (File too large)" in done.stdout, done
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("state.pt", b"old")]
