"""Finds the vocabulary that belongs to untrusted weights, in any known form, and makes tokenizers of it.

Known forms: MarianMT's source.spm + target.spm + vocab.json, tokenizer.json, vocab.json + merges.txt, SentencePiece
models, plain files with one token a line, JSON objects of tokens and ids, and "numbers" without a vocabulary.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import tokenizers
from tokenizers import decoders, models, pre_tokenizers

from core.errors import CheckpointError, InputError
from core.files import read_object
from core.importing.fairseq import dictionary
from core.importing.other_vocabularies import BYTES, byte_vocabulary, m2m_vocabulary, reads_bytes
from core.importing.sentencepiece import (
    Vocabulary,
    in_order,
    marian_vocabularies,
    sentencepiece_vocabulary,
    token_table,
)
from core.tokenizer import Frame, Specials, Tokenizer
from core.tokenizer.files import MAX_BYTES, declared_unknown, find_specials
from core.tokenizer.pipeline import list_backend
from core.tokenizer.untrusted import DAMAGED, pipeline, rust_panic_as

NUMBERS = "numbers"
_SENTENCEPIECE = (".spm", ".model")
_SIGNS = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")  # tokens of a byte-level vocabulary that spell no text
_HF_NAMES = ("tokenizer.json", "spiece.model", "sentencepiece.bpe.model", "source.spm", "vocab.json")


@dataclass(frozen=True)
class Wishes:
    """The caller's answers about vocabularies."""

    tokenizer: str | Path | Vocabulary | None = None
    source: str | Path | Vocabulary | None = None
    target: str | Path | Vocabulary | None = None
    split: str = "whitespace"
    pattern: str | None = None
    lowercase: bool = False


def find_vocabularies(
    files: Mapping[str, Path], layout: str, wishes: Wishes, sizes: tuple[int, int]
) -> tuple[Vocabulary, Vocabulary] | None:
    """(source, target), the same object twice where they share one; None if no vocabulary is known."""
    if wishes.tokenizer == NUMBERS:
        source, target = (_numbers(size) for size in sizes)
        return (target, target) if sizes[0] == sizes[1] else (source, target)
    if wishes.tokenizer == BYTES:
        shared = byte_vocabulary(sizes[1])
        return shared, shared
    if (wishes.source is None) != (wishes.target is None):
        side = "target" if wishes.target is None else "source"
        raise CheckpointError(
            f"only one vocabulary is given; give --{side}-vocabulary too, or --tokenizer for both."
        )
    if wishes.source is not None and wishes.target is not None:
        return (
            _open(wishes.source, wishes, layout, sizes[0]),
            _open(wishes.target, wishes, layout, sizes[1]),
        )
    if isinstance(wishes.tokenizer, Vocabulary):
        return wishes.tokenizer, wishes.tokenizer
    if wishes.tokenizer is not None:
        path = Path(wishes.tokenizer).expanduser()
        if not path.is_dir():
            shared = _open(path, wishes, layout, sizes[1])
            return shared, shared
        files = {entry.name: entry for entry in path.iterdir() if entry.is_file()}
    if "source.spm" in files and "target.spm" in files and "vocab.json" in files:
        return marian_vocabularies(files)
    if reads_bytes(files):
        shared = byte_vocabulary(sizes[1])
        return shared, shared
    if "sentencepiece.bpe.model" in files and "vocab.json" in files and "tokenizer.json" not in files:
        shared = m2m_vocabulary(files, sizes[1])
        return shared, shared
    for name in _HF_NAMES:
        if name in files and name not in ("source.spm",):
            shared = _open(files[name], wishes, layout, sizes[1])
            return shared, shared
    return None


def given_vocabulary(given: Tokenizer | list[str] | Vocabulary) -> Vocabulary:
    """The vocabulary of a tokenizer that is in memory, or of a list of tokens split at white space."""
    if isinstance(given, Vocabulary):
        return given
    if isinstance(given, list):
        return _listed(Path("the list of tokens"), [str(token) for token in given], Wishes())

    def make(specials: Specials, frame: Frame) -> Tokenizer:
        return given if frame == Frame() else given.framed(frame)

    return Vocabulary("a tokenizer in memory", given.vocabulary, make, given.unk_id)


