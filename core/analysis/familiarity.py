"""How familiar a sentence and its translation are to a model, features of example sentences, and warnings in words.

Three signs, each counted and none of them a proof: a word split into more pieces than the checkpoint's examples need,
a piece that was hardly ever seen in training, and a translation less likely than nearly all of the model's
translations of held-out sentences. Features of an example (another word order, a negation, a name, a number, a
question) come from the two texts, and from word links where there are some. Warnings about one translation are its
likelihood, its origin, and source words without a translation; every threshold is defined here with its reason.
Nothing here judges the translation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from core.analysis.alignment import Link
from core.analysis.readout import decimal
from core.language import message, plural, tr


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
    values = {"mean": decimal(mean), "share": round(100 * (1 - float(below[-1]))), "typical": decimal(median)}
    if "0.5" in quantiles:
        return tr(
            "{mean} per token, lower than {share} % of its held-out sentences (typical: {typical})", **values
        )
    return tr("{mean} per token, lower than {share} % of its held-out sentences", **values)


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


UNWRITTEN: Final = 1.0
"""Nats by which a translation must become likelier without a source word for the word to count as not translated.

Measured on `en-fr` and 100 sentences of test_2016 (greedy; `benchmarks/omissions.py`): of words inserted into the source
of an unchanged translation, 61 of 100 exceed 1 nat; of the words of the original sentences, 0.7 of 100; at 0.5 nats 74
and 2.5, at 2 nats 50 and 0.1. Words that a model itself leaves out are detected less often than inserted ones, since its
own output is likely given the whole source. So a sentence without such a word is not said to be complete. The area under
the curve is 0.98, that of the largest ALTI+ share 0.69.
"""
USUAL: Final = ("0.25", "0.75")
"""The quantiles of a card between which a log-probability is called usual: half of its held-out sentences."""
NAMED: Final = 3
"""The number of words that are named; of more, only the count is given."""


@dataclass(frozen=True)
class Trouble:
    """The warnings of one finished translation.

    Mean log-probability per token in nats; the share of the source in its words (None: not computed); source words
    without a translation (None: not computed); and why something was not computed.
    """

    mean: float
    source_share: float | None = None
    unwritten: tuple[str, ...] | None = None
    unsaid: str = ""


def unwritten_words(words: Sequence[str], gains: ArrayLike) -> tuple[str, ...]:
    """The words without which the translation is likelier by `UNWRITTEN` nats or more, the largest gain first.

    `gains` (W,): log p(translation | source without the word) − log p(translation | source). Words without a letter or
    digit do not count.
    """
    nats = np.asarray(gains, dtype=np.float64)
    order = np.argsort(-nats, kind="stable")
    return tuple(
        words[index] for index in order if nats[index] >= UNWRITTEN and any(map(str.isalnum, words[index]))
    )


LONG: Final = 1.5
"""A sentence with more words than this many times the longest of a card's sentences is longer than what is known of it."""


def length_words(words: int, longest: int, sentences: int) -> str:
    """Why a sentence of `words` words is unusually long for a checkpoint; "" if it is not.

    `longest` is the number of words of the longest of the `sentences` that its card lists.
    """
    if not sentences or words <= LONG * longest:
        return ""
    return tr(
        "With {words} words it is longer than all {sentences} sentences of the checkpoint's card ({longest} at most): check "
        "the translation.",
        words=words,
        sentences=sentences,
        longest=longest,
    )


def likelihood_words(mean: float, quantiles: Mapping[str, float] | None, long: str = "") -> str:
    """A translation's log-probability compared with those of a card's held-out sentences, in words.

    `quantiles` are those of `familiarity.card_quantiles`; None where the card's figures are of another kind of search.
    `long` says why the sentence is longer than usual: then nothing is called usual.
    """
    number = decimal(mean)
    if quantiles is None:
        return tr("Model confidence: {mean} per token.", mean=number)
    if reason := unlikely(mean, quantiles):
        return tr("The model is unsure of this translation: {reason}.", reason=reason)
    if "0.5" not in quantiles:
        return tr("Model confidence: {mean} per token; the card gives no typical value.", mean=number)
    values = {"mean": number, "typical": decimal(quantiles["0.5"])}
    low, high = (quantiles.get(name, quantiles["0.5"]) for name in USUAL)
    if mean < low:
        return tr("The model is less confident than usual ({mean} per token; typical: {typical}).", **values)
    if long:
        sentence = tr("Model confidence: {mean} per token (typical: {typical}).", **values)
        return f"{sentence} {long}"
    if mean > high:
        return tr("The model is more confident than usual ({mean} per token; typical: {typical}).", **values)
    return tr("The model is as confident as usual ({mean} per token; typical: {typical}).", **values)


def origin_words(share: float | None) -> str:
    """The origin of a translation by ALTI+, in words."""
    if share is None:
        return ""
    return tr("{share} % of the translation comes from the source.", share=round(100 * share))


def unwritten_sentence(words: Sequence[str] | None) -> str:
    """“Perhaps not translated: “Sarah””; without such a word, a sentence that says what was looked for."""
    if words is None:
        return ""
    if not words:
        return tr("No sign of an untranslated source word.")
    named = ", ".join(tr("“{word}”", word=word) for word in words[:NAMED])
    if more := len(words) - NAMED if len(words) > NAMED else 0:
        return tr(
            "Perhaps not translated: {words} and {count} more. Without them the translation is more likely.",
            words=named,
            count=more,
        )
    return plural(
        "Perhaps not translated: {words}. Without it the translation is more likely.",
        "Perhaps not translated: {words}. Without them the translation is more likely.",
        len(words),
        words=named,
    )


CUT_APART: Final = 1.5
"""Pieces per word from which a sentence may be in a language that the model does not read."""
READ_WELL: Final = 0.75
"""Another model reads a sentence better when it needs at most this share of the pieces."""


def reads_better(words: int, pieces: int, theirs: int) -> bool:
    """Whether another model's tokenizer cuts a sentence of `words` words into far fewer pieces than this one's."""
    return words > 1 and pieces > CUT_APART * words and theirs <= READ_WELL * pieces
