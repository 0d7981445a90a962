"""A claim of a write-up with what comes out, and what all claims are computed with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch

from core.learning.study import Words

SEED: Final = 1


@dataclass(frozen=True)
class Claim:
    """A claim and what comes out. `finding` says it in one sentence, `says` what the write-up says.

    `rows`: (what, its number, the number computed here); `holds`: whether the write-up is right.
    """

    id: str
    finding: Words
    says: Words
    rows: tuple[tuple[Words, str, str], ...]
    holds: bool


def seeded() -> torch.Generator:
    """The same random numbers each time."""
    return torch.Generator().manual_seed(SEED)


def small(error: float) -> str:
    """A rounding error as one digit and a power: 3 · 10⁻⁶; zero as 0."""
    if error == 0:
        return "0"
    digit, _, power = f"{error:.0e}".partition("e")
    raised = str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{digit} · 10{raised}"
