"""No step of somebody else's tokenizer makes a short text fill the memory: growth is bounded, or runs in a limited child."""

from __future__ import annotations

import base64
import json
import random
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from tokenizers import normalizers

from core.errors import AtlasError, CheckpointError, InputError
from core.importing.sentencepiece import SentencePieces
from core.importing.sentencepiece import pipeline as spelled
from core.tokenizer import Tokenizer, untrusted
from core.tokenizer.pipeline import ENDLESS, GuardedPipeline, rust_panic_as
from core.tokenizer.untrusted import pipeline
from tests.core.tokenizer.test_untrusted import IDS, layout

ROOT = Path(__file__).resolve().parents[3]


def table(text: bytes) -> bytes:
    """SentencePiece's table of characters that writes `text` for every "a": a double-array trie with one key."""
    units = [0] * 512
    units[0] = 256 << 10  # the root's children
    units[256 ^ ord("a")] = ((256 ^ ord("a") ^ 384) << 10) | (1 << 8) | ord("a")  # "a", which ends a key
    units[384] = (1 << 31) | 0  # its value: where its text begins
    return struct.pack("<I512I", 2048, *units) + text + b"\0"


def charsmap(text: bytes) -> dict[str, Any]:
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(table(text)).decode()}


def many(kind: str, step: dict[str, Any], count: int) -> dict[str, Any]:
    return {"type": "Sequence", kind: [step] * count}


BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
A = {"Sequence": {"id": "A", "type_id": 0}}
B = {"Sequence": {"id": "B", "type_id": 0}}
ADDED = {
    "id": 6,
    "single_word": False,
    "lstrip": False,
    "rstrip": False,
    "normalized": True,
    "special": False,
}
SWAP = {"type": "Replace", "pattern": {"String": "a"}, "content": "x" * 900}
UNIGRAM = [*([token, 0.0] for token in IDS), ["a" * 900, -1.0]]
ATTACKS: dict[str, tuple[dict[str, Any], str]] = {
    "table": (layout(normalizer=charsmap(b"x" * 30_000)), "a" * 1900),
    "prepend": (layout(normalizer=many("normalizers", {"type": "Prepend", "prepend": "x" * 10**6}, 20)), "a"),
    "bytes": (layout(pre_tokenizer=many("pretokenizers", BYTES, 24)), "é" * 50),
    "template": (
        layout(
            pre_tokenizer={"type": "WhitespaceSplit"},
            post_processor={"type": "TemplateProcessing", "single": [A] * 100_000, "pair": [A, B], "special_tokens": {}},
        ),
        "a " * 1000,
    ),
    "added": (layout(normalizer=SWAP, added_tokens=[{**ADDED, "content": "a" * 900}] * 2000), "a"),
    "long added": (layout(normalizer=SWAP, added_tokens=[{**ADDED, "content": "a" * 3_000_000}]), "a"),
    "affix": (
        layout(model={"type": "BPE", "vocab": IDS, "merges": [], "unk_token": "<unk>", "continuing_subword_prefix": "#" * 10**7}),
        "a" * 2000,
    ),
    "pieces": (layout(model={"type": "Unigram", "vocab": UNIGRAM, "unk_id": 3}), "a" * 20_000),
    "unknown kind": (layout(normalizer={"type": "Tomorrows"}), "a"),
}  # fmt: skip

