"""Broken checkpoint folders: each is told apart in one sentence, before anything large is allocated."""

from __future__ import annotations

import json
import os
import shutil
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from core.api import load
from core.checkpoints.bundle import save
from core.checkpoints.files import MAX_HEADER_BYTES
from core.checkpoints.summary import read_summary
from core.errors import AtlasError, CheckpointError
from core.model.config import ModelConfig
from core.model.transformer import Transformer
from core.tokenizer import Tokenizer

TOKENIZER = Tokenizer.from_vocabulary(["<pad>", "<s>", "</s>", "<unk>", *"abcdefgh "])
SMALLER = Tokenizer.from_vocabulary(["<pad>", "<s>", "</s>", "<unk>", "a"])
WEIGHTS = "model.safetensors"
CONFIG = ModelConfig(
    source_vocab_size=13,
    target_vocab_size=13,
    d_model=8,
    d_ff=16,
    heads=2,
    encoder_layers=1,
    decoder_layers=1,
)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound") / "ck"
    torch.manual_seed(0)
    save(folder, Transformer(CONFIG), TOKENIZER, TOKENIZER, {"title": "x"}, dtype="float32")
    return folder


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Path:
    shutil.copytree(sound, tmp_path / "ck")
    return tmp_path / "ck"


def weights(change: Callable[[dict[str, torch.Tensor]], object]) -> Callable[[Path], None]:
    """Rewrites the weights file with `change` made to its tensors."""

    def breaking(folder: Path) -> None:
        tensors = load_file(folder / WEIGHTS)
        change(tensors)
        save_file(tensors, folder / WEIGHTS)

    return breaking


