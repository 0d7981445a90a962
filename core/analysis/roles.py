"""Heads over a corpus: running scores, sinks included; roles with their thresholds; and the default head.

Cross-attention: the default is the head whose largest weight lies most often on the source token that the written word
needs: the one without which it loses most of its log-probability (`core.experiments.default_heads.losses`). That measures
the model, not its attention, and tells which row of a head belongs to a word: the row that predicts it (t), or the row
in which it is fed back (t + 1). Both are counted.

Only words count, tokens with a letter or a digit on both sides: the final full stop aligns in either row. And only words
that need a source token by at least `NEEDED`: an article that follows from the word before it says nothing about
alignment.

Measured over both readings of all 32 heads, on the cards' probe sentences: Pearson's r with AER on hand-made links is
.97 on en-fr and .98 on de-en, and de-en's two aligners (AER .08, both where a word is fed back) reach .84 and .89, all
others at most .75. On earlier weights agreement with the other heads reached .98 and .96, but left no gap: .76 and .75 for
those two, .74 for a head with an AER of .22. On models that write their input backwards, whose alignment is known, the
share is within .15 of the true one for every head.

Self-attention: the default is the head with the largest weight on one other word.

Everything is counted over the words of a set of sentences, never on one sentence, so the choice belongs to the
checkpoint.

Sinks are keys that are no words: special tokens (⟨start⟩, ⟨end⟩) and punctuation. Heads often attend to them strongly;
how much they contribute differs from head to head. They are measured in three ways: their share of the weight, their
share of the contribution (‖α f(x)‖, Kobayashi et al. 2020), and the scores once the sinks are removed and each row sums
to 1 again (names that end in `_plain`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.alignment import READINGS, WHEN, Reading
from core.analysis.glossary import KINDS, SCORES, Score
from core.analysis.heads import head_scores
from core.analysis.maps import hide_keys
from core.analysis.readout import how_many
from core.analysis.scores import Array, AxisTokens, coverage, row_shares, token_share
from core.language import message, plural, tr
from core.model.hooks import ATTENTION_NAMES

_SELF: Final = ATTENTION_NAMES[:2]
_ALL: Final = ATTENTION_NAMES
NO_ROLE_SCORE: Final = "normalised_entropy"
"""The score shown for a head without a role: how diffuse its attention is."""


@dataclass(frozen=True)
class Role:
    """A head has the role where the mean of `metric` over the corpus reaches `threshold`."""

    name: str
    metric: str
    threshold: float
    kinds: tuple[str, ...]
    means: str


ROLES: Final = (
    Role(
        message("alignment"),
        "alignment",
        0.75,
        ("cross",),
        message("looks at the source token that the predicted word needs most"),
    ),
    Role(
        message("alignment when fed back"),
        "alignment_fed_back",
        0.75,
        ("cross",),
        message("looks at the source token that the word just read needed most"),
    ),
    Role(message("previous token"), "previous_share", 0.5, _SELF, message("looks at the token just before")),
    Role(
        message("next token"), "next_share", 0.5, ("encoder-self",), message("looks at the token just after")
    ),
    Role(message("same token"), "self_share", 0.5, _SELF, message("looks at the token that is being read")),
    Role(
        message("start-of-sentence sink"),
        "bos_share",
        0.5,
        ("decoder-self",),
        message("looks mostly at the start token"),
    ),
    Role(
        message("end-of-sentence sink"),
        "eos_share",
        0.5,
        ("encoder-self", "cross"),
        message("looks mostly at the end token"),
    ),
    Role(
        message("punctuation"),
        "punctuation_share",
        0.5,
        _ALL,
        message("looks at full stops, commas and other marks"),
    ),
    Role(
        message("rare word"),
        "rare_token",
        0.5,
        ("encoder-self", "cross"),
        message("looks at the rarest token"),
    ),
    Role(
        message("broad"),
        "normalised_entropy",
        0.8,
        _ALL,
        message("spreads its weight over nearly every token that it may see"),
    ),
)
"""The roles; a `name` is also what a link and a table call it, and is translated where it is shown."""


def roles_of(means: Mapping[str, float], kind: str) -> list[tuple[Role, float]]:
    """The roles whose threshold a head of `kind` reaches, in the table's order, with the mean that reaches it."""
    valued = ((role, means.get(role.metric, float("nan"))) for role in ROLES if kind in role.kinds)
    return [(role, value) for role, value in valued if value >= role.threshold]


def leading_score(means: Mapping[str, float], kind: str) -> str:
    """The most informative score of a head: that of its first role, or the entropy where it has none."""
    roles = roles_of(means, kind)
    return roles[0][0].metric if roles else NO_ROLE_SCORE


