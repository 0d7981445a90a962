"""Untrusted tokenizers: nothing in them ends the process, takes unbounded time or memory, or panics."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import tokenizers

from core.child import MOST_CHILDREN
from core.errors import CheckpointError, InputError
from core.importing.sentencepiece import SentencePieces
from core.importing.sentencepiece import pipeline as pipeline_of_pieces
from core.tokenizer import Tokenizer, pipeline

VOCABULARY = ["<pad>", "<s>", "</s>", "<unk>", "a", "b"]
IDS = {token: number for number, token in enumerate(VOCABULARY)}


def layout(**parts: Any) -> dict[str, Any]:
    model = {"type": "WordLevel", "vocab": IDS, "unk_token": "<unk>"}
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
    decoder = json.loads(json.dumps(normalizer).replace('"normalizers"', '"decoders"'))
    with pytest.raises(CheckpointError, match="times longer"):
        Tokenizer.load(write(tmp_path, decoder={"type": "Sequence", "decoders": [decoder] * 2}))


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


@pytest.mark.parametrize("table", ["AAAA", "////fwAA"])
def test_a_table_cut_short_is_refused_before_the_library_panics(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], table: str
) -> None:
    """A panic writes to stderr itself, which is to hold one sentence."""
    path = write(tmp_path, normalizer={"type": "Precompiled", "precompiled_charsmap": table})
    with pytest.raises(CheckpointError, match="one of its tables is damaged"):
        Tokenizer.load(path)
    assert capfd.readouterr().err == ""


def spelled() -> Tokenizer:
    return Tokenizer.from_vocabulary(VOCABULARY, split="regex", pattern="(a+)+$")


@pytest.mark.sampled(2)
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


SLOW = {"type": "Split", "pattern": {"Regex": r"\w+\w+\d"}, "behavior": "Isolated", "invert": False}
WORDPIECE = {"type": "WordPiece", "unk_token": "<unk>", "continuing_subword_prefix": "##"}


def slow(folder: Path) -> Tokenizer:
    return Tokenizer.load(write(folder, pre_tokenizer=SLOW))


def endless_words(folder: Path) -> Tokenizer:
    model = {**WORDPIECE, "vocab": IDS, "max_input_chars_per_word": 10**9}
    return Tokenizer.load(write(folder, model=model))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("make", "text"), [(slow, "a" * 20_000), (endless_words, "ab" * 100_000)], ids=["pattern", "wordpiece"]
)
def test_a_slow_tokenizer_stops_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], Tokenizer], text: str
) -> None:
    monkeypatch.setattr(pipeline, "SECONDS", 1.0)
    tokenizer, beats = make(tmp_path), [time.monotonic()]

    def read() -> None:
        with pytest.raises(InputError, match="bounded time"):
            tokenizer.encode(text)

    working = threading.Thread(target=read)
    working.start()
    while working.is_alive():
        time.sleep(0.02)
        beats.append(time.monotonic())
    longest = max(later - earlier for earlier, later in pairwise(beats))
    assert longest < 1, f"every other thread stood still for {longest:.1f} s"
    assert beats[-1] - beats[0] < 20
    assert tokenizer.encode("a", eos=False) == [4], "the next text is read by a new child"


def test_a_guarded_tokenizer_gives_what_the_library_gives(tmp_path: Path) -> None:
    plain = {**SLOW, "pattern": {"Regex": r"\s"}, "behavior": "Removed"}
    parts = {"pre_tokenizer": plain, "normalizer": {"type": "Lowercase"}, "decoder": {"type": "Fuse"}}
    path = write(tmp_path, **parts)
    tokenizer, library = Tokenizer.load(path), tokenizers.Tokenizer.from_file(str(path))
    assert isinstance(tokenizer._backend, pipeline.GuardedPipeline)
    text = "a B\ud800 a c"
    assert tokenizer.encode(text, eos=False) == library.encode("a B\ufffd a c", add_special_tokens=False).ids
    assert tokenizer.encode_batch([text, "b"], eos=False) == [tokenizer.encode(text, eos=False), [5]]
    assert tokenizer.decode([4, 5]) == "ab" and tokenizer.normalize("AB") == "ab"
    assert tokenizer.unknown("a Çé") == ["Çé"]
    assert tokenizer.counted(["a a b"]).counts == (0, 0, 0, 0, 2, 1)
    tokenizer.save(tmp_path / "again.json")
    assert Tokenizer.load(tmp_path / "again.json") == tokenizer


def test_what_ships_runs_in_this_process() -> None:
    root = Path(__file__).resolve().parents[3] / "checkpoints"
    shipped = sorted(root.glob("*/*tokenizer.json"))
    assert shipped
    for path in shipped:
        assert isinstance(Tokenizer.load(path)._backend, tokenizers.Tokenizer), path


@pytest.mark.thorough
def test_children_are_few_and_start_again(tmp_path: Path) -> None:
    made = [
        Tokenizer.from_vocabulary([*VOCABULARY, str(n)], "regex", r"\w+") for n in range(MOST_CHILDREN + 2)
    ]
    alive = [each for each in made if each._backend._child._process is not None]  # type: ignore[union-attr]
    assert len(alive) <= MOST_CHILDREN
    assert [each.encode(str(n), eos=False) for n, each in enumerate(made)] == [[6]] * len(made)


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
        pipeline_of_pieces(pieces, "source.spm")


def test_a_tokenizer_that_adds_very_many_tokens_is_refused_before_the_library_reads_it(
    tmp_path: Path,
) -> None:
    added = [{"id": 6 + number, "content": f"t{number}", "special": False} for number in range(20_001)]
    with pytest.raises(CheckpointError, match="adds 20,001 tokens"):
        Tokenizer.load(write(tmp_path, added_tokens=added))
