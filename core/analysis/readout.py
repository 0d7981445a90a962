"""Heads, tokens, numbers and counts in words, for sentences: plain text, no markup. Also whole percents and word diffs.

The sentences under the views are made in the browser (ui/web/maps/sentence.ts), where hovering needs them;
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
from core.language import counted, message, tr
from core.language import plural as by_count
from core.tokenizer.piece import END_LABEL, PADDING_LABEL, START_LABEL, UNKNOWN_LABEL


def whole_percents(shares: Sequence[float]) -> list[int]:
    """Shares as integer percents that sum to the rounded sum of the shares (largest-remainder method, Hamilton 1792).

    Each share `(n,)` is rounded down, and the missing points go to those with the largest remainders. Raises InputError
    for negative or infinite shares.
    """
    exact = 100 * np.asarray(shares, dtype=np.float64).reshape(-1)
    if not np.isfinite(exact).all() or (exact < 0).any():
        raise InputError("Shares of a whole are finite numbers, none of them below 0.")
    percents = np.floor(exact + 1e-9).astype(int)
    missing = round(float(exact.sum())) - int(percents.sum())
    for index in np.argsort(percents - exact, kind="stable")[:missing]:
        percents[index] += 1
    return [int(each) for each in percents]


WordRun = tuple[Literal["same", "missing", "extra"], str]


def word_difference(before: str, after: str) -> list[WordRun]:
    """Runs of words, cut at spaces: the same, missing (only in `before`) and extra (only in `after`)."""
    wanted, given = before.split(), after.split()
    runs: list[WordRun] = []
    for kind, a, b, c, d in SequenceMatcher(None, wanted, given, autojunk=False).get_opcodes():
        if kind == "equal":
            runs.append(("same", " ".join(wanted[a:b])))
            continue
        runs += [("missing", " ".join(wanted[a:b]))] if a < b else []
        runs += [("extra", " ".join(given[c:d]))] if c < d else []
    return runs


_SPECIAL: Final = {
    START_LABEL: message("the start token"),
    END_LABEL: message("the end token"),
    PADDING_LABEL: message("padding"),
    UNKNOWN_LABEL: message("an unknown token"),
    PREFIX_LABEL: message("the words before"),
    SOURCE_LABEL: message("the source"),
}


def subject(
    layer: int | None,
    head: int | None,
    how: Literal["mean", "max"] = "mean",
    heads: int | None = None,
    layers: int | None = None,
) -> str:
    """The heads of a sentence in words: “head 2.3”, “the mean of 8 heads in layer 3”, “the strongest of all heads”. From 0."""
    if layer is not None and head is not None:
        return tr("head {name}", name=f"{layer}.{head}")
    total = heads * layers if heads is not None and layers is not None else None
    counted_heads = how_many(total if layer is None else heads, "head")
    if layer is not None:
        text = _IN_LAYER[how]
    elif head is not None:
        text = _OF_HEAD[how]
    else:
        text = _OF_ALL[how]
    return tr(text, heads=counted_heads, layer=layer, head=head, layers=how_many(layers, "layer"))


_IN_LAYER: Final = {
    "mean": message("the mean of {heads} in layer {layer}"),
    "max": message("the strongest of {heads} in layer {layer}"),
}
_OF_HEAD: Final = {
    "mean": message("the mean of head {head} in {layers}"),
    "max": message("the strongest of head {head} in {layers}"),
}
_OF_ALL: Final = {"mean": message("the mean of {heads}"), "max": message("the strongest of {heads}")}
_ALL: Final = {"head": message("all heads"), "layer": message("all layers")}


def quoted(label: str) -> str:
    """A token in a sentence: “dog”, or words for a special one.

    A right-to-left label is isolated so that it does not reorder the sentence around it.
    """
    return tr(_SPECIAL[label]) if label in _SPECIAL else tr("“{word}”", word=isolated(label))


def capitalised(sentence: str) -> str:
    """A sentence or title that may begin with words for a special token: “The end token falls most”."""
    return sentence[:1].upper() + sentence[1:]


def row_name(read: str, written: str) -> str:
    """A decoder row by the token it reads and the one it writes: “reads le → writes canapé”."""
    return tr("reads {read} → writes {written}", read=isolated(read), written=isolated(written))


def isolated(label: str) -> str:
    """A label for use among other words; a right-to-left one is isolated so that it does not reorder them."""
    turns = any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in label)
    return f"\u2068{label}\u2069" if turns else label


def decimal(value: float, digits: int = 2, *, plus: bool = False) -> str:
    """A number for readers: “−0.31”, with `plus` “+0.31”. A number that rounds to zero has no sign."""
    return minus(f"{value:{'+' if plus else ''}.{digits}f}")


def minus(written: str) -> str:
    """A formatted number with a proper minus sign: “−0.31”, “2e−7”; zero has no sign."""
    return written.lstrip("+-") if float(written) == 0 else written.replace("-", "−")


def how_many(number: int | None, noun: str) -> str:
    """“1 head”, “8 heads”, “1,326 sentences”; None: “all heads” or “all layers”. For readers only: file names have plain digits."""
    return tr(_ALL[noun]) if number is None else by_count(*counted(noun), number)


def plural(number: int, noun: str) -> str:
    """“head” for one, “heads” for any other number, where the number is written elsewhere."""
    return noun if number == 1 else f"{noun}s"


def key_names(labels: Sequence[str]) -> list[str]:
    """Quoted labels; a label that occurs more than once is followed by its token number, counted from 1."""
    often = Counter(labels)
    return [
        tr("{word} (token {number})", word=quoted(label), number=number)
        if often[label] > 1
        else quoted(label)
        for number, label in enumerate(labels, start=1)
    ]
