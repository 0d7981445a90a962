"""How familiar a sentence and its translation are to a model, and the features of an example sentence.

Three signs, each counted and none of them a proof: a word split into more pieces than the checkpoint's examples need, a
piece that was hardly ever seen in training, and a translation less likely than nearly all of the model's translations
of
held-out sentences. Features of an example (another word order, a negation, a name, a number, a question) come from the
two texts, and from word links where there are some. Nothing here judges the translation.
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

    `banned` tokens can never be written: they have no rank and are no alternative, unless they are in `ids` themselves.
    Raises ValueError when rows and tokens differ in number, or a token has no alternative.
    """
    rows = np.asarray(log_probabilities, dtype=np.float64)
    if rows.ndim != 2 or len(rows) != len(ids):
        raise ValueError(f"log-probabilities have shape {rows.shape}; {len(ids)} tokens need as many rows")
    allowed = np.ones(rows.shape[1], dtype=bool)
    allowed[list(banned)] = False
    if allowed.sum() < 2:
        raise ValueError("a vocabulary of fewer than two tokens that may be written has no alternatives")
    tokens = []
    for row, token in zip(rows, ids, strict=True):
        others = np.where(allowed, row, -np.inf)
        others[token] = -np.inf
        other = int(others.argmax())
        rank = 1 + int((others > row[token]).sum())
        tokens.append(Scored(int(token), float(row[token]), rank, other, float(row[other])))
    return tuple(tokens)


def total(words: Sequence[Scored]) -> float:
    """log P(sequence), in nats: the tokens' log-probabilities summed."""
    return float(sum(word.log_probability for word in words))


def follows_the_best(words: Sequence[Scored]) -> bool:
    """Whether every token was the most probable one, which is what greedy search writes."""
    return all(word.rank == 1 for word in words)


RARE: Final = 10
"""A piece seen fewer times than this in the training text, and than any piece of the examples, was hardly learned."""
USUAL_PIECES: Final = 3
"""Pieces per word up to which a word is usual, even where all examples are single pieces."""
LOWEST: Final = ("0.05", "0.01")
"""The quantiles of a card for "lower than 95 %" and "lower than 99 %"."""
LEAST: Final = -1e6
"""Nats per token that no model reaches; a card with a lower value is wrong."""
APART: Final = 0.05
"""Nats per token below the median from which a low quantile counts: those of a very sure model are all close together."""


@dataclass(frozen=True)
class Word:
    """One word of a source: its text, its number of pieces, and the training count of the rarest piece (None: unknown)."""

    text: str
    pieces: int
    count: int | None = None


def strange_words(words: Sequence[Word], examples: Sequence[Word] = ()) -> tuple[tuple[Word, str], ...]:
    """The words that suggest a sentence far from the training text, each with its reason.

    `examples` are the words of sentences that the model is known to read; none of them is strange.
    """
    usual = max([USUAL_PIECES, *(word.pieces for word in examples)])
    rare = min([RARE, *(word.count for word in examples if word.count is not None)])
    known = {word.text for word in examples}
    reasons: dict[str, tuple[Word, str]] = {}
    for word in words:
        if word.text in known or word.text in reasons:
            continue
        if word.pieces > usual:
            reasons[word.text] = (word, f"is read in {word.pieces} pieces")
        elif word.count is not None and word.count < rare:
            times = "never" if word.count == 0 else f"only {how_many(word.count, 'time')}"
            subject = "" if word.pieces == 1 else "has a piece that "
            reasons[word.text] = (word, f"{subject}occurs {times} in its training text")
    return tuple(reasons.values())


def card_quantiles(card: Mapping[str, Any]) -> dict[str, float]:
    """`figures.log_probability.quantiles` of a card: "0.05" → nats per token that 5 % of its held-out sentences lie below.

    Cards are untrusted: values that are not finite numbers of at most 0 are left out, and nothing raises.
    """
    entry: Any = card
    for name in ("figures", "log_probability", "quantiles"):
        entry = entry.get(name) if isinstance(entry, Mapping) else None
    if not isinstance(entry, Mapping):
        return {}
    return {
        str(name): float(value)
        for name, value in entry.items()
        if isinstance(value, int | float)
        and not isinstance(value, bool)
        and LEAST <= value <= 0  # an integer of 400 digits is no float
    }


