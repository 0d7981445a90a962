"""One decode as the pages need it: the trace, every step's distribution, the text, and what was checked."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from core.analysis.head_choice import Shown
from core.analysis.sequence import Scored, total
from core.analysis.tokens import AxisTokens
from core.decoding.inputs import choices
from core.model.sites import ATTENTION
from core.model.trace import Trace
from ui.data.next_word import NextWord


@dataclass(frozen=True)
class BeamNode:
    """One token of one hypothesis.

    `logprob` is summed from the start, `score` what the beam ranks by (length-normalised, say); `kept` is False
    when the hypothesis was pruned at this step, `best` True along the path of the final answer. The root has
    parent None and step 0.
    """

    id: int
    parent: int | None
    step: int
    label: str
    logprob: float
    score: float
    kept: bool
    finished: bool
    best: bool


@dataclass(frozen=True)
class Fact:
    """One thing that must hold in every map, checked on this very sentence."""

    name: str
    holds: bool
    value: float

    def __str__(self) -> str:
        return f"{self.name} ✓" if self.holds else f"{self.name} ✗ ({self.value:.0e})"


@dataclass(frozen=True)
class Decode:
    """A source sentence and what was written for it. `steps[t]` is what token t was chosen from."""

    key: tuple[Any, ...]  # names folders of this server; what is sent to a browser is `name`
    source_text: str
    text: str
    trace: Trace
    steps: tuple[NextWord, ...]
    facts: tuple[Fact, ...]
    source_words: tuple[int, ...]
    written_words: tuple[int, ...]
    target_words: tuple[int, ...]
    forced: tuple[int, ...] = ()
    unknown: tuple[str, ...] = ()
    finished: bool = True
    tree: tuple[BeamNode, ...] = ()
    node: int | None = None  # the node of the beam's tree that is followed instead of the best
    stored: bool = False  # the folder's example, drawn before the model is there
    default_heads: Mapping[str, Shown] = field(default_factory=dict)  # the card's, by name of the attention
    strategy: str = "greedy"
    grown: tuple[
        tuple[int, str], ...
    ] = ()  # of each token: characters of the text before it that stay, text added
    # Each token but one that is always written there, at temperature 1, in place of what was set for sampling.
    scored: tuple[Scored, ...] = ()

    @cached_property
    def name(self) -> str:
        """What stands for `key` in a browser."""
        return hashlib.blake2b(repr(self.key).encode("utf-8", "replace"), digest_size=12).hexdigest()

    @cached_property
    def choices(self) -> tuple[int, ...]:
        """The places of the written tokens at which the model had a choice."""
        return choices(self.trace.config, self.trace.written_ids)

    @cached_property
    def first_head(self) -> tuple[int, int]:
        """The cross-attention head (layer, head) that opens: the card's, else the most confident one here."""
        stated = self.default_heads.get(ATTENTION["cross"].name)
        if stated is not None:
            return stated.layer, stated.head
        return most_confident_head(
            self.trace.stacked("decoder", "cross", "weights"), self.trace.tokens.source
        )

    @property
    def log_probability(self) -> float:
        """log P(what was written), in nats, at temperature 1; what is always written costs nothing, as in a beam."""
        return total(self.scored)

    @property
    def size(self) -> int:
        """Bytes of everything recorded."""
        return sum(array.nbytes for array in self.trace.records.values()) + 2000 * len(self.steps)


def most_confident_head(weights: np.ndarray, keys: Sequence[str]) -> tuple[int, int]:
    """The head of `weights (L, H, T, S)` with the largest weight a row on a word, averaged over the rows.

    Words are all keys but start, end and punctuation. This ranks how sure a head is, not whether it is right:
    it need not be the head that aligns source and target.
    """
    axis = AxisTokens.from_labels(keys)
    plain = ~(axis.special | axis.punctuation)
    if not weights.size or not plain.any():
        return 0, 0
    strength = weights[..., plain].max(axis=-1).mean(axis=-1)  # (L, H)
    layer, head = np.unravel_index(int(strength.argmax()), strength.shape)
    return int(layer), int(head)
