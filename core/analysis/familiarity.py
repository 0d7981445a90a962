"""How likely a model holds a sequence, token by token, and what it would have written in its place.

Whether a sentence is far from what a model has seen, and the reason, without any judgement of the translation.

Three signs, each counted and none of them proof: a word cut into more pieces than the checkpoint's own examples need, a
piece that was hardly ever met in training, and a translation that the model holds less likely than nearly all of those it
wrote for held-out sentences.

What an example sentence shows of translation: another order, a negation, a name, a number or a time, a question.

From the sentence and its translation as text, and from word links where there are some. Nothing here judges the
translation; it says only what there is to look at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from core.analysis.alignment import Link
from core.analysis.readout import decimal, how_many


@dataclass(frozen=True)
class Scored:
    """One token of a given sequence: its log-probability in nats, its `rank` (1 is the most probable) among the tokens
    that may be written, and the most probable `other` one with its log-probability."""

    id: int
    log_probability: float
    rank: int
    other: int
    other_log_probability: float


def scored(
    log_probabilities: ArrayLike, ids: Sequence[int], banned: Sequence[int] = ()
) -> tuple[Scored, ...]:
    """Each of `ids` (T) under `log_probabilities` (T, V), natural logarithms, row t given the tokens before t.

    `banned` tokens can never be written: they take no rank and are no alternative, unless they are in `ids` themselves.
    Raises ValueError when rows and tokens differ in number, or nothing is left beside a token.
    """
    rows = np.asarray(log_probabilities, dtype=np.float64)
    if rows.ndim != 2 or len(rows) != len(ids):
        raise ValueError(f"log-probabilities have shape {rows.shape}; {len(ids)} tokens need as many rows")
    allowed = np.ones(rows.shape[1], dtype=bool)
    allowed[list(banned)] = False
    if allowed.sum() < 2:
        raise ValueError("a vocabulary of fewer than two tokens that may be written has no alternatives")
    found = []
    for row, token in zip(rows, ids, strict=True):
        others = np.where(allowed, row, -np.inf)
        others[token] = -np.inf
        other = int(others.argmax())
        rank = 1 + int((others > row[token]).sum())
        found.append(Scored(int(token), float(row[token]), rank, other, float(row[other])))
    return tuple(found)


def total(words: Sequence[Scored]) -> float:
    """log P(sequence), in nats: the tokens' log-probabilities summed."""
    return float(sum(word.log_probability for word in words))


def follows_the_best(words: Sequence[Scored]) -> bool:
    """Whether every token was the most probable one, which is what greedy search writes."""
    return all(word.rank == 1 for word in words)


RARE: Final = 10
"""A piece met fewer times than this in the training text, and than any piece of the examples, was hardly learned."""
WHOLE: Final = 3
"""Up to so many pieces a word are usual, even where all examples are whole words."""
LOWEST: Final = ("0.05", "0.01")
"""The quantiles of a card that say "lower than 95 %" and "lower than 99 %"."""
LEAST: Final = -1e6
"""Nats a token that no model gives; a card that states less is wrong."""
APART: Final = 0.05
"""Nats a token below the median from which on a low quantile counts: a model that is always sure has them all alike."""


@dataclass(frozen=True)
class Word:
    """One word of a source: its text, the number of pieces it is read in, and how often the rarest of them occurred in
    the training text (None: not counted)."""

    text: str
    pieces: int
    count: int | None = None


def strange_words(words: Sequence[Word], examples: Sequence[Word] = ()) -> tuple[tuple[Word, str], ...]:
    """The words that speak for a sentence being far from the training text, each with its reason.

    `examples` are the words of sentences that the model is known to read; none of theirs is strange.
    """
    usual = max([WHOLE, *(word.pieces for word in examples)])
    rare = min([RARE, *(word.count for word in examples if word.count is not None)])
    known = {word.text for word in examples}
    found: dict[str, tuple[Word, str]] = {}
    for word in words:
        if word.text in known or word.text in found:
            continue
        if word.pieces > usual:
            found[word.text] = (word, f"is read in {word.pieces} pieces")
        elif word.count is not None and word.count < rare:
            times = "never" if word.count == 0 else f"only {how_many(word.count, 'time')}"
            part = "" if word.pieces == 1 else "has a piece that "
            found[word.text] = (word, f"{part}occurs {times} in its training text")
    return tuple(found.values())


