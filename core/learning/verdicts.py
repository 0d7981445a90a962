"""What `core.check` says of somebody's code: the sentence of each mistake, and the `Verdict`. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from core.learning.mistakes import IDS, PITFALLS

Outcome = Literal["correct", "faulty", "undecided"]
_SIGNS: Final = {"correct": "✓", "faulty": "✗", "undecided": "?"}

VERDICTS: Final[Mapping[str, str]] = {
    **{f"{each.id}.{way}".rstrip("."): words for each in PITFALLS for way, words in each.verdicts.items()},
    "no-attention": "No token’s output depends on any other token, so this is no attention.",
    "attends-over-batch": "In the layout {layout} it attends along the batch.",
    "batch-leak": "Sentences of one batch read each other.",
    "heads-leak": "Heads read each other’s tokens.",
    "keys-not-read": "The scores do not depend on the keys.",
    "softmax-axis": "The softmax runs over {axis} and not over the keys, so a query’s weights do not sum to 1.",
    "unused-projection": "A projection is never used.",
    "groups-mixed": "Keys and values are shared by different groups of heads.",
    "scale-by-tokens": "The scores are divided by something that grows with the number of tokens.",
    "no-scale": "The scores are not divided by anything, so the softmax saturates as heads grow.",
    "scale-without-root": "The scores are divided by the size of a head and not by its root.",
    "other-scale": "The scores are divided by another number than the root of the head’s size.",
    "source-ignored": "The logits do not depend on the source.",
    "source-padding": "Padding of the source is attended to.",
    "no-sinusoids": "These are no sinusoids of the paper’s wavelengths.",
    "norm-axis": "The mean and deviation are taken over {axis} and not over the numbers of one token.",
    "no-layer-norm": "This is no layer norm over the last axis.",
    "values-from-keys": "The values are taken from the keys: with the attention weights held fixed, other keys still move the output.",
    "values-from-keys.projected": "The values are taken from the projected keys.",
    "keys-from-values": "The scores depend on the values.",
    "keys-from-values.only": "The keys are taken from the values.",
    "no-mask": "This is no causal mask in any reading.",
    "no-mask.row": "This is neither a causal mask nor one of these tokens’ padding.",
}
"""The sentences by mistake and by the way in which it shows; the last ones have no page."""


@dataclass(frozen=True)
class Verdict:
    """The result of checking somebody's code. True only when the code is correct. Prints itself as sentences.

    `fault` is the id of the mistake, and `pitfall` the same where it has a page, each empty where there is none. An
    undecided verdict accuses of nothing: the code could not be called, or what it does could not be measured; `example`
    is then the call to write, or what stopped.
    """

    outcome: Outcome
    message: str
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
        return f"{_SIGNS[self.outcome]} {self.message}{known}{shown}"


def passes(message: str) -> Verdict:
    """Nothing to find fault with."""
    return Verdict("correct", message)


def fails(fault: str, example: str = "", **words: object) -> Verdict:
    """The verdict on a mistake, `id` or `id.way` of `VERDICTS`; `words` fill the gaps of its sentence."""
    name = fault.partition(".")[0]
    return Verdict("faulty", VERDICTS[fault].format(**words), name, name if name in IDS else "", example)


def undecided(message: str, example: str = "") -> Verdict:
    """No accusation and no praise; `example` is what to write or what stopped."""
    return Verdict("undecided", message, example=example)
