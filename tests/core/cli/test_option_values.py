"""Every number that a command takes, negative, zero and huge, and every file with a name of another format.

A command that refuses says so in one line and leaves every file as it was. The options are found in the parsers, so a new
one is tried without being listed here.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
from pathlib import Path

import pytest
import torch

import core.checkpoints.bundle
from core.api import Checkpoint
from core.cli.main import COMMANDS, _parser, main
from tests.core.importing.untrusted_files import good

Capture = pytest.CaptureFixture[str]
VALUES = ("-3", "-1", "0", str(10**30), "nan", "inf", "-inf", "1e400", "1.5", "", "x")
# What each command needs besides the option that is tried; {dir} is a checkpoint, {tmp} a folder of small files.
BASES = {
    "app": "app",
    "translate": "translate --checkpoint {dir} abc --strategy {strategy} --device cpu",
    "trace": "trace --checkpoint {dir} --source abc --out {tmp}/t.npz --device cpu",
    "train": "train {tmp}/recipe.toml",
    "evaluate": "evaluate --checkpoint {dir} --source {tmp}/a.txt --reference {tmp}/b.txt --device cpu",
    "verify": "verify --checkpoint {dir} --device cpu",
    "heads": "heads --checkpoint {dir} --corpus {tmp}/a.txt --out {tmp}/t.csv --device cpu",
    "importance": "importance --checkpoint {dir} --corpus {tmp}/a.txt --out {tmp}/t.csv --device cpu",
    "align": "align --checkpoint {dir} --source {tmp}/a.txt --target {tmp}/b.txt --out {tmp}/t.txt "
    "--head 0.0 --device cpu",
    "page": "page {dir} --out {tmp}/page.html",
    "import": "import {tmp}/model.pt --heads 2 --tokenizer numbers --pad 0 --bos 1 --eos 2 --out {tmp}/out",
    "example": "example --checkpoint {dir} --device cpu",
    "faithfulness": "faithfulness --checkpoint {dir} --limit 1 --device cpu",
    "patch": "patch --checkpoint {dir} abc abd --device cpu",
}
# Values that mean something: everything else in VALUES is a mistake.
ALLOWED = {
    ("translate", "--length-penalty"): {"-3", "-1", "0", "1.5"},
    ("translate", "--temperature"): {"1.5"},
    ("translate", "--top-k"): {"0", str(10**30)},
    ("translate", "--seed"): {"0"},
    ("heads", "--limit"): {str(10**30)},
    ("importance", "--limit"): {str(10**30)},
    ("faithfulness", "--limit"): {str(10**30)},
    ("align", "--limit"): {str(10**30)},
    ("align", "--gold-from"): {"0"},
    ("import", "--max-bytes"): {str(10**30)},
}
NEVER_RUN = {("train", "--max-steps", str(10**30))}  # in `test_a_recipe_refuses_steps_beyond_count`


def options(command: str) -> list[argparse.Action]:
    """The options of a command."""
    parser = _parser([command])
    (commands,) = (each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    return [each for each in commands.choices[command]._actions if each.option_strings]


NUMBERS = [
    (each.name, action.option_strings[0])
    for each in COMMANDS
    for action in options(each.name)
    if action.type in (int, float)
]


@pytest.fixture(scope="module")
def stored(tiny: Checkpoint, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stored") / "tiny"
    core.checkpoints.bundle.save(
        path, tiny.model, tiny.source_tokenizer, tiny.target_tokenizer, tiny.card, "float32"
    )
    return path


@pytest.fixture
def places(stored: Path, tmp_path: Path) -> dict[str, str]:
    shutil.copytree(stored, tmp_path / "tiny")
    files = tmp_path / "files"
    files.mkdir()
    (files / "a.txt").write_text("abc\nface\n")
    (files / "b.txt").write_text("bad.\nabc\n")
    torch.save(good(), files / "model.pt")
    (files / "recipe.toml").write_text('name = "x"\n')
    return {"dir": str(tmp_path / "tiny"), "tmp": str(files)}


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        for path in sorted(folder.rglob("*"))
    }


def run(command: list[str], capsys: Capture, folder: Path) -> int:
    """The exit code of a command: a mistake is one line, and nothing has changed."""
    before = contents(folder)
    code = main(command)
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    if code == 2:
        *assumed, said = captured.err.splitlines()
        assert all(line.startswith("assumed: ") for line in assumed), captured.err
        assert said.endswith(".") and len(said) < 700
        assert contents(folder) == before
    return code


def test_the_options_are_found() -> None:
    assert {command for command, _ in NUMBERS} >= {
        "translate",
        "trace",
        "evaluate",
        "heads",
        "align",
        "import",
    }
    assert set(BASES) == {each.name for each in COMMANDS}


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("command", "option"), NUMBERS)
def test_a_number_that_means_nothing_is_one_line(
    command: str, option: str, places: dict[str, str], tmp_path: Path, capsys: Capture
) -> None:
    strategy = "sample" if option in ("--temperature", "--top-k", "--top-p", "--seed") else "beam"
    base = [part.format(strategy=strategy, **places) for part in BASES[command].split()]
    if option in base:
        place = base.index(option)
        del base[place : place + 2]
    for value in VALUES:
        if (command, option, value) in NEVER_RUN:
            continue
        code = run([*base, f"{option}={value}"], capsys, tmp_path)
        allowed = value in ALLOWED.get((command, option), ())
        assert code == (0 if allowed else 2), (option, value, code)


def test_a_recipe_refuses_steps_beyond_count(tmp_path: Path, capsys: Capture) -> None:
    from core.errors import ConfigError
    from core.training.cli import RECIPES
    from core.training.config import load_config

    with pytest.raises(
        ConfigError, match="max_steps"
    ):  # first, so that nothing begins to train where it is not refused
        load_config(RECIPES / "dates.toml", max_steps=10**30)
    assert main(["train", "dates", "--max-steps", str(10**30), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "out").exists() and not Path("runs").exists()


OUTPUTS = {
    "trace": ("--out", (".txt", ".csv", ".json", ".png")),
    "heads": ("--out", (".txt", ".npz", ".json")),
    "importance": ("--out", (".txt", ".npz", ".json")),
    "align": ("--out", (".npz", ".csv", ".json", ".safetensors")),
    "evaluate": ("--write", (".npz", ".json", ".safetensors", ".csv")),
}


@pytest.mark.parametrize("command", OUTPUTS)
def test_a_file_of_another_format_is_not_overwritten(
    command: str, places: dict[str, str], tmp_path: Path, capsys: Capture
) -> None:
    option, endings = OUTPUTS[command]
    base = [part.format(strategy="greedy", **places) for part in BASES[command].split()]
    if option in base:
        place = base.index(option)
        del base[place : place + 2]
    for ending in endings:
        path = tmp_path / f"mine{ending}"
        path.write_text("mine")
        assert run([*base, option, str(path)], capsys, tmp_path) == 2, ending
        assert path.read_text() == "mine"


def test_gold_writes_a_table(places: dict[str, str], tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "gold.txt").write_text("1-1\n1-1\n")
    base = [part.format(**places) for part in BASES["align"].split()]
    del base[base.index("--head") : base.index("--head") + 2]
    base[base.index("--out") + 1] = str(tmp_path / "t.txt")
    assert run([*base, "--gold", str(tmp_path / "gold.txt")], capsys, tmp_path) == 2


def test_the_bar_of_a_measurement_has_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.console import Console

    from core.training import process

    monkeypatch.setattr(Console, "is_terminal", property(lambda _: True))
    for name in ("heads", "align"):
        reporter = process.Reporter(3, name=name)
        reporter.close()
        assert reporter.bar is not None
        assert [task.description for task in reporter.bar.tasks] == [name]


def test_finishing_a_checkpoint_says_how_far_it_is(stored: Path, tmp_path: Path, capsys: Capture) -> None:
    """Choosing the heads and measuring the atlas took minutes in silence after a training's scores."""
    from core.cli.checkpoint import write_heads

    shutil.copytree(stored, tmp_path / "tiny")
    write_heads(tmp_path / "tiny")
    lines = capsys.readouterr().out.splitlines()
    assert sum("heads that open" in line for line in lines) >= 2
    assert sum("atlas" in line for line in lines) >= 2
