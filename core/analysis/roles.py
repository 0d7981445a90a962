"""Roles of heads with their thresholds, and the default head of a checkpoint, chosen without a gold alignment.

Cross-attention: the default is the head whose largest weight lies most often on the source token that the written word
needs: the one without which it loses most of its log-probability (`core.experiments.omissions.losses`). That measures
the model, not its attention, and tells which row of a head belongs to a word: the row that predicts it (t), or the row
in which it is fed back (t + 1). Both are counted.

Only words count, tokens with a letter or a digit on both sides: the final full stop aligns in either row. And only
words
that need a source token by at least `NEEDED`: an article that follows from the word before it says nothing about
alignment.

Measured over both readings of all 32 heads, on the cards' probe sentences: Pearson's r with AER on hand-made links is
.97 on en-fr and .98 on de-en, and de-en's two aligners (AER .07 and .08, both where a word is fed back) reach .82 and
.87, all others at most .75. Agreement with the other heads reaches .98 and .96, but leaves no gap: .76 and .75 for
those two, .74 for a head with an AER of .22. On models that write their input backwards, whose alignment is known, the
share is within .15 of the true one for every head.

Self-attention: the default is the head with the largest weight on one other word.

Everything is counted over the words of a set of sentences, never on one sentence, so the choice belongs to the
checkpoint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from core.analysis.alignment import READINGS, STEPS, Reading
from core.analysis.glossary import KINDS
from core.analysis.readout import how_many
from core.analysis.scores import Array, AxisTokens
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
        message("fed-back alignment"),
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
        message("rests on the start token"),
    ),
    Role(
        message("end-of-sentence sink"),
        "eos_share",
        0.5,
        ("encoder-self", "cross"),
        message("rests on the end token"),
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
    columns = np.flatnonzero(source.letters)
    nothing = Counted(np.zeros(full.shape[:2]), 0)
    if not columns.size:
        return nothing
    fed_back = np.arange(len(written)) + 1 < full.shape[2]
    rows = np.flatnonzero(written.letters & fed_back & (lost[:, columns].max(axis=-1) >= NEEDED))
    if not rows.size:
        return nothing
    looked = full[:, :, rows + READINGS.index(reading)][..., columns].argmax(axis=-1)  # (L, H, rows)
    hits = (looked == lost[rows][:, columns].argmax(axis=-1)).sum(axis=-1)
    return Counted(hits.astype(np.float64), len(rows))


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
    """The default head of one attention kind, and the reason: `share` of `words` words in `sentences` sentences."""

    layer: int
    head: int
    share: float
    words: int
    sentences: int
    reading: Reading | Literal[""] = ""

    @property
    def because(self) -> str:
        """The reason in one sentence."""
        values = {
            "head": f"{self.layer}.{self.head}",
            "share": f"{round(100 * self.share)} %",
            "words": how_many(self.words, "word"),
            "sentences": plural("{count} example sentence", "{count} example sentences", self.sentences),
        }
        if self.reading:
            return tr(
                "Shown: head {head} of the decoder. In {sentences} it looks at the source token that the word needs most for "
                "{share} of {words} ({step}).",
                step=tr(STEPS[self.reading]),
                **values,
            )
        return tr(
            "Shown: head {head}. In {sentences} ({words}) it gives one other word the most weight: {share} on average.",
            **values,
        )


def card_heads(card: Mapping[str, Any], layers: Mapping[str, int], heads: int) -> dict[str, DefaultHead]:
    """The default heads of a card, by attention kind, and that of `ALIGNMENT`; entries that do not fit the model are left out.

    `layers` gives the number of layers of each kind. Cards are untrusted, so every value is checked.
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
        if (
            layer >= layers.get("cross" if kind == ALIGNMENT else kind, 0)
            or head >= heads
            or reading not in ("", *READINGS)
        ):
            continue
        if isinstance(share, float | int) and 0 <= share <= 1:
            heads_by_kind[kind] = DefaultHead(layer, head, float(share), words, sentences, reading)
    return heads_by_kind
