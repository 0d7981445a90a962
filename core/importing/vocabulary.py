"""Finds the vocabulary that belongs to untrusted weights, in any known form, and makes tokenizers of it.

Known forms: MarianMT's source.spm + target.spm + vocab.json, tokenizer.json, vocab.json + merges.txt, SentencePiece
models, BERT's vocab.txt, plain files with one token a line, JSON objects of tokens and ids, ByT5's bytes, M2M100's pieces
with its languages after them, and "numbers" without a vocabulary. Where the files of a tokenizer say what it puts around a
text, the vocabulary has it in `around`.

The languages of a multilingual vocabulary are tokens of it, and which is written is a choice of the user. mBART-25 starts
its decoder with the language's code and reads its source before one (Liu et al. 2020, section 2.2); mBART-50 starts with
the end token, is forced to write the code first, and reads its source after one (Tang et al. 2020, section 3).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers

from core.errors import CheckpointError, InputError, listed
from core.files import read_object
from core.importing.sentencepiece import (
    MBART_25,
    Vocabulary,
    in_order,
    library_token,
    marian_vocabularies,
    read_sentencepiece,
    sentencepiece_vocabulary,
    spelled,
    token_table,
)
from core.importing.tokenizer_files import (
    SETTINGS,
    Added,
    Around,
    added_tokens,
    around_of_class,
    declared_roles,
    extra_special_tokens,
    is_wordpiece_class,
    post_processed,
    special_tokens,
    tokenizer_class,
    tokenizer_settings,
    with_added,
)
from core.importing.toolkits import ctranslate2_tokens, fairseq_dictionary, with_zero_start
from core.importing.word_lists import tokens_in_order, tokens_of_json, tokens_of_lines
from core.language import numeral, tr
from core.tokenizer import Frame, Specials, Tokenizer
from core.tokenizer import files as tokenizer_json
from core.tokenizer.files import MAX_BYTES, declared_unknown, find_specials, named_specials
from core.tokenizer.piece import BYTE_ALPHABET
from core.tokenizer.pipeline import list_backend, rust_panic_as
from core.tokenizer.untrusted import pipeline, unreadable

NUMBERS = "numbers"
_SENTENCEPIECE = (".spm", ".model")
_SIGNS = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")  # tokens of a byte-level vocabulary that spell no text
_HF_NAMES = ("tokenizer.json", "spiece.model", "sentencepiece.bpe.model", "vocab.json", "vocab.txt")


@dataclass(frozen=True)
class Wishes:
    """The caller's answers about vocabularies."""

    tokenizer: str | Path | Vocabulary | None = None
    source: str | Path | Vocabulary | None = None
    target: str | Path | Vocabulary | None = None
    split: str = "whitespace"
    pattern: str | None = None
    lowercase: bool = False
    around: Around | None = None  # what a tokenizer in memory puts around a source


def find_vocabularies(
    files: Mapping[str, Path], layout: str, wishes: Wishes, sizes: tuple[int, int]
) -> tuple[Vocabulary, Vocabulary] | None:
    """(source, target), the same object twice where they share one; None if no vocabulary is known."""
    sides = _sides(files, layout, wishes, sizes)
    if sides is None or wishes.around is None:
        return sides
    source, target = sides
    around = replace(source, around=wishes.around)
    return around, (around if source is target else target)


