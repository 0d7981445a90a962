"""Untrusted tokenizer pipelines: what a hostile one could do to the process is refused or told."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import prod
from typing import Any, Final

import tokenizers

from core.child import ChildError, ChildStoppedError
from core.errors import AtlasError, CheckpointError
from core.tokenizer.build import OWN_PATTERNS
from core.tokenizer.guarded import GuardedPipeline, Pipeline

MOST_GROWTH: Final = 1000
"""How many times longer its replacements may make a text. Beyond memory the library ends the process."""

DAMAGED: Final = "the tokenizers library cannot read"


@contextmanager
def panics_as(kind: type[AtlasError], sentence: str) -> Iterator[None]:
    """Raise `kind(sentence)` for a panic of the library's Rust core, which is no Exception and would pass every handler.

    A pattern such as (a+)+$ panics when its engine has tried a bounded number of ways to match (a damaged table
    of characters panics too); the library writes the panic itself to stderr.
    """
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise kind(sentence) from None


# Patterns of this project and of widely used tokenizers: each takes time in proportion to the text.
_LINEAR: Final = frozenset((*OWN_PATTERNS, " {2,}", r"\s+", r"\n"))
_MOST_STEPS: Final = 64
_LONGEST_WORD: Final = 1000  # WordPiece tries every end of a word from every start


def needs_guard(layout: Mapping[str, Any]) -> bool:
    """Whether a pipeline holds what may take any time: an unknown pattern, endless words, or a great many steps."""
    steps = [part for key in ("normalizer", "pre_tokenizer", "decoder") for part in _steps(layout.get(key))]
    patterns = [part["pattern"] for part in steps if isinstance(part.get("pattern"), Mapping)]
    unknown = any("Regex" in pattern and pattern["Regex"] not in _LINEAR for pattern in patterns)
    model = layout.get("model")
    longest = model.get("max_input_chars_per_word") if isinstance(model, Mapping) else None
    return unknown or len(steps) > _MOST_STEPS or (isinstance(longest, int) and longest > _LONGEST_WORD)


def _steps(step: object) -> list[Mapping[str, Any]]:
    """A step of a pipeline and everything nested in it."""
    if not isinstance(step, Mapping):
        return []
    inner = [step.get(key) for key in ("normalizers", "pretokenizers", "decoders")]
    return [
        step,
        *(deep for group in inner if isinstance(group, list) for each in group for deep in _steps(each)),
    ]


def copied(backend: Pipeline) -> Pipeline:
    """A pipeline for another tokenizer to own; a guarded one never changes and can be shared."""
    if isinstance(backend, GuardedPipeline):
        return backend
    return tokenizers.Tokenizer.from_str(backend.to_str())


def pipeline(layout: Mapping[str, Any], name: str) -> Pipeline:
    """The library's tokenizer of a parsed tokenizer.json, without padding and truncation; guarded where it must be.

    Raises CheckpointError, naming the file, for what the library cannot read and for steps that blow texts up.
    """
    for step in ("normalizer", "decoder"):
        if _growth(layout.get(step)) > MOST_GROWTH:
            raise CheckpointError(
                f"the {step} of {name} can make a text more than {MOST_GROWTH:,} times longer; such files are refused."
            )
    if any(_is_cut_short(part.get("precompiled_charsmap")) for part in _steps(layout.get("normalizer"))):
        raise CheckpointError(f"{DAMAGED} {name}: one of its tables is damaged.")
    kept = json.dumps({**layout, "padding": None, "truncation": None})
    if needs_guard(layout):
        try:
            return GuardedPipeline(kept)
        except ChildStoppedError:
            raise CheckpointError(
                f"{DAMAGED} {name} in bounded time and memory; give simpler patterns."
            ) from None
        except ChildError as error:
            raise CheckpointError(f"{DAMAGED} {name}: {' '.join(str(error).split())[:200]}.") from None
    with panics_as(CheckpointError, f"{DAMAGED} {name}: one of its tables is damaged."):
        try:
            return tokenizers.Tokenizer.from_str(kept)
        except Exception as error:  # the library raises plain Exception
            reason = " ".join(str(error).split())[:200]
            raise CheckpointError(f"{DAMAGED} {name}: {reason}.") from None


def _is_cut_short(table: object) -> bool:
    """Whether a SentencePiece table of characters (base64: the length of a trie, the trie, texts) has less than it says.

    The library panics over such a table, and its panic writes a page to stderr before it can be caught.
    """
    if not isinstance(table, str):
        return False
    try:
        raw = base64.b64decode(table, validate=True)
    except ValueError:
        return False  # the library says so itself
    return len(raw) < 4 + int.from_bytes(raw[:4], "little") // 4 * 4


def _growth(step: object) -> float:
    """The most that a step can multiply the length of a text by."""
    if not isinstance(step, Mapping):
        return 1.0
    for parts in ("normalizers", "decoders"):
        if isinstance(listed := step.get(parts), list):
            return prod((_growth(part) for part in listed), start=1.0)
    if step.get("type") != "Replace":
        return 1.0
    pattern, content = step.get("pattern"), step.get("content")
    length = len(content) if isinstance(content, str) else 0
    words = pattern.get("String") if isinstance(pattern, Mapping) else None
    # A regular expression may match nothing, and then its replacement stands between any two characters.
    return max(1.0, length / len(words)) if isinstance(words, str) and words else length + 1.0
