"""Vocabularies that are no list in a file: ByT5's bytes, and M2M100's pieces with its languages after them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import tokenizers
from tokenizers import decoders, models, pre_tokenizers

from core.errors import CheckpointError
from core.files import read_object
from core.importing.sentencepiece import Vocabulary, in_order, read_sentencepiece, spelled, token_table
from core.tokenizer import Frame, Specials, Tokenizer
from core.tokenizer.files import MAX_BYTES
from core.tokenizer.piece import BYTE_ALPHABET

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
