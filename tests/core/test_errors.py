"""Every message for a person is one line of bounded length, however large what was given was."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.checkpoints.files import read_header
from core.cli.main import main
from core.errors import LONGEST, AtlasError, CheckpointError, ConfigError, InputError, TrainingError
from core.files import parse_toml
from core.importing.rules import read_layout
from core.tokenizer import Tokenizer
from core.training.config import load_config

LONG = "x" * 300_000
MANY_DIGITS = ("9" * 5000, "0x" + "f" * 5000, "0b" + "1" * 70)


@pytest.mark.parametrize("kind", [AtlasError, ConfigError, InputError, CheckpointError, TrainingError])
def test_a_message_keeps_its_beginning_and_its_end(kind: type[AtlasError]) -> None:
    said = str(kind(f"The value {LONG}\nis too long; give a shorter one."))
    assert len(said) <= LONGEST and "\n" not in said
    assert said.startswith("The value xxx") and said.endswith("is too long; give a shorter one.")
    assert str(kind("Short; as it is.")) == "Short; as it is."


@pytest.mark.parametrize(
    "arguments",
    [
        ["translate", "a", "--checkpoint", LONG],
        ["translate", "a", "--checkpoint", f"/tmp/{LONG}"],
        ["translate", "a", "--beam", LONG],
        ["train", LONG],
        [LONG],
    ],
)
def test_the_command_line_says_one_short_line(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert 0 < len(said) <= LONGEST + 1 and said.count("\n") == 1


def _tokenizer(folder: Path, **changes: object) -> Path:
    path = folder / "tokenizer.json"
    path.write_text(json.dumps({"model": {"type": "WordLevel", "vocab": {"a": 0}}, **changes}), "utf-8")
    return path


@pytest.mark.parametrize(
    "make",
    [
        lambda folder: Tokenizer.load(_tokenizer(folder, format=LONG)),
        lambda folder: Tokenizer.load(
            _tokenizer(folder, format="attention-atlas-tokenizer/1", tokenizer=LONG)
        ),
        lambda folder: load_config(_toml(folder, f'steps = "{LONG}"')),
        lambda folder: load_config(_toml(folder, f"{LONG} = 1")),
        lambda folder: read_layout(_toml(folder, f'layout = "{LONG}"')),
    ],
)
def test_what_a_file_holds_does_not_lengthen_its_error(
    tmp_path: Path, make: Callable[[Path], object]
) -> None:
    with pytest.raises(AtlasError) as refused:
        make(tmp_path)
    assert len(str(refused.value)) <= LONGEST


def _toml(folder: Path, text: str) -> Path:
    path = folder / "a.toml"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("number", MANY_DIGITS)
def test_a_number_of_thousands_of_digits_is_one_sentence(tmp_path: Path, number: str) -> None:
    with pytest.raises(ValueError, match="digits"):
        parse_toml(f"a = [{{ b = {number} }}]")
    with pytest.raises(ConfigError):
        load_config(_toml(tmp_path, f"steps = {number}"))
    with pytest.raises(CheckpointError):
        read_layout(_toml(tmp_path, f"heads = {number}"))


def test_toml_that_is_none_is_a_value_error() -> None:
    for text in ("a = ", "a = " + "[" * 5000, "a = 1\na = 2", "\x00"):
        with pytest.raises(ValueError, match=r".") as refused:
            parse_toml(text)
        assert len(str(refused.value)) <= 120
    assert parse_toml("a = 9223372036854775807\nb = [{ c = -1.5 }]") == {"a": 2**63 - 1, "b": [{"c": -1.5}]}


HEADER = """
import resource, sys
from pathlib import Path
from core.checkpoints.files import read_header
from core.errors import CheckpointError
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    read_header(Path(sys.argv[1]))
except CheckpointError:
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1000)
"""


@pytest.mark.parametrize(
    "text", [b'{"a": [' + b"[]," * 5_000_000 + b"[]]}", b'{"a": [' + b"1," * 7_000_000 + b"1]}"]
)
def test_a_header_of_a_great_many_parts_takes_little_memory(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text)
    done = subprocess.run(
        [sys.executable, "-c", HEADER, str(path)], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 100, "MB"


def test_a_header_of_thirty_thousand_tensors_is_read(tmp_path: Path) -> None:
    rows = {
        f"t{n}": {"dtype": "F32", "shape": [1], "data_offsets": [4 * n, 4 * n + 4]} for n in range(30_000)
    }
    text = json.dumps(rows).encode()
    path = tmp_path / "model.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(120_000))
    assert len(read_header(path)) == 30_000
