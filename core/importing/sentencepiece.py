"""SentencePiece models (.spm, .model) as `tokenizers` pipelines with the same segmentation, and vocabularies made of them.

The file is a protocol-buffer message (sentencepiece_model.proto); the few fields needed are read here, so that an
untrusted file is read by no other parser. Unigram: Kudo (2018); BPE: Sennrich et al. (2016). The vocabularies are those
of MarianMT, T5 and mBART.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers

from core.errors import CheckpointError
from core.files import read_object
from core.importing.tokenizer_files import Added, Around, with_added
from core.language import numeral, tr
from core.tokenizer import Frame, Specials, Tokenizer
from core.tokenizer.files import MAX_BYTES, find_specials, named_specials
from core.tokenizer.pipeline import END_OF_TEXT, rust_panic_as
from core.tokenizer.untrusted import IN_PROCESS_GROWTH, table_growth, unreadable

MAX_MODEL_BYTES = 64 * 2**20
_UNIGRAM, _BPE = 1, 2
_NORMAL, _UNKNOWN, _CONTROL, _USER, _UNUSED, _BYTE = 1, 2, 3, 4, 5, 6
_SPACE = "▁"
_LONGEST = 1000  # characters of a piece; SentencePiece itself makes at most 16 by default


@dataclass(frozen=True)
class SentencePieces:
    """The contents of a SentencePiece model. `kinds` marks normal, unknown, control, user and byte pieces."""

    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    kinds: tuple[int, ...]
    model_type: int
    charsmap: bytes
    dummy_prefix: bool
    squeeze: bool  # runs of spaces are merged, those at the ends removed
    byte_fallback: bool
    suffix: bool = False  # the sign of a space ends a word and does not begin it

    @property
    def unknown(self) -> int:
        """The index of the unknown piece."""
        return self.kinds.index(_UNKNOWN)


def read_sentencepiece(path: Path) -> SentencePieces:
    """Read a .spm or .model file. Raises CheckpointError with one sentence."""
    try:
        if path.stat().st_size > MAX_MODEL_BYTES:
            raise CheckpointError.tr(
                "{file} has more than {max_model_bytes} bytes; a SentencePiece model is smaller.",
                file=path.name,
                max_model_bytes=numeral(MAX_MODEL_BYTES, ","),
            )
        return _message(path.read_bytes())
    except CheckpointError:
        raise
    except OSError as error:
        raise CheckpointError.tr(
            "{file} cannot be read ({strerror}); copy it again.", file=path.name, strerror=error.strerror
        ) from None
    except (ValueError, IndexError, struct.error, TypeError, AttributeError):
        raise CheckpointError.tr(
            "{file} is not a SentencePiece model; give the .spm or .model file that the model was trained with.",
            file=path.name,
        ) from None


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Field numbers and values of one message: varints as int, the rest as bytes."""
    index = 0

    def varint() -> int:
        nonlocal index
        value = shift = 0
        while True:
            byte = data[index]
            index += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise ValueError("varint too long")

    while index < len(data):
        tag = varint()
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            yield number, varint()
            continue
        length = {1: 8, 2: -1, 5: 4}[wire] if wire in (1, 2, 5) else 0
        if not length:
            raise ValueError("unknown wire type")
        if length < 0:
            length = varint()
        if index + length > len(data):
            raise ValueError("cut short")
        yield number, data[index : index + length]
        index += length


