"""What a model writes without some of its feed-forward networks, and what the most active unit of one fires on.

A network is taken out by a hook that makes its output zero: the residual stream passes it unchanged. A unit is one of the
d_ff numbers between the two matrices (Geva et al. 2021 read them as keys of patterns).
`python -m core.learning.feed_forward CHECKPOINT [FILE]` measures both on the lesson's sentence and writes
`feed_forward.json` beside this file. torch is imported by what runs a model, not by this module.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from core.analysis.readout import words_changed
from core.learning.stored import read_stored, write_stored
from core.model.hooks import Site
from core.model.trace import Trace

if TYPE_CHECKING:
    from torch import Tensor

    from core.api import Checkpoint

TAKEN_OUT: Final = ("encoder.0", "encoder.*", "decoder.*", "*")
"""The networks that are taken out, each as the beginning of their sites: the first, the encoder's, the decoder's, all."""
TEXT: Final = "The cook is cutting vegetables in a large kitchen."
TOKEN: Final = "large"
STORED: Final = Path(__file__).with_name("feed_forward.json")
MOST: Final = 5
"""Different tokens that a unit is described by."""


@dataclass(frozen=True)
class Unit:
    """A unit of the encoder's last network: its number, and the different tokens that it fires on most, the strongest first.

    `sentences` were read; `words` leaves out the token at which it was found to be the most active one.
    """

    number: int
    words: tuple[str, ...]
    sentences: int


@dataclass(frozen=True)
class FeedForwardStudy:
    """What a model writes of `text` with all networks, and without those of each of `TAKEN_OUT`; the unit of a token."""

    checkpoint: str
    text: str
    translation: str
    written: tuple[str, ...]
    token: str
    unit: Unit

    def without(self, place: str) -> str:
        """The text without the networks of one of `TAKEN_OUT`."""
        return self.written[TAKEN_OUT.index(place)]

    def changed(self, place: str) -> int:
        """Words of the translation that change without them."""
        return words_changed(self.translation, self.without(place))


@cache
def stored() -> FeedForwardStudy:
    """What was measured for the app. Raises CheckpointError where the file is missing or damaged."""
    return read_stored(FeedForwardStudy, STORED, "python -m core.learning.feed_forward CHECKPOINT")


def study(checkpoint: Checkpoint, text: str = TEXT, token: str = TOKEN) -> FeedForwardStudy:
    """Both on a sentence; `token` is a token of it, looked for on the card's example sentences."""
    from core.api import trace as trace_of

    trace = trace_of(checkpoint, text)
    unit = most_active(
        checkpoint, trace, trace.tokens.source.index(token), checkpoint.card["probe_sentences"]
    )
    written = tuple(write_without(checkpoint, trace, place) for place in TAKEN_OUT)
    return FeedForwardStudy(
        Path(str(checkpoint.path)).name, text, checkpoint.translate(text), written, token, unit
    )


def write_without(checkpoint: Checkpoint, trace: Trace, place: str) -> str:
    """What greedy search writes without the networks of `place`, at most twice as many tokens as with them."""
    return write_zeroed(checkpoint, trace, [f"{place}.ffn.output"])


def write_zeroed(checkpoint: Checkpoint, trace: Trace, outputs: Sequence[str]) -> str:
    """What greedy search writes where these outputs are zero, at most twice as many tokens as in `trace`."""
    from core.learning.study import Array, Edits, greedy, run_ids

    def nothing(output: Tensor) -> Tensor:
        return output.new_zeros(output.shape)

    edit: Edits = dict.fromkeys(outputs, nothing)

    def logits(target: Sequence[int]) -> Array:
        last: Array = run_ids(checkpoint.model, trace.source_ids, target, edit).logits[-1]
        return last

    limit = min(2 * len(trace.written_ids), trace.config.max_length)
    ids = greedy(checkpoint.model, logits, limit).ids
    return checkpoint.target_tokenizer.decode([each for each in ids if each != trace.config.eos_id])


def most_active(checkpoint: Checkpoint, trace: Trace, token: int, sentences: Sequence[str]) -> Unit:
    """The unit of the encoder's last network with the largest activation at a token, and what else it fires on."""
    site = Site("encoder", trace.config.encoder_layers - 1, "ffn", "hidden")
    own = _hidden(checkpoint, trace.source_ids, site)
    number = int(own[token].argmax())
    seen = {trace.tokens.source[token].casefold()}
    fired: list[tuple[float, str]] = []
    for sentence in sentences:
        ids = checkpoint.encode_source(sentence)
        labels = checkpoint.source_tokenizer.labels(ids)
        fired += zip(_hidden(checkpoint, ids, site)[:, number].tolist(), labels, strict=True)
    words: list[str] = []
    for activation, word in sorted(fired, reverse=True):
        if activation > 0 and len(words) < MOST and word.casefold() not in seen:
            seen.add(word.casefold())
            words.append(word)
    return Unit(number, tuple(words), len(sentences))


def _hidden(checkpoint: Checkpoint, ids: Sequence[int], site: Site) -> np.ndarray:
    """The activations of a network's units, (S, d_ff)."""
    import torch

    from core.decoding.path import to_cpu
    from core.learning.study import ids as batch
    from core.model.hooks import Hooks

    hooks = Hooks((site,))
    with torch.inference_mode():
        checkpoint.model.encode(batch(checkpoint.model, ids), hooks)
        return to_cpu(hooks.records)[site]


if __name__ == "__main__":
    from core.api import load

    target = Path(sys.argv[2]) if len(sys.argv) > 2 else STORED
    write_stored(study(load(sys.argv[1])), target)
