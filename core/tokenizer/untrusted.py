"""Untrusted tokenizer pipelines: what could harm the process is refused, or runs in a limited child process.

How much longer the steps of a pipeline can make a text is computed from their settings alone. Only kinds of steps with
known growth are listed; a step of any other kind, or with settings of another type, has no bound (infinity), so that it
never runs inside the server.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import tokenizers

from core.child import ChildError, ChildStoppedError
from core.errors import CheckpointError
from core.language import numeral, tr
from core.tokenizer.pipeline import (
    OWN_NEVER_EMPTY,
    OWN_PATTERNS,
    Growth,
    GuardedPipeline,
    Pipeline,
    rust_panic_as,
)

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
    (
        "BertPreTokenizer",
        "CharDelimiterSplit",
        "Digits",
        "FixedLength",
        "Punctuation",
        "Split",
        "UnicodeScripts",
        "Whitespace",
        "WhitespaceSplit",
    )
)
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


MOST_GROWTH: Final = 1000
"""The factor by which its steps may lengthen a text. Out of memory, the library ends the process."""
IN_PROCESS_GROWTH: Final = 100
"""The factor up to which they may do so in this process; beyond it they run in a child with little memory."""
_ADDED_LETTERS: Final = 10_000_000
_STEPS: Final = ("normalizer", "pre_tokenizer", "decoder")


def unreadable(file: str, reason: str) -> str:
    """The sentence for a tokenizer's file that the library cannot read."""
    return tr("the tokenizers library cannot read {file}: {reason}.", file=file, reason=reason)


# Patterns of this project and of widely used tokenizers, each of which takes time proportional to the text.
_LINEAR: Final = frozenset((*OWN_PATTERNS, *LINEAR_AND_NEVER_EMPTY))
_MOST_STEPS: Final = 64
_MODELS: Final = frozenset(("BPE", "Unigram", "WordLevel", "WordPiece"))
# WordPiece tries every end of a word from every start, Unigram every piece from every character.
_LONGEST_WORD: Final = 200
_LONGEST_AFFIX: Final = 100  # BPE and WordPiece copy it for every character


def needs_guard(layout: Mapping[str, Any]) -> bool:
    """Whether a pipeline may take much time or memory: only steps known to be cheap run in this process.

    Guarded are patterns that are not listed here, steps of an unknown kind, texts that grow more than IN_PROCESS_GROWTH
    times, a great many steps, and words or pieces without a length limit.
    """
    steps = [step for key in _STEPS for step in steps_of(layout.get(key))]
    patterns = [step["pattern"] for step in steps if isinstance(step.get("pattern"), Mapping)]
    unknown = any(pattern["Regex"] not in _LINEAR for pattern in patterns if "Regex" in pattern)
    grown = normalizer_growth(layout.get("normalizer"))
    total = grown * pre_tokenizer_growth(layout.get("pre_tokenizer"))
    contents = (each.get("content") for each in added_tokens(layout))
    letters = sum(len(text) for text in contents if isinstance(text, str))  # normalised when they are read
    return (
        unknown
        or len(steps) > _MOST_STEPS
        or max(total, decoder_growth(layout.get("decoder"))) > IN_PROCESS_GROWTH
        or letters * grown > _ADDED_LETTERS
        or _may_be_slow(layout.get("model"))
    )


def _may_be_slow(model: object) -> bool:
    """Whether splitting a word with this model can take more than a bounded number of steps per character."""
    if not isinstance(model, Mapping) or model.get("type", "BPE") not in _MODELS:
        return True
    longest = model.get("max_input_chars_per_word")
    affixes = [model.get(key) for key in ("continuing_subword_prefix", "end_of_word_suffix")]
    pieces = model.get("vocab")  # a list with scores for Unigram alone
    return (
        (isinstance(longest, int) and longest > _LONGEST_WORD)
        or any(isinstance(affix, str) and len(affix) > _LONGEST_AFFIX for affix in affixes)
        or (isinstance(pieces, list) and max(map(_piece_length, pieces), default=0) > _LONGEST_WORD)
    )


def _piece_length(row: object) -> int:
    return len(row[0]) if isinstance(row, list) and row and isinstance(row[0], str) else 0


