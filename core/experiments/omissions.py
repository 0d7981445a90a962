"""What a translation gains or loses when a part of its source is left out.

Of the whole translation, `gains`: where it gains, no word was written for that part (contrastive conditioning, Vamvas &
Sennrich 2022, section 3). Of each written token, `losses`: the source token without which it loses most is the one it
translates (prediction difference, Li et al. 2019, section 4), whatever any head attends to.
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
    counted = list(choices(checkpoint.config, written))
    for some in _changes(checkpoint, source, written, words):
        yield some[:, counted].sum(axis=-1)


def losses(checkpoint: Bundle, source: Sequence[int], written: Sequence[int]) -> np.ndarray:
    """log p(y_t | source) − log p(y_t | source without token j) in nats, (T, S), temperature 1.

    `source` has S tokens, `written` T. A source token that is no text, or is all there is of the source, costs nothing; a
    token that is always written loses nothing.
    """
    texts = [position for position, word in enumerate(checkpoint.source_tokenizer.words(source)) if word >= 0]
    table = np.zeros((len(written), len(source)))
    if texts:
        changes = _changes(checkpoint, source, written, [[position] for position in texts])
        counted = np.isin(np.arange(len(written)), list(choices(checkpoint.config, written)))
        table[:, texts] = -np.concatenate(list(changes)).T * counted[:, None]
    return table


def _changes(
    checkpoint: Bundle, source: Sequence[int], written: Sequence[int], words: Sequence[Sequence[int]]
) -> Iterator[np.ndarray]:
    """What each written token gains without each of the words, (words, T) nats, as many words as fit a batch."""
    whole = _log_probabilities(checkpoint, [list(source)], written)[0]
    at_once = max(1, _TOKENS_AT_ONCE // (len(source) + len(written)))
    for start in range(0, len(words), at_once):
        some = words[start : start + at_once]
        rest = [
            [token for position, token in enumerate(source) if position not in set(word)] for word in some
        ]
        known = [number for number, row in enumerate(rest) if _says_something(checkpoint, row)]
        changes = np.zeros((len(rest), len(written)))
        if known:
            changes[known] = (
                _log_probabilities(checkpoint, [rest[number] for number in known], written) - whole
            )
        yield changes


def _says_something(checkpoint: Bundle, row: Sequence[int]) -> bool:
    return any(number >= 0 for number in checkpoint.source_tokenizer.words(row))


def _log_probabilities(
    checkpoint: Bundle, sources: Sequence[Sequence[int]], written: Sequence[int]
) -> np.ndarray:
    """log p(y_t | source) in nats, temperature 1, of every written token after each source, (sources, T)."""
    config, device = checkpoint.config, checkpoint.device
    longest = max(map(len, sources))
    padded = [[*row, *[config.source_padding] * (longest - len(row))] for row in sources]
    read = torch.tensor([[config.bos_id, *written[:-1]]], device=device).expand(len(sources), -1)
    labels = torch.tensor([list(written)], device=device).expand(len(sources), -1)
    with torch.inference_mode():
        logits = checkpoint.model(torch.tensor(padded, device=device), read).double()
        picked = logits.log_softmax(-1).gather(-1, labels[..., None])[..., 0]
    return np.asarray(picked.cpu().numpy())