def _message(data: bytes) -> SentencePieces:
    pieces, scores, kinds = [], [], []
    model_type, byte_fallback, suffix = _UNIGRAM, False, False
    charsmap, dummy_prefix, squeeze = b"", True, True
    for number, value in _fields(data):
        if number == 1 and isinstance(value, bytes):
            entry = dict(_fields(value))
            pieces.append(_bytes(entry[1]).decode("utf-8") if 1 in entry else "")
            scores.append(_score(_bytes(entry[2])) if 2 in entry else 0.0)
            kinds.append(int(entry.get(3, _NORMAL)))
        elif number == 2 and isinstance(value, bytes):
            trainer = dict(_fields(value))
            model_type, byte_fallback = int(trainer.get(3, 1)), bool(trainer.get(35, 0))
            suffix = bool(trainer.get(24, 0))
        elif number == 3 and isinstance(value, bytes):
            normalizer = dict(_fields(value))
            charsmap = _bytes(normalizer.get(2, b""))
            dummy_prefix, squeeze = bool(normalizer.get(3, 1)), bool(normalizer.get(4, 1))
    if not pieces or _UNKNOWN not in kinds or not all(abs(score) < 1e9 for score in scores):
        raise ValueError("no pieces")
    return SentencePieces(
        tuple(pieces),
        tuple(scores),
        tuple(kinds),
        model_type,
        charsmap,
        dummy_prefix,
        squeeze,
        byte_fallback,
        suffix,
    )


def _score(data: bytes) -> float:
    """With as few digits as single precision needs, so that JSON preserves the number."""
    return float(str(np.float32(struct.unpack("<f", data)[0])))


def _bytes(value: int | bytes) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError("bytes expected")
    return value