def _sides(
    files: Mapping[str, Path], layout: str, wishes: Wishes, sizes: tuple[int, int]
) -> tuple[Vocabulary, Vocabulary] | None:
    if wishes.tokenizer == NUMBERS:
        source, target = (_numbers(size) for size in sizes)
        return (target, target) if sizes[0] == sizes[1] else (source, target)
    if wishes.tokenizer == BYTES:
        shared = byte_vocabulary(sizes[1])
        return shared, shared
    if (wishes.source is None) != (wishes.target is None):
        side = "target" if wishes.target is None else "source"
        raise CheckpointError.tr(
            "only one vocabulary is given; give --{side}-vocabulary too, or --tokenizer for both.", side=side
        )
    if wishes.source is not None and wishes.target is not None:
        return (
            _open(wishes.source, wishes, layout, sizes[0], files),
            _open(wishes.target, wishes, layout, sizes[1], files),
        )
    if isinstance(wishes.tokenizer, Vocabulary):
        return wishes.tokenizer, wishes.tokenizer
    if wishes.tokenizer is not None:
        path = Path(wishes.tokenizer).expanduser()
        if not path.is_dir():
            shared = _open(path, wishes, layout, sizes[1], files)
            return shared, shared
        config = {name: files[name] for name in ("config.json",) if name in files}
        files = {**config, **{entry.name: entry for entry in path.iterdir() if entry.is_file()}}
    if layout == "ctranslate2" and (sides := _ctranslate2(files, sizes)) is not None:
        return sides
    if layout == "joeynmt" and "src_vocab.txt" in files and "trg_vocab.txt" in files:
        return (
            _open(files["src_vocab.txt"], wishes, layout, sizes[0]),
            _open(files["trg_vocab.txt"], wishes, layout, sizes[1]),
        )
    if "source.spm" in files and "target.spm" in files and "vocab.json" in files:
        return marian_vocabularies(files, added_tokens(files))
    if reads_bytes(files):
        shared = byte_vocabulary(sizes[1])
        return shared, shared
    if "sentencepiece.bpe.model" in files and "vocab.json" in files and "tokenizer.json" not in files:
        shared = m2m_vocabulary(files, sizes[1])
        return shared, shared
    for name in _HF_NAMES:
        if name in files and (name != "vocab.txt" or _is_wordpiece(files[name], files)):
            shared = _open(files[name], wishes, layout, sizes[1], files)
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

    around = None
    if given.frame is not None and given.frame != Frame(ids=given.frame.ids, tokens=given.frame.tokens):
        around = Around(*given.around, "the tokenizer in memory puts them there")
    return Vocabulary("a tokenizer in memory", given.vocabulary, make, given.unk_id, around)


def _open(
    path: str | Path | Vocabulary,
    wishes: Wishes,
    layout: str,
    size: int,
    files: Mapping[str, Path] | None = None,
) -> Vocabulary:
    """The vocabulary at `path`; `files`: those of its folder, which say more about it."""
    if isinstance(path, Vocabulary):
        return path
    if path in (NUMBERS, BYTES):
        return _numbers(size) if path == NUMBERS else byte_vocabulary(size)
    path = Path(path).expanduser()
    beside = files or {}
    if beside.get(path.name) != path and path.suffix != ".txt":
        beside = {}  # the files of another folder say nothing about this one
    made = _read(path, wishes, layout, size, beside)
    # A wish for how text is cut is no tokenizer's file.
    roles = declared_roles(beside, made.tokens)
    around = made.around or around_of_class(beside, made.tokens)
    return replace(made, roles=roles, around=_in_language(around, made, beside, layout))


def _read(path: Path, wishes: Wishes, layout: str, size: int, files: Mapping[str, Path]) -> Vocabulary:
    if path.suffix in _SENTENCEPIECE:
        settings, codes = tokenizer_settings(files), extra_special_tokens(files)
        return sentencepiece_vocabulary(path, layout, size, added_tokens(files), settings, codes)
    if path.suffix == ".json":
        if (content := _pipeline_content(path)) is not None:
            return _pipeline_file(path, content, files)
        tokens = tokens_of_json(path)
        merges = path.with_name("merges.txt")
        return (
            _byte_level(path, merges, tokens, files)
            if merges.is_file()
            else _word_list(path, tokens_in_order(path, tokens), wishes)
        )
    if wishes.split == "whitespace" and _is_wordpiece(path, files):
        return _wordpiece(path, wishes, files)
    lines = _lines(path)
    if layout == "fairseq" and (entries := fairseq_dictionary(lines)):
        return _word_list(path, entries, wishes)
    tokens_of, remark = tokens_of_lines(path, lines)
    made = _word_list(path, tokens_of, wishes)
    return replace(made, remarks=(remark,)) if remark else made


_OTHER_CUTTERS: Final = {
    "BertJapaneseTokenizer": "MeCab",
    "RoFormerTokenizer": "jieba",
    "PhobertTokenizer": "BPE codes",
}


def _is_wordpiece(path: Path, files: Mapping[str, Path]) -> bool:
    """Whether a list of tokens is BERT's: its class says so, or it has [UNK] and pieces that begin with ##."""
    name = tokenizer_class(files)
    if (cutter := _OTHER_CUTTERS.get(name)) is not None:
        raise CheckpointError.tr(
            "{file} belongs to a {name}, which cuts words with {cutter}, which is not supported here; use "
            "core.from_generate, which shows the original’s own maps.",
            file=path.name,
            name=name,
            cutter=cutter,
        )
    lines = _lines(path)
    if is_wordpiece_class(name):
        return "[UNK]" in lines or any(line.startswith("##") for line in lines)
    return "[UNK]" in lines and any(line.startswith("##") and len(line) > 2 for line in lines)