NEEDED: Final = 1.0
"""Nats of log-probability that a written word must lose without a source token to count."""
ALIGNMENT: Final = "alignment"
"""The card's entry for the head that aligns best at either step; `cross` is the best of those that predict."""


@dataclass(frozen=True)
class Counted:
    """How often something was true: `hits (L, H)` of `total` words; add them up over sentences."""

    hits: Array
    total: int

    def __add__(self, other: Counted) -> Counted:
        return Counted(self.hits + other.hits, self.total + other.total)

    @property
    def share(self) -> Array:
        """hits / total, (L, H); 0 where nothing was counted."""
        return self.hits / self.total if self.total > 0 else np.zeros_like(self.hits)


def aligned(
    weights: ArrayLike, losses: ArrayLike, written: AxisTokens, source: AxisTokens, reading: Reading
) -> Counted:
    """Words for which a head's largest weight lies on the source token that the word needs most.

    `weights (L, H, T, S)` of cross-attention, `losses (T, S)` the nats that each written token loses without each
    source
    token. Tokens without a letter or digit do not count on either side, nor do words that need no token by `NEEDED`.
    `reading` takes row t of a word, or row t + 1; a last word that was never fed back does not count in either.
    """
    full, lost = np.asarray(weights, dtype=np.float64), np.asarray(losses, dtype=np.float64)
    rows, columns = needing(lost, written, source, full.shape[2])
    if not rows.size:
        return Counted(np.zeros(full.shape[:2]), 0)
    looked = full[:, :, rows + READINGS.index(reading)][..., columns].argmax(axis=-1)  # (L, H, rows)
    hits = (looked == lost[rows][:, columns].argmax(axis=-1)).sum(axis=-1)
    return Counted(hits.astype(np.float64), len(rows))