def added_tokens(layout: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The added tokens that are objects; others are skipped."""
    added = layout.get("added_tokens")
    return [each for each in added if isinstance(each, Mapping)] if isinstance(added, list) else []


def steps_of(step: object) -> list[Mapping[str, Any]]:
    """A step of a pipeline and everything nested in it."""
    if not isinstance(step, Mapping):
        return []
    inner = [step.get(key) for key in ("normalizers", "pretokenizers", "decoders")]
    return [
        step,
        *(deep for group in inner if isinstance(group, list) for each in group for deep in steps_of(each)),
    ]


def _check_types(layout: Mapping[str, Any], name: str) -> None:
    """Raise CheckpointError unless every kind and pattern is a string, which the rules here look up."""
    for key in _STEPS:
        for step in steps_of(layout.get(key)):
            pattern = step.get("pattern")
            given = [step.get("type"), *(pattern.values() if isinstance(pattern, Mapping) else [])]
            if not all(isinstance(value, str) for value in given):
                raise CheckpointError.tr(
                    "the {key} of {name} has a step whose kind or pattern is not text; write it again.",
                    key=key,
                    name=name,
                )
    model = layout.get("model")
    if isinstance(model, Mapping) and not isinstance(model.get("type", ""), str):
        raise CheckpointError.tr(
            "the model of {name} has a kind that is not text; write it again.", name=name
        )


def _trimming(step: object) -> object:
    """The step of a post-processor that trims offsets. Templates, which add tokens or repeat texts, are dropped for `Frame`."""
    kept = [each for each in _post_steps(step) if each.get("type") in ("ByteLevel", "RobertaProcessing")]
    return kept[0] if kept else None


def _post_steps(step: object) -> list[Mapping[str, Any]]:
    if not isinstance(step, Mapping):
        return []
    listed = step.get("processors")
    return (
        [step, *(each for each in listed if isinstance(each, Mapping))]
        if isinstance(listed, list)
        else [step]
    )


def copied(backend: Pipeline) -> Pipeline:
    """A copy of a pipeline for another tokenizer to own; a guarded one never changes and is shared."""
    if isinstance(backend, GuardedPipeline):
        return backend
    return tokenizers.Tokenizer.from_str(backend.to_str())


def pipeline(layout: Mapping[str, Any], name: str) -> Pipeline:
    """The library's tokenizer of a parsed tokenizer.json, without padding and truncation; guarded where needed.

    Raises CheckpointError, naming the file, for a file that the library cannot read and for steps that lengthen texts
    without reason.
    """
    try:
        _check_types(layout, name)
    except RecursionError:
        raise CheckpointError(unreadable(name, tr("its steps are nested too deeply"))) from None
    for step, growth in (("normalizer", normalizer_growth), ("decoder", decoder_growth)):
        if MOST_GROWTH < growth(layout.get(step)) < math.inf:  # a step without a known bound is guarded
            raise CheckpointError.tr(
                "the {step} of {name} can make a text more than {most_growth} times longer; such files are refused.",
                step=step,
                name=name,
                most_growth=numeral(MOST_GROWTH, ","),
            )
    if any(_is_cut_short(each.get("precompiled_charsmap")) for each in steps_of(layout.get("normalizer"))):
        raise CheckpointError(unreadable(name, tr("one of its tables is damaged")))
    kept = json.dumps(
        {
            **layout,
            "padding": None,
            "truncation": None,
            "post_processor": _trimming(layout.get("post_processor")),
        }
    )
    if needs_guard(layout):
        try:
            return GuardedPipeline(kept, growth_of(layout))
        except ChildStoppedError:
            raise CheckpointError.tr(
                "the tokenizers library cannot read {file} in bounded time and memory; give simpler patterns.",
                file=name,
            ) from None
        except ChildError as error:
            raise CheckpointError(unreadable(name, " ".join(str(error).split())[:200])) from None
    with rust_panic_as(CheckpointError, unreadable(name, tr("one of its tables is damaged"))):
        try:
            return tokenizers.Tokenizer.from_str(kept)
        except Exception as error:  # the library raises plain Exception
            reason = " ".join(str(error).split())[:200]
            raise CheckpointError(unreadable(name, reason)) from None


def growth_of(layout: Mapping[str, Any]) -> Growth:
    """How much longer the steps of a pipeline make a text; 1 where a step has no known bound."""
    grown = (
        normalizer_growth(layout.get("normalizer")),
        pre_tokenizer_growth(layout.get("pre_tokenizer")),
        decoder_growth(layout.get("decoder")),
    )
    return Growth(*(most if math.isfinite(most) else 1.0 for most in grown))


def growth_of_parts(backend: tokenizers.Tokenizer) -> Growth:
    """`growth_of` the library's tokenizer, without its vocabulary, which may be large."""
    parts = {step: getattr(backend, step) for step in _STEPS}
    return growth_of(
        {step: json.loads(part.__getstate__()) for step, part in parts.items() if part is not None}
    )


def _is_cut_short(table: object) -> bool:
    """Whether a SentencePiece character table (base64: the length of a trie, the trie, texts) is shorter than it declares.

    The library panics over such a table and writes a page to stderr before the panic can be caught.
    """
    if not isinstance(table, str):
        return False
    try:
        raw = base64.b64decode(table, validate=True)
    except ValueError:
        return False  # the library says so itself
    return len(raw) < 4 + int.from_bytes(raw[:4], "little") // 4 * 4
