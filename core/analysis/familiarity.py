"""How familiar a sentence and its translation are to a model, features of example sentences, and warnings in words.

Signs that a sentence is unusual, each counted and none of them a proof: pieces that the model does not know, a word split
into more pieces than the checkpoint's examples need, a piece that was hardly ever seen in training, more tokens than any
sentence of the training, and a translation less likely than nearly all of the model's translations of held-out sentences
of the same length. Where there is none, nothing is said. Features of an example (another word order, a negation, a name,
a number, a question) come from the two texts, and from word links where there are some. Every threshold is defined here
with its reason. Nothing here judges the translation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from core.analysis.alignment import Link
from core.analysis.readout import decimal, quoted
from core.language import message, plural, tr
from core.tokenizer.piece import readable


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
FAR_BELOW: Final = "0.01"
"""The quantile of a card below which a translation is far less likely than usual."""
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
            reasons[word.text] = (word, tr("is cut into {count} pieces", count=word.pieces))
        elif word.count is not None and word.count < rare:
            reasons[word.text] = (word, _rarity(word))
    return tuple(reasons.values())


def _rarity(word: Word) -> str:
    """How rarely a word, or a piece of it, was seen in training."""
    if word.pieces == 1 and not word.count:
        return tr("was never seen in training")
    if not word.count:
        return tr("contains a piece never seen in training")
    if word.pieces == 1:
        return plural("was seen only once in training", "was seen only {count} times in training", word.count)
    return plural(
        "contains a piece seen only once in training",
        "contains a piece seen only {count} times in training",
        word.count,
    )


def card_quantiles(card: Mapping[str, Any], length: int | None = None) -> dict[str, float]:
    """`figures.log_probability.quantiles` of a card: "0.05" → nats per token that 5 % of its held-out sentences lie below.

    With `length`, a number of source tokens, those of the held-out sentences of about this length, where the card has
    them. Cards are untrusted: values that are not finite numbers of at most 0 are left out, and nothing raises.
    """
    entry = _entry(card, "figures", "log_probability")
    bands = _entry(entry, "by_length")
    if length is not None and isinstance(bands, list):
        longest = {band["longest"]: band for band in bands if type(_entry(band, "longest")) is int}
        if longest:
            entry = longest[min((each for each in longest if each >= length), default=max(longest))]
    quantiles = _entry(entry, "quantiles")
    if not isinstance(quantiles, Mapping):
        return {}
    return {
        str(name): float(value)
        for name, value in quantiles.items()
        if isinstance(value, int | float)
        and not isinstance(value, bool)
        and LEAST <= value <= 0  # an integer of 400 digits is no float
    }


def longest_source(card: Mapping[str, Any]) -> int | None:
    """Tokens of the longest sentence that a model was trained on; None where its card does not say. Never raises."""
    longest = _entry(card, "figures", "longest_source")
    return longest if type(longest) is int and longest > 0 else None


def _entry(value: Any, *names: str) -> Any:
    """What a card has under these names, one within the other; None where it has nothing."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def unlikely(mean: float, quantiles: Mapping[str, float]) -> str:
    """The reason why a translation of `mean` log-probability per token, in nats, is unusual for this model; "" if it is not.

    `quantiles` are those of `card_quantiles`; without them the result is "".
    """
    median = quantiles.get("0.5", 0.0)
    below = [name for name in LOWEST if name in quantiles and mean < quantiles[name]]
    if not below or mean > median - APART:
        return ""
    values = {"mean": decimal(mean), "share": round(100 * (1 - float(below[-1]))), "typical": decimal(median)}
    if "0.5" in quantiles:
        return tr(
            "{mean} per token, lower than for {share} % of its held-out sentences (typical: {typical})",
            **values,
        )
    return tr("{mean} per token, lower than for {share} % of its held-out sentences", **values)


FEATURES: Final[Mapping[str, str]] = {
    "order": message("another word order"),
    "agreement": message("agreement"),
    "negation": message("negation"),
    "name": message("a name"),
    "number": message("a number or a time"),
    "question": message("a question"),
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


NAMED: Final = 3
"""The number of words that are named; of more, only the count is given."""


def unknown_words(pieces: Sequence[str]) -> str:
    """One sentence about the pieces of a source that the model does not know; "" if there are none."""
    if not pieces:
        return ""
    named = ", ".join(quoted(readable(piece)) for piece in pieces[:NAMED])
    if len(pieces) > NAMED:
        return tr(
            "The model does not know {pieces} and {count} more; it reads ⟨unk⟩ in their place.",
            pieces=named,
            count=len(pieces) - NAMED,
        )
    return plural(
        "The model does not know {pieces}; it reads ⟨unk⟩ in its place.",
        "The model does not know {pieces}; it reads ⟨unk⟩ in their place.",
        len(pieces),
        pieces=named,
    )


def strange_sentence(strange: Sequence[tuple[Word, str]]) -> str:
    """One sentence about the words of `strange_words`; "" if there are none."""
    if not strange:
        return ""
    named = ", ".join(f"{quoted(word.text)} {reason}" for word, reason in strange[:NAMED])
    if len(strange) > NAMED:
        return tr(
            "Unlike the training text: {words}, and {count} more.", words=named, count=len(strange) - NAMED
        )
    return tr("Unlike the training text: {words}.", words=named)


def length_sentence(tokens: int, longest: int | None) -> str:
    """One sentence where a source of `tokens` tokens is longer than the `longest` that the model was trained on; else ""."""
    if longest is None or tokens <= longest:
        return ""
    return tr(
        "With {tokens} tokens, this sentence is longer than any that the model was trained on (at most {longest}).",
        tokens=tokens,
        longest=longest,
    )


def confidence_sentence(mean: float, quantiles: Mapping[str, float]) -> str:
    """One sentence where a translation of `mean` log-probability per token, in nats, is far less likely than usual; else "".

    Far less: less likely than 99 % of the held-out sentences whose `quantiles` these are.
    """
    lowest, median = quantiles.get(FAR_BELOW), quantiles.get("0.5")
    if lowest is None or median is None or mean >= lowest or mean > median - APART:
        return ""
    return tr(
        "The model is far less confident than usual: {mean} per token (typical: {typical}).",
        mean=decimal(mean),
        typical=decimal(median),
    )


CUT_APART: Final = 1.5
"""Pieces per word from which a sentence may be in a language that the model does not read."""
READ_WELL: Final = 0.75
"""Another model reads a sentence better when it needs at most this share of the pieces."""


def reads_better(words: int, pieces: int, theirs: int) -> bool:
    """Whether another model's tokenizer cuts a sentence of `words` words into far fewer pieces than this one's."""
    return words > 1 and pieces > CUT_APART * words and theirs <= READ_WELL * pieces
