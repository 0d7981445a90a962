"""Plain words for what a head does, with the threshold of each: the one table of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from core.model.sites import ATTENTION_NAMES

_SELF: Final = ATTENTION_NAMES[:2]
_ALL: Final = ATTENTION_NAMES
NO_ROLE_SCORE: Final = "normalised_entropy"
"""The score that stands for a head without a role: how broadly it looks."""


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
        "alignment",
        "alignment",
        0.75,
        ("cross",),
        "looks at the source token that the predicted word needs most",
    ),
    Role(
        "fed-back alignment",
        "alignment_fed_back",
        0.75,
        ("cross",),
        "looks at the source token that the word just fed back needed most",
    ),
    Role("previous token", "previous_share", 0.5, _SELF, "looks at the token just before"),
    Role("next token", "next_share", 0.5, ("encoder-self",), "looks at the token just after"),
    Role("same token", "self_share", 0.5, _SELF, "looks at the token itself"),
    Role("start-of-sentence sink", "bos_share", 0.5, ("decoder-self",), "rests on the start token"),
    Role("end-of-sentence sink", "eos_share", 0.5, ("encoder-self", "cross"), "rests on the end token"),
    Role("punctuation", "punctuation_share", 0.5, _ALL, "looks at full stops, commas and their like"),
    Role(
        "rare word",
        "rare_token",
        0.5,
        ("encoder-self", "cross"),
        "looks most at the sentence's rarest token, in this share of the sentences",
    ),
    Role("broad", "normalised_entropy", 0.8, _ALL, "spreads its weight over nearly everything it may see"),
)


def roles_of(means: Mapping[str, float], kind: str) -> list[tuple[Role, float]]:
    """The roles whose threshold a head of `kind` reaches, in the table's order, with the mean that reaches it."""
    found = ((role, means.get(role.metric, float("nan"))) for role in ROLES if kind in role.kinds)
    return [(role, value) for role, value in found if value >= role.threshold]


def leading_score(means: Mapping[str, float], kind: str) -> str:
    """The score that says most of a head: that of its first role, or how broadly it looks where it has none."""
    found = roles_of(means, kind)
    return found[0][0].metric if found else NO_ROLE_SCORE