READ = """
import resource, sys
from core.errors import AtlasError
from core.tokenizer import Tokenizer
resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30,) * 2)
resource.setrlimit(resource.RLIMIT_CPU, (60,) * 2)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    Tokenizer.load(sys.argv[1]).encode(sys.argv[2])
except AtlasError as error:
    assert 0 < len(str(error)) <= 300 and "\\n" not in str(error), str(error)[:400]
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1000)
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_takes_little_of_the_process_that_reads_it(tmp_path: Path, attack: str) -> None:
    """In a process of its own with limits: the library aborts the whole process when memory ends."""
    content, text = ATTACKS[attack]
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(content), "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path), text], capture_output=True, text=True, cwd=ROOT, timeout=240
    )
    assert done.returncode == 0, done.stderr[-400:]
    assert int(done.stdout) < 40 + 12 * path.stat().st_size / 1e6, "MB that reading it took"


def test_a_sentencepiece_table_is_bounded_too() -> None:
    model = SentencePieces(("<unk>", "a"), (0.0, -1.0), (2, 1), 1, table(b"x" * 30_000), True, False, False)
    with pytest.raises(CheckpointError, match="30,000"):
        spelled(model, "source.spm")


PLAIN = [
    layout(normalizer={"type": "Sequence", "normalizers": [charsmap(b"x" * 18), {"type": "Strip", "strip_left": False, "strip_right": True},
        {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"}]},
        pre_tokenizer={"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}),
    layout(normalizer={"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True},
        pre_tokenizer={"type": "BertPreTokenizer"}, decoder={"type": "WordPiece", "prefix": "##", "cleanup": True}),
    layout(pre_tokenizer={**BYTES, "add_prefix_space": True, "use_regex": True}, decoder=BYTES),
    layout(normalizer={"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"},
        {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
        decoder={"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"},
            {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}),
]  # fmt: skip


@pytest.mark.parametrize("content", PLAIN, ids=["t5", "bert", "gpt2", "llama"])
def test_the_layouts_of_known_models_need_no_child(content: dict[str, Any]) -> None:
    assert isinstance(pipeline(content, "tokenizer.json"), tokenizers.Tokenizer)


@pytest.mark.thorough
def test_unicode_forms_grow_no_character_more_than_is_counted() -> None:
    letters = [chr(code) for code in range(1, 0x110000) if not 0xD800 <= code < 0xE000]
    everything = [
        "Lowercase",
        "NFKC",
        "NFKD",
        "Lowercase",
        "NFKD",
    ]  # what it leaves alone, each of the others does
    for run in (everything, ["NFC"], ["NFD"], ["Lowercase"], ["Lowercase", "NFC", "NFD", "Lowercase", "NFD"], ["NFKD"]):  # fmt: skip
        steps = normalizers.Sequence([getattr(normalizers, kind)() for kind in run])
        if run is everything:
            letters = [letter for letter in letters if steps.normalize_str(letter) != letter]
        most = max(len(steps.normalize_str(letter)) for letter in letters)
        assert most <= untrusted.normalizer_growth({"type": "Sequence", "normalizers": [{"type": kind} for kind in run]})  # fmt: skip


STEPS = [
    *({"type": kind} for kind in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel")),
    {"type": "Prepend", "prepend": "ﷺ "},
    {"type": "Replace", "pattern": {"String": "ab"}, "content": "aﷺb"},
    {"type": "Replace", "pattern": {"Regex": ""}, "content": "a漢"},
    {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": "  İ"},
    {"type": "Strip", "strip_left": True, "strip_right": True},
    {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True},
    charsmap("ﷺ漢 ".encode()),
]  # fmt: skip


def test_random_normalisers_grow_texts_no_more_than_is_counted() -> None:
    chance, most = random.Random(3), 0.0
    for _ in range(400):
        steps = {"type": "Sequence", "normalizers": chance.choices(STEPS, k=chance.randrange(1, 4))}
        text = "".join(chance.choices("ab ﷺ漢İé\u0344ᾯ", k=chance.randrange(1, 12)))
        library = tokenizers.Tokenizer.from_str(json.dumps(layout(normalizer=steps)))
        try:
            with rust_panic_as(InputError, ENDLESS):
                made = len(library.normalizer.normalize_str(text)) / len(text)
        except InputError:  # the library panics over some sequences of its own steps
            continue
        assert made <= untrusted.normalizer_growth(steps), (steps, text)
        most = max(most, made)
    assert most > 10, "the cases grow texts"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("length", [99, 900])
def test_a_text_that_grows_very_long_is_refused_before_it_is_split(tmp_path: Path, length: int) -> None:
    # 99 stays in this process, where three such texts took 2.2 GB; 900 runs in the child.
    swap = {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * length}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(layout(normalizer=swap)), "utf-8")
    tokenizer = Tokenizer.load(path)
    assert isinstance(tokenizer._backend, GuardedPipeline) == (length > untrusted.IN_PROCESS_GROWTH)
    with pytest.raises(
        InputError, match=f"makes {20_000 * length:,} characters of 20,000, and at most 200,000"
    ):
        tokenizer.read("a" * 20_000, 64)
    assert len(tokenizer.encode("b" * 20_000)) > 1, "a long text that does not grow is read"
    with pytest.raises(InputError, match="at most 200,000"):
        tokenizer.encode_batch(["a", "a" * 20_000])


def test_many_tokens_that_a_decoder_lengthens_are_refused(tmp_path: Path) -> None:
    swap = {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 99}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(layout(decoder=swap)), "utf-8")
    tokenizer = Tokenizer.load(path)
    assert tokenizer.decode([IDS["a"]]) == "a" * 99
    with pytest.raises(InputError, match="give fewer tokens"):
        tokenizer.decode([IDS["a"]] * 50_000)


@pytest.mark.parametrize("wrong", [["a"], {"a": 1}, 3, None])
def test_a_pattern_or_kind_that_is_no_text_is_one_sentence(tmp_path: Path, wrong: object) -> None:
    split = {"type": "Split", "pattern": {"Regex": "a"}, "behavior": "Isolated", "invert": False}
    for content in (
        layout(pre_tokenizer={**split, "pattern": {"Regex": wrong}}),
        layout(pre_tokenizer={**split, "pattern": {"String": wrong}}),
        layout(normalizer={**split, "type": wrong}),
        layout(model={"type": wrong, "vocab": IDS}),
        layout(post_processor={"type": wrong, "processors": wrong}),
    ):
        path = tmp_path / "tokenizer.json"
        path.write_text(json.dumps(content), "utf-8")
        said = ""
        try:
            Tokenizer.load(path)
        except AtlasError as error:
            said = str(error)
        assert len(said) <= 300


def test_steps_nested_deeply_are_one_sentence(tmp_path: Path) -> None:
    for depth in (100, 400, 900):
        nested = '{"type": "Sequence", "normalizers": [' * depth + '{"type": "NFC"}' + "]}" * depth
        path = tmp_path / "tokenizer.json"
        path.write_text(
            json.dumps(layout(normalizer=0)).replace('"normalizer": 0', f'"normalizer": {nested}'), "utf-8"
        )
        with pytest.raises(CheckpointError):
            Tokenizer.load(path)