def _wordpiece(path: Path, wishes: Wishes, files: Mapping[str, Path]) -> Vocabulary:
    """BERT's WordPiece (Devlin et al. 2019) with its normaliser, as its tokenizer makes it of a vocab.txt."""
    settings, added = tokenizer_settings(files), added_tokens(files)
    own = _lines(path)
    _check_stripped(path, own)
    names = with_added(path.name, own, added)
    tokens = {token: number for number, token in enumerate(names)}
    if len(tokens) < len(names):
        twice = next(token for number, token in enumerate(names) if tokens[token] != number)
        raise CheckpointError.tr(
            "{file} lists {twice!r} more than once; every token needs one place.",
            file=path.name,
            twice=twice[:40],
        )
    said = settings.get("do_lower_case")
    lower = wishes.lowercase or (said if isinstance(said, bool) else True)
    accents = settings.get("strip_accents")

    def make(specials: Specials, frame: Frame) -> Tokenizer:
        specials = find_specials(tokens, asdict(specials))
        unknown = names[specials.unk] if specials.unk is not None else "[UNK]"
        backend = tokenizers.Tokenizer(
            models.WordPiece({token: tokens[token] for token in own}, unk_token=unknown)
        )
        backend.normalizer = normalizers.BertNormalizer(
            clean_text=True,
            handle_chinese_chars=settings.get("tokenize_chinese_chars") is not False,
            strip_accents=accents if isinstance(accents, bool) else None,
            lowercase=lower,
        )
        backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        backend.decoder = decoders.WordPiece(prefix="##")
        listed_signs = [Added(sign, tokens[sign], True) for sign in _BERT_SIGNS if sign in tokens]
        _add_all(backend, path.name, [*listed_signs, *added])
        return Tokenizer(backend, "wordpiece", specials, mark="##", frame=_only_if_needed(frame))

    case = (
        ""
        if isinstance(said, bool) or wishes.lowercase
        else (
            f"text is lower-cased for {path.name}, as BERT's tokenizer does unless tokenizer_config.json says otherwise"
        )
    )
    around = around_of_class(files, tokens) or around_of_class({}, tokens, "BertTokenizer")
    return Vocabulary(
        f"{path.name}, cut by BERT's WordPiece",
        tokens,
        make,
        tokens.get("[UNK]"),
        around,
        remarks=(case,) if case else (),
    )


_BERT_SIGNS: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def _add_all(backend: tokenizers.Tokenizer, title: str, added: Sequence[Added]) -> None:
    """Let a pipeline find tokens in texts. Raises CheckpointError where it gives one another id than the files do."""
    for each in added:
        backend.add_tokens([library_token(each)])
        if (given := backend.token_to_id(each.token)) != each.token_id:
            raise CheckpointError.tr(
                "the added token {token!r} has the id {token_id}, and the tokens of {title} before it end at {given}; give the files that belong together.",
                token=each.token[:40],
                token_id=each.token_id,
                title=title,
                given=given,
            )


def _check_stripped(path: Path, tokens: Sequence[str]) -> None:
    """Raise CheckpointError where special tokens would be found if spaces around the tokens were taken away."""
    exact = named_specials({token: number for number, token in enumerate(tokens)})
    bare = named_specials({token.strip(): number for number, token in enumerate(tokens)})
    for role, number in bare.items():
        if exact[role] is None and number is not None:
            raise CheckpointError.tr(
                "{file} has spaces around its tokens: line {value} is {value_2!r}, so no text would match them; write one "
                "token per line without spaces.",
                file=path.name,
                value=number + 1,
                value_2=tokens[number][:40],
            )