def unlikely(mean: float, quantiles: Mapping[str, float]) -> str:
    """The reason why a translation of `mean` log-probability per token, in nats, is unusual for this model; "" if it is not.

    `quantiles` are those of `card_quantiles`; without them the result is "".
    """
    median = quantiles.get("0.5", 0.0)
    below = [name for name in LOWEST if name in quantiles and mean < quantiles[name]]
    if not below or mean > median - APART:
        return ""
    share = round(100 * (1 - float(below[-1])))
    return f"log-probability {decimal(mean)} a token, lower than for {share} % of its held-out sentences" + (
        f" (their median is {decimal(median)})" if "0.5" in quantiles else ""
    )


FEATURES: Final[Mapping[str, str]] = {
    "order": "another word order",
    "agreement": "agreement",
    "negation": "negation",
    "name": "a name",
    "number": "a number or a time",
    "question": "a question",
}
"""Features of an example → in words. A card may list them under `shows` of an example."""

_NEGATIONS: Final[Mapping[str, frozenset[str]]] = {
    "en": frozenset(["not", "never", "no", "nobody", "nothing", "cannot"]),
    "de": frozenset(
        ["nicht", "nie", "niemals", "kein", "keine", "keinen", "keinem", "keiner", "nichts", "niemand"]
    ),
    "fr": frozenset(["ne", "jamais", "rien", "personne"]),
}
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def example_features(
    source: str, translation: str, language: str = "", links: Iterable[Link] = ()
) -> tuple[str, ...]:
    """The names of `FEATURES` that hold, in order. `language` is the source's, "en"; `links` (source word, target word)."""
    words = _WORD.findall(source)
    asks = source.rstrip().endswith(("?", "？", "؟"))
    held = {
        "order": not asks and reordered(links),  # a question turns verb and subject in most languages anyway
        "negation": _negates(words, language),
        "name": any(_is_name(word, translation) for word in words[1:]),
        "number": any(char.isdigit() for char in source) and any(char.isdigit() for char in translation),
        "question": asks,
    }
    return tuple(name for name in FEATURES if held.get(name))


def reordered(links: Iterable[Link]) -> bool:
    """Whether two neighbouring source words, each with one link, are translated by neighbours in reverse order."""
    targets: dict[int, list[int]] = {}
    for first, second in links:
        targets.setdefault(first, []).append(second)
    single = {first: linked[0] for first, linked in targets.items() if len(linked) == 1}
    return any(single[word] == single.get(word + 1, -1) + 1 for word in single if word + 1 in single)


def _negates(words: Sequence[str], language: str) -> bool:
    plain = [word.casefold().replace("’", "'") for word in words]
    known = _NEGATIONS.get(language.casefold()[:2], frozenset())
    return any(word in known or (language.startswith("en") and word.endswith("n't")) for word in plain)


def _is_name(word: str, translation: str) -> bool:
    """Whether a capitalised word is the same in the translation; “I” is no name."""
    return len(word) > 1 and word[0].isupper() and word in _WORD.findall(translation)


def card_features(example: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The known features that a card lists for an example; None where it lists none. Never raises."""
    listed = example.get("shows")
    if not isinstance(listed, list):
        return None
    return tuple(name for name in FEATURES if name in [each for each in listed if isinstance(each, str)])


def varied(
    examples: Sequence[tuple[str, Sequence[str]]], count: int, longest: int, first: str = ""
) -> list[str]:
    """`count` of the examples (text, features) that together have as many features as possible, `first` among them.

    Greedy: next is the example with most new features, the first of equals; texts of at most `longest` characters come
    before longer ones.
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
