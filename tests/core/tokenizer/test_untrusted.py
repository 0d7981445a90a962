"""Untrusted tokenizers: nothing in them ends the process, takes unbounded time or memory, or panics."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import CheckpointError, InputError
from core.importing.sentencepiece_file import SentencePieces, pipeline
from core.tokenizer import Tokenizer

VOCABULARY = ["<pad>", "<s>", "</s>", "<unk>", "a", "b"]


def layout(**parts: Any) -> dict[str, Any]:
    vocabulary = {token: place for place, token in enumerate(VOCABULARY)}
    model = {"type": "WordLevel", "vocab": vocabulary, "unk_token": "<unk>"}
    return {"version": "1.0", "added_tokens": [], "model": model, **parts}


def write(folder: Path, **parts: Any) -> Path:
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(layout(**parts)), "utf-8")
    return path


def replace(content: str, **pattern: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": pattern, "content": content}


def sequence(step: dict[str, Any], count: int) -> dict[str, Any]:
    return {"type": "Sequence", "normalizers": [step] * count}


@pytest.mark.parametrize(
    "normalizer",
    [
        sequence(replace("a" * 10, String="a"), 12),
        sequence(sequence(replace("aa", String="a"), 6), 6),
        sequence(replace("xxxx", Regex=""), 8),
        replace("y" * 5000, String="a"),
    ],
)
def test_a_step_that_blows_texts_up_is_refused(tmp_path: Path, normalizer: dict[str, Any]) -> None:
    with pytest.raises(CheckpointError, match="times longer"):
        Tokenizer.load(write(tmp_path, normalizer=normalizer))
    with pytest.raises(CheckpointError, match="times longer"):
        Tokenizer.load(write(tmp_path, decoder={"type": "Sequence", "decoders": [normalizer] * 2}))


def test_ordinary_replacements_are_read(tmp_path: Path) -> None:
    steps = sequence(replace("a", String="b"), 40)
    assert Tokenizer.load(write(tmp_path, normalizer=steps)).encode("b", eos=False) == [4]


def test_padding_to_any_length_is_left_out(tmp_path: Path) -> None:
    padding = {"strategy": {"Fixed": 10**12}, "direction": "Right", "pad_to_multiple_of": None}
    padding |= {"pad_id": 0, "pad_type_id": 0, "pad_token": "<pad>"}
    assert Tokenizer.load(write(tmp_path, padding=padding)).encode("a", eos=False) == [4]


@pytest.mark.parametrize("table", ["AAAA", "AgAAAAAAAAA=", "////fwAA"])
def test_a_damaged_table_of_characters_is_one_sentence(tmp_path: Path, table: str) -> None:
    path = write(tmp_path, normalizer={"type": "Precompiled", "precompiled_charsmap": table})
    with pytest.raises((CheckpointError, InputError), match=r"tokenizer\.json|pattern"):
        Tokenizer.load(path).encode("a b")


def spelled() -> Tokenizer:
    return Tokenizer.from_vocabulary(VOCABULARY, split="regex", pattern="(a+)+$")


@pytest.mark.parametrize(
    "use",
    [
        lambda text: spelled().encode(text),
        lambda text: spelled().encode_batch([text, "a"]),
        lambda text: spelled().counted([text]),
        lambda text: spelled().unknown(text),
    ],
)
def test_a_pattern_with_too_many_ways_to_match_takes_bounded_time(use: Callable[[str], object]) -> None:
    with pytest.raises(InputError, match="simpler pattern"):
        use("a" * 400 + "b")
    assert spelled().encode("aa", eos=False)


def test_a_sentencepiece_of_endless_length_is_refused() -> None:
    pieces = SentencePieces(
        pieces=("<unk>", "a" * 5000),
        scores=(0.0, -1.0),
        kinds=(2, 1),
        model_type=2,
        charsmap=b"",
        dummy_prefix=True,
        squeeze=False,
        byte_fallback=False,
    )
    with pytest.raises(CheckpointError, match="5,000 characters"):
        pipeline(pieces, "source.spm")
