"""A disk that takes no more: one sentence, exit code 2, what was there stays whole, and nothing half-written beside it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from core.errors import TrainingError
from core.training.process import locked
from core.training.run import train
from tests.core.importing.test_untrusted import ANSWERS
from tests.core.importing.untrusted_files import good
from tests.core.training.conftest import MakeConfig

# The disk takes no file of more than so many bytes. Python asks not to be killed for that, and gets an error.
COMMAND = """
import resource, sys
from core.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
sys.exit(main(sys.argv[2:]))
"""


def command(limit: int, *arguments: str) -> tuple[int, list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, str(limit), *arguments], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr.splitlines()


def whole(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.thorough
@pytest.mark.parametrize("limit", [100, 3000])
def test_while_a_model_is_imported(tmp_path: Path, limit: int) -> None:
    torch.save(good(), tmp_path / "model.pt")
    arguments = ("import", str(tmp_path / "model.pt"), "--out", str(tmp_path / "out"), *ANSWERS)
    assert command(10**9, *arguments)[0] == 0
    before = whole(tmp_path)
    code, lines = command(limit, *arguments)
    assert code == 2
    assert "cannot be written (" in lines[-1] and "Traceback" not in "".join(lines)
    assert whole(tmp_path) == before


def test_a_second_training_in_the_same_folder_is_told_who_holds_it(make_config: MakeConfig) -> None:
    config = make_config(steps=2)
    with locked(config.work), pytest.raises(TrainingError, match=r"process \d+ on .* is training in"):
        train(config)
    assert train(config), "the lock went with its holder"


@pytest.mark.thorough
def test_while_translations_are_written(tmp_path: Path, tiny_checkpoint: Path) -> None:
    """`evaluate --write` and `align --out`, over a file that was there."""
    texts = "".join(f"abc def {'abcd' * (n % 5)}.\n" for n in range(40))
    (tmp_path / "s.txt").write_text(texts)
    (tmp_path / "out.txt").write_text("old")
    sides = ("--source", str(tmp_path / "s.txt"), "--reference", str(tmp_path / "s.txt"))
    given = ("evaluate", "--checkpoint", str(tiny_checkpoint), "--device", "cpu", "--beam", "1", *sides)
    code, lines = command(30, *given, "--write", str(tmp_path / "out.txt"))
    assert code == 2 and "Traceback" not in "".join(lines), lines
    assert (tmp_path / "out.txt").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.txt", "s.txt"]
