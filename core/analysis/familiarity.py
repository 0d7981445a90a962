"""Whether a sentence is far from what a model has seen, and the reason, without any judgement of the translation.

Three signs, each counted and none of them proof: a word cut into more pieces than the checkpoint's own examples need, a
piece that was hardly ever met in training, and a translation that the model holds less likely than nearly all of those it
wrote for held-out sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from core.analysis.readout import decimal, how_many

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