def needing(
    losses: ArrayLike, written: AxisTokens, source: AxisTokens, rows: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(rows, columns) of a map with `rows` rows: the written words that need a source token, and the source tokens with a
    letter or digit. Without such a token no row is needed.
    """
    columns = np.flatnonzero(source.letters)
    if not columns.size:
        return columns, columns
    fed_back = np.arange(len(written)) + 1 < rows
    most = np.asarray(losses, dtype=np.float64)[:, columns].max(axis=-1)
    return np.flatnonzero(written.letters & fed_back & (most >= NEEDED)), columns


def outward(weights: ArrayLike, tokens: Sequence[str]) -> Counted:
    """The largest weight of a self-attention head on one *other* plain token, summed over the plain rows.

    `weights (L, H, T, T)`; rows that may attend to no other plain token are not counted.
    """
    full = np.asarray(weights, dtype=np.float64)
    axis = AxisTokens.from_labels(tokens)
    plain = ~(axis.special | axis.punctuation)
    other = plain[None, :] & ~np.eye(len(tokens), dtype=bool)  # (T, T)
    rows = np.flatnonzero(plain & (full.max(axis=(0, 1)) * other).any(axis=-1))
    if not rows.size:
        return Counted(np.zeros(full.shape[:2]), 0)
    best = np.where(other, full, 0.0)[:, :, rows].max(axis=-1)
    return Counted(best.sum(axis=-1), len(rows))


def best(counted: Counted) -> tuple[int, int]:
    """(layer, head) with the largest share; the first of equals."""
    layer, head = np.unravel_index(int(counted.share.argmax()), counted.share.shape)
    return int(layer), int(head)


@dataclass(frozen=True)
class DefaultHead:
    """The default head of one attention kind, and the reason: `share` of `words` words in `sentences` sentences.

    `low` and `high`: the ends of the 95 % interval of the share; None on cards that do not state it.
    """

    layer: int
    head: int
    share: float
    words: int
    sentences: int
    reading: Reading | Literal[""] = ""
    low: float | None = None
    high: float | None = None

    @property
    def because(self) -> str:
        """The reason in one sentence."""
        values = {
            "head": f"{self.layer}.{self.head}",
            "share": f"{round(100 * self.share)} %{self._sure}",
            "words": how_many(self.words, "word"),
            "sentences": plural("{count} example sentence", "{count} example sentences", self.sentences),
        }
        if self.reading:
            return tr(
                "Shown: cross-attention head {head}, which aligns words best ({step}). For {share} of {words} in "
                "{sentences}, it looks at the source token that the word needs most.",
                step=tr(WHEN[self.reading]),
                **values,
            )
        return tr(
            "Shown: head {head}, because it gives one other word the most weight: {share} on average over {words} in {sentences}.",
            **values,
        )

    @property
    def _sure(self) -> str:
        if self.low is None or self.high is None:
            return ""
        ends = {"low": round(100 * self.low), "high": round(100 * self.high)}
        return f" ({tr('95 % interval {low} to {high} %', **ends)})"


def card_heads(card: Mapping[str, Any], shapes: Mapping[str, tuple[int, int]]) -> dict[str, DefaultHead]:
    """The default heads of a card, by attention kind, and that of `ALIGNMENT`; entries that do not fit the model are left out.

    `shapes` gives the layers and heads of each kind. Cards are untrusted, so every value is checked.
    """
    listed = card.get("default_heads")
    heads_by_kind: dict[str, DefaultHead] = {}
    for kind in (*KINDS, ALIGNMENT):
        entry = listed.get(kind) if isinstance(listed, Mapping) else None
        if not isinstance(entry, Mapping):
            continue
        numbers = [entry.get(name) for name in ("layer", "head", "words", "sentences")]
        share, reading = entry.get("share"), entry.get("reading", "")
        if any(type(number) is not int or not 0 <= number < 10**9 for number in numbers):
            continue
        layer, head, words, sentences = (int(number or 0) for number in numbers)
        layers, heads = shapes.get("cross" if kind == ALIGNMENT else kind, (0, 0))
        if layer >= layers or head >= heads or reading not in ("", *READINGS):
            continue
        if not (isinstance(share, float | int) and 0 <= share <= 1):
            continue
        low, high = entry.get("low"), entry.get("high")
        sure = (
            isinstance(low, float | int) and isinstance(high, float | int) and 0 <= low <= share <= high <= 1
        )
        ends = (low, high) if sure else (None, None)
        heads_by_kind[kind] = DefaultHead(layer, head, float(share), words, sentences, reading, *ends)
    return heads_by_kind


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

    @classmethod
    def array_names(cls, prefix: str) -> list[str]:
        """The names of `arrays`: `prefix` and the field's own."""
        return [prefix + each.name for each in fields(cls)]

    def arrays(self, prefix: str) -> dict[str, Array]:
        """The fields as arrays, by `array_names`."""
        return {prefix + name: values for name, values in vars(self).items()}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, Array], prefix: str) -> Running:
        """Rebuild it from its `arrays`. Raises KeyError if one is missing."""
        return cls(*(arrays[name] for name in cls.array_names(prefix)))

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
    "normalised_entropy",
    "confidence",
    "previous_share",
    "self_share",
    "next_share",
    "distance",
    "diagonality",
    "monotonicity",
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
        message("High: the head looks at the word that is translated. This needs no gold alignment."),
        message("after Li et al. 2019, §4 (prediction difference)"),
        kinds=("cross",),
        counts=_FIRST,
    ),
    Score(
        "alignment_fed_back",
        message("Alignment, fed back"),
        message("The same for the next row, in which the word is fed back to the decoder."),
        "mean_t [argmax_j A_(t+1)j = argmax_j (log P(y_t | x) − log P(y_t | x without j))]",
        message("High: the head looks at the source of the word just written."),
        message("after Chen et al. 2020, §3; Li et al. 2019, §4"),
        kinds=("cross",),
        counts=_FIRST,
    ),
    Score(
        "coverage",
        message("Coverage"),
        message(
            "How much of the source is read: the total weight of each source word, counted up to 1, averaged."
        ),
        "mean_j min(1, Σ_t A_tj) over the keys that are words",
        message("High: every word is read once; low: few words are read."),
        message("after Wu et al. 2016, §7"),
        kinds=("cross",),
    ),
    Score(
        "sink_share",
        message("Sinks"),
        message("Mean weight of a row on special tokens and punctuation together."),
        "mean_t Σ_{j sink} A_tj",
        message(
            "No value is better: high means that the head looks away from the words, not how much arrives from there."
        ),
        "Clark et al. 2019, §3.2",
    ),
    Score(
        "sink_arrives",
        message("Arrives from sinks"),
        message(
            "The same share of what the head adds: each weight times the length of the vector that it brings."
        ),
        "mean_t Σ_{j sink} A_tj ‖f(x_j)‖ / Σ_j A_tj ‖f(x_j)‖",
        message("Low although the weight on sinks is high: the head looks there but adds little."),
        "Kobayashi et al. 2020, §4",
    ),
    Score(
        "sink_norm",
        message("‖f‖ at sinks"),
        message("The mean length of the vectors of sinks, divided by that of the vectors of words."),
        "mean_{j sink} ‖f(x_j)‖ / mean_{j word} ‖f(x_j)‖",
        message("Below 1: the same weight brings less from a sink than from a word."),
        "Kobayashi et al. 2020, §4",
        high=None,
        ends=message("from 0; at 1 both are equally long"),
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
    each written token loses without each source token; without them the alignment of cross-attention is unknown.
    `names`: some of `scores_of(kind)`.
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
    scores["sink_arrives"] = token_share(row_shares(arriving), marked, **valid)
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
