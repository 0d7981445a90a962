"""What speaks against one translation, in words: how likely the model holds it, where it came from, what it left out.

Every threshold of the strip under a translation stands here with its reason. Nothing is said of the model, only of one
sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from core.analysis.familiarity import unlikely
from core.analysis.readout import decimal

UNWRITTEN: Final = 1.0
"""Nats by which a translation must become likelier without a source word for the word to count as not translated.

Measured on `en-fr` and 100 sentences of test_2016 (greedy; `benchmarks/omissions.py`): words put into the source while the
translation stayed as it was lie beyond 1 nat in 63 of 100 cases, words of the sentences as they are in 0.8 of 100; at
0.5 nats 76 and 2.0, at 2 nats 48 and 0.1. What a model leaves out by itself is found less often than what was put in
afterwards: its own output is likely after the whole source. So nothing is claimed where no word is found. The area under
the curve is 0.98, that of the largest ALTI+ share 0.68."""
USUAL: Final = ("0.25", "0.75")
"""The quantiles of a card between which half of its held-out sentences lie: that is called usual."""
NAMED: Final = 3
"""Words that are named; of more, how many there are."""


@dataclass(frozen=True)
class Trouble:
    """Of one finished translation: mean log-probability a token in nats; of what its words are made of, the share that
    came from the source (None: not computed); source words nothing was written for (None: not computed); and why a
    part was not computed.
    """

    mean: float
    source_share: float | None = None
    unwritten: tuple[str, ...] | None = None
    unsaid: str = ""


def unwritten_words(words: Sequence[str], gains: ArrayLike, least: float = UNWRITTEN) -> tuple[str, ...]:
    """The words without which the translation is likelier by `least` nats or more, most of all first.

    `gains` (W,): log p(translation | source without the word) − log p(translation | source). A word without a letter or
    digit is none.
    """
    found = np.asarray(gains, dtype=np.float64)
    order = np.argsort(-found, kind="stable")
    return tuple(
        words[place] for place in order if found[place] >= least and any(map(str.isalnum, words[place]))
    )


def likelihood_words(mean: float, quantiles: Mapping[str, float] | None) -> str:
    """Where a translation's log-probability stands among those of a card's held-out sentences.

    `quantiles` are those of `familiarity.card_quantiles`; None where the card's figures are of another kind of search.
    """
    number = decimal(mean)
    if quantiles is None:
        return f"Log-probability {number} a token"
    if reason := unlikely(mean, quantiles):
        return f"The model is unsure of this translation: {reason}"
    if "0.5" not in quantiles:
        return f"Log-probability {number} a token; the checkpoint’s card does not say what is usual"
    median = decimal(quantiles["0.5"])
    low, high = (quantiles.get(name, quantiles["0.5"]) for name in USUAL)
    where = "lower than usual" if mean < low else "higher than usual" if mean > high else "usual"
    return f"Log-probability {number} a token, {where} for its held-out sentences (median {median})"


def origin_words(share: float | None) -> str:
    """What a translation came from by ALTI+."""
    if share is None:
        return ""
    percent = round(100 * share)
    return f"{percent} % of it came from the source, {100 - percent} % from the words written before (ALTI+)"


def unwritten_sentence(words: Sequence[str] | None) -> str:
    """“Nothing was written for Sarah”; what was looked for in vain is said too, so that silence is no verdict."""
    if words is None:
        return ""
    if not words:
        return "No source word was found that it would be likelier without"
    named = [f"“{word}”" for word in words[:NAMED]]
    more = f" and {len(words) - NAMED} more" if len(words) > NAMED else ""
    listed = (
        ", ".join(named[:-1]) + (" or " if len(named) > 1 else "") + named[-1]
        if not more
        else ", ".join(named)
    )
    return f"Nothing was written for {listed}{more}: without {'it' if len(words) == 1 else 'them'} the translation is likelier"
