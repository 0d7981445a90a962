"""Word alignment from attention, symmetrised, and measured against a gold alignment; and gold files, bounded.

A link is (source word, target word), both counted from 0. By weight, a row is the attention of the softmax. By
contribution it is ‖α f(x_j)‖ of each source token, as a share of the row (Kobayashi et al. 2020, sections 2.2 and 5.2),
since a head adds little from the end token however much it attends to it. A gold file has sentences, their translations
and hand-made alignments; it is untrusted text. Pure numpy. Shapes: L layers, H heads, T tokens written, S tokens of the
source.
"""

from __future__ import annotations

import bisect
import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from operator import add
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.contributions import Layer, weighted_norms
from core.analysis.glossary import Score, by_name
from core.analysis.maps import merge_words, word_groups
from core.analysis.scores import row_shares
from core.analysis.uncertainty import (
    Interval,
    benjamini_hochberg,
    deviations,
    interval,
    ratios,
    upper_tail,
)
from core.errors import InputError
from core.language import message, numeral, tr

Link = tuple[int, int]
Reading = Literal["writing", "reading"]
READINGS: Final[tuple[Reading, ...]] = ("writing", "reading")
"""The two rows a word can be aligned in: where it is predicted (row t), where it is fed back (row t+1)."""
STEPS: Final[Mapping[Reading, str]] = {
    "writing": message("when predicted"),
    "reading": message("when fed back"),
}
"""The two readings in words: short, as on a button or in a table."""
WHEN: Final[Mapping[Reading, str]] = {
    "writing": message("when the word is predicted"),
    "reading": message("when the word is fed back"),
}
"""The two readings in a sentence about a head."""
_BESIDE: Final = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))
"""Neighbours of a link, as (target, source) offsets, in the order of Moses."""


def word_map(
    weights: ArrayLike,
    target_groups: Sequence[Sequence[int]],
    source_groups: Sequence[Sequence[int]],
    reading: Reading = "writing",
) -> NDArray[np.float64]:
    """Weights (…, T, S) of cross-attention per word (…, words written, words of the source).

    Sum over a source word's tokens, mean over a target word's. `reading` "writing" takes the row t that predicts a
    token, "reading" the row t + 1 that reads it; the last token of a cut translation was never read, and its row
    is zeros. Groups list the tokens of each word; each token is in exactly one.
    """
    full = np.asarray(weights, dtype=np.float64)
    if reading == "reading":
        after = np.zeros_like(full)
        after[..., :-1, :] = full[..., 1:, :]
        full = after
    elif reading != "writing":
        raise InputError(f"The reading is {reading!r}; choose writing or reading.")
    return merge_words(full, target_groups, source_groups)


def links(words: ArrayLike, target: Sequence[int], source: Sequence[int], end: int | None) -> set[Link]:
    """The best source word of each target word, from a word map (words written, words of the source).

    `target` and `source` are the indices of real words among the map's rows and columns, in order; links number the
    words
    in that order. A row whose largest weight is at column `end`, the end token, has no link; nor has one of zeros.
    """
    full = np.asarray(words, dtype=np.float64)
    columns = [*source, *([] if end is None else [end])]
    aligned: set[Link] = set()
    for number, row in enumerate(target):
        values = full[row, columns]
        best = int(values.argmax())
        if best < len(source) and values[best] > 0:
            aligned.add((best, number))
    return aligned


def grow_diag(forward: Collection[Link], backward: Collection[Link]) -> set[Link]:
    """Both directions combined (Koehn et al. 2003, section 3): their intersection, grown by neighbours from the union.

    A link of the union that is a neighbour of a present one, also diagonally, is added while its source or its target
    word has none. The result depends on the order, which is that of Moses' `symal`: link by link by target word, then source
    word, including links just added, and for each its neighbours as in `_BESIDE`, until a pass adds none. `backward`
    has its links reversed, so that both are (source, target).
    """
    union = set(forward) | set(backward)
    grown_links = sorted((target, source) for source, target in set(forward) & set(backward))
    targets, sources = ({link[side] for link in grown_links} for side in (0, 1))
    grown, index = False, 0
    while index < len(grown_links):
        here = grown_links[index]
        for a, b in _BESIDE:
            target, source = here[0] + a, here[1] + b
            if (source, target) in union and not (target in targets and source in sources):
                bisect.insort(grown_links, (target, source))
                targets.add(target)
                sources.add(source)
                grown = True
        index = bisect.bisect_right(grown_links, here)
        if index == len(grown_links) and grown:
            grown, index = False, 0
    return {(source, target) for target, source in grown_links}


