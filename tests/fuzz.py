"""Random texts and random damage, in numbers: what is done with each must end in a result or in one sentence.

    python tests/fuzz.py texts 20000 [--checkpoint DIR]
    python tests/fuzz.py checkpoints 2000
    python tests/fuzz.py lessons 2000

`texts`: tokenise → encode → decode → trace. `checkpoints`: a small folder damaged in one way or a few (its weights, its tokenizer, the
files beside them), then listed, loaded and used. `lessons`: a lesson or the panel's words, damaged and read.
Prints counts; exit code 1 when anything raised what no visitor could read, or took longer than it may. The suite runs a few
of each (tests/test_fuzz.py).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import resource
import shutil
import struct
import sys
import tempfile
import time
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

ROOT: Final = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # run as a script, this folder comes first

from core.errors import AtlasError  # noqa: E402

if TYPE_CHECKING:
    from core.training.dynamics import Dynamics

LONGEST_S: Final = 10.0
LONGEST_SENTENCE: Final = 300
PIECES: Final = (
    *("the dog and the cat", "A man rides a bike.", "12 May 2021", "  ", "\t", "\n", "\0", "\u200b", "\u202e", "\ufeff"),
    *("رجل يركب دراجة", "דוב לבן", "男が自転車に乗る", "👩‍👩‍👧‍👦", "e\u0301", "\ud800", "<pad>", "<s>", "</s>", "⟨end⟩", "$x$"),
    *("![x](http://a.b/c)", "=cmd|' /C calc'!A0", "%s%n", "{0}", "<script>", "𝔘𝔫𝔦", "\U0010ffff", "ﷺ" * 3, "a" * 90, "-" * 60),
)  # fmt: skip


@dataclass
class Found:
    """Counts of how each went, the longest, and what should not have happened."""

    ways: Counter[str] = field(default_factory=Counter)
    longest: float = 0.0
    bad: list[str] = field(default_factory=list)

    def note(self, name: str, call: Callable[[], str]) -> None:
        """Run one case: `call` says which way it went."""
        began = time.perf_counter()
        try:
            way = call()
        except AtlasError as error:
            way = "refused"
            sentence = str(error)
            if "\n" in sentence or not sentence.strip() or len(sentence) > LONGEST_SENTENCE:
                self.bad.append(f"{name}: not one sentence: {sentence[:200]!r}")
        except Exception as error:
            way = "failed"
            self.bad.append(f"{name}: {type(error).__name__}: {str(error)[:200]}")
        took = time.perf_counter() - began
        self.ways[way] += 1
        self.longest = max(self.longest, took)
        if took > LONGEST_S:
            self.bad.append(f"{name}: took {took:.1f} s")


def is_one_sentence(said: str) -> None:
    """Raise AssertionError for what is none, or is longer than a visitor reads."""
    if "\n" in said or not said.strip() or len(said) > LONGEST_SENTENCE:
        raise AssertionError(f"not one sentence: {len(said)} characters, {said[:200]!r}")


def megabytes() -> float:
    """The most this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


# -- texts ------------------------------------------------------------------------------------------------------


def random_text(chance: random.Random) -> str:
    """Words, marks, controls and scripts in any order; now and then a very long one."""
    count = chance.choice((0, 1, 1, 2, 3, 5, 8, 40))
    parts = [chance.choice(PIECES) if chance.random() < 0.7 else _letters(chance) for _ in range(count)]
    text = chance.choice((" ", "", ". ")).join(parts)
    return text * 400 if chance.random() < 0.002 else text


def _letters(chance: random.Random) -> str:
    top = chance.choice((0x7F, 0x7F, 0x2FF, 0xFFFF, 0x10FFFF))
    return "".join(chr(chance.randrange(1, top + 1)) for _ in range(chance.randrange(1, 9)))


