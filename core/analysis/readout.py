"""Shares as whole percents that still sum to what the shares sum to.

Which words two texts share, and which only one of them has.

How heads, tokens, numbers and counts are worded in sentences. Plain text, no markup.

The sentences under the views are made in the browser (ui/web/maps/sentence.ts), which hovering needs;
tests/ui/web/test_sentences.py compares the names of both.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final, Literal

import numpy as np

from core.analysis.contribution_glossary import PREFIX_LABEL, SOURCE_LABEL
from core.errors import InputError
from core.tokenizer.piece import END_LABEL, PADDING_LABEL, START_LABEL, UNKNOWN_LABEL


def whole_percents(shares: Sequence[float]) -> list[int]:
    """Shares of a whole as percents: rounded down, and what is missing goes to those that lost most by it.

    `shares (n,)` are not negative; the percents sum to the rounded sum of the shares, so parts of a whole to 100, which
    numbers rounded one by one need not. The largest-remainder method (Hamilton 1792). Raises InputError for others.
    """
    exact = 100 * np.asarray(shares, dtype=np.float64).reshape(-1)
    if not np.isfinite(exact).all() or (exact < 0).any():
        raise InputError("Shares of a whole are finite numbers, none of them below 0.")
    whole = np.floor(exact + 1e-9).astype(int)
    missing = round(float(exact.sum())) - int(whole.sum())
    for place in np.argsort(whole - exact, kind="stable")[:missing]:
        whole[place] += 1
    return [int(each) for each in whole]


Part = tuple[Literal["same", "missing", "extra"], str]


def word_difference(before: str, after: str) -> list[Part]:
    """Runs of words, cut at spaces: the same, missing (only in `before`) and extra (only in `after`)."""
    wanted, found = before.split(), after.split()
    parts: list[Part] = []
    for kind, a, b, c, d in SequenceMatcher(None, wanted, found, autojunk=False).get_opcodes():
        if kind == "equal":
            parts.append(("same", " ".join(wanted[a:b])))
            continue
        parts += [("missing", " ".join(wanted[a:b]))] if a < b else []
        parts += [("extra", " ".join(found[c:d]))] if c < d else []
    return parts


_SPECIAL: Final = {
    START_LABEL: "the start token",
    END_LABEL: "the end token",
    PADDING_LABEL: "padding",
    UNKNOWN_LABEL: "an unknown token",
    PREFIX_LABEL: "the words before",
    SOURCE_LABEL: "the source",
}


def subject(
    layer: int | None,
    head: int | None,
    how: Literal["mean", "max"] = "mean",
    heads: int | None = None,
    layers: int | None = None,
) -> str:
    """Who looked: “head 2.3”, “the mean of 8 heads in layer 3”, “the strongest of all heads”. From 0."""
    if layer is not None and head is not None:
        return f"head {layer}.{head}"
    which = "the mean of" if how == "mean" else "the strongest of"
    if layer is not None:
        return f"{which} {how_many(heads, 'head')} in layer {layer}"
    if head is not None:
        return f"{which} head {head} in {how_many(layers, 'layer')}"
    total = heads * layers if heads is not None and layers is not None else None
    return f"{which} {how_many(total, 'head')}"


def quoted(label: str) -> str:
    """A token as it stands in a sentence: “dog”, or words for a special one.

    A right-to-left label is isolated so that it cannot turn the sentence around it.
    """
    return _SPECIAL[label] if label in _SPECIAL else f"“{isolated(label)}”"


def isolated(label: str) -> str:
    """A label to stand among other words; one that is written from the right cannot turn them around."""
    turns = any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in label)
    return f"\u2068{label}\u2069" if turns else label


def decimal(value: float, digits: int = 2, *, plus: bool = False) -> str:
    """A number as a reader sees it: “−0.31”, with `plus` “+0.31”. What is rounded to zero has no sign."""
    return minus(f"{value:{'+' if plus else ''}.{digits}f}")


def minus(written: str) -> str:
    """A number that is written already, with a reader's minus sign: “−0.31”, “2e−7”; zero has no sign."""
    return written.lstrip("+-") if float(written) == 0 else written.replace("-", "−")


def how_many(number: int | None, noun: str) -> str:
    """“1 head”, “8 heads”, “1,326 sentences”; None: “all heads”. For readers: a file's name has plain digits."""
    return f"all {noun}s" if number is None else f"{number:,} {plural(number, noun)}"


def plural(number: int, noun: str) -> str:
    """“head” of one, “heads” of any other number, where the number stands elsewhere."""
    return noun if number == 1 else f"{noun}s"


def key_names(labels: Sequence[str]) -> list[str]:
    """Quoted labels; a label that occurs more than once says which token it is, counted from 1."""
    often = Counter(labels)
    return [
        f"{quoted(label)} (token {place})" if often[label] > 1 else quoted(label)
        for place, label in enumerate(labels, start=1)
    ]
