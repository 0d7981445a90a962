"""Finds the vocabulary that belongs to untrusted weights, in any known form, and makes tokenizers of it.

Known forms: MarianMT's source.spm + target.spm + vocab.json, tokenizer.json, vocab.json + merges.txt, SentencePiece
models, plain files with one token a line, JSON objects of tokens and ids, ByT5's bytes, M2M100's pieces with its languages
after them, and "numbers" without a vocabulary.

The languages of a multilingual vocabulary are tokens of it, and which is written is a choice of the user. mBART-25 starts
its decoder with the language's code and reads its source before one (Liu et al. 2020, section 2.2); mBART-50 starts with
the end token, is forced to write the code first, and reads its source after one (Tang et al. 2020, section 3).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import tokenizers
from tokenizers import decoders, models, pre_tokenizers

from core.errors import CheckpointError, InputError, listed
from core.files import read_object
from core.importing.sentencepiece import (
    MBART_25,
    Vocabulary,
    in_order,
    marian_vocabularies,
    read_sentencepiece,
    sentencepiece_vocabulary,
    spelled,
    token_table,
)
from core.importing.toolkits import ctranslate2_tokens, fairseq_dictionary, with_zero_start
from core.language import numeral
from core.tokenizer import Frame, Specials, Tokenizer
from core.tokenizer.files import MAX_BYTES, declared_unknown, find_specials
from core.tokenizer.piece import BYTE_ALPHABET
from core.tokenizer.pipeline import list_backend, rust_panic_as
from core.tokenizer.untrusted import DAMAGED, pipeline

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
    if layout == "ctranslate2" and (sides := _ctranslate2(files, sizes)) is not None:
        return sides
    if layout == "joeynmt" and "src_vocab.txt" in files and "trg_vocab.txt" in files:
        return (
            _open(files["src_vocab.txt"], wishes, layout, sizes[0]),
            _open(files["trg_vocab.txt"], wishes, layout, sizes[1]),
        )
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


def _ctranslate2(files: Mapping[str, Path], sizes: tuple[int, int]) -> tuple[Vocabulary, Vocabulary] | None:
    """The lists of tokens beside a model.bin, spelled by the SentencePiece models that are there; else split at spaces."""
    sides: list[Vocabulary] = []
    for side, size in zip(("source", "target"), sizes, strict=True):
        tokens = ctranslate2_tokens(files, side)
        if tokens is None:
            return None
        names = with_zero_start(tokens) if size == len(tokens) + 1 else list(tokens)
        models = (f"{side}.spm", "sentencepiece.bpe.model", "spiece.model", "sentencepiece.model")
        path = next((files[name] for name in models if name in files), None)
        if path is None:
            sides.append(_word_list(Path(f"the list of {side} tokens"), names, Wishes()))
            continue
        numbered = {token: number for number, token in enumerate(names)}
        signs = [name for name in names if _CODE.fullmatch(name)]
        sides.append(
            spelled(
                f"{path.name} + the list of {side} tokens", read_sentencepiece(path), names, numbered, signs
            )
        )
    source, target = sides
    return (
        (target, target)
        if source.tokens == target.tokens and source.title == target.title
        else (source, target)
    )


def given_vocabulary(given: Tokenizer | list[str] | Vocabulary) -> Vocabulary:
    """The vocabulary of a tokenizer that is in memory, or of a list of tokens split at white space."""
    if isinstance(given, Vocabulary):
        return given
    if isinstance(given, list):
        return _word_list(Path("the list of tokens"), [str(token) for token in given], Wishes())

    def make(specials: Specials, frame: Frame) -> Tokenizer:
        return given if frame == Frame() else given.framed(frame)

    return Vocabulary("a tokenizer in memory", given.vocabulary, make, given.unk_id)


def _open(path: str | Path | Vocabulary, wishes: Wishes, layout: str, size: int) -> Vocabulary:
    if isinstance(path, Vocabulary):
        return path
    if path in (NUMBERS, BYTES):
        return _numbers(size) if path == NUMBERS else byte_vocabulary(size)
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
            else _word_list(path, in_order(path, tokens), wishes)
        )
    lines = _lines(path)
    return _word_list(path, (fairseq_dictionary(lines) if layout == "fairseq" else None) or lines, wishes)


def _lines(path: Path) -> list[str]:
    """One token a line; the id is the line's number, from 0."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise CheckpointError.tr(
                "{file} has more than {max_bytes} bytes; a vocabulary is smaller.",
                file=path.name,
                max_bytes=numeral(MAX_BYTES, ","),
            )
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise CheckpointError(
            f"the vocabulary {str(path)!r} cannot be read ({error.strerror}); give another."
        ) from None
    except UnicodeDecodeError:
        raise CheckpointError.tr(
            "the vocabulary {file} is not UTF-8 text; write it with one token a line.", file=path.name
        ) from None
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines and lines[-1] == "" else lines