def texts(folder: Path, count: int, seed: int, most_tokens: int = 8) -> Found:
    """Read, translate and trace `count` random texts; a trace has rows that sum to 1 and no NaN."""
    import torch

    import core
    from core.decoding import inputs
    from core.decoding.session import DecodeSession

    torch.set_num_threads(1)
    loaded, chance, found = core.load(folder, device="cpu"), random.Random(seed), Found()

    def one(text: str) -> str:
        reading = inputs.read(loaded.source_tokenizer, text, loaded.config.max_length)
        session = DecodeSession(loaded, reading, max_steps=most_tokens, record=("*.weights",))
        session.run()
        loaded.target_tokenizer.decode(session.ids)
        weights = session.trace.stacked("decoder", "cross", "weights")
        if not np.isfinite(weights).all() or (weights.size and abs(weights.sum(-1) - 1).max() > 1e-4):
            raise AssertionError("rows of weights do not sum to 1")
        if len(session.trace.tokens.source) != weights.shape[-1]:
            raise AssertionError("there are not as many labels as columns")
        for label in (*session.trace.tokens.source, *session.trace.tokens.target):
            if any(unicodedata.category(letter) == "Cs" for letter in label):
                raise AssertionError("a label that no page can show")
        return "traced"

    for number in range(count):
        text = random_text(chance)
        found.note(f"text {number} {text[:60]!r}", lambda text=text: one(text))
    return found


# -- checkpoints ------------------------------------------------------------------------------------------------

VALUES: Final[tuple[Any, ...]] = (
    *(None, True, -1, 0, 1, 3, 10**6, 8 * 10**8, 2**63, 10**400, 1e308, float("nan"), float("inf"), "", "x", "\ud800", "../../etc/passwd"),
    *([], {}, [[]], [None], {"a": 1}, [1, 2, 3], ["x"] * 2000, {"": {}}, "x" * 30_000, "$x$ **b** ![i](http://a/b)", "layer\nnorm"),
)  # fmt: skip
PATTERNS: Final = (
    r"\w+\w+\d",
    r"(a+)+$",
    r"(.*)*",
    r"(?=.*)(\w\s?)+",
    "[",
    r"\p{L}+",
    "(" * 400,
    r"(\d+)*\1",
    "a{1,65535}",
    "",
)


HEADERS: Final = (
    *(b"{'descr': (3,", b"  {'a':\n   3\n 4", b"(" * 118, b'"' * 3, b"{'descr': '\x00<f4'", bytes(range(128, 246)), b"", b"[1, 2]"),
    b"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999,), }",
)  # fmt: skip
STEPS: Final[tuple[Any, ...]] = (
    *({"type": kind} for kind in ("NFC", "NFKD", "Lowercase", "StripAccents", "Nmt", "Tomorrows", "Fuse", "ByteFallback", "WhitespaceSplit")),
    *({"type": "Prepend", "prepend": text} for text in ("▁", "x" * 900, "x" * 10**6, 7)),
    *({"type": "ByteLevel", "add_prefix_space": first, "trim_offsets": False, "use_regex": False} for first in (True, False)),
    *({"type": "Replace", "pattern": {"String": "a"}, "content": text} for text in ("", "aa", "x" * 5000, None)),
    *({"type": "Replace", "pattern": {"Regex": pattern}, "content": "ab"} for pattern in ("", " {2,}", ["a"], {"a": 1}, "[", 3)),
    *({"type": "Precompiled", "precompiled_charsmap": table} for table in ("AAAA", "////fwAA", "", 5, "é")),
    *({"type": "BPEDecoder", "suffix": ""}, {"type": "CTC", "pad_token": "a", "word_delimiter_token": "", "cleanup": False}),
    *({"type": "Strip", "content": " ", "start": 2**40, "stop": 2**40}, {"type": ["NFC"]}, None, [], "NFC", 3),
)  # fmt: skip


def damaged(sound: Path, folder: Path, chance: random.Random) -> str:
    """A copy of `sound` with one to three things wrong → what."""
    shutil.copytree(sound, folder)
    said = []
    for _ in range(chance.choice((1, 1, 2, 3))):
        change = chance.choice(CHANGES)
        with contextlib.suppress(
            OSError, zipfile.BadZipFile, LookupError, ValueError, TypeError, struct.error
        ):
            said.append(f"{change.__name__}:{change(folder, chance)}")
    return " ".join(said)


