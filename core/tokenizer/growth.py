"""How much longer the steps of a `tokenizers` pipeline can make a text, computed from their settings alone.

Only kinds of steps with known growth are listed. A step of any other kind, or with settings of another type, has no
bound here (infinity), so that it is never run inside the server (`core.tokenizer.untrusted`).
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from core.tokenizer.build import OWN_NEVER_EMPTY

LINEAR_AND_NEVER_EMPTY: Final = frozenset((*OWN_NEVER_EMPTY, " {2,}", r"\s+", r"\n"))
"""Patterns that match at least one character, in time proportional to the text."""

# Unicode's own limits, in characters for one character, for each form and for several in a row
# (tests/core/tokenizer/test_growth.py tries every character).
_CANONICAL: Final = {"NFC", "NFD", "Lowercase", "StripAccents"}
_COMPATIBILITY: Final = {"NFKC", "NFKD"}
_CANONICAL_GROWTH: Final = 4.0
_COMPATIBILITY_GROWTH: Final = 18.0

_NORMALIZERS_AS_LONG: Final = {"Strip", "Nmt"}
_PRE_TOKENIZERS_AS_LONG: Final = frozenset(
    ("BertPreTokenizer", "CharDelimiterSplit", "Digits", "FixedLength", "Punctuation", "Split", "UnicodeScripts",
     "Whitespace", "WhitespaceSplit")
)  # fmt: skip
_DECODERS_AS_LONG: Final = {"ByteFallback", "ByteLevel", "Fuse", "Metaspace", "Strip"}
_BYTES: Final = 4.0  # one character is up to four bytes, each of which ByteLevel writes as a character


def normalizer_growth(step: object) -> float:
    """The most characters that a normaliser makes of one character."""
    return _growth(step, "normalizers", _normalizer)


def pre_tokenizer_growth(step: object) -> float:
    """The most characters that a pre-tokeniser makes of one character; a step that adds a space adds it to each piece."""
    return _growth(step, "pretokenizers", _pre_tokenizer)


def decoder_growth(step: object) -> float:
    """The most characters that a decoder makes of one character of the tokens."""
    return _growth(step, "decoders", _decoder)


def table_growth(table: bytes) -> float:
    """The most characters that a SentencePiece character table makes of one: the length of its longest text."""
    texts = table[4 + int.from_bytes(table[:4], "little") :]
    return float(max((len(text.decode("utf-8", "replace")) for text in texts.split(b"\0")), default=0) or 1)


def _growth(step: object, nested_key: str, one: Callable[[Mapping[str, Any]], float]) -> float:
    if step is None:
        return 1.0
    return _product(_flat(step, nested_key), one)


def _flat(step: object, nested_key: str) -> Iterable[object]:
    """The steps of a pipeline's part in order, with nested sequences unpacked."""
    if (
        isinstance(step, Mapping)
        and step.get("type") == "Sequence"
        and isinstance(step.get(nested_key), list)
    ):
        return [deep for each in step[nested_key] for deep in _flat(each, nested_key)]
    return [step]


def _product(steps: Iterable[object], one: Callable[[Mapping[str, Any]], float]) -> float:
    """The growth of all steps in their order; neighbouring Unicode forms count once, since they do not compound."""
    total, run = 1.0, 1.0
    for step in steps:
        if not isinstance(step, Mapping):
            return math.inf
        kind = step.get("type")
        if isinstance(kind, str) and kind in _CANONICAL | _COMPATIBILITY:
            run = max(run, _COMPATIBILITY_GROWTH if kind in _COMPATIBILITY else _CANONICAL_GROWTH)
            continue
        total, run = total * run * one(step), 1.0
    return total * run


def _normalizer(step: Mapping[str, Any]) -> float:
    kind = step.get("type")
    if kind in _NORMALIZERS_AS_LONG:
        return 1.0
    match kind:
        case "BertNormalizer":  # a space before and after a Chinese character, and the forms above
            return 3 * _CANONICAL_GROWTH
        case "ByteLevel":
            return _BYTES
        case "Prepend":
            return 1.0 + _length(step.get("prepend"))  # before each part between added tokens
        case "Precompiled":
            return _table(step.get("precompiled_charsmap"))
        case "Replace":
            return _replaced(step)
        case _:
            return math.inf


def _pre_tokenizer(step: Mapping[str, Any]) -> float:
    kind = step.get("type")
    if kind in _PRE_TOKENIZERS_AS_LONG:
        return 1.0
    match kind:
        case "ByteLevel":
            return _BYTES * (2.0 if step.get("add_prefix_space", True) else 1.0)
        case "Metaspace":
            return 2.0
        case _:
            return math.inf


def _decoder(step: Mapping[str, Any]) -> float:
    kind = step.get("type")
    if kind in _DECODERS_AS_LONG:
        return 1.0
    match kind:
        case "WordPiece":
            return 2.0  # a space before each token
        case "BPEDecoder":
            return 1.0 if _length(step.get("suffix")) else 2.0
        case "CTC":
            return 1.0 if _length(step.get("word_delimiter_token")) else 2.0
        case "Replace":
            return _replaced(step)
        case _:
            return math.inf


def _length(text: object) -> float:
    return float(len(text)) if isinstance(text, str) else math.inf


def _replaced(step: Mapping[str, Any]) -> float:
    pattern, length = step.get("pattern"), _length(step.get("content"))
    if not isinstance(pattern, Mapping):
        return math.inf
    words = pattern.get("String")
    if isinstance(words, str) and words:
        return max(1.0, length / len(words))
    if pattern.get("Regex") in LINEAR_AND_NEVER_EMPTY:
        return max(1.0, length)
    # Any other pattern may match the empty string; the replacement then goes before, after and between all characters.
    return 2 * length + 1.0


def _table(table: object) -> float:
    if table is None or table == "":
        return 1.0
    if not isinstance(table, str):
        return math.inf
    try:
        return max(1.0, table_growth(base64.b64decode(table, validate=True)))
    except ValueError:
        return 1.0  # the library refuses it
