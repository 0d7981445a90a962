"""The list of checkpoints never fails as a whole: what is wrong with a folder is said of that folder."""

from __future__ import annotations

import json
import os
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import AtlasError, CheckpointError
from ui.models import model_card
from ui.session import state
from ui.shared import cache
from ui.shared import checkpoints as listing


def copy(checkpoints: Path, name: str = "other") -> Path:
    return Path(shutil.copytree(checkpoints / "tiny", checkpoints / name))


def header(folder: Path, change: dict[str, Any]) -> None:
    raw = (folder / "model.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    content = json.loads(raw[8 : 8 + length])
    content[next(name for name in content if name != "__metadata__")] |= change
    text = json.dumps(content).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + raw[8 + length :])


def vocabulary(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = folder / "tokenizer.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def half_characters(content: dict[str, Any]) -> None:
    """Every token is half a character, which no page and no file can hold."""
    count = len(content["tokenizer"]["model"]["vocab"])
    content["frame"] = {"before": [], "after": None, "ids": [*range(count)], "tokens": ["\ud800"] * count}


def options(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda folder: header(folder, {"dtype": []}), "declares bytes that do not fit"),
        (lambda folder: header(folder, {"dtype": {"a": 1}}), "declares bytes that do not fit"),
        (lambda folder: options(folder, encoder_layers=0), "encoder_layers is 0"),
        (lambda folder: options(folder, decoder_layers=0), "decoder_layers is 0"),
        (
            lambda folder: vocabulary(folder, lambda c: c["tokenizer"]["model"]["vocab"].update(big=800_000_000)),
            "the id 800,000,000",
        ),
        (
            lambda folder: vocabulary(folder, lambda c: c.update(frame={"before": [10**6], "after": None, "ids": None, "tokens": None})),
            "frame in tokenizer.json",
        ),
        (
            lambda folder: vocabulary(folder, half_characters),
            "frame in tokenizer.json must list ids",
        ),
        (lambda folder: (folder / "card.json").write_text("[" * 200), "not a readable JSON file"),
        (lambda folder: (folder / "tokenizer.json").write_text("[" + "[]," * 6_000_000 + "0]"), "lists and objects"),
        (lambda folder: (folder / "config.json").write_text("{"), "config.json"),
        (lambda folder: (folder / "tokenizer.json").write_text("[]"), "tokenizer.json"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"\x00" * 40), "model.safetensors"),
        *((lambda folder, name=name: (folder / name).unlink(), name.partition(".")[0])
          for name in ("config.json", "tokenizer.json", "model.safetensors")),
    ],
)  # fmt: skip
def test_a_damaged_folder_is_one_sentence_of_its_own(
    checkpoints: Path, damage: Callable[[Path], object], said: str
) -> None:
    damage(copy(checkpoints))
    fine, broken = listing.entries()
    assert (fine.name, fine.problem) == ("tiny", "")
    assert broken.name == "other" and said in broken.problem
    assert str(checkpoints) not in broken.problem and len(broken.problem) <= 400
    assert listing.find("other") == (fine, f"other: {broken.problem} tiny is shown instead.")
    with pytest.raises(AtlasError):
        _ = broken.config


def test_any_exception_belongs_to_its_folder(checkpoints: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy(checkpoints)
    read = listing.read_summary

    def failing(path: Path) -> Any:
        if path.name == "other":
            raise ZeroDivisionError("nobody thought of this")
        return read(path)

    monkeypatch.setattr(listing, "read_summary", failing)
    assert [(each.name, each.problem) for each in listing.entries()] == [
        ("tiny", ""),
        ("other", "other cannot be read (ZeroDivisionError); copy the checkpoint's folder again."),
    ]


def test_a_name_that_is_no_utf8_is_shown_and_linked(checkpoints: Path) -> None:
    copy(checkpoints).rename(os.fsdecode(os.fsencode(checkpoints) + b"/caf\xe9 model"))
    names = [each.name for each in listing.entries()]
    assert names == ["caf\ufffd model", "tiny"]
    assert listing.find(names[0]) == (listing.entries()[0], "")
    selection, mistakes = state.parse({"checkpoint": names[0]})
    assert (selection.checkpoint, mistakes) == (names[0], ())


@pytest.mark.parametrize("root", ["~nosuchuser/x", "/tmp/" + "x" * 5000, "/proc/self/mem/x"])
def test_a_root_that_cannot_be_read_is_a_line_of_the_list(
    checkpoints: Path, monkeypatch: pytest.MonkeyPatch, root: str
) -> None:
    monkeypatch.setenv(listing.EXTRA, root)
    listed = listing.entries()
    assert listed[0].name == "tiny" and not listed[0].problem
    assert all("cannot be read" in each.problem and "/tmp" not in each.problem for each in listed[1:])
    assert listing.find("")[0].name == "tiny"


def test_a_root_without_rights_is_a_line_of_the_list(
    checkpoints: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "locked").mkdir()
    monkeypatch.setenv(listing.EXTRA, str(tmp_path / "locked"))
    scan = os.scandir

    def scandir(path: Any) -> Any:
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)
    fine, locked = listing.entries()
    assert fine.name == "tiny"
    assert locked.problem.startswith("The folder of checkpoints locked cannot be read (Permission denied)")


def test_every_one_of_many_folders_is_read_once_and_few_tokenizers_are_kept(
    checkpoints: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(80):
        copy(checkpoints, f"copy {number}")
    reads: list[str] = []
    read = listing.read_entry

    def counted(path: Path, stamp: str) -> listing.Entry:
        reads.append(path.name)
        return read(path, stamp)

    monkeypatch.setattr(listing, "read_entry", counted)
    first, second = listing.entries(), listing.entries()
    assert first == second and len(reads) == len(first) == 81
    assert len(cache.TOKENIZERS) <= 24
    assert first[0].tokenizers == first[-1].tokenizers


def test_a_link_that_leads_to_itself_leaves_the_others_in_the_list(checkpoints: Path) -> None:
    (checkpoints / "loop").symlink_to("loop")
    assert [(each.name, each.problem) for each in listing.entries()] == [("tiny", "")]


def test_a_card_can_say_anything(checkpoints: Path) -> None:
    card = (
        '{"name": "a\\ud800b", "source_language": "![x](http://e.org/p)", "target_language": "\\udfff",'
        ' "examples": [{"source": "x\\ud800y"}], "figures": {"quality": {"\\ud800": {"bleu": 1e400,'
        ' "chrf": 1' + "0" * 400 + ', "exact": 50, "beam": 1e400, "sentences": 1' + "0" * 400 + "}}}}"
    )
    (checkpoints / "tiny" / "card.json").write_text(card)
    (only,) = listing.entries()
    assert model_card.title(only) == "a\ufffdb" and only.examples == ("x\ufffdy",)
    assert only.languages == "![x](http://e.org/p) → \ufffd"
    heads, rows = model_card.scores(only)
    assert heads == ("measured on", "Exact match") and rows == [("\ufffd", "50.0 %")]


def test_without_any_usable_folder_the_first_problem_is_told(checkpoints: Path) -> None:
    header(checkpoints / "tiny", {"dtype": []})
    with pytest.raises(CheckpointError, match="declares bytes"):
        listing.find("tiny")