def _in_language(
    around: Around | None, vocabulary: Vocabulary, files: Mapping[str, Path], layout: str
) -> Around | None:
    """The tokens around a source, in the language of `src_lang` in tokenizer_config.json; of mBART and M2M100 its default.

    Only where the folder is one of a multilingual tokenizer and the vocabulary has the code.
    """
    settings, tokens = tokenizer_settings(files), vocabulary.tokens
    stated, codes = settings.get("src_lang"), language_codes(vocabulary)
    usual = _USUAL_LANGUAGES.get(tokenizer_class(files)) or (
        {"m2m-100": "__en__", "mbart": "en_XX"}.get(layout) if around is None else None
    )
    if around is not None and not isinstance(stated, str):
        return around
    name = stated if isinstance(stated, str) else usual
    code = next((each for each in (name, f"__{name}__") if each in tokens and each in codes), None)
    if code is None:
        return around
    reason = (
        f"{SETTINGS} gives src_lang {stated!r}"
        if isinstance(stated, str)
        else f"{code} is the language that its tokenizer reads unless told; say --source-language"
    )
    assumed = not isinstance(stated, str)
    number, end = tokens[code], tokens.get("</s>")
    if around is not None:
        languages = {tokens[each] for each in codes}
        before, after = (
            tuple(number if token in languages else token for token in side)
            for side in (around.before, around.after)
        )
        if number in (*before, *after):
            return Around(before, after, reason, assumed)
        return around
    if end is None:
        return None
    first = layout != "plbart" and not (layout == "mbart" and len(codes) <= MBART_25) and not _legacy(files)
    return Around((number,), (end,), reason, assumed) if first else Around((), (end, number), reason, assumed)


# The language that the library's tokenizers read where nothing tells another.
_USUAL_LANGUAGES: Final = {
    "MBartTokenizer": "en_XX",
    "MBart50Tokenizer": "en_XX",
    "M2M100Tokenizer": "__en__",
    "NllbTokenizer": "eng_Latn",
}


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
        raise CheckpointError.tr(
            "the vocabulary {value!r} cannot be read ({strerror}); give another.",
            value=str(path),
            strerror=error.strerror,
        ) from None
    except UnicodeDecodeError:
        raise CheckpointError.tr(
            "the vocabulary {file} is not UTF-8 text; write it with one token per line.", file=path.name
        ) from None
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines and lines[-1] == "" else lines


def _word_list(path: Path, tokens: list[str], wishes: Wishes) -> Vocabulary:
    if not tokens:
        raise CheckpointError.tr(
            "{file} is empty; a vocabulary has at least one token, one per line.", file=path.name
        )
    _check_stripped(path, tokens)

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


def _pipeline_content(path: Path) -> dict[str, Any] | None:
    """The content of a tokenizer.json; None for a JSON file that only lists tokens."""
    try:
        content = read_object(path, MAX_BYTES)
    except CheckpointError:
        return None  # a list; what else is wrong is said where it is read
    return content if isinstance(content.get("model"), dict) else None


def _pipeline_file(path: Path, content: dict[str, Any], files: Mapping[str, Path]) -> Vocabulary:
    """tokenizer.json, with the tokens that the files beside it add."""
    content = _with_added_tokens(path, content, files)
    backend = pipeline(content, path.name)
    tokens = backend.get_vocab(with_added_tokens=True)
    for each in added_tokens(files):
        if tokens.get(each.token) != each.token_id:
            raise CheckpointError.tr(
                "the added token {token!r} has the id {token_id} beside {file} and {value} in it; give the files that belong together.",
                token=each.token[:40],
                token_id=each.token_id,
                file=path.name,
                value=tokens.get(each.token),
            )

    def make(specials: Specials, frame: Frame) -> Tokenizer:
        given = {"pad": specials.pad, "bos": specials.bos, "eos": specials.eos, "unk": specials.unk}
        own, family, mark, ids, counts, stored = tokenizer_json.read(path, given, content)
        loaded = Tokenizer(own, family, ids, counts, mark, stored)
        return loaded if frame == Frame() else loaded.framed(frame)

    around = post_processed(content, path.name)
    return Vocabulary(path.name, tokens, make, declared_unknown(content["model"]), around)


def _with_added_tokens(path: Path, content: dict[str, Any], files: Mapping[str, Path]) -> dict[str, Any]:
    """The content of a tokenizer.json, with the added and special tokens of the files beside it that it lacks."""
    listed_there = content.get("added_tokens")
    there = list(listed_there) if isinstance(listed_there, list) else []
    known = {each.get("content") for each in there if isinstance(each, Mapping)}
    vocabulary = content["model"].get("vocab")
    own = vocabulary if isinstance(vocabulary, Mapping) else {}
    more = [each for each in added_tokens(files) if each.token not in known]
    named = {*known, *(each.token for each in more)}
    more += [
        Added(token, own[token], True)
        for token in special_tokens(files)
        if token not in named and type(own.get(token)) is int
    ]
    if not more:
        return content
    entries = [
        {"id": each.token_id, "content": each.token, **{name: getattr(each, name) for name in _ADDED_FLAGS}}
        for each in more
    ]
    return {**content, "added_tokens": [*there, *entries]}