def pipeline(model: SentencePieces, name: str) -> tokenizers.Tokenizer:
    """A `tokenizers` object with the same segmentation, whose ids are the indices in the SentencePiece file."""
    if model.model_type not in (_UNIGRAM, _BPE):
        raise CheckpointError.tr(
            "{name} is a word or character SentencePiece model; only unigram and BPE ones are read.",
            name=name,
        )
    if len(set(model.pieces)) != len(model.pieces):
        raise CheckpointError.tr(
            "{name} lists a piece more than once; give the file the model was trained with.", name=name
        )
    longest = max(map(len, model.pieces))
    if longest > _LONGEST:
        raise CheckpointError.tr(
            "{name} holds a piece of {longest} characters; pieces have at most {most}.",
            name=name,
            longest=numeral(longest, ","),
            most=numeral(_LONGEST, ","),
        )
    with rust_panic_as(CheckpointError, unreadable(name, tr("its pieces are damaged"))):
        backend = tokenizers.Tokenizer(_unigram(model) if model.model_type == _UNIGRAM else _bpe(model))
    steps: list[normalizers.Normalizer] = []
    if model.charsmap:
        if (most := table_growth(model.charsmap)) > IN_PROCESS_GROWTH:
            raise CheckpointError.tr(
                "the table of characters in {name} replaces one character by {count}; at most {most} are read.",
                name=name,
                count=numeral(most, ",.0f"),
                most=IN_PROCESS_GROWTH,
            )
        damaged = tr("{file} holds a table of characters that cannot be read; copy it again.", file=name)
        try:
            with rust_panic_as(CheckpointError, damaged):
                steps.append(normalizers.Precompiled(model.charsmap))
        except Exception:
            raise CheckpointError(damaged) from None
    if model.squeeze:
        steps += [normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")]
    if model.suffix:
        steps.append(normalizers.Replace(" ", _SPACE))
        if model.dummy_prefix:
            steps.append(normalizers.Replace(Regex(END_OF_TEXT), _SPACE))
        written: list[decoders.Decoder] = [
            decoders.Replace(_SPACE, " "),
            decoders.Fuse(),
            decoders.Strip(" ", 0, 1),
        ]
    else:
        scheme = "always" if model.dummy_prefix else "never"
        backend.pre_tokenizer = pre_tokenizers.Metaspace(
            replacement=_SPACE, prepend_scheme=scheme, split=False
        )
        written = [decoders.Metaspace(replacement=_SPACE, prepend_scheme=scheme, split=False)]
    backend.normalizer = normalizers.Sequence(steps)
    bytes_first = [decoders.ByteFallback()] if model.byte_fallback else []
    written = [*bytes_first, *written]
    backend.decoder = written[0] if len(written) == 1 else decoders.Sequence(written)
    return backend


def _unigram(model: SentencePieces) -> models.Unigram:
    """Control pieces never match text; a score far below any other keeps them out of every segmentation."""
    lowest = min((s for s, k in zip(model.scores, model.kinds, strict=True) if k == _NORMAL), default=0.0)
    highest = max((s for s, k in zip(model.scores, model.kinds, strict=True) if k == _NORMAL), default=0.0)
    rows = []
    for piece, score, kind in zip(model.pieces, model.scores, model.kinds, strict=True):
        if kind in (_CONTROL, _UNUSED, _UNKNOWN):
            # An unmatchable spelling, since the lowest score also sets the price of an unknown character.
            rows.append((f"\x00{piece}", lowest))
        elif kind == _USER:
            rows.append((piece, len(piece) * highest + 0.1))
        else:
            rows.append((piece, score))
    return models.Unigram(rows, unk_id=model.unknown, byte_fallback=model.byte_fallback)


def _bpe(model: SentencePieces) -> models.BPE:
    """Merges from scores: a piece is the merge of each pair of pieces that it consists of, the best score first."""
    indices = {piece: index for index, piece in enumerate(model.pieces)}
    merges: list[tuple[int, int, int, tuple[str, str]]] = []
    for index, (piece, kind) in enumerate(zip(model.pieces, model.kinds, strict=True)):
        if kind not in (_NORMAL, _USER):
            continue
        for cut in range(1, len(piece)):
            left, right = piece[:cut], piece[cut:]
            if left in indices and right in indices:
                merges.append((index, indices[left], indices[right], (left, right)))
    merges.sort(key=lambda merge: (-model.scores[merge[0]], merge[1], merge[2]))
    return models.BPE(
        indices,
        [merge[3] for merge in merges],
        unk_token=model.pieces[model.unknown],
        fuse_unk=True,
        byte_fallback=model.byte_fallback,
    )


# The languages of mBART in the order of their ids (Liu et al. 2020), then those that mBART-50 adds (Tang et al. 2020).
LANGUAGES = (
    "ar_AR cs_CZ de_DE en_XX es_XX et_EE fi_FI fr_XX gu_IN hi_IN it_IT ja_XX kk_KZ ko_KR lt_LT lv_LV my_MM ne_NP "
    "nl_XX ro_RO ru_RU si_LK tr_TR vi_VN zh_CN "
    "af_ZA az_AZ bn_IN fa_IR he_IL hr_HR id_ID ka_GE km_KH mk_MK ml_IN mn_MN mr_IN pl_PL ps_AF pt_XX sv_SE sw_KE "
    "ta_IN te_IN th_TH tl_XX uk_UA ur_PK xh_ZA gl_ES sl_SI"
)
MBART_25 = 25

Make = Callable[[Specials, Frame], Tokenizer]


@dataclass(frozen=True)
class Vocabulary:
    """One side's tokens with their ids, and the function that makes a tokenizer once the specials are known."""

    title: str
    tokens: Mapping[str, int]
    make: Make = field(repr=False)
    unknown: int | None = None  # the unknown token that the file itself declares
    around: Around | None = None  # what its tokenizer puts around a text; None where no file says
    # Ids of pad, bos, eos and unk that files beside it name.
    roles: Mapping[str, int] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()  # how the file was read, where it could be read in another way

    @property
    def specials(self) -> dict[str, int | None]:
        """Ids of pad, bos, eos and unk, as the files name them, else by their common names; None where there is none."""
        ids = {**named_specials(self.tokens), **self.roles}
        return ids if self.unknown is None else {**ids, "unk": self.unknown}

    def token(self, token_id: int) -> str | None:
        """The token with the id `token_id`."""
        return next((token for token, number in self.tokens.items() if number == token_id), None)

    @property
    def size(self) -> int:
        """One more than the highest id."""
        return max(self.tokens.values(), default=-1) + 1

    def id_of(self, role: str, text: str) -> int:
        """The id of a special given as a number or as a token. Raises CheckpointError."""
        if text.isascii() and text.isdecimal() and len(text) < 10:
            return int(text)
        if text in self.tokens:
            return self.tokens[text]
        raise CheckpointError.tr(
            "{given!r}, given as {role}, is not in the vocabulary; give a token or its id.",
            given=text[:40],
            role=role,
        )


def token_table(path: Path, content: Mapping[str, object]) -> dict[str, int]:
    tokens = {token: token_id for token, token_id in content.items() if type(token_id) is int}
    if not tokens or len(tokens) != len(content):
        raise CheckpointError.tr(
            "{file} is neither a tokenizer nor an object of tokens and ids; give one of the two.",
            file=path.name,
        )
    if not all(0 <= token_id < 10_000_000 for token_id in tokens.values()) or len(
        set(tokens.values())
    ) != len(tokens):
        raise CheckpointError.tr(
            "{file} gives an id twice, or one below 0; every token needs an id of its own.", file=path.name
        )
    return tokens


def in_order(path: Path, tokens: Mapping[str, int]) -> list[str]:
    by_id = {token_id: token for token, token_id in tokens.items()}
    if set(by_id) != set(range(len(by_id))):
        raise CheckpointError.tr(
            "{file} leaves out ids between 0 and {value}; give every id a token.",
            file=path.name,
            value=max(by_id),
        )
    return [by_id[token_id] for token_id in range(len(by_id))]


def sentencepiece_vocabulary(
    path: Path,
    layout: str,
    size: int,
    added: Sequence[Added] = (),
    settings: Mapping[str, Any] | None = None,
    codes: Sequence[str] = (),
) -> Vocabulary:
    """A .model file with the ids of its family, and the tokens that are `added` to it.

    `settings`: tokenizer_config.json; `codes`: special tokens that the files list, such as NLLB's languages.
    """
    model, settings = read_sentencepiece(path), settings or {}
    if path.name == "sentencepiece.bpe.model":
        return _fairseq(path, model, size, layout, added, settings, codes)
    signs: list[str] = []
    if layout == "t5" and len(model.pieces) < size:
        # T5 counts its sentinels down to the end of its 100 extra ids.
        most = settings.get("extra_ids", 100)
        own = [each.token_id for each in added if not each.token.startswith("<extra_id_")]
        room = min([size, *own]) - len(model.pieces)
        most = most if type(most) is int and 0 <= most <= 1000 else 100
        signs = [f"<extra_id_{most - 1 - n}>" for n in range(min(most, room))]
    return spelled(path.name, model, [*model.pieces, *signs], signs=signs, added=added)


# The languages of PLBart, whose codes follow its pieces (Ahmad et al. 2021).
_PLBART: Mapping[str, str] = {
    "base": "__java__ __python__ __en_XX__",
    "multi": "__java__ __python__ __en_XX__ __javascript__ __php__ __ruby__ __go__",
}


def _fairseq(
    path: Path,
    model: SentencePieces,
    size: int,
    layout: str,
    added: Sequence[Added],
    settings: Mapping[str, Any],
    codes: Sequence[str],
) -> Vocabulary:
    """Four specials, the pieces from the fourth on, the codes of the languages, and a mask: mBART, PLBart, NLLB, BARThez."""
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *model.pieces[3:]]
    if layout == "mbart":
        known = LANGUAGES.split()
        later = (
            settings.get("tokenizer_class") == "MBart50Tokenizer" or settings.get("language_codes") == "ML50"
        )
        codes = known if later or size - len(pieces) > MBART_25 + 1 else known[:MBART_25]
    elif layout == "plbart":
        codes = _PLBART["multi" if settings.get("language_codes") == "multi" else "base"].split()
    elif layout == "m2m-100":
        codes = [code for code in codes if code != "<mask>"]
        if not codes and not added:
            raise CheckpointError.tr(
                "nothing beside {file} lists the languages of this model; copy its tokenizer.json, or special_tokens_map.json, there too.",
                file=path.name,
            )
    else:
        codes = []
    signs = [*codes, *(["<mask>"] if not (layout == "plbart" and len(codes) > 3) else [])]
    return spelled(path.name, model, [*pieces, *signs], signs=signs, added=added)


