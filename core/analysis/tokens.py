"""What the scores need to know about the tokens on one axis of an attention map."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.tokenizer.piece import END_LABEL, PADDING_LABEL, START_LABEL, UNKNOWN_LABEL, is_special

_SPACE_MARKS: Final = " \t\n▁Ġ␣·"


@dataclass(frozen=True)
class AxisTokens:
    """One entry per token: which are special, which are punctuation, which hold a letter or digit, how often each occurs.

    `special` are start, end, padding and all others that are no text, such as a language code. `counts` are training frequencies; NaN where unknown and for special tokens.
    """

    start: NDArray[np.bool_]
    end: NDArray[np.bool_]
    padding: NDArray[np.bool_]
    special: NDArray[np.bool_]
    punctuation: NDArray[np.bool_]
    letters: NDArray[np.bool_]
    counts: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.start)

    @classmethod
    def unknown(cls, length: int) -> AxisTokens:
        """An axis of which only the length is known: no padding, no special tokens."""
        no = np.zeros(length, dtype=bool)
        return cls(no, no, no, no, no, ~no, np.full(length, np.nan))

    @classmethod
    def from_labels(cls, labels: Sequence[str], counts: Sequence[float | None] | None = None) -> AxisTokens:
        """Read the special tokens and the punctuation off the tokenizer's labels."""
        names = np.array(labels, dtype=object)
        if counts is not None and len(counts) != len(labels):
            raise InputError(f"{len(counts)} counts for {len(labels)} tokens; give one count per token.")
        known = [np.nan if count is None else float(count) for count in counts or [None] * len(labels)]
        start, end, padding = (
            np.asarray(names == mark, dtype=bool) for mark in (START_LABEL, END_LABEL, PADDING_LABEL)
        )
        special = np.array([is_special(label) for label in labels], dtype=bool)
        no_text = special | np.asarray(names == UNKNOWN_LABEL, dtype=bool)
        return cls(
            start,
            end,
            padding,
            special,
            np.array([is_punctuation(label) for label in labels], dtype=bool) & ~no_text,
            np.array([any(map(str.isalnum, label.strip(_SPACE_MARKS))) for label in labels], dtype=bool)
            & ~no_text,
            np.where(no_text, np.nan, np.array(known, dtype=np.float64)),
        )


def is_punctuation(label: str) -> bool:
    """True where every character, blanks and word marks aside, is Unicode punctuation."""
    text = label.strip(_SPACE_MARKS)
    return bool(text) and all(unicodedata.category(character).startswith("P") for character in text)