def _own(path: Path) -> Path:
    """The path of a plain file of the folder; what an earlier change made a link or a pipe is left as it is."""
    if path.is_symlink() or not path.is_file():
        raise OSError(f"{path.name} is no plain file any more")
    return path


def _bytes(folder: Path, chance: random.Random) -> str:
    """A few bytes of a file are others, gone, or more."""
    path = chance.choice(
        sorted(path for path in folder.iterdir() if path.is_file() and not path.is_symlink())
    )
    raw = bytearray(path.read_bytes())
    match chance.choice(("flip", "cut", "more", "empty", "double")):
        case "flip":
            for _ in range(chance.choice((1, 4, 40))):
                raw[chance.randrange(len(raw))] = chance.randrange(256)
        case "cut":
            raw = raw[: chance.randrange(len(raw))]
        case "more":
            raw += bytes(chance.randrange(256) for _ in range(chance.randrange(1, 2000)))
        case "empty":
            raw = bytearray()
        case _:
            raw *= 2
    path.write_bytes(raw)
    return path.name


def _json(folder: Path, chance: random.Random) -> str:
    """A value somewhere in a JSON file is another, or gone."""
    path = _own(folder / chance.choice(("config.json", "tokenizer.json", "card.json")))
    content = json.loads(path.read_text("utf-8"))
    at, name = content, ""
    for _ in range(chance.randrange(1, 6)):
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        key = chance.choice(keys)
        name += f".{str(key)[:20]}"
        if isinstance(at[key], dict | list) and at[key] and chance.random() < 0.7:
            at = at[key]
            continue
        if chance.random() < 0.15:
            del at[key]
        else:
            at[key] = chance.choice(VALUES)
        break
    path.write_text(json.dumps(content), "utf-8")
    return f"{path.name}{name}"


def _header(folder: Path, chance: random.Random) -> str:
    """Something in the table of the weights file is another."""
    path = _own(folder / "model.safetensors")
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    content = json.loads(raw[8 : 8 + length])
    name = chance.choice([key for key in content if key != "__metadata__"])
    match chance.choice(("dtype", "shape", "data_offsets", "name", "all", "length")):
        case "name":
            content[chance.choice(("", "x" * 5000, "\ud800", "../x", "__metadata__"))] = content.pop(name)
        case "all":
            content[name] = chance.choice(VALUES)
        case "length":
            path.write_bytes(struct.pack("<Q", chance.choice((0, 1, 2**40, 2**63, length * 3))) + raw[8:])
            return "length"
        case key:
            odd = (*VALUES, [2**40, 2**40], [-1, 4], [0, 2**62], "F64", "I64", "BF16", "F8_E4M3", "f32")
            content[name][key] = chance.choice(odd)
    text = json.dumps(content).encode("utf-8", "surrogatepass")
    path.write_bytes(struct.pack("<Q", len(text)) + text + raw[8 + length :])
    return name


def _vocabulary(folder: Path, chance: random.Random) -> str:
    """A vocabulary with ids that are far off, twice there, or no numbers."""
    path = _own(folder / "tokenizer.json")
    content = json.loads(path.read_text("utf-8"))
    table = content["tokenizer"]["model"]["vocab"]
    table[chance.choice(("big", "", "\ud800", "x" * 9000))] = chance.choice(
        (8 * 10**8, -5, 2**64, "1", None, 0, 1.5)
    )
    path.write_text(json.dumps(content), "utf-8")
    return "vocab"