@dataclass(frozen=True)
class Gold:
    """The alignment of one sentence: `sure` links, and `possible` ones, which include the sure ones."""

    sure: frozenset[Link]
    possible: frozenset[Link]


@dataclass(frozen=True)
class Measured:
    """Counts of links over a corpus; add them up. A are the predicted links, S the sure, P the possible ones."""

    predicted: int = 0
    sure: int = 0
    predicted_sure: int = 0
    predicted_possible: int = 0

    def __add__(self, other: Measured) -> Measured:
        return Measured(*map(add, astuple(self), astuple(other)))

    @property
    def precision(self) -> float:
        """|A ∩ P| / |A|; NaN without a link."""
        return self.predicted_possible / self.predicted if self.predicted else float("nan")

    @property
    def recall(self) -> float:
        """|A ∩ S| / |S|; NaN without a sure link."""
        return self.predicted_sure / self.sure if self.sure else float("nan")

    @property
    def aer(self) -> float:
        """1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|) (Och & Ney 2003, section 5.1); NaN without either."""
        total = self.predicted + self.sure
        return 1 - (self.predicted_sure + self.predicted_possible) / total if total else float("nan")


def measure(predicted: Collection[Link], gold: Gold) -> Measured:
    """The counts of one sentence's links against its gold alignment."""
    links = set(predicted)
    return Measured(len(links), len(gold.sure), len(links & gold.sure), len(links & gold.possible))


def read_gold(lines: Iterable[str], first: int = 1) -> list[Gold]:
    """Gold alignments, a sentence per line: `3-4` sure, `3p4` possible, source first, counted from `first`.

    Hand-made files count from 1, Pharaoh's output from 0. Raises `InputError` naming the line that cannot be read.
    """
    alignments = []
    for number, line in enumerate(lines, start=1):
        sure, possible = set(), set()
        for item in line.split():
            pair = re.fullmatch(r"(\d{1,5})([-p])(\d{1,5})", item)
            if pair is None or int(pair[1]) < first or int(pair[3]) < first:
                raise InputError.tr(
                    "Line {number} of the alignment holds {item!r}; write links as 3-4 (sure) or 3p4 (possible), counted from {first}.",
                    number=number,
                    item=item[:20],
                    first=first,
                )
            link = (int(pair[1]) - first, int(pair[3]) - first)
            possible.add(link)
            if pair[2] == "-":
                sure.add(link)
        alignments.append(Gold(frozenset(sure), frozenset(possible)))
    return alignments


def pharaoh(links: Collection[Link]) -> str:
    """Links as one line of Pharaoh's format, `0-0 1-2`, counted from 0, in the order of the target's words."""
    return " ".join(f"{source}-{target}" for source, target in sorted(links, key=lambda link: link[::-1]))


def gold_line(gold: Gold) -> str:
    """A gold alignment in the format of `read_gold`, counted from 1: `1-1 2p3`."""
    every = sorted(gold.possible | gold.sure, key=lambda link: link[::-1])
    return " ".join(f"{s + 1}{'-' if (s, t) in gold.sure else 'p'}{t + 1}" for s, t in every)


Array = NDArray[np.float64]
Counts = NDArray[np.int64]
By = Literal["weight", "contribution"]
Rate = Literal["aer", "precision", "recall"]
RATES: Final[tuple[Rate, ...]] = ("aer", "precision", "recall")
_GOLD: Final = message("the sentences that have a gold alignment")

