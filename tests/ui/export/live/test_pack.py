"""A checkpoint as one file: small enough for a page, the same each time, and refused in a sentence where it does not fit."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
import tokenizers
import torch

import core
from core.checkpoints.bundle import Bundle
from core.errors import InputError
from core.model.config import ModelConfig
from core.model.transformer import Transformer
from core.tokenizer import Tokenizer
from ui.export.live import pack as packing
from ui.export.live.pack import pack, tokenizer_layout

DATES = Path(__file__).parents[4] / "checkpoints" / "dates"


def checkpoint(**options: object) -> Bundle:
    tokenizer = Tokenizer.from_vocabulary(["<pad>", "<s>", "</s>", "<unk>", *"abc"], split="chars")
    config = ModelConfig(
        source_vocab_size=7, target_vocab_size=7, d_model=8, heads=2, d_ff=8, max_length=12, **options
    )
    return Bundle(Transformer(config).eval().requires_grad_(False), tokenizer, tokenizer)


def header(content: bytes) -> dict[str, object]:
    length, _ = struct.unpack("<II", content[8:16])
    written: dict[str, object] = json.loads(content[16 : 16 + length])
    return written


def test_the_same_checkpoint_gives_the_same_bytes() -> None:
    loaded = core.load(DATES, "cpu")
    first = pack(loaded, ["3 May 1979"], "dates")
    assert first == pack(core.load(DATES, "cpu"), ["3 May 1979"], "dates")
    assert header(first)["examples"] == ["3 May 1979"]
    assert len(first) * 4 / 3 < 1.5e6


def test_every_weight_is_there_once_and_every_name() -> None:
    made = checkpoint()
    content = pack(made)
    written = header(content)
    names = dict(made.model.named_parameters(remove_duplicate=False))
    assert set(written["tensors"]) == set(names)  # type: ignore[call-overload]
    assert written["halves"] <= sum(p.numel() for p in made.model.parameters())  # type: ignore[operator]
    tensors: dict[str, dict[str, object]] = written["tensors"]  # type: ignore[assignment]
    assert tensors["source_embedding.table"] == tensors["target_embedding.table"]
    planes = np.frombuffer(content, dtype=np.uint8)[-2 * written["halves"] :].reshape(2, -1)  # type: ignore[operator]
    numbers = np.ascontiguousarray(planes.T).view("<f2").ravel()
    for name, parameter in names.items():
        start = tensors[name]["at"]
        stored = numbers[start : start + parameter.numel()].reshape(parameter.shape)  # type: ignore[operator]
        assert np.array_equal(stored, parameter.numpy().astype(np.float16)), name


def test_a_weight_beyond_float16_is_refused() -> None:
    made = checkpoint()
    with torch.no_grad():
        made.model.encoder_layers[0].feed_forward.up_proj.weight[0, 0] = 1e6  # type: ignore[union-attr,index]
    with pytest.raises(
        InputError, match=r"^The weights encoder_layers\.0\.feed_forward.* reach 1e\+06, beyond"
    ):
        pack(made)


def test_a_model_too_large_for_a_page_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "MOST_NUMBERS", 100)
    with pytest.raises(InputError, match="weights; a page holds at most 100, so choose a smaller model"):
        pack(checkpoint())
    monkeypatch.undo()
    monkeypatch.setattr(packing, "MOST_TABLE_BYTES", 100)
    with pytest.raises(InputError, match="tables of positions"):
        pack(checkpoint())


def test_a_pattern_of_anybodys_is_refused() -> None:
    words = Tokenizer.from_vocabulary(
        ["<pad>", "<s>", "</s>", "<unk>", "a", "b", "c"], "regex", r"\w+\w+\d|."
    )
    made = checkpoint()
    with pytest.raises(InputError, match="pattern of its own"):
        pack(Bundle(made.model, words, words))


def test_a_step_that_a_page_does_not_run_exactly_is_refused(tmp_path: Path) -> None:
    backend = tokenizers.Tokenizer(tokenizers.models.WordLevel({"<pad>": 0, "</s>": 1, "<unk>": 2}, "<unk>"))
    backend.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [tokenizers.pre_tokenizers.WhitespaceSplit(), tokenizers.pre_tokenizers.Digits()]
    )
    path = tmp_path / "tokenizer.json"
    path.write_text(backend.to_str())
    with pytest.raises(InputError, match=r"has the step Digits, which a page cannot run exactly"):
        tokenizer_layout(Tokenizer.load(path))
