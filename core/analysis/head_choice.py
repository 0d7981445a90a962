"""Which head of a checkpoint is the one to show, without any gold alignment.

Cross-attention: the head whose links agree most with what all *other* heads point at together. A head that follows
the sentence is confirmed by the many that partly do so too; one that is merely sure of itself (a sink, the last word,
the next position) is not. Words that the heads agree on count most: where they scatter (articles, words without a
counterpart), what the others point at together is not known well enough to tell a head by it. Self-attention: the
head that looks most firmly at one other word.

Everything is counted over the words of a probe set, never on one sentence, so the choice belongs to the checkpoint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from core.analysis.alignment import READINGS, Reading
from core.analysis.glossary import KINDS
from core.analysis.readout import how_many
from core.analysis.scores import Array
from core.analysis.tokens import AxisTokens

FIRMNESS: Final = 2
"""How much more a word counts the more heads agree on it: one that half of them agree on counts a quarter of one all do.

On en-fr, and with noise up to 0.3 of a matrix's spread on its weights, the order of the heads correlates with that of
hand-made pairs by .95 to .97 (.92 to .95 with 0, .95 to .97 with 4). With 4 the choice on `dates` is a worse head:
there half the heads share one habit, and a high power makes that habit the measure.
"""


@dataclass(frozen=True)
class Counted:
    """How often something held: `hits (L, H)` of `total`, the weights of `words` words; add them up over sentences.

    A word weighs 1 unless whoever counts says otherwise.
    """

    hits: Array
    total: float
    words: int

    def __add__(self, other: Counted) -> Counted:
        return Counted(self.hits + other.hits, self.total + other.total, self.words + other.words)

    @property
    def share(self) -> Array:
        """hits / total, (L, H); 0 where nothing was counted."""
        return self.hits / self.total if self.total > 0 else np.zeros_like(self.hits)


def consensus(weights: ArrayLike, written: Sequence[str], source: Sequence[str]) -> Counted:
    """Words for which a head's largest weight lies where the other heads together have theirs.

    `weights (L, H, T, S)` of cross-attention, `written` the T labels, `source` the S labels. Special tokens are left
    out on both sides, punctuation among the written words (its alignment is too easy to tell heads apart).
    """
    agrees = _agrees(weights, written, source)
    return Counted(agrees.sum(axis=-1), agrees.shape[-1], agrees.shape[-1])


def firm_consensus(weights: ArrayLike, written: Sequence[str], source: Sequence[str]) -> Counted:
    """`consensus` with each word weighing (share of all heads that agree with the others on it) ** `FIRMNESS`."""
    agrees = _agrees(weights, written, source)
    weight = agrees.mean(axis=(0, 1)) ** FIRMNESS  # (words,)
    return Counted((agrees * weight).sum(axis=-1), float(weight.sum()), agrees.shape[-1])


def _agrees(weights: ArrayLike, written: Sequence[str], source: Sequence[str]) -> Array:
    """(L, H, words): 1 where a head's largest weight lies where that of the others' sum does, else 0."""
    full = np.asarray(weights, dtype=np.float64)
    queries, keys = AxisTokens.from_labels(written), AxisTokens.from_labels(source)
    rows = np.flatnonzero(~(queries.special | queries.punctuation))
    columns = np.flatnonzero(~keys.special)
    if not rows.size or not columns.size:
        return np.zeros((*full.shape[:2], 0))
    plain = full[:, :, rows][..., columns]  # (L, H, rows, columns)
    others = plain.sum(axis=(0, 1), keepdims=True) - plain
    return np.asarray(plain.argmax(axis=-1) == others.argmax(axis=-1), dtype=np.float64)


def anchored(weights: ArrayLike, written: Sequence[str], source: Sequence[str], reading: Reading) -> Counted:
    """Tokens spelled alike on both sides (names, numbers, punctuation) that a head links to each other.

    Such tokens align by themselves, so they tell which of the two `READINGS` a head has. Only labels that
    occur once on each side count.
    """
    full = np.asarray(weights, dtype=np.float64)
    shift = READINGS.index(reading)
    columns = np.flatnonzero(~AxisTokens.from_labels(source).special)
    pairs = [(row + shift, key) for row, key in _alike(written, source) if row + shift < full.shape[2]]
    hits = np.zeros(full.shape[:2])
    for row, key in pairs:
        hits += columns[full[:, :, row][..., columns].argmax(axis=-1)] == key
    return Counted(hits, len(pairs), len(pairs))


def _alike(written: Sequence[str], source: Sequence[str]) -> list[tuple[int, int]]:
    """(row, key) of the tokens whose label, case aside, occurs exactly once on each side and is not special."""
    left, right = [label.casefold() for label in written], [label.casefold() for label in source]
    special = AxisTokens.from_labels(written).special
    return [
        (row, right.index(label))
        for row, label in enumerate(left)
        if not special[row] and left.count(label) == right.count(label) == 1
    ]


def outward(weights: ArrayLike, tokens: Sequence[str]) -> Counted:
    """Largest weight that a self-attention head gives to one *other* plain token, summed over the plain rows.

    `weights (L, H, T, T)`; rows that may look at no other plain token are not counted.
    """
    full = np.asarray(weights, dtype=np.float64)
    axis = AxisTokens.from_labels(tokens)
    plain = ~(axis.special | axis.punctuation)
    other = plain[None, :] & ~np.eye(len(tokens), dtype=bool)  # (T, T)
    rows = np.flatnonzero(plain & (full.max(axis=(0, 1)) * other).any(axis=-1))
    if not rows.size:
        return Counted(np.zeros(full.shape[:2]), 0, 0)
    best = np.where(other, full, 0.0)[:, :, rows].max(axis=-1)
    return Counted(best.sum(axis=-1), len(rows), len(rows))


def best(counted: Counted) -> tuple[int, int]:
    """(layer, head) with the largest share; the first of equals."""
    layer, head = np.unravel_index(int(counted.share.argmax()), counted.share.shape)
    return int(layer), int(head)


@dataclass(frozen=True)
class Shown:
    """The head that opens for one attention kind, and why: `share` of `words` words in `sentences` sentences."""

    layer: int
    head: int
    share: float
    words: int
    sentences: int
    reading: Reading | Literal[""] = ""

    @property
    def because(self) -> str:
        """One sentence for the screen."""
        name, percent = f"Head {self.layer}.{self.head}", f"{round(100 * self.share)} %"
        probes = f"{how_many(self.words, 'word')} of {how_many(self.sentences, 'probe sentence')}"
        if self.reading:
            return (
                f"{name} of the decoder opens: over {probes} it points most often where the others together point "
                f"({percent}, the words they agree on counting most)."
            )
        return f"{name} opens: over {probes} it is the one that looks most firmly at one other word, {percent} on average."


def shown_heads(card: Mapping[str, Any], layers: Mapping[str, int], heads: int) -> dict[str, Shown]:
    """What a card says under `default_heads`, by attention kind; entries that do not fit the model are left out.

    `layers` gives the number of layers of each kind. Cards are untrusted, so nothing is taken on trust.
    """
    listed = card.get("default_heads")
    found: dict[str, Shown] = {}
    for kind in KINDS:
        entry = listed.get(kind) if isinstance(listed, Mapping) else None
        if not isinstance(entry, Mapping):
            continue
        numbers = [entry.get(name) for name in ("layer", "head", "words", "sentences")]
        share, reading = entry.get("share"), entry.get("reading", "")
        if any(type(number) is not int or not 0 <= number < 10**9 for number in numbers):
            continue
        layer, head, words, sentences = (int(number or 0) for number in numbers)
        if layer >= layers.get(kind, 0) or head >= heads or reading not in ("", *READINGS):
            continue
        if isinstance(share, float | int) and 0 <= share <= 1:
            found[kind] = Shown(layer, head, float(share), words, sentences, reading)
    return found
