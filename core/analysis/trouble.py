"""Warnings about one translation, in words: its likelihood, its origin, and source words without a translation.

Every threshold of the strip under a translation is defined here with its reason. Warnings concern one sentence, never
the model.
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

Measured on `en-fr` and 100 sentences of test_2016 (greedy; `benchmarks/omissions.py`): of words inserted into the
source
of an unchanged translation, 63 of 100 exceed 1 nat; of the words of the original sentences, 0.8 of 100; at 0.5 nats 76
and 2.0, at 2 nats 48 and 0.1. Words that a model itself leaves out are detected less often than inserted ones, since
its
own output is likely given the whole source. So a sentence without such a word is not said to be complete. The area
under
the curve is 0.98, that of the largest ALTI+ share 0.68.
"""
USUAL: Final = ("0.25", "0.75")
"""The quantiles of a card between which a log-probability is called usual: half of its held-out sentences."""
NAMED: Final = 3
"""The number of words that are named; of more, only the count is given."""


@dataclass(frozen=True)
class Trouble:
    """The warnings of one finished translation.

    Mean log-probability per token in nats; the share of the source in its words (None: not computed); source words
    without a
    translation (None: not computed); and why something was not computed.
    """

    mean: float
    source_share: float | None = None
    unwritten: tuple[str, ...] | None = None
    unsaid: str = ""


def unwritten_words(words: Sequence[str], gains: ArrayLike, least: float = UNWRITTEN) -> tuple[str, ...]:
    """The words without which the translation is likelier by `least` nats or more, the largest gain first.

    `gains` (W,): log p(translation | source without the word) − log p(translation | source). Words without a letter or
    digit do not count.
    """
    nats = np.asarray(gains, dtype=np.float64)
    order = np.argsort(-nats, kind="stable")
    return tuple(
        words[index] for index in order if nats[index] >= least and any(map(str.isalnum, words[index]))
    )


def likelihood_words(mean: float, quantiles: Mapping[str, float] | None) -> str:
    """A translation's log-probability compared with those of a card's held-out sentences, in words.

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
    """The origin of a translation by ALTI+, in words."""
    if share is None:
        return ""
    percent = round(100 * share)
    return f"{percent} % of it came from the source, {100 - percent} % from the words written before (ALTI+)"


def unwritten_sentence(words: Sequence[str] | None) -> str:
    """“Nothing was written for Sarah”; without such a word, a sentence that says what was looked for."""
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