def _pattern(folder: Path, chance: random.Random) -> str:
    """A tokenizer that cuts or replaces by a pattern of anybody's."""
    path = _own(folder / "tokenizer.json")
    content = json.loads(path.read_text("utf-8"))
    pattern = chance.choice(PATTERNS)
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    swap = {
        "type": "Replace",
        "pattern": {"Regex": pattern},
        "content": chance.choice(("", "x" * 4000, "\\1\\1")),
    }
    if chance.random() < 0.5:
        content["tokenizer"]["pre_tokenizer"] = split
    else:
        content["tokenizer"]["normalizer"] = {
            "type": "Sequence",
            "normalizers": [swap] * chance.choice((1, 12)),
        }
    path.write_text(json.dumps(content), "utf-8")
    return pattern[:12]


def _side(folder: Path, chance: random.Random) -> str:
    """One array of an example, an atlas or a record of training is another, or has a damaged header."""
    path = _own(folder / chance.choice(("example.npz", "atlas.npz", "dynamics.npz")))
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    name = chance.choice(sorted(members))
    raw = bytearray(members[name])
    match chance.choice(("header", "kind", "numbers", "gone", "flip", "swap")):
        case "header":
            length = int.from_bytes(raw[8:10], "little")
            head = chance.choice(HEADERS)[:length]
            raw[10 : 10 + length] = head + b" " * (length - len(head))
        case "kind":
            at = raw.find(b"'descr': '") + 10
            raw[at : at + 3] = chance.choice((b"<f8", b">f4", b"|O8", b"<q9", b"<U1", b"|b1", b"<c8"))
        case "numbers":
            start = min(len(raw), 128)
            raw[start:] = chance.choice((b"\xff", b"\x7f", b"\x00", b"\x3c")) * (len(raw) - start)
        case "gone":
            del members[name]
        case "flip":
            for _ in range(chance.choice((1, 8))):
                raw[chance.randrange(len(raw))] = chance.randrange(256)
        case _:
            raw = bytearray(members[chance.choice(sorted(members))])
    if name in members:
        members[name] = bytes(raw)
    with zipfile.ZipFile(path, "w", chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as file:
        for member, content in members.items():
            file.writestr(member, content)
    return f"{path.name}:{name}"


def _pipeline(folder: Path, chance: random.Random) -> str:
    """A tokenizer with steps that nobody expects: that grow texts, of unknown kinds, of wrong types, nested."""
    path = _own(folder / "tokenizer.json")
    content = json.loads(path.read_text("utf-8"))
    part = chance.choice(("normalizer", "pre_tokenizer", "decoder", "post_processor", "added_tokens"))
    inside = {"normalizer": "normalizers", "pre_tokenizer": "pretokenizers", "decoder": "decoders"}
    if part == "post_processor":
        piece = {"Sequence": {"id": "A", "type_id": 0}}
        step: Any = {
            "type": "TemplateProcessing",
            "single": [piece] * 1000,
            "pair": [piece],
            "special_tokens": {},
        }
    elif part == "added_tokens":
        step = [{"id": 160, "content": "x" * chance.choice((1, 900, 10**6)), "normalized": True, "special": False,
                 "single_word": False, "lstrip": False, "rstrip": False}]  # fmt: skip
    else:
        steps = chance.choices(STEPS, k=chance.choice((1, 2, 30)))
        step = {"type": "Sequence", inside[part]: steps} if len(steps) > 1 else steps[0]
    content["tokenizer"][part] = step
    path.write_text(json.dumps(content), "utf-8")
    return part


def _npz(folder: Path, chance: random.Random) -> str:
    """An example whose arrays claim more than there is, or are others."""
    path = _own(folder / "example.npz")
    shapes = ("(100000, 100000)", "(3,)", "(2, -1)", "(1000000000,)", "()")
    kinds = ("<f8", "|O", "<U4000000", "|V9", "<f4")
    head = str({"descr": chance.choice(kinds), "fortran_order": False, "shape": 0}).replace(
        "0}", chance.choice(shapes) + "}"
    )
    body = (
        b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + bytes(chance.randrange(0, 64))
    )
    with zipfile.ZipFile(path, chance.choice("wa"), zipfile.ZIP_DEFLATED) as file:
        file.writestr(chance.choice(("encoder.self.weights.npy", "../../x.npy", "config.npy", "a.npy")), body)
        if chance.random() < 0.2:
            file.writestr("zeros.npy", bytes(30_000_000))
    return "example.npz"


def _place(folder: Path, chance: random.Random) -> str:
    """A file that is a link, a folder, a pipe, or is not there."""
    path = chance.choice(
        sorted(path for path in folder.iterdir() if path.is_file() and not path.is_symlink())
    )
    kind = chance.choice(("gone", "link", "loop", "folder", "pipe"))
    path.unlink()
    match kind:
        case "link":
            path.symlink_to(chance.choice(("/proc/self/status", "/dev/zero", "/proc/self/mem", "nowhere")))
        case "loop":
            path.symlink_to(path.name)
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case _:
            pass
    return f"{kind} {path.name}"


CHANGES: Final = (
    *(_bytes, _json, _json, _header, _header, _vocabulary, _pattern, _npz, _place),
    *(_side, _side, _side, _pipeline, _pipeline),
)


def checkpoints(sound: Path, count: int, seed: int) -> Found:
    """List, load and use `count` damaged copies of the folder `sound`."""
    import core
    from core.decoding.example import load_example
    from core.decoding.session import DecodeSession
    from core.experiments.corpus import load_atlas
    from core.training.dynamics import stored_dynamics
    from ui.shared.checkpoints import folder_stamp, read_entry

    chance, found = random.Random(seed), Found()

    def one(folder: Path) -> str:
        entry = read_entry(folder, folder_stamp(folder))
        if entry.problem:
            is_one_sentence(entry.problem)
            return "refused"
        for read in (
            lambda: load_example(folder, entry.config),
            lambda: load_atlas(folder, entry.config, entry.usable.digest),
            lambda: stored_dynamics(folder, entry.config),
        ):  # what a damaged one costs is its own feature
            try:
                read()
            except AtlasError as error:
                is_one_sentence(str(error))
        session = DecodeSession(core.load(folder, device="cpu"), "a dog and a cat 12", max_steps=12)
        session.run()
        return "still sound"

    with tempfile.TemporaryDirectory() as base:
        for number in range(count):
            folder = Path(base) / f"ck{number}"
            what = damaged(sound, folder, chance)
            found.note(f"checkpoint {number} ({what})", lambda folder=folder: one(folder))
            shutil.rmtree(folder, ignore_errors=True)
    return found


def small(folder: Path) -> Path:
    """A sound checkpoint of a few kilobytes, with an example."""
    import torch

    from core.api import load
    from core.checkpoints.bundle import save
    from core.decoding.example import write_example
    from core.experiments.corpus_run import write_atlas
    from core.model.config import ModelConfig
    from core.model.transformer import Transformer
    from core.tokenizer import Tokenizer
    from core.training.dynamics import save_dynamics

    tokenizer = Tokenizer.train_bpe(
        ["the dog and the cat see a white ball in my house 12"] * 6, vocab_size=160
    )
    size = tokenizer.vocab_size
    config = ModelConfig(
        source_vocab_size=size, target_vocab_size=size, d_model=8, encoder_layers=1, decoder_layers=1, heads=2, d_ff=8, max_length=48
    )  # fmt: skip
    torch.manual_seed(2)
    card = {"name": "small", "examples": [{"source": "the dog"}]}
    save(folder / "small", Transformer(config), tokenizer, tokenizer, card, dtype="float32")
    loaded = load(folder / "small", device="cpu")
    write_example(loaded)
    write_atlas(loaded, [("the dog", ""), ("a white ball", "")])
    save_dynamics(folder / "small" / "dynamics.npz", _training(config.heads))
    return folder / "small"


def _training(heads: int) -> Dynamics:
    """Two records of a training with one layer of `heads`, over a sentence of two tokens."""
    from core.training.dynamics import KINDS, Dynamics, Probe, pack

    tokens, causal = ("the", "⟨end⟩"), np.tril(np.full((heads, 2, 2), 0.5)) + np.diag([0.5, 0.0])
    maps = {kind: causal if kind == "decoder-self" else np.full((heads, 2, 2), 0.5) for kind in KINDS}
    numbers = np.array([2.0, 1.0], np.float32)
    return Dynamics(
        steps=np.array([0, 10], np.int64), train_loss=numbers, valid_loss=numbers, bleu=numbers,
        probes=(Probe("the", "le", tokens, ("⟨start⟩", "le"), ("le", "⟨end⟩")),), score_names=("normalised_entropy",),
        scores={kind: np.full((2, 1, 1, heads), 0.5, np.float16) for kind in KINDS},
        packed={kind: np.stack([pack(maps[kind])] * 2) for kind in KINDS}, scored_sentences=1,
    )  # fmt: skip


# -- lessons ----------------------------------------------------------------------------------------------------


def lessons(folder: Path, count: int, seed: int) -> Found:
    """Read `count` damaged copies of the shipped lessons and of the panel's French words."""
    from ui.learn import shelf

    chance, found = random.Random(seed), Found()
    sound = sorted((ROOT / "lessons").rglob("*.md")) + sorted((ROOT / "lessons").rglob("words.toml"))
    values = (
        "9" * 5000,
        "0x" + "f" * 5000,
        '"' + "x" * 90_000 + '"',
        "[" * 900,
        "nan",
        "-1",
        "true",
        '"\\x00"',
        "1e400",
        "{a = {}}",
    )

    def one() -> str:
        home = os.environ.get(shelf.EXTRA)
        os.environ[shelf.EXTRA] = str(folder)
        try:
            problems = shelf.shelf().problems
        finally:
            os.environ.pop(shelf.EXTRA)
            if home is not None:
                os.environ[shelf.EXTRA] = home
        for problem in problems:
            is_one_sentence(problem)
        return "refused" if problems else "still sound"

    for number in range(count):
        original = chance.choice(sound)
        raw = original.read_bytes()
        if chance.random() < 0.6:
            lines = raw.decode().split("\n")
            given = [place for place, line in enumerate(lines) if " = " in line]
            for place in chance.sample(given, k=min(len(given), chance.choice((1, 2)))):
                lines[place] = f"{lines[place].split(' = ')[0]} = {chance.choice(values)}"
            raw = "\n".join(lines).encode()
        else:
            damage = bytearray(raw)
            for _ in range(chance.choice((1, 20))):
                damage[chance.randrange(len(damage))] = chance.randrange(256)
            raw = bytes(damage[: chance.choice((len(damage), chance.randrange(len(damage))))])
        path = folder / "de" / original.name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(raw)
        found.note(f"lesson {number} ({original.name})", one)
        path.unlink()
    return found


def main() -> int:
    """Run what was asked for and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("texts", "checkpoints", "lessons"))
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--checkpoint", type=Path, default=ROOT / "checkpoints" / "dates")
    asked = parser.parse_args()
    began = time.time()
    if asked.what == "texts":
        before = megabytes()
        found = texts(asked.checkpoint, asked.count, asked.seed)
    elif asked.what == "lessons":
        before = megabytes()
        with tempfile.TemporaryDirectory() as base:
            found = lessons(Path(base), asked.count, asked.seed)
    else:
        with tempfile.TemporaryDirectory() as base:
            folder = small(Path(base))
            checkpoints(folder, 3, asked.seed + 1)  # what is imported once is no growth
            before = megabytes()
            found = checkpoints(folder, asked.count, asked.seed)
    counts = ", ".join(f"{way} {number:,}" for way, number in sorted(found.ways.items()))
    print(
        f"{sum(found.ways.values()):,} {asked.what}: {counts}; the longest took {found.longest:.1f} s; the most memory grew from "
        f"{before:.0f} to {megabytes():.0f} MB; {len(found.bad)} wrong; {time.time() - began:.0f} s in all."
    )
    for line in found.bad[:40]:
        print(line)
    return 1 if found.bad else 0


if __name__ == "__main__":
    sys.exit(main())