RATE_ENTRIES: Final = by_name(
    Score(
        "aer",
        message("AER"),
        message(
            "How far a head’s links are from the gold alignment: at 0 it finds every sure link and none "
            "that the gold lacks."
        ),
        "1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|), links A, sure S, possible P ⊇ S",
        message("Lower is better."),
        "Och & Ney 2003, §5.1",
        counts=_GOLD,
        down=True,
    ),
    Score(
        "precision",
        message("Precision"),
        message("The share of a head’s links that the gold alignment allows."),
        "|A ∩ P| / |A|",
        message("Higher is better."),
        "Och & Ney 2003, §5.1",
        counts=_GOLD,
    ),
    Score(
        "recall",
        message("Recall"),
        message("The share of the sure links that a head finds."),
        "|A ∩ S| / |S|",
        message("Higher is better."),
        "Och & Ney 2003, §5.1",
        counts=_GOLD,
    ),
)
"""Measures of links against a gold alignment."""


@dataclass(frozen=True)
class WordAxes:
    """The tokens of each word of a sentence and its translation.

    `rows` and `columns`: the tokens of each word written and of the source; special tokens are words of their own.
    `target` and `source` are the rows and columns of real words, in order; a link numbers words in that order. `end`
    is the column of the end token, None where the source has none.
    """

    rows: tuple[tuple[int, ...], ...]
    columns: tuple[tuple[int, ...], ...]
    target: tuple[int, ...]
    source: tuple[int, ...]
    end: int | None

    @classmethod
    def of(
        cls,
        written_words: Sequence[int],
        source_words: Sequence[int],
        source_ids: Sequence[int],
        end_id: int | None,
    ) -> WordAxes:
        """The axes from the word number of each token, −1 for tokens that are no text."""
        rows, columns = (tuple(map(tuple, word_groups(numbers))) for numbers in (written_words, source_words))
        target, source = (
            tuple(index for index, group in enumerate(groups) if numbers[group[0]] >= 0)
            for groups, numbers in ((rows, written_words), (columns, source_words))
        )
        ends = (
            index
            for index, group in enumerate(columns)
            if source_words[group[0]] < 0 and source_ids[group[0]] == end_id
        )
        return cls(rows, columns, target, source, next(ends, None))


@dataclass(frozen=True)
class Shares:
    """The share of each source token in each row: `heads` (L, H, T, S), and `layers` (L, T, S), all heads of a layer together.

    Rows sum to 1, or are all 0.
    """

    heads: Array
    layers: Array

    def of(self, layer: int | None, head: int | None) -> Array:
        """One map (T, S): of a head, of a layer (`head` None), or the mean of all layers (`layer` None)."""
        if layer is None:
            return np.asarray(self.layers.mean(axis=0))
        return np.asarray(self.layers[layer] if head is None else self.heads[layer, head])


def by_weight(weights: ArrayLike) -> Shares:
    """The shares of cross-attention weights (L, H, T, S); a layer is the mean of its heads."""
    heads = np.asarray(weights, dtype=np.float64)
    return Shares(heads, heads.mean(axis=1))


def by_contribution(layers: Sequence[Layer]) -> Shares:
    """The shares of contributions to cross-attention: ‖α f^h(x_j)‖ of a head, ‖Σ_h α f^h(x_j)‖ of a layer."""
    heads = np.stack([row_shares(weighted_norms(layer)) for layer in layers])
    return Shares(heads, np.stack([row_shares(summed_norms(layer)) for layer in layers]))


def summed_norms(layer: Layer) -> Array:
    """‖Σ_h α_ij f^h(x_j)‖ (T, S), from inner products of the heads' vectors, without a vector per cell."""
    vectors = np.stack([layer.head_vectors(head) for head in range(len(layer.weights))])  # (H, S, d)
    products = np.einsum("hsd,gsd->shg", vectors, vectors)
    squares = np.einsum("hts,gts,shg->ts", layer.weights, layer.weights, products, optimize=True)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def word_links(values: ArrayLike, axes: WordAxes, reading: Reading) -> set[Link]:
    """The links (source word, target word) of one map (T, S) of tokens."""
    words = word_map(values, axes.rows, axes.columns, reading)
    return links(words, axes.target, axes.source, axes.end)


