"""Mistakes as a game: which mistake a round shows, and the four names to choose from. Pure, no torch.

A deal is a number; it fixes the order of the rounds and of the names, so that a link gives the same game to everybody.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

ROUNDS: Final = 10
NAMES: Final = 4
OTHERS: Final[Mapping[str, tuple[str, ...]]] = {
    "head-split-view": ("scale-by-d-model", "heads-attend-heads", "no-causal-mask", "axes-swapped"),
    "heads-attend-heads": ("head-split-view", "merge-without-transpose", "axes-swapped", "scale-by-d-model"),
    "merge-without-transpose": ("scale-by-d-model", "masked-row-nan", "no-causal-mask", "std-plus-eps"),
    "scale-by-d-model": ("head-split-view", "heads-attend-heads", "masked-row-nan", "no-embedding-scale"),
    "cross-qkv-swapped": ("axes-swapped", "alignment-layer-ignored", "no-causal-mask", "beams-not-reordered"),
    "no-embedding-scale": ("std-plus-eps", "scale-by-d-model", "heads-attend-heads", "no-causal-mask"),
    "pe-exponent-doubled": ("no-embedding-scale", "heads-attend-heads", "head-split-view", "axes-swapped"),
    "no-causal-mask": ("mask-leaks", "target-padding-unmasked", "masked-row-nan", "mask-truth-value"),
    "mask-leaks": ("no-causal-mask", "target-padding-unmasked", "mask-truth-value", "scale-by-d-model"),
    "target-padding-unmasked": ("masked-row-nan", "no-causal-mask", "mask-leaks", "mask-truth-value"),
    "mask-truth-value": ("masked-row-nan", "no-causal-mask", "mask-leaks", "target-padding-unmasked"),
    "masked-row-nan": ("mask-truth-value", "target-padding-unmasked", "no-causal-mask", "heads-attend-heads"),
    "axes-swapped": ("cross-qkv-swapped", "no-causal-mask", "alignment-layer-ignored", "beams-not-reordered"),
}
"""Each mistake that one map and what the model writes give away, and the names that stand beside its own.

The other five cannot be seen in one map: they need a second pass, another width, or training.
"""


@dataclass(frozen=True)
class Round:
    """The mistake of a round, and the names to choose from, which hold it."""

    answer: str
    names: tuple[str, ...]

    @property
    def right(self) -> int:
        """The choice that is right, from 1."""
        return 1 + self.names.index(self.answer)


def deal(number: int, fit: Sequence[str]) -> tuple[Round, ...]:
    """The rounds of a deal from the mistakes that the model can show; fewer than `ROUNDS` where it can show few."""
    chance = random.Random(f"mistakes {number}")
    answers = [name for name in OTHERS if name in fit]
    chance.shuffle(answers)
    rounds = []
    for answer in answers[:ROUNDS]:
        others = [name for name in OTHERS[answer] if name in fit]
        chance.shuffle(others)
        spare = [name for name in fit if name != answer and name not in others]
        names = [answer, *(others + spare)[: NAMES - 1]]
        chance.shuffle(names)
        rounds.append(Round(answer, tuple(names)))
    return tuple(rounds)


def score(rounds: Sequence[Round], choices: Sequence[int]) -> int:
    """How many of the choices are right."""
    return sum(choice == each.right for each, choice in zip(rounds, choices, strict=False))
