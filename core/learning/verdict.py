"""The result of checking somebody's code: correct, faulty with evidence, or undecided with what to write next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["correct", "faulty", "undecided"]
_SIGNS = {"correct": "✓", "faulty": "✗", "undecided": "?"}


@dataclass(frozen=True)
class Verdict:
    """True only when the code is correct. Prints itself as sentences.

    `fault` is a short name of what is wrong, and `pitfall` the id of the page that shows it, each empty where there is
    none. An undecided verdict accuses of nothing: the code could not be called, or what it does could not be measured;
    `example` is then the call to write, or what stopped.
    """

    outcome: Outcome
    said: str
    fault: str = ""
    pitfall: str = ""
    example: str = ""

    @property
    def passed(self) -> bool:
        """Whether nothing was found wrong and everything could be called."""
        return self.outcome == "correct"

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        known = f" This is the pitfall {self.pitfall}." if self.pitfall else ""
        shown = f"\n  for example: {self.example}" if self.example else ""
        return f"{_SIGNS[self.outcome]} {self.said}{known}{shown}"


def passes(said: str) -> Verdict:
    """Nothing to find fault with."""
    return Verdict("correct", said)


def fails(fault: str, said: str, example: str = "") -> Verdict:
    """Something is wrong; a `fault` that is a pitfall's id is linked to it."""
    from core.learning.study import IDS  # the pitfalls' own module imports models

    return Verdict("faulty", said, fault, fault if fault in IDS else "", example)


def undecided(said: str, example: str = "") -> Verdict:
    """No accusation and no praise; `example` is what to write or what stopped."""
    return Verdict("undecided", said, example=example)