def _open(path: str | Path | Vocabulary, wishes: Wishes, layout: str, size: int) -> Vocabulary:
    if isinstance(path, Vocabulary):
        return path
    path = Path(path).expanduser()
    if path.suffix in _SENTENCEPIECE:
        return sentencepiece_vocabulary(path, layout, size)
    if path.suffix == ".json":
        content = read_object(path, MAX_BYTES)
        if "model" in content and isinstance(content["model"], dict):
            return _pipeline_file(path)
        tokens = token_table(path, content)
        merges = path.with_name("merges.txt")
        return (
            _byte_level(path, merges, tokens)
            if merges.is_file()
            else _listed(path, in_order(path, tokens), wishes)
        )
    lines = _lines(path)
    return _listed(path, (dictionary(lines) if layout == "fairseq" else None) or lines, wishes)


def _lines(path: Path) -> list[str]:
    """One token a line; the id is the line's number, from 0."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise CheckpointError(f"{path.name} has more than {MAX_BYTES:,} bytes; a vocabulary is smaller.")
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise CheckpointError(
            f"the vocabulary {str(path)!r} cannot be read ({error.strerror}); give another."
        ) from None
    except UnicodeDecodeError:
        raise CheckpointError(
            f"the vocabulary {path.name} is not UTF-8 text; write it with one token a line."
        ) from None
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines and lines[-1] == "" else lines


def _listed(path: Path, tokens: list[str], wishes: Wishes) -> Vocabulary:
    if not tokens:
        raise CheckpointError(f"{path.name} is empty; a vocabulary has at least one token, one a line.")

    def make(specials: Specials, frame: Frame) -> Tokenizer:
        specials = find_specials({token: n for n, token in enumerate(tokens)}, asdict(specials))
        unk = tokens[specials.unk] if specials.unk is not None else None
        try:
            backend, family = list_backend(tokens, wishes.split, wishes.pattern, unk, wishes.lowercase)
        except InputError as error:
            raise CheckpointError(f"{path.name}: {error}") from None
        return Tokenizer(backend, family, specials, frame=_only_if_needed(frame))

    return Vocabulary(
        f"{path.name}, split by {wishes.split}", {token: n for n, token in enumerate(tokens)}, make
    )


def _numbers(size: int) -> Vocabulary:
    tokens = [str(token_id) for token_id in range(size)]

    def make(specials: Specials, frame: Frame) -> Tokenizer:
        unk = None if specials.unk is None else str(specials.unk)
        backend, family = list_backend(tokens, "whitespace", None, unk, False)
        return Tokenizer(backend, family, specials, frame=_only_if_needed(frame))

    # Such a vocabulary has no names, so that no special is recognised by accident.
    return Vocabulary("ids written as numbers", {token: n for n, token in enumerate(tokens)}, make)


def _only_if_needed(frame: Frame) -> Frame | None:
    return None if frame == Frame() else frame


def _pipeline_file(path: Path) -> Vocabulary:
    content = read_object(path, MAX_BYTES)
    backend = pipeline(content, path.name)

    def make(specials: Specials, frame: Frame) -> Tokenizer:
        given = {"pad": specials.pad, "bos": specials.bos, "eos": specials.eos, "unk": specials.unk}
        loaded = Tokenizer.load(path, given)
        return loaded if frame == Frame() else loaded.framed(frame)

    tokens = backend.get_vocab(with_added_tokens=True)
    return Vocabulary(path.name, tokens, make, declared_unknown(content["model"]))


def _byte_level(vocab: Path, merges: Path, tokens: dict[str, int]) -> Vocabulary:
    """Byte-level BPE (Radford et al. 2019), as BART stores it."""

    def make(specials: Specials, frame: Frame) -> Tokenizer:
        pairs = [
            tuple(line.split(" ")) for line in _lines(merges) if line and not line.startswith("#version")
        ]
        if not all(len(pair) == 2 for pair in pairs):
            raise CheckpointError(
                f"{merges.name} must hold two pieces a line; give the file beside {vocab.name}."
            )
        with rust_panic_as(CheckpointError, f"{DAMAGED} {vocab.name} with {merges.name}."):
            try:
                backend = tokenizers.Tokenizer(models.BPE(tokens, pairs))  # type: ignore[arg-type]
            except Exception as error:
                reason = " ".join(str(error).split())[:120]
                raise CheckpointError(
                    f"{vocab.name} and {merges.name} do not belong together: {reason}."
                ) from None
        backend.add_special_tokens([sign for sign in _SIGNS if sign in tokens])
        backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        backend.decoder = decoders.ByteLevel()
        return Tokenizer(backend, "byte-level", specials, mark="Ġ", frame=_only_if_needed(frame))

    return Vocabulary(f"{vocab.name} + {merges.name}", tokens, make)