@dataclass(frozen=True)
class Counted:
    """Counts of links (predicted, sure, predicted sure, predicted possible) over some sentences, per reading; add them up.

    `heads` (2, L, H, 4), `layers` (2, L, 4), `whole` (2, 4) of all layers together; readings as in `READINGS`.
    """

    heads: Counts
    layers: Counts
    whole: Counts

    def __add__(self, other: Counted) -> Counted:
        return Counted(self.heads + other.heads, self.layers + other.layers, self.whole + other.whole)

    def of(self, reading: Reading, layer: int | None, head: int | None) -> Measured:
        """The counts of a head, of a layer (`head` None) or of all layers together (`layer` None)."""
        index = READINGS.index(reading)
        if layer is None:
            row = self.whole[index]
        else:
            row = self.layers[index, layer] if head is None else self.heads[index, layer, head]
        return Measured(*map(int, row))

    def rates(self, reading: Reading, name: Rate) -> Array:
        """Precision, recall or AER of every head, (L, H)."""
        layers, heads = self.heads.shape[1:3]
        return np.array(
            [[getattr(self.of(reading, a, b), name) for b in range(heads)] for a in range(layers)]
        )

    def by_layer(self, reading: Reading) -> Array:
        """AER of every layer, its heads together, (L,)."""
        return np.array([self.of(reading, layer, None).aer for layer in range(self.layers.shape[1])])


def counted(shares: Shares, axes: WordAxes, gold: Gold) -> Counted:
    """The counts of one sentence: every head, every layer and all layers, in both readings, against its gold alignment."""

    def row(values: Array, reading: Reading) -> tuple[int, ...]:
        return astuple(measure(word_links(values, axes, reading), gold))

    layers, heads = shares.heads.shape[:2]
    return Counted(
        np.array(
            [
                [[row(shares.heads[a, b], reading) for b in range(heads)] for a in range(layers)]
                for reading in READINGS
            ],
            dtype=np.int64,
        ),
        np.array(
            [[row(shares.layers[a], reading) for a in range(layers)] for reading in READINGS], dtype=np.int64
        ),
        np.array([row(shares.of(None, None), reading) for reading in READINGS], dtype=np.int64),
    )


_SUMS: Final[Mapping[Rate, tuple[tuple[int, ...], tuple[int, ...]]]] = {
    "aer": ((2, 3), (0, 1)),
    "precision": ((3,), (0,)),
    "recall": ((2,), (1,)),
}
"""Which counts of `Measured` are added above and below the fraction line; AER is 1 less the fraction."""


def rate_draws(counts: ArrayLike, name: Rate) -> Array:
    """A rate in each of `core.analysis.uncertainty.DRAWS` corpora drawn from the sentences, (draws, …).

    `counts` (N, …, 4) are those of each sentence, in the order of `Measured`.
    """
    above, below = _sums(counts, name)
    drawn = ratios(above, below)
    return 1 - drawn if name == "aer" else drawn


def rate_interval(counts: ArrayLike, name: Rate) -> Interval:
    """A rate over the corpus with its 95 % interval, from the counts of each sentence, (N, …, 4)."""
    found = interval(*_sums(counts, name))
    if name != "aer":
        return found
    return Interval(1 - found.value, 1 - found.high, 1 - found.low, found.sentences)


def _sums(counts: ArrayLike, name: Rate) -> tuple[Array, Array]:
    full = np.asarray(counts, dtype=np.float64)
    above, below = (full[..., list(which)].sum(axis=-1) for which in _SUMS[name])
    return above, below


def better_than(heads: ArrayLike, other: ArrayLike) -> NDArray[np.bool_]:
    """Which heads align better than another aligner: per-sentence counts (N, …, 4) and (N, 4) → (…).

    p is that of a normal difference of the two AER, whose deviation is that over the drawn corpora; Benjamini & Hochberg
    (1995) at 5 % over all heads.
    """
    full, single = np.asarray(heads), np.asarray(other)
    single = single.reshape(len(single), *(1,) * (full.ndim - 2), single.shape[-1])
    gain = rate_interval(single, "aer").value - rate_interval(full, "aer").value
    spread = (rate_draws(single, "aer") - rate_draws(full, "aer")).std(axis=0)
    return benjamini_hochberg(upper_tail(deviations(gain, spread)))


MOST_BYTES: Final = 2_000_000
MOST_SENTENCES: Final = 2000
LONGEST_LINE: Final = 2000
"""Characters of a sentence."""
SIGN: Final = "|||"