def header(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    """Rewrites the header of the weights file, leaving the bytes of the tensors alone."""

    def breaking(folder: Path) -> None:
        raw = (folder / WEIGHTS).read_bytes()
        (length,) = struct.unpack("<Q", raw[:8])
        content = json.loads(raw[8 : 8 + length])
        content = change(content) or content
        text = json.dumps(content).encode()
        (folder / WEIGHTS).write_bytes(struct.pack("<Q", len(text)) + text + raw[8 + length :])

    return breaking


def config(**changes: object) -> Callable[[Path], None]:
    def breaking(folder: Path) -> None:
        content = json.loads((folder / "config.json").read_text())
        content.update(changes)
        (folder / "config.json").write_text(json.dumps(content))

    return breaking


def without(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def written(name: str, content: str | bytes) -> Callable[[Path], object]:
    data = content.encode() if isinstance(content, str) else content
    return lambda folder: (folder / name).write_bytes(data)


def first(tensors: dict[str, Any]) -> str:
    return min(name for name in tensors if name != "__metadata__")


def fill(value: float) -> Callable[[dict[str, torch.Tensor]], None]:
    def change(tensors: dict[str, torch.Tensor]) -> None:
        tensors[first(tensors)].view(-1)[0] = value

    return change


def reshaped(tensors: dict[str, torch.Tensor]) -> None:
    tensors["source_embedding.table"] = tensors["source_embedding.table"].T.contiguous()


def retyped(tensors: dict[str, torch.Tensor]) -> None:
    tensors["source_embedding.table"] = tensors["source_embedding.table"].long()


def truncated(folder: Path) -> None:
    path = folder / WEIGHTS
    os.truncate(path, path.stat().st_size - 100)


def trailing(folder: Path) -> None:
    with (folder / WEIGHTS).open("ab") as file:
        file.write(b"more")


def huge(content: dict[str, Any]) -> None:
    entry = content[first(content)]
    entry["shape"] = [10**9, 10**9]
    entry["data_offsets"] = [0, 4 * 10**18]


def nothing(*shape: int) -> dict[str, Any]:
    """A tensor of no bytes, whose sizes have to be multiplied all the same."""
    return {"dtype": "F32", "shape": list(shape), "data_offsets": [0, 0]}


def link_out(folder: Path) -> None:
    secret = folder.parent / "secret.json"
    secret.write_text('{"password": "hidden"}')
    (folder / "card.json").unlink()
    (folder / "card.json").symlink_to(secret)


def link_to_itself(folder: Path) -> None:
    (folder / "card.json").unlink()
    (folder / "card.json").symlink_to("card.json")


def pipe(folder: Path) -> None:
    (folder / "card.json").unlink()
    os.mkfifo(folder / "card.json")


def inner_folder(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    (folder / WEIGHTS).mkdir()


def second_tokenizer(folder: Path) -> None:
    shutil.copy(folder / "tokenizer.json", folder / "source_tokenizer.json")


def half_a_pair(folder: Path) -> None:
    (folder / "tokenizer.json").rename(folder / "source_tokenizer.json")


def other_ids(folder: Path) -> None:
    content = json.loads((folder / "tokenizer.json").read_text())
    content["specials"]["eos"] = 4
    (folder / "tokenizer.json").write_text(json.dumps(content))


ALMOST = 900 if sys.version_info < (3, 12) else 1500
"""Lists in lists that the library parses and a copy cannot follow; since Python 3.12 a comprehension takes one frame less."""
BREAKS: dict[str, tuple[Callable[[Path], object], str]] = {
    "no weights": (without(WEIGHTS), "model.safetensors is missing"),
    "no config": (without("config.json"), "config.json is missing"),
    "no card": (without("card.json"), "card.json is missing"),
    "no tokenizer": (without("tokenizer.json"), "tokenizer.json is missing; put the tokenizer"),
    "half a pair of tokenizers": (half_a_pair, "target_tokenizer.json is missing"),
    "two kinds of tokenizers": (second_tokenizer, "holds both tokenizer.json and source_tokenizer.json"),
    "truncated weights": (truncated, "is damaged"),
    "bytes after the weights": (trailing, "is damaged"),
    "empty weights": (written(WEIGHTS, b""), "is damaged"),
    "text for weights": (written(WEIGHTS, "hello, I am a model" * 9), "is damaged"),
    "a pickle for weights": (written(WEIGHTS, b"\x80\x04\x95" + bytes(60)), "is damaged"),
    "a folder for weights": (inner_folder, "missing or not a file"),
    "huge header": (written(WEIGHTS, struct.pack("<Q", 2**60) + b"{}"), "header is longer"),
    "more header than is read": (
        written(WEIGHTS, struct.pack("<Q", MAX_HEADER_BYTES + 1) + b"{}".ljust(MAX_HEADER_BYTES + 1)),
        "header has 4,194,305 bytes, and at most 4,194,304 are read",
    ),
    "as much header as is read": (
        written(WEIGHTS, struct.pack("<Q", MAX_HEADER_BYTES) + b"{}".ljust(MAX_HEADER_BYTES)),
        "lacks source_embedding.table",
    ),
    "header no JSON": (written(WEIGHTS, struct.pack("<Q", 4) + b"nope"), "not a JSON object"),
    "header no object": (written(WEIGHTS, struct.pack("<Q", 2) + b"[]"), "not a JSON object"),
    "header not UTF-8": (written(WEIGHTS, struct.pack("<Q", 4) + b"{\xff\xfe}"), "not a JSON object"),
    "header too deep": (
        written(WEIGHTS, struct.pack("<Q", 200_005) + b'{"a":' + b"[" * 200_000),
        "not a JSON object",
    ),
    "huge declared tensor": (header(huge), "is damaged"),
    "tensor without offsets": (header(lambda h: h[first(h)].pop("data_offsets") and None), "is damaged"),
    "offsets backwards": (
        header(lambda h: h[first(h)].update(data_offsets=h[first(h)]["data_offsets"][::-1])),
        "is damaged",
    ),
    "a word for a shape": (header(lambda h: h[first(h)].update(shape="big")), "is damaged"),
    "negative shape": (header(lambda h: h[first(h)].update(shape=[-1])), "is damaged"),
    "a size beyond every file": (header(lambda h: h.update(empty=nothing(2**63, 0))), "is damaged"),
    "more dimensions than a tensor has": (
        header(lambda h: h.update(empty=nothing(*[3] * 99, 0))),
        "is damaged",
    ),
    "unknown stored type": (header(lambda h: h[first(h)].update(dtype="F999")), "is damaged"),
    "overlapping tensors": (header(lambda h: h[first(h)].update(h[sorted(h)[-1]])), "model.safetensors"),
    "NaN": (weights(fill(float("nan"))), "NaN or infinity"),
    "infinity": (weights(fill(float("inf"))), "NaN or infinity"),
    "wrong shape": (
        weights(reshaped),
        "source_embedding.table has shape (8, 13) but config.json asks for (13, 8)",
    ),
    "wrong dtype": (
        weights(retyped),
        "source_embedding.table is stored as I64; store it as one of F16, BF16, F32",
    ),
    "missing tensor": (weights(lambda t: t.pop("source_embedding.table")), "lacks source_embedding.table"),
    "extra tensor": (
        weights(lambda t: t.update(extra=torch.zeros(2))),
        "holds extra, which the model does not have;",
    ),
    "many extra tensors": (
        weights(lambda t: t.update({f"extra{i}": torch.zeros(1) for i in range(9)})),
        "extra0, extra1, extra2 and 6 more",
    ),
    "more layers in the config": (config(decoder_layers=2), "lacks decoder_layers.1"),
    "config nonsense": (config(heads=3), "d_model 8 does not divide into 3 heads"),
    "config of another type": (config(d_model="wide"), "'wide'"),
    "config too large": (config(encoder_layers=10**9), "encoder_layers"),
    "config with unknown options": (config(colour="blue"), "colour"),
    "config not JSON": (written("config.json", "{'a': 1}"), "config.json is not a readable JSON"),
    "config a list": (written("config.json", "[]"), "not a list"),
    "config not text": (written("config.json", b"\xff\xfe\x00"), "not a readable JSON"),
    "card not an object": (written("card.json", '"a card"'), "card.json must hold a JSON object, not a str"),
    "card too large": (written("card.json", json.dumps({"a": "b" * 2**21})), "at most 1,048,576"),
    "card with too many values": (
        written("card.json", json.dumps({"probe_sentences": ["a"] * 40_000})),
        "at most 30,000 are read",
    ),
    "card too deep": (written("card.json", '{"a":' + "[" * 100_000), "card.json"),
    "card almost too deep": (
        written("card.json", '{"a":' + "[" * ALMOST + "]" * ALMOST + "}"),
        "nests its objects too",
    ),
    "card with NaN": (written("card.json", '{"bleu": NaN}'), "NaN is not a JSON number"),
    "link out of the folder": (link_out, "leads out of the folder"),
    "link to itself": (link_to_itself, "card.json"),
    "a pipe": (pipe, "missing or not a file"),
    "tokenizer nonsense": (written("tokenizer.json", "{}"), "holds no tokenizer"),
    "tokenizer too small": (
        lambda folder: SMALLER.save(folder / "tokenizer.json"),
        "tokenizer has 5 tokens but the model 13",
    ),
    "tokenizer with other ids": (other_ids, "end token is 4 in the tokenizer but 2 in config.json"),
}


def told(call: Callable[[], object], says: str) -> None:
    with pytest.raises(CheckpointError) as caught:
        call()
    message = str(caught.value)
    assert says in message
    assert "\n" not in message
    assert len(message) < 1000
    assert "hidden" not in message


@pytest.mark.parametrize("name", BREAKS)
def test_each_break_is_told_in_one_sentence(name: str, folder: Path) -> None:
    breaking, says = BREAKS[name]
    load(folder, device="cpu")
    breaking(folder)
    told(lambda: load(folder, device="cpu"), says)


@pytest.mark.parametrize(
    "name", [name for name in BREAKS if "weights" in name or "config" in name or "card" in name]
)
def test_the_summary_tells_it_too_or_has_no_need_to(name: str, folder: Path) -> None:
    BREAKS[name][0](folder)
    message = ""
    try:
        read_summary(folder)
    except CheckpointError as error:
        message = str(error)
    assert "\n" not in message


@pytest.mark.parametrize("path", ["/no/such/folder", "", " ", "nul\0byte", "x" * 5000, "~nobody-at-all/ck"])
def test_no_folder(path: str) -> None:
    for read in (load, read_summary):
        told(lambda read=read: read(path), "there is no checkpoint folder")  # type: ignore[misc]


def test_a_file_instead_of_a_folder(folder: Path) -> None:
    told(lambda: load(folder / WEIGHTS), "is a file; give the checkpoint’s folder")


def test_a_folder_reached_through_a_link_is_fine(folder: Path) -> None:
    link = folder.parent / "link"
    link.symlink_to(folder, target_is_directory=True)
    assert load(link, device="cpu").card == {"title": "x"}
    (folder / "real.json").write_text('{"title": "inside"}')
    (folder / "card.json").unlink()
    (folder / "card.json").symlink_to("real.json")  # a link that stays in the folder
    assert load(link, device="cpu").card == {"title": "inside"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read(folder: Path) -> None:
    (folder / "config.json").chmod(0)
    told(lambda: load(folder, device="cpu"), "config.json")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_random_damage_never_ends_in_a_traceback(data: st.DataObject, sound: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.rmtree(broken, ignore_errors=True)
    shutil.copytree(sound, broken)
    name = data.draw(st.sampled_from(sorted(entry.name for entry in sound.iterdir())))
    raw = bytearray((broken / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 8))):
        raw[data.draw(st.integers(0, min(len(raw), 3000) - 1))] = data.draw(st.integers(0, 255))
    (broken / name).write_bytes(
        bytes(raw[: data.draw(st.integers(0, len(raw)))] if data.draw(st.booleans()) else raw)
    )
    message = ""
    try:
        load(broken, device="cpu")
    except AtlasError as error:
        message = str(error)
    assert "\n" not in message
