"""No stranger's file may run, hang, fill the memory or leave anything behind: one sentence, and exit code 2."""

from __future__ import annotations

import argparse
import re
import resource
from pathlib import Path

import pytest
import torch

from core.errors import AtlasError
from core.importing import plan_import
from core.importing.cli import add_import_arguments, import_command
from tests.core.importing.strangers import FILES, good

ANSWERS = ["--heads", "2", "--pad", "0", "--bos", "1", "--eos", "2", "--tokenizer", "numbers"]


def run(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    add_import_arguments(parser)
    return import_command(parser.parse_args(arguments))


def test_the_file_that_all_others_are_made_of_is_imported(tmp_path: Path) -> None:
    torch.save(good(), tmp_path / "model.pt")
    out = tmp_path / "out"
    assert run([str(tmp_path / "model.pt"), "--out", str(out), *ANSWERS]) == 0
    assert {path.name for path in out.iterdir()} >= {"model.safetensors", "config.json", "import-report.json"}


def test_there_are_enough_of_them() -> None:
    assert len(FILES) >= 60


@pytest.mark.parametrize("name", FILES)
def test_a_strangers_file_is_refused_in_one_sentence(tmp_path: Path, name: str) -> None:
    make, said = FILES[name]
    path = make(tmp_path)
    before = {place: place.stat().st_mtime_ns for place in tmp_path.rglob("*")}
    out = tmp_path / "out"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(AtlasError) as caught:
        run([str(path), "--out", str(out), *ANSWERS])
    message = str(caught.value)
    assert said in message, message
    assert "\n" not in message
    assert len(message) < 700
    assert message.endswith(".")
    assert "Traceback" not in message
    assert not re.search(r"core\.\w+\.\w+", message)
    assert {place: place.stat().st_mtime_ns for place in tmp_path.rglob("*")} == before
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 200_000, "memory in KiB"


def test_the_limit_can_be_set(tmp_path: Path) -> None:
    torch.save(good(), tmp_path / "model.pt")
    with pytest.raises(AtlasError, match="at most 1,000 are read"):
        plan_import(tmp_path / "model.pt", max_bytes=1000)


def test_a_failed_import_leaves_an_earlier_checkpoint_alone(tmp_path: Path) -> None:
    torch.save(good(), tmp_path / "model.pt")
    out = tmp_path / "out"
    run([str(tmp_path / "model.pt"), "--out", str(out), *ANSWERS])
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    make, _ = FILES["nan"]
    with pytest.raises(AtlasError):
        run([str(make(tmp_path)), "--out", str(out), *ANSWERS])
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