@dataclass(frozen=True)
class GoldFile:
    """Pairs (source, translation) with the gold alignment of each. Words are separated by spaces."""

    name: str
    pairs: tuple[tuple[str, str], ...]
    gold: tuple[Gold, ...]

    @property
    def digest(self) -> str:
        """A hash of all sentences and links."""
        digest = hashlib.sha256()
        for (source, target), gold in zip(self.pairs, self.gold, strict=True):
            digest.update(f"{source}\n{target}\n{gold_line(gold)}\n".encode("utf-8", "replace"))
        return digest.hexdigest()[:20]

    def of(self, source: str, target: str) -> Gold | None:
        """The gold alignment of a pair, None where the file does not have the pair."""
        wanted = (source.strip(), target.strip())
        return next((gold for pair, gold in zip(self.pairs, self.gold, strict=True) if pair == wanted), None)


def from_texts(name: str, source: str, target: str, links: str, first: int = 1) -> GoldFile:
    """A gold file from three texts with a line per sentence; links count from `first`. Raises `InputError` for a misfit."""
    sides = [_lines(text) for text in (source, target, links)]
    counts = [len(lines) for lines in sides]
    if len(set(counts)) > 1:
        raise InputError.tr(
            "The files have {sentences} sentences, {translations} translations and {links} lines of links; give one "
            "of each per sentence.",
            sentences=numeral(counts[0], ","),
            translations=numeral(counts[1], ","),
            links=numeral(counts[2], ","),
        )
    return _checked(name, list(zip(sides[0], sides[1], strict=True)), sides[2], first)


def from_lines(name: str, text: str, first: int = 1) -> GoldFile:
    """A gold file from lines `sentence ||| translation ||| 1-1 2p3`. Raises `InputError` naming the line that is wrong."""
    rows = []
    for number, line in enumerate(_lines(text), start=1):
        parts = line.split(SIGN)
        if len(parts) != 3:
            raise InputError.tr(
                "Line {number} has {count} parts; write: sentence {sign} translation {sign} 1-1 2p3.",
                number=number,
                count=len(parts),
                sign=SIGN,
            )
        rows.append(parts)
    return _checked(name, [(row[0], row[1]) for row in rows], [row[2] for row in rows], first)


def line_of(source: Sequence[str], target: Sequence[str], gold: Gold) -> str:
    """One line of such a file, from words and their alignment."""
    return f"{' '.join(source)} {SIGN} {' '.join(target)} {SIGN} {gold_line(gold)}"


def _lines(text: str) -> list[str]:
    if len(text) > MOST_BYTES:
        raise InputError.tr(
            "The gold file has {count} characters; at most {most_bytes} are read.",
            count=numeral(len(text), ","),
            most_bytes=numeral(MOST_BYTES, ","),
        )
    lines = text.removeprefix("\ufeff").split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _checked(name: str, pairs: list[tuple[str, str]], links: list[str], first: int) -> GoldFile:
    if not pairs:
        raise InputError.tr(
            "The gold file is empty; give at least one sentence with its translation and links."
        )
    if len(pairs) > MOST_SENTENCES:
        raise InputError.tr(
            "The gold file has {count} sentences; at most {most_sentences} are read.",
            count=numeral(len(pairs), ","),
            most_sentences=numeral(MOST_SENTENCES, ","),
        )
    kept, golds = [], read_gold(links, first)
    for number, ((source, target), gold) in enumerate(zip(pairs, golds, strict=True), start=1):
        sides = ((message("sentence"), source.strip()), (message("translation"), target.strip()))
        for which, text in sides:
            if not text or len(text) > LONGEST_LINE:
                raise InputError.tr(
                    "Line {number}: the {which} has {count} characters; give 1 to {most}.",
                    number=number,
                    which=tr(which),
                    count=numeral(len(text), ","),
                    most=numeral(LONGEST_LINE, ","),
                )
        for side, (which, text) in enumerate(sides):
            words, last = len(text.split()), max((link[side] for link in gold.possible), default=-1)
            if last >= words:
                raise InputError.tr(
                    "Line {number} links word {last} of a {which} with {count} words between spaces; words count from "
                    "{first}. The number before the hyphen is a word of the sentence, the one after it a word of the "
                    "translation.",
                    number=number,
                    last=last + first,
                    which=tr(which),
                    count=words,
                    first=first,
                )
        kept.append((sides[0][1], sides[1][1]))
    return GoldFile(name, tuple(kept), tuple(golds))
