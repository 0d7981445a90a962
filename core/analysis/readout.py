"""The sentence under a view: what one row of an attention map says, in words. Plain text, no markup."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.scores import row_entropy
from core.errors import InputError
from core.tokenizer.piece import END_LABEL, PADDING_LABEL, START_LABEL, UNKNOWN_LABEL

Array = NDArray[np.float64]

_SPECIAL: Final = {
    START_LABEL: "the start token",
    END_LABEL: "the end token",
    PADDING_LABEL: "padding",
    UNKNOWN_LABEL: "an unknown token",
}
_SPREAD_BELOW: Final = 0.25  # a row whose largest weight is smaller is told as a spread
_NAMED: Final = 3  # at most this many tokens are named
_WORTH_NAMING: Final = 0.05
_ENOUGH: Final = 0.9


def readout(
    row: ArrayLike,
    key_labels: Sequence[str],
    query_label: str,
    kind: str = "cross",
    layer: int | None = 0,
    head: int | None = 0,
    *,
    writing: bool = True,
    how: Literal["mean", "max"] = "mean",
    heads: int | None = None,
    layers: int | None = None,
    quantity: Literal["weights", "scores"] = "weights",
    hidden: float | None = None,
) -> str:
    """One sentence about one row `(S,)`, for example:

        Writing “chien”, head 2.3 looked 71 % at “dog” and 12 % at “the”.

    `layer` or `head` None stands for the `how` (mean or max) over all `layers` or `heads`. `writing`
    says that `query_label` is the token this row wrote, not the one it read; the encoder only reads.
    `quantity` "scores" takes scores before the softmax, −inf where masked. `hidden` is the
    share that lay on special tokens, when these were taken out and the row was renormalised (`hide_keys`).
    """
    values = np.asarray(row, dtype=np.float64)
    if values.shape != (len(key_labels),):
        raise InputError(f"The row has shape {values.shape} but there are {len(key_labels)} key labels.")
    if quantity not in ("weights", "scores"):
        raise InputError(f"Cannot read out {quantity!r}; choose 'weights' or 'scores'.")
    verb = "Reading" if kind == "encoder-self" or not writing else "Writing"
    start = f"{verb} {quoted(query_label)}, {subject(layer, head, how, heads, layers)}"
    names = key_names(key_labels)
    if quantity == "scores":
        return f"{start} {_scores_in_words(values, names)}."
    if not np.isfinite(values).all() or values.sum() <= 0:
        return f"{start} {_nothing_left(hidden)}."
    return f"{start} {_weights_in_words(values, names, how == 'mean')}{_left_out(hidden, how)}."


def _nothing_left(hidden: float | None) -> str:
    if hidden is None:
        return "had nothing to look at"
    return f"gave {percent(hidden)} to the hidden tokens; what is left is too little to draw"


def _left_out(hidden: float | None, how: str) -> str:
    if hidden is None:
        return ""
    most = "up to " if how == "max" else ""  # each key's strongest head is another one
    return f"; {most}{percent(hidden)} was on hidden tokens"


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
        return f"{which} {_count(heads, 'head')} in layer {layer}"
    if head is not None:
        return f"{which} head {head} in {_count(layers, 'layer')}"
    total = heads * layers if heads is not None and layers is not None else None
    return f"{which} {_count(total, 'head')}"


def quoted(label: str) -> str:
    """A token as it stands in a sentence: “dog”, or words for a special one.

    A right-to-left label is isolated so that it cannot turn the sentence around it.
    """
    if label in _SPECIAL:
        return _SPECIAL[label]
    turns = any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in label)
    return f"“\u2068{label}\u2069”" if turns else f"“{label}”"


def percent(share: float) -> str:
    """71 %, or “less than 1 %” for a small share that is not nothing."""
    if share > 0 and round(100 * share) == 0:
        return "less than 1 %"
    return f"{100 * share:.0f} %"


def _count(number: int | None, noun: str) -> str:
    if number is None:
        return f"all {noun}s"
    return f"{number} {noun}{'' if number == 1 else 's'}"


def key_names(labels: Sequence[str]) -> list[str]:
    """Quoted labels; a label that occurs more than once says which token it is, counted from 1."""
    often = Counter(labels)
    return [
        f"{quoted(label)} (token {place})" if often[label] > 1 else quoted(label)
        for place, label in enumerate(labels, start=1)
    ]


def _weights_in_words(weights: Array, names: Sequence[str], is_distribution: bool) -> str:
    order = np.argsort(-weights, kind="stable")
    top = float(weights[order[0]])
    if is_distribution and top < _SPREAD_BELOW:
        tokens = round(float(np.exp(row_entropy(weights / weights.sum()))))
        return f"spread its weight over about {tokens} tokens; most, {percent(top)}, on {names[order[0]]}"
    if is_distribution and top >= 0.995:
        return f"looked only at {names[order[0]]}"
    told: list[str] = []
    covered = 0.0
    for index in order[:_NAMED]:
        share = float(weights[index])
        if told and (share < _WORTH_NAMING or (is_distribution and covered >= _ENOUGH)):
            break
        told.append(f"{percent(share)} at {names[index]}")
        covered += share
    return f"looked {_listed(told)}"


def _scores_in_words(scores: Array, names: Sequence[str]) -> str:
    allowed = np.flatnonzero(np.isfinite(scores))
    if not len(allowed):
        return "had nothing to look at"
    order = allowed[np.argsort(-scores[allowed], kind="stable")][:_NAMED]
    first, *rest = (f"{names[index]} {_number(float(scores[index]))}" for index in order)
    return f"scored {_listed([first, *rest])} before the softmax"


def _number(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