def _word_list(path: Path, tokens: list[str], wishes: Wishes) -> Vocabulary:
    if not tokens:
        raise CheckpointError.tr(
            "{file} is empty; a vocabulary has at least one token, one a line.", file=path.name
        )

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
            raise CheckpointError.tr(
                "{name} must hold two pieces a line; give the file beside {other}.",
                name=merges.name,
                other=vocab.name,
            )
        with rust_panic_as(CheckpointError, f"{DAMAGED} {vocab.name} with {merges.name}."):
            try:
                backend = tokenizers.Tokenizer(models.BPE(tokens, pairs))  # type: ignore[arg-type]
            except Exception as error:
                reason = " ".join(str(error).split())[:120]
                raise CheckpointError.tr(
                    "{name} and {other} do not belong together: {reason}.",
                    name=vocab.name,
                    other=merges.name,
                    reason=reason,
                ) from None
        backend.add_special_tokens([sign for sign in _SIGNS if sign in tokens])
        backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        backend.decoder = decoders.ByteLevel()
        return Tokenizer(backend, "byte-level", specials, mark="Ġ", frame=_only_if_needed(frame))

    return Vocabulary(f"{vocab.name} + {merges.name}", tokens, make)


BYTES: Final = "bytes"
_BYTE_SPECIALS: Final = ("<pad>", "</s>", "<unk>")
# In the order of their ids, which follow those of vocab.json (Fan et al. 2020; the eight of the WMT21 models).
_LANGUAGES: Final = {
    "m2m100": (
        "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu ha he hi hr ht hu hy id "
        "ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no ns oc or pa pl ps pt ro ru sd si sk "
        "sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi yo zh zu"
    ),
    "wmt21": "en ha is ja cs ru zh de",
}


def tokenizer_settings(files: Mapping[str, Path]) -> Mapping[str, Any]:
    """tokenizer_config.json over config.json, as far as they are there."""
    there = [files[name] for name in ("config.json", "tokenizer_config.json") if name in files]
    settings: dict[str, Any] = {}
    for path in there:
        settings |= read_object(path, MAX_BYTES)
    return settings


def reads_bytes(files: Mapping[str, Path]) -> bool:
    """Whether the files say that the model reads bytes, as ByT5 does (Xue et al. 2022)."""
    return tokenizer_settings(files).get("tokenizer_class") == "ByT5Tokenizer"


def byte_vocabulary(size: int) -> Vocabulary:
    """Padding, end, unknown, the 256 bytes, and the extra ids up to `size`."""
    first = len(_BYTE_SPECIALS)
    tokens = {token: number for number, token in enumerate(_BYTE_SPECIALS)}
    tokens |= {letter: first + value for letter, value in BYTE_ALPHABET.items()}
    signs = [f"<extra_id_{number}>" for number in range(size - len(tokens))]
    if size < len(tokens):
        raise CheckpointError(f"a model that reads bytes has at least {len(tokens)} tokens, not {size}.")
    tokens |= {sign: first + 256 + number for number, sign in enumerate(signs)}

    def make(specials: Specials, frame: Frame) -> Tokenizer:
        backend = tokenizers.Tokenizer(models.BPE(tokens, []))
        backend.add_special_tokens([*_BYTE_SPECIALS, *signs])
        backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        backend.decoder = decoders.ByteLevel()
        return Tokenizer(backend, "byte-level", specials, mark="Ġ", frame=None if frame == Frame() else frame)

    return Vocabulary("bytes", tokens, make)


