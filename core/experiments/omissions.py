"""What a translation gains when a source word is left out: where it gains, nothing was written for that word.

Contrastive conditioning (Vamvas & Sennrich 2022, section 3): the same translation, read after the whole source and after
the source without one of its words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
import torch

from core.decoding.inputs import choices
from core.errors import InputError

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle

_TOKENS_AT_ONCE: Final = 2048


def check_length(source: int, written: int, words: int, most: int) -> None:
    """Raises `InputError` where `gains` of so many words would send more than `most` token vectors through the model."""
    cost = (words + 1) * (source + written)
    if cost > most:
        raise InputError(
            f"Leaving out each of {words} words takes {cost:,} token vectors, {most:,} are computed. Shorten the sentence."
        )


def gains(
    checkpoint: Bundle, source: Sequence[int], written: Sequence[int], words: Sequence[Sequence[int]]
) -> Iterator[np.ndarray]:
    """log p(written | source without word w) − log p(written | source) in nats, for each word in turn.

    `words` are the positions of each word's tokens in the source. Yields the gains of as many words as fit a batch, so
    that others get their turn; together they are (W,). A word that is all there is of the source gains nothing.
    """
    whole = _log_probabilities(checkpoint, [list(source)], written)[0]
    at_once = max(1, _TOKENS_AT_ONCE // (len(source) + len(written)))
    for start in range(0, len(words), at_once):
        some = words[start : start + at_once]
        rest = [[token for place, token in enumerate(source) if place not in set(word)] for word in some]
        known = [row for row in rest if _says_something(checkpoint, row)]
        found = iter(_log_probabilities(checkpoint, known, written)) if known else iter(())
        yield np.array([next(found) - whole if _says_something(checkpoint, row) else 0.0 for row in rest])


def _says_something(checkpoint: Bundle, row: Sequence[int]) -> bool:
    return any(number >= 0 for number in checkpoint.source_tokenizer.words(row))


def _log_probabilities(
    checkpoint: Bundle, sources: Sequence[Sequence[int]], written: Sequence[int]
) -> list[float]:
    """log p(written | source) in nats, temperature 1, for each source; a token that is always written costs nothing."""
    config, device = checkpoint.config, checkpoint.device
    longest = max(map(len, sources))
    padded = [[*row, *[config.source_padding] * (longest - len(row))] for row in sources]
    read = torch.tensor([[config.bos_id, *written[:-1]]], device=device).expand(len(sources), -1)
    labels = torch.tensor([list(written)], device=device).expand(len(sources), -1)
    with torch.inference_mode():
        logits = checkpoint.model(torch.tensor(padded, device=device), read).double()
        picked = logits.log_softmax(-1).gather(-1, labels[..., None])[..., 0]
    return [float(value) for value in picked[:, list(choices(config, written))].sum(-1)]
