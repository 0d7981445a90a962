"""No untrusted file may run, hang, fill the memory or leave anything behind: one sentence, and exit code 2."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest
import torch

from core.cli.main import main
from core.errors import CheckpointError
from core.importing.plan import plan_import
from tests.core.importing.untrusted_files import FILES, good

ANSWERS = ["--heads", "2", "--pad", "0", "--bos", "1", "--eos", "2", "--tokenizer", "numbers"]


def run(path: Path, out: Path) -> int:
    return main(["import", str(path), "--out", str(out), *ANSWERS])


def test_the_file_that_all_others_are_made_of_is_imported(tmp_path: Path) -> None:
    torch.save(good(), tmp_path / "model.pt")
    out = tmp_path / "out"
    assert run(tmp_path / "model.pt", out) == 0
    assert {path.name for path in out.iterdir()} >= {"model.safetensors", "config.json", "import-report.json"}


@pytest.mark.parametrize("name", FILES)
def test_an_untrusted_file_is_refused_in_one_sentence(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    make, said = FILES[name]
    path = make(tmp_path)
    before = {place: place.stat().st_mtime_ns for place in tmp_path.rglob("*")}
    capsys.readouterr()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert run(path, tmp_path / "out") == 2
    printed = capsys.readouterr()
    *assumed, message = printed.err.splitlines()
    assert said in message, message
    assert all(line.startswith("assumed: ") for line in assumed)
    assert len(message) < 700
    assert message.endswith(".")
    assert "Traceback" not in printed.err
    assert printed.out == ""
    assert {place: place.stat().st_mtime_ns for place in tmp_path.rglob("*")} == before
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 200_000, "memory in KiB"


def test_the_limit_can_be_set(tmp_path: Path) -> None:
    torch.save(good(), tmp_path / "model.pt")
    with pytest.raises(CheckpointError, match="at most 1,000 are read"):
        plan_import(tmp_path / "model.pt", max_bytes=1000)


def test_a_failed_import_leaves_an_earlier_checkpoint_alone(tmp_path: Path) -> None:
    torch.save(good(), tmp_path / "model.pt")
    out = tmp_path / "out"
    run(tmp_path / "model.pt", out)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    make, _ = FILES["nan"]
    assert run(make(tmp_path), out) == 2
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