def spelled(
    title: str,
    model: SentencePieces,
    names: Sequence[str],
    tokens: Mapping[str, int] | None = None,
    signs: Sequence[str] = (),
    added: Sequence[Added] = (),
) -> Vocabulary:
    """Pieces of SentencePiece with the ids of `tokens` (default: their places in `names`); pieces without an id are unknown.

    `signs` are tokens that spell no text and are left out of the output; one whose id an `added` token has gives way to it.
    """
    complete = with_added(title, names, added, signs)
    numbered = {token: number for number, token in enumerate(complete)} if tokens is None else dict(tokens)
    numbered |= {each.token: each.token_id for each in added}
    signs = [sign for sign in signs if sign in numbered]
    extra = [Added(sign, numbered[sign], True) for sign in signs]
    extra = [*(each for each in extra if each.token not in {own.token for own in added}), *added]

    def make(specials: Specials, frame: Frame) -> Tokenizer:
        if specials.unk is None:
            raise CheckpointError.tr("{title} needs an unknown token; give its id as --unk.", title=title)
        specials = find_specials(numbered, asdict(specials))
        assert specials.unk is not None
        ids = [numbered.get(piece, specials.unk) for piece in model.pieces]
        ids[model.unknown] = specials.unk
        backend = pipeline(model, title)
        codes = [token for token in numbered if token.startswith(">>") and token.endswith("<<")]
        if codes:  # MarianMT's target languages are typed before the text and are added tokens
            backend.add_tokens([tokenizers.AddedToken(code, rstrip=True, normalized=False) for code in codes])
            ids += [numbered[code] for code in codes]
        for each in extra:
            _add(backend, each, ids)
        framed = Frame(frame.before, frame.after, tuple(ids), tuple(complete))
        return Tokenizer(backend, "suffix" if model.suffix else "metaspace", specials, frame=framed)

    return Vocabulary(title, numbered, make)


