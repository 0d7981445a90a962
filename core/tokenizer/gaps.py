"""The parts of a text that a pipeline without an unknown token cannot spell.

The `tokenizers` library silently drops such letters (BPE) or raises an exception that does not name them (the other
models). Here they are computed from the vocabulary, by the rules of each model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from tokenizers import pre_tokenizers

from core.tokenizer.guarded import GuardedPipeline, Pipeline

Span = tuple[int, int]


class Gaps:
    """Finds the parts of a text that one pipeline's vocabulary cannot spell."""

    def __init__(self, backend: Pipeline) -> None:
        self._backend = backend

    @cached_property
    def _model(self) -> dict[str, Any]:
        """The model's kind and options, without its vocabulary."""
        if isinstance(self._backend, GuardedPipeline):
            return dict(json.loads(self._backend.to_str())["model"])
        model: Any = self._backend.model
        names = (
            *("unk_token", "byte_fallback", "continuing_subword_prefix", "end_of_word_suffix"),
            *("max_input_chars_per_word", "ignore_merges"),
        )
        return {"type": type(model).__name__, **{name: getattr(model, name, None) for name in names}}

    @cached_property
    def drops(self) -> bool:
        """Whether letters that the vocabulary lacks are silently dropped."""
        model = self._model
        if model["type"] != "BPE" or self._knows(model.get("unk_token") or ""):
            return False
        bytes_ = [f"<0x{number:02X}>" for number in range(256)] if model.get("byte_fallback") else None
        return not all(map(self._knows, bytes_ or pre_tokenizers.ByteLevel.alphabet()))

    def _knows(self, token: str) -> bool:
        return self._backend.token_to_id(token) is not None

    def spans(self, pieces: Sequence[tuple[str, Span]]) -> list[Span]:
        """The spans of a text, given as pre-tokenized `pieces`, that no token spells."""
        find = {"BPE": self._letters, "WordPiece": self._word, "Unigram": self._characters}.get(
            self._model["type"], self._entry
        )
        return [_within(piece, span, gap) for piece, span in pieces for gap in find(piece)]

    def _entry(self, piece: str) -> Iterator[Span]:
        if not self._knows(piece):
            yield 0, len(piece)

    def _letters(self, piece: str) -> Iterator[Span]:
        if self._model.get("ignore_merges") and self._knows(piece):
            return
        before = self._model.get("continuing_subword_prefix") or ""
        after = self._model.get("end_of_word_suffix") or ""
        for index, letter in enumerate(piece):
            form = f"{before if index else ''}{letter}{after if index == len(piece) - 1 else ''}"
            if not self._knows(form) and not self._has_bytes(letter):
                yield index, index + 1

    def _has_bytes(self, letter: str) -> bool:
        if not self._model.get("byte_fallback"):
            return False
        return all(self._knows(f"<0x{number:02X}>") for number in letter.encode())

    def _word(self, piece: str) -> Iterator[Span]:
        """WordPiece takes the longest token that fits, repeatedly; where none fits, the whole word is unknown."""
        before = self._model.get("continuing_subword_prefix") or ""
        start, longest = 0, self._model.get("max_input_chars_per_word") or len(piece)
        while start < len(piece) <= longest:
            head = before if start else ""
            end = next((n for n in range(len(piece), start, -1) if self._knows(head + piece[start:n])), None)
            if end is None:
                break
            start = end
        if start < len(piece):
            yield 0, len(piece)

    def _characters(self, piece: str) -> Iterator[Span]:
        lacking = [
            n for n, letter in enumerate(piece) if not self._knows(letter) and not self._has_bytes(letter)
        ]
        yield from ((n, n + 1) for n in lacking)


def _within(piece: str, span: Span, gap: Span) -> Span:
    """`gap` of a piece as a span of the text, where the piece is at `span`; the whole span where the piece is respelled."""
    start, end = span
    more = len(piece) - (end - start)  # a sign for the space that is put before a first word
    if more not in (0, 1) or gap[1] <= more:
        return span
    return start + max(0, gap[0] - more), start + gap[1] - more