def m2m_vocabulary(files: Mapping[str, Path], size: int) -> Vocabulary:
    """sentencepiece.bpe.model numbered by vocab.json, then a token for each language, then some that mean nothing."""
    path, numbered = files["sentencepiece.bpe.model"], files["vocab.json"]
    settings = tokenizer_settings(files)
    codes = str(settings.get("language_codes", "m2m100"))
    if codes not in _LANGUAGES:
        raise CheckpointError(
            f"tokenizer_config.json gives language_codes {codes[:40]!r}; known are {', '.join(_LANGUAGES)}."
        )
    pieces = in_order(numbered, token_table(numbered, read_object(numbered, MAX_BYTES)))
    signs = [f"__{code}__" for code in _LANGUAGES[codes].split()]
    signs += [f"madeupword{number}" for number in range(min(size - len(pieces) - len(signs), 8))]
    names = [*pieces, *signs]
    tokens = {token: number for number, token in enumerate(names)}
    return spelled(f"{path.name} + {numbered.name}", read_sentencepiece(path), names, tokens, signs)


LANGUAGE_OPTIONS = ("source_language", "target_language")
NONE = "none"  # an answer in place of a token: force nothing
_CODE = re.compile(r"[a-z]{2,3}_[A-Z][A-Za-z]{1,3}|__[a-z]{2,8}(_[A-Z]{2})?__")
_LANGUAGES_LISTED = 8


def language_codes(vocabulary: Vocabulary) -> tuple[str, ...]:
    """The tokens that name a language as mBART does, such as fr_XX, in the order of their ids."""
    codes = [token for token in vocabulary.tokens if _CODE.fullmatch(token)]
    return tuple(sorted(codes, key=vocabulary.tokens.__getitem__))


def card_languages(
    vocabularies: tuple[Vocabulary, Vocabulary], around: Collection[int], first: Collection[int | None]
) -> dict[str, str]:
    """`source_language` and `target_language` of a card, such as fr, as far as they are known.

    They are those whose codes are `around` a source text and `first` in the output.
    """
    languages = {}
    for name, vocabulary, ids in zip(LANGUAGE_OPTIONS, vocabularies, (around, first), strict=True):
        codes = [code for code in language_codes(vocabulary) if vocabulary.tokens[code] in ids]
        if len(codes) == 1:
            languages[name] = codes[0].strip("_").partition("_")[0]
    return languages


def settle_languages(
    answers: Mapping[str, Any],
    start: int | None,
    end: int | None,
    vocabularies: tuple[Vocabulary, Vocabulary] | None,
    files: Mapping[str, Path] | None = None,
) -> dict[str, Any]:
    """The options that follow from given languages, with the decoder's start and end tokens as far as they are known.

    Raises CheckpointError for a code that the vocabulary does not have.
    """
    options: dict[str, Any] = {}
    if all(answers.get(name) is None for name in LANGUAGE_OPTIONS):
        return options
    if vocabularies is None:
        raise CheckpointError("a language is given but no vocabulary to find its code in; give --tokenizer.")
    source, target = vocabularies
    later = start == end if start is not None else len(language_codes(target)) > MBART_25
    if (name := answers.get("target_language")) == NONE:
        options["forced_bos_id"] = NONE
    elif name is not None:
        code = _code(target, "target_language", str(name))
        options |= {"bos_id": end, "forced_bos_id": code} if later else {"bos_id": code}
    if (name := answers.get("source_language")) is not None:
        code = _code(source, "source_language", str(name))
        options |= (
            {"source_before": code, "source_after": "end"}
            if later and not _legacy(files or {})
            else {
                "source_before": "",
                "source_after": f"end {code}",
            }
        )
    return {name: value for name, value in options.items() if value is not None}


def _legacy(files: Mapping[str, Path]) -> bool:
    """Whether tokenizer_config.json asks for NLLB's first tokenizer, which put the source's language at the end."""
    return tokenizer_settings(files).get("legacy_behaviour") is True


def _code(vocabulary: Vocabulary, option: str, name: str) -> int:
    codes = language_codes(vocabulary)
    name = f"__{name}__" if f"__{name}__" in codes else name  # M2M100 and PLBart write en as __en__
    if name in codes or (name.isascii() and name.isdecimal()):
        return vocabulary.id_of(option, name)
    raise CheckpointError(
        f"{name[:40]!r}, given as {option}, is no language of this vocabulary; it has {listed(codes, _LANGUAGES_LISTED)}."
        if codes
        else f"{name[:40]!r} is given as {option}, but this vocabulary has no language codes such as fr_XX; "
        "leave it out (MarianMT's >>fra<< is typed before the text)."
    )
