"""`train --pairs FILE --out DIR` alone: columns, sizes, looks by the clock, and no silent minute."""

from __future__ import annotations

import io
import sys
import time
from pathlib import Path

import pytest
import torch

import core
from core.checkpoints import files
from core.cli.main import main
from core.errors import InputError, TrainingError
from core.training import run
from core.training.cli import SIZES, Columns, by_characters, find_columns, own_recipe
from core.training.data import Pair
from core.training.dynamics import stored_dynamics

WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
FRENCH = ("un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix")
PAIRS = [
    (f"I have {WORDS[a]} {thing} and {WORDS[b]} cats.", f"J'ai {FRENCH[a]} {chose} et {FRENCH[b]} chats.")
    for a in range(10)
    for b in range(10)
    for thing, chose in (("dogs", "chiens"), ("red books", "livres rouges"))
]


def written(path: Path, rows: list[str]) -> Path:
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ([f"{a}\t{b}" for a, b in PAIRS], (0, 1)),
        # As manythings.org and tatoeba.org have them.
        (
            [f"{a}\t{b}\tCC-BY 2.0 (France) Attribution: tatoeba.org #{n}" for n, (a, b) in enumerate(PAIRS)],
            (0, 1),
        ),
        ([f"{n}\teng\t{a}\t{n * 7}\tfra\t{b}" for n, (a, b) in enumerate(PAIRS)], (2, 5)),
        (["target\tid\tsource", *(f"{b}\t{n}\t{a}" for n, (a, b) in enumerate(PAIRS))], (2, 0)),
        ([f"{a}\thttps://x.org/{n}\t{b}" for n, (a, b) in enumerate(PAIRS)], (0, 2)),
        ([f"12/{n % 28 + 1}/2001\t2001-12-{n % 28 + 1:02d}" for n in range(60)], (0, 1)),
    ],
)
def test_the_two_columns_are_found(rows: list[str], columns: tuple[int, int]) -> None:
    found = find_columns([row.split("\t") for row in rows])
    assert (found.source, found.target) == columns


def test_a_csv_file_its_header_and_its_languages_are_read(tmp_path: Path) -> None:
    rows = ["en,fr", *(f'"{a}","{b}"' for a, b in PAIRS), '"empty",""', f'"{PAIRS[0][0]}","{PAIRS[0][1]}"']
    config, lines = own_recipe(written(tmp_path / "mine.csv", rows), tmp_path / "out", tmp_path / "work")
    copy = Path(str(config.data.sources[0].path))
    assert copy.read_text(encoding="utf-8").splitlines() == [f"{a}\t{b}" for a, b in PAIRS]
    assert (config.data.source_language, config.data.target_language) == ("en", "fr")
    assert lines[0] == "mine.csv: 200 pairs from columns 0 and 1; 2 lines without a new pair left out."
    assert lines[1].startswith(f"The first: {PAIRS[0][0]} → {PAIRS[0][1]}")
    named = own_recipe(
        written(tmp_path / "x.de-en.tsv", [f"{a}\t{b}" for a, b in PAIRS]), tmp_path / "o", tmp_path
    )
    assert named[0].data.source_language == "de"


def test_size_and_length_grow_with_the_pairs(tmp_path: Path) -> None:
    chosen = []
    for count in (60, 3_000, 20_000):
        rows = [f"word{n} is number {n}\tmot{n} est le nombre {n}" for n in range(count)]
        config, _ = own_recipe(
            written(tmp_path / f"{count}.tsv", rows), tmp_path / "o", tmp_path / str(count)
        )
        chosen.append((config.tokenizer.vocab_size, config.model["d_model"], config.training.max_steps))
        assert 0 < config.data.sources[0].held_back <= count / 15
    assert chosen == sorted(chosen)
    assert [each.pairs for each in SIZES] == sorted(each.pairs for each in SIZES)
    digits = [(f"{n} {n + 1}", str(n)) for n in range(200)]
    assert by_characters([Pair(*pair) for pair in digits])
    assert not by_characters([Pair(*pair) for pair in PAIRS])


def test_what_is_unclear_is_said_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = written(tmp_path / "one.tsv", [a for a, _ in PAIRS])
    few = written(tmp_path / "few.tsv", [f"{a}\t{b}" for a, b in PAIRS[:5]])
    good = written(tmp_path / "good.tsv", [f"{a}\t{b}" for a, b in PAIRS])
    for file in (one, few):
        with pytest.raises(InputError, match="--columns"):
            own_recipe(file, tmp_path / "o", tmp_path / "w")
    own_recipe(good, tmp_path / "o", tmp_path / "w")
    with pytest.raises(TrainingError, match="run on other pairs"):
        own_recipe(written(good, [f"{a}\t{b}" for a, b in PAIRS[:50]]), tmp_path / "o", tmp_path / "w")
    for arguments, words in (
        (["--pairs", str(good)], "--out DIR"),
        (["--pairs", str(good), "--out", "o", "--columns", "1"], "does not name two columns"),
        (["dates", "--pairs", str(good), "--out", "o"], "stands for a whole recipe"),
        ([], "nothing to train"),
        (["dates", "--columns", "0,1"], "--columns is about"),
    ):
        assert main(["train", *arguments]) == 2
        printed = capsys.readouterr().err
        assert words in printed
        assert printed.count("\n") == 1


def test_one_command_trains_looks_by_the_clock_and_writes_what_the_app_opens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.set_num_threads(1)
    file = written(tmp_path / "mine.en-fr.tsv", [f"{a}\t{b}" for a, b in PAIRS])
    out = tmp_path / "out"
    monkeypatch.setattr(run, "LOOKS_S", (0.0, 1e9))
    monkeypatch.setattr(run, "LINE_S", 0.0)
    opened: list[str] = []
    look = run.look

    def and_open(trainer: object) -> None:
        look(trainer)  # type: ignore[arg-type]
        checkpoint = core.load(out, device="cpu")
        opened.append(checkpoint.card["description"])
        assert (out / files.EXAMPLE).is_file()
        assert checkpoint.card["examples"][0]["source"]

    monkeypatch.setattr(run, "look", and_open)
    arguments = ["--pairs", str(file), "--out", str(out), "--work", str(tmp_path / "w"), "--device", "cpu"]
    assert main(["train", *arguments, "--max-steps", "6"]) == 0
    printed = capsys.readouterr().out
    for words in (
        "200 pairs from columns 0 and 1",
        "Chosen for that many",
        "step 3/6",
        "eta 0:00:0",
        "should be: J'ai",
    ):
        assert words in printed
    assert opened
    assert "Unfinished" in opened[0]
    checkpoint = core.load(out, device="cpu")
    assert "Unfinished" not in checkpoint.card["description"]
    assert checkpoint.config.d_model == SIZES[0].d_model
    assert stored_dynamics(out, checkpoint.config).steps[-1] == 6


def test_a_line_comes_when_nothing_else_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    with run.never_silent(seconds=0.05):
        until = time.monotonic() + 5
        while "still at it" not in stream.getvalue() and time.monotonic() < until:
            time.sleep(0.01)
    said = stream.getvalue()
    assert "still at it" in said
    assert sys.stdout is stream


def test_names_of_columns_give_languages() -> None:
    assert Columns(1, 0, ("en", "de")).languages == ("de", "en")
    assert Columns(0, 1, ("source", "target")).languages == ("", "")