def _add(backend: tokenizers.Tokenizer, added: Added, ids: list[int]) -> None:
    """Let `backend` find a token in texts, or, of a special one, leave it out of the output; `ids` are those of its pieces."""
    if backend.token_to_id(added.token) is None:
        ids.append(added.token_id)
    backend.add_tokens([library_token(added)])


def library_token(added: Added) -> tokenizers.AddedToken:
    """The token as the `tokenizers` library takes it."""
    return tokenizers.AddedToken(
        added.token,
        single_word=added.single_word,
        lstrip=added.lstrip,
        rstrip=added.rstrip,
        normalized=added.normalized,
        special=added.special,
    )


def marian_vocabularies(
    files: Mapping[str, Path], added: Sequence[Added] = ()
) -> tuple[Vocabulary, Vocabulary]:
    """Two SentencePiece models whose ids come from one vocab.json, or from one per side."""
    sides = []
    for side, table in (("source", "vocab.json"), ("target", "target_vocab.json")):
        path = files.get(table, files["vocab.json"])
        tokens = token_table(path, read_object(path, MAX_BYTES))
        model = read_sentencepiece(files[f"{side}.spm"])
        names, title = in_order(path, tokens), f"{side}.spm + {path.name}"
        beyond = [each for each in added if each.token not in tokens]  # those within have ids of vocab.json
        sides.append(spelled(title, model, names, tokens, added=beyond))
    return sides[0], sides[1]
