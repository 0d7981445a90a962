"""Untrusted tokenizer pipelines: what a hostile one could do to the process is refused or told."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import prod
from typing import Any, Final

import tokenizers

from core.errors import AtlasError, CheckpointError

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


def pipeline(layout: Mapping[str, Any], name: str) -> tokenizers.Tokenizer:
    """The library's tokenizer of a parsed tokenizer.json, without padding and truncation.

    Raises CheckpointError, naming the file, for what the library cannot read and for steps that blow texts up.
    """
    for step in ("normalizer", "decoder"):
        if _growth(layout.get(step)) > MOST_GROWTH:
            raise CheckpointError(
                f"the {step} of {name} can make a text more than {MOST_GROWTH:,} times longer; such files are refused."
            )
    kept = json.dumps({**layout, "padding": None, "truncation": None})
    with panics_as(CheckpointError, f"{DAMAGED} {name}: one of its tables is damaged."):
        try:
            return tokenizers.Tokenizer.from_str(kept)
        except Exception as error:  # the library raises plain Exception
            reason = " ".join(str(error).split())[:200]
            raise CheckpointError(f"{DAMAGED} {name}: {reason}.") from None


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