_ADDED_FLAGS: Final = ("single_word", "lstrip", "rstrip", "normalized", "special")


def _byte_level(vocab: Path, merges: Path, tokens: dict[str, int], files: Mapping[str, Path]) -> Vocabulary:
    """Byte-level BPE (Radford et al. 2019), as BART stores it."""
    settings, added = tokenizer_settings(files), added_tokens(files)
    prefix = settings.get("add_prefix_space", tokenizer_class(files) == "BlenderbotTokenizer") is True
    complete = {**tokens, **{each.token: each.token_id for each in added}}
    if len(set(complete.values())) < len(complete):
        with_added(vocab.name, in_order(vocab, tokens), added)  # says which

    def make(specials: Specials, frame: Frame) -> Tokenizer:
        pairs = [
            tuple(line.split(" ")) for line in _lines(merges) if line and not line.startswith("#version")
        ]
        if not all(len(pair) == 2 for pair in pairs):
            raise CheckpointError.tr(
                "{name} must hold two pieces per line; give the file beside {other}.",
                name=merges.name,
                other=vocab.name,
            )
        with rust_panic_as(
            CheckpointError, unreadable(f"{vocab.name}, {merges.name}", tr("one of its tables is damaged"))
        ):
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
        _add_all(backend, vocab.name, added)
        backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
        backend.decoder = decoders.ByteLevel()
        return Tokenizer(backend, "byte-level", specials, mark="Ġ", frame=_only_if_needed(frame))

    return Vocabulary(f"{vocab.name} + {merges.name}", complete, make)


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
        raise CheckpointError.tr(
            "a model that reads bytes has at least {count} tokens, not {size}.", count=len(tokens), size=size
        )
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
        raise CheckpointError.tr(
            "tokenizer_config.json gives language_codes {codes!r}; known are {listed}.",
            codes=codes[:40],
            listed=", ".join(_LANGUAGES),
        )
    pieces = in_order(numbered, token_table(numbered, read_object(numbered, MAX_BYTES)))
    signs = [f"__{code}__" for code in _LANGUAGES[codes].split()]
    signs += [f"madeupword{number}" for number in range(min(size - len(pieces) - len(signs), 8))]
    names = [*pieces, *signs]
    tokens = {token: number for number, token in enumerate(names)}
    title = f"{path.name} + {numbered.name}"
    added = [each for each in added_tokens(files) if each.token not in tokens]
    made = spelled(title, read_sentencepiece(path), names, tokens, signs, added)
    return replace(made, around=_in_language(None, made, files, "m2m-100"))


LANGUAGE_OPTIONS = ("source_language", "target_language")
NONE = "none"  # an answer in place of a token: force nothing
_CODE = re.compile(r"[a-z]{2,3}_[A-Z][A-Za-z]{1,3}|__[a-z]{2,10}(_[A-Z]{2})?__")
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


def around_in_words(vocabulary: Vocabulary, ids: Sequence[int]) -> str:
    """The ids as `source_before` and `source_after` take them: tokens, or numbers where a token could be read otherwise."""
    words = []
    for number in ids:
        token = vocabulary.token(number) or ""
        unclear = not token or token in _WORDS_FOR or token.isdecimal() or any(map(str.isspace, token))
        words.append(str(number) if unclear else token)
    return " ".join(words)


# Words of `source_before` and `source_after` that stand for the start and the end token, however these are spelt.
_WORDS_FOR: Final = ("start", "end", "</s>")


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
        raise CheckpointError.tr(
            "a language is given but no vocabulary to find its code in; give --tokenizer."
        )
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
    if not codes:
        raise CheckpointError.tr(
            "{name!r} is given as {option}, but this vocabulary has no language codes such as fr_XX; leave it out (MarianMT’s "
            ">>fra<< is typed before the text).",
            name=name[:40],
            option=option,
        )
    raise CheckpointError.tr(
        "{name!r}, given as {option}, is not a language of this vocabulary; it has {names}.",
        name=name[:40],
        option=option,
        names=listed(codes, _LANGUAGES_LISTED),
    )
