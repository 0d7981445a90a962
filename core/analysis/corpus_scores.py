"""Scores of every head over a corpus: running means, and the scores of one sentence, sinks included.

Sinks are keys that are no words: special tokens (⟨start⟩, ⟨end⟩) and punctuation. Heads often attend to them strongly;
how much they contribute differs from head to head. They are measured in three ways: their share of the weight, their
share of the contribution (‖α f(x)‖, Kobayashi et al. 2020), and the scores once the sinks are removed and each row sums
to 1 again (names that end in `_plain`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.alignment import Reading
from core.analysis.glossary import SCORES, Score
from core.analysis.heads import AxisTokens, coverage, head_scores, hide_keys, token_share
from core.analysis.roles import NEEDED, aligned
from core.language import message
from core.model.hooks import ATTENTION_NAMES

Array = NDArray[np.float64]


@dataclass
class Running:
    """Running count, mean and sum of squared deviations; NaN is not counted.

    Two of them merge into that of both sequences (Chan et al. 1979).
    """

    count: Array
    mean: Array
    squares: Array

    @classmethod
    def empty(cls, shape: tuple[int, ...]) -> Running:
        return cls(np.zeros(shape), np.zeros(shape), np.zeros(shape))

    def meet(self, values: Array) -> None:
        """Add one more value of each."""
        known = np.isfinite(values)
        self.join(Running(known.astype(np.float64), np.where(known, values, 0.0), np.zeros(values.shape)))

    def join(self, other: Running) -> None:
        """Add all values of `other`."""
        total = self.count + other.count
        weight = np.divide(other.count, total, out=np.zeros_like(total), where=total > 0)
        step = other.mean - self.mean
        self.squares = self.squares + other.squares + step**2 * self.count * weight
        self.mean = self.mean + step * weight
        self.count = total

    @property
    def average(self) -> Array:
        """The mean; NaN where there is no value."""
        return np.where(self.count > 0, self.mean, np.nan)

    @property
    def spread(self) -> Array:
        """The standard deviation (divided by n); NaN where there is no value."""
        variance = np.divide(
            self.squares, self.count, out=np.full_like(self.mean, np.nan), where=self.count > 0
        )
        return np.asarray(np.sqrt(variance))


PLAIN: Final = (
    *("normalised_entropy", "confidence", "previous_share", "self_share", "next_share"),
    *("distance", "diagonality", "monotonicity"),
)
"""Scores that are also measured without the sinks, as `NAME_plain`."""
ALIGNED: Final[dict[str, Reading]] = {"alignment": "writing", "alignment_fed_back": "reading"}
"""Scores that compare a head with the source token that a word needs, and the row they use."""
COMPARED: Final = 200
"""The number of sentences, from the first, for the scores of `ALIGNED`, which take a pass per token."""
_FIRST: Final = f"the mean over the first {COMPARED} sentences of the corpus, where it is defined"
_COUNTS: Final = message("the mean over the sentences of the corpus where it is defined")
_OWN: Final = (
    Score(
        "alignment",
        message("Alignment"),
        "Share of the words for which, in the row that predicts the word, the head's largest weight lies on the source "
        "token without which the word loses most of its log-probability. Tokens with a letter or digit alone; words that "
        f"lose at least {NEEDED:g} nat.",
        "mean_t [argmax_j A_tj = argmax_j (log P(y_t | x) − log P(y_t | x without j))]",
        message("High: the head looks at what the model translates, counted without a gold alignment."),
        0.0,
        1.0,
        "",
        message("after Li et al. 2019, §4 (prediction difference)"),
        ("cross",),
        counts=_FIRST,
    ),
    Score(
        "alignment_fed_back",
        message("Alignment, fed back"),
        message("The same in the row after it, in which the word is fed back to the decoder."),
        "mean_t [argmax_j A_(t+1)j = argmax_j (log P(y_t | x) − log P(y_t | x without j))]",
        message("High: the head looks back at what the word before was translated from."),
        0.0,
        1.0,
        "",
        message("after Chen et al. 2020, §3; Li et al. 2019, §4"),
        ("cross",),
        counts=_FIRST,
    ),
    Score(
        "coverage",
        message("Coverage"),
        message(
            "How much of the source is read: the weight that each source word gets in total, counted up to 1, averaged."
        ),
        "mean_j min(1, Σ_t A_tj) over the keys that are words",
        message("High reads every word once; low rests on few."),
        0.0,
        1.0,
        "",
        message("after Wu et al. 2016, §7"),
        ("cross",),
    ),
    Score(
        "sink_share",
        message("Sinks"),
        message("Mean weight of a row on special tokens and punctuation together."),
        "mean_t Σ_{j sink} A_tj",
        message("Neither: high looks away from the words; how much arrives from there is another number."),
        0.0,
        1.0,
        "",
        "Clark et al. 2019, §3.2",
    ),
    Score(
        "sink_arrives",
        message("Arrives from sinks"),
        message("The same share of what the head adds, each weight times the size of the vector it brings."),
        "mean_t Σ_{j sink} A_tj ‖f(x_j)‖ / Σ_j A_tj ‖f(x_j)‖",
        message("Low beside a high sink share: the head looks there to add little."),
        0.0,
        1.0,
        "",
        "Kobayashi et al. 2020, §4",
    ),
    Score(
        "sink_norm",
        message("‖f‖ at sinks"),
        message("How large the vectors of sinks are beside those of words: the ratio of their mean sizes."),
        "mean_{j sink} ‖f(x_j)‖ / mean_{j word} ‖f(x_j)‖",
        message("Below 1: a weight there brings less than a weight on a word."),
        0.0,
        None,
        "",
        "Kobayashi et al. 2020, §4",
        ends=message("from 0; 1 is as large as those of words"),
    ),
)


def _without(name: str) -> Score:
    score = SCORES[name]
    return replace(
        score,
        name=f"{name}_plain",
        label=f"{score.label}, words only",
        definition=f"{score.definition} Sinks taken out, and what is left of each row sums to 1 again.",
    )


ATLAS_SCORES: Final[dict[str, Score]] = {
    score.name: replace(score, counts=_COUNTS)
    for score in (*SCORES.values(), *_OWN, *(_without(name) for name in PLAIN))
}
"""Every score of the atlas, in the order of its columns."""


def scores_of(kind: str) -> list[str]:
    """The scores that are defined for heads of this kind."""
    if kind not in ATTENTION_NAMES:
        return []
    return [name for name, score in ATLAS_SCORES.items() if kind in score.kinds]


def sinks(keys: AxisTokens) -> NDArray[np.bool_]:
    """Which keys are sinks: special tokens and punctuation, padding aside."""
    return np.asarray((keys.special | keys.punctuation) & ~keys.padding, dtype=bool)


def special_sinks(labels: Sequence[str]) -> list[str]:
    """The labels of the keys that are sinks but no punctuation: ⟨end⟩ and the like, each once, in order."""
    keys = AxisTokens.from_labels(labels)
    named = zip(labels, sinks(keys) & keys.special, strict=True)
    return list(dict.fromkeys(label for label, counted in named if counted))


def corpus_scores(
    weights: ArrayLike,
    kind: str,
    queries: AxisTokens,
    keys: AxisTokens,
    norms: ArrayLike | None = None,
    losses: ArrayLike | None = None,
    names: list[str] | None = None,
) -> dict[str, Array]:
    """One sentence's scores of one kind: `weights (L, H, T, S)` → name → `(L, H)`, NaN where not defined.

    `norms (L, H, S)` are ‖f(x_j)‖; without them the contribution of sinks is unknown. `losses (T, S)`: the nats that
    each written token loses without each source token; without them the alignment of cross-attention is unknown. `names`:
    some of
    `scores_of(kind)`.
    """
    full = np.asarray(weights, dtype=np.float64)
    wanted = scores_of(kind) if names is None else names
    scores = head_scores(
        full, kind, queries=queries, keys=keys, names=[name for name in wanted if name in SCORES]
    )
    scores |= _of_sinks(full, queries, keys, norms)
    if kind == "cross":
        scores["coverage"] = _covered(full, queries, keys)
        for name, reading in ALIGNED.items():
            counted = None if losses is None else aligned(full, losses, queries, keys, reading)
            known = counted is not None and counted.total
            scores[name] = counted.share if counted and known else np.full(full.shape[:2], np.nan)
    plain = [name for name in PLAIN if f"{name}_plain" in wanted]
    marked = sinks(keys)
    without = head_scores(
        hide_keys(full, marked), kind, queries=queries, keys=keys, valid_keys=~marked, names=plain
    )
    scores |= {f"{name}_plain": values for name, values in without.items()}
    return {name: scores[name] for name in ATLAS_SCORES if name in wanted and name in scores}


def _of_sinks(
    weights: Array, queries: AxisTokens, keys: AxisTokens, norms: ArrayLike | None
) -> dict[str, Array]:
    marked, unknown = sinks(keys), np.full(weights.shape[:2], np.nan)
    words = ~marked & ~keys.padding
    valid = {"valid_queries": ~queries.padding, "valid_keys": ~keys.padding}
    scores = {"sink_share": token_share(weights, marked, **valid)}
    if norms is None or not marked.any():
        return {**scores, "sink_arrives": unknown, "sink_norm": unknown}
    sizes = np.asarray(norms, dtype=np.float64)
    arriving = weights * sizes[:, :, None, :] * ~keys.padding
    total = arriving.sum(axis=-1, keepdims=True)
    share = np.divide(arriving, total, out=np.zeros_like(arriving), where=total > 0)
    scores["sink_arrives"] = token_share(share, marked, **valid)
    if not words.any():
        return {**scores, "sink_norm": unknown}
    here, there = sizes[..., marked].mean(axis=-1), sizes[..., words].mean(axis=-1)
    scores["sink_norm"] = np.divide(here, there, out=unknown.copy(), where=there > 0)
    return scores


def _covered(weights: Array, queries: AxisTokens, keys: AxisTokens) -> Array:
    words = ~(sinks(keys) | keys.padding)
    if not words.any():
        return np.full(weights.shape[:2], np.nan)
    total = coverage(weights, valid_queries=~queries.padding, valid_keys=~keys.padding)
    return np.asarray(np.minimum(1.0, total[..., words]).mean(axis=-1))