def card_quantiles(card: Mapping[str, Any]) -> dict[str, float]:
    """`figures.log_probability.quantiles` of a card: "0.05" → nats a token that 5 % of its held-out sentences lie below.

    Cards come from strangers: what is no finite number of at most 0 is left out, and nothing raises.
    """
    found: Any = card
    for name in ("figures", "log_probability", "quantiles"):
        found = found.get(name) if isinstance(found, Mapping) else None
    if not isinstance(found, Mapping):
        return {}
    return {
        str(name): float(value)
        for name, value in found.items()
        if isinstance(value, int | float)
        and not isinstance(value, bool)
        and LEAST <= value <= 0  # an integer of 400 digits is no float
    }


def unlikely(mean: float, quantiles: Mapping[str, float]) -> str:
    """Why a translation of `mean` log-probability a token, in nats, is unusual for this model; "" where it is not.

    `quantiles` are those of `card_quantiles`; without them nothing is said.
    """
    median = quantiles.get("0.5", 0.0)
    below = [name for name in LOWEST if name in quantiles and mean < quantiles[name]]
    if not below or mean > median - APART:
        return ""
    share = round(100 * (1 - float(below[-1])))
    return f"log-probability {decimal(mean)} a token, lower than for {share} % of its held-out sentences" + (
        f" (their median is {decimal(median)})" if "0.5" in quantiles else ""
    )


TOLD: Final[Mapping[str, str]] = {
    "order": "another word order",
    "agreement": "agreement",
    "negation": "negation",
    "name": "a name",
    "number": "a number or a time",
    "question": "a question",
}
"""What an example can show → in words. A card may name them itself, under `shows` of an example."""

_NEGATIONS: Final[Mapping[str, frozenset[str]]] = {
    "en": frozenset(["not", "never", "no", "nobody", "nothing", "cannot"]),
    "de": frozenset(
        ["nicht", "nie", "niemals", "kein", "keine", "keinen", "keinem", "keiner", "nichts", "niemand"]
    ),
    "fr": frozenset(["ne", "jamais", "rien", "personne"]),
}
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def shown(source: str, translation: str, language: str = "", links: Iterable[Link] = ()) -> tuple[str, ...]:
    """Names of `TOLD` that hold, in their order. `language` is the source's, "en"; `links` (source word, target word)."""
    words = _WORD.findall(source)
    asks = source.rstrip().endswith(("?", "？", "؟"))
    held = {
        "order": not asks and reordered(links),  # a question turns verb and subject in most languages anyway
        "negation": _negates(words, language),
        "name": any(_is_name(word, translation) for word in words[1:]),
        "number": any(char.isdigit() for char in source) and any(char.isdigit() for char in translation),
        "question": asks,
    }
    return tuple(name for name in TOLD if held.get(name))


def reordered(links: Iterable[Link]) -> bool:
    """Whether two neighbouring source words, each with one link, are written as neighbours the other way round."""
    targets: dict[int, list[int]] = {}
    for first, second in links:
        targets.setdefault(first, []).append(second)
    alone = {first: found[0] for first, found in targets.items() if len(found) == 1}
    return any(alone[place] == alone.get(place + 1, -1) + 1 for place in alone if place + 1 in alone)


def _negates(words: Sequence[str], language: str) -> bool:
    plain = [word.casefold().replace("’", "'") for word in words]
    known = _NEGATIONS.get(language.casefold()[:2], frozenset())
    return any(word in known or (language.startswith("en") and word.endswith("n't")) for word in plain)


def _is_name(word: str, translation: str) -> bool:
    """A capitalised word that is written alike in the translation; “I” is none."""
    return len(word) > 1 and word[0].isupper() and word in _WORD.findall(translation)


def stated(example: Mapping[str, Any]) -> tuple[str, ...] | None:
    """What a card says that an example shows, as far as it is known; None where it says nothing. Never raises."""
    listed = example.get("shows")
    if not isinstance(listed, list):
        return None
    return tuple(name for name in TOLD if name in [each for each in listed if isinstance(each, str)])


def varied(
    examples: Sequence[tuple[str, Sequence[str]]], count: int, longest: int, first: str = ""
) -> list[str]:
    """`count` of the examples (text, what it shows) that together show as much as can be, `first` among them.

    Taken one after the other: the one that shows most of what is not shown yet, the first of equals; texts of at most
    `longest` characters before longer ones.
    """
    left = [each for each in examples if each[0] != first]
    taken = [first] if first else []
    seen = {name for text, shows in examples if text == first for name in shows}
    while left and len(taken) < count:
        best = max(left, key=lambda each: (len(each[0]) <= longest, len(set(each[1]) - seen)))
        left.remove(best)
        seen |= set(best[1])
        taken.append(best[0])
    return taken
