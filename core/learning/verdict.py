"""What a check of somebody's code comes to: which pitfall it matches, in words, with the example that shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """`pitfall` is its id, empty where nothing known fits; true when the code passed. Prints itself as sentences."""

    passed: bool
    said: str
    pitfall: str = ""
    example: str = ""

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        known = f" This is the pitfall {self.pitfall}." if self.pitfall else ""
        shown = f"\n  for example: {self.example}" if self.example else ""
        return f"{'✓' if self.passed else '✗'} {self.said}{known}{shown}"


def passes(said: str) -> Verdict:
    """Nothing to find fault with."""
    return Verdict(True, said)


def fails(pitfall: str, said: str, example: str = "") -> Verdict:
    """Something is wrong; `pitfall` may be empty."""
    return Verdict(False, said, pitfall, example)
