"""A text for a model that comes without one."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from core.errors import AtlasError, CheckpointError

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle
    from core.tokenizer import Tokenizer


def sample_text(checkpoint: Bundle) -> str:
    """A text of a few tokens from the middle of the source vocabulary. Raises `CheckpointError` where none can be made."""
    return text_of(checkpoint.source_tokenizer, checkpoint.config.max_length // 2)


def text_of(tokenizer: Tokenizer, longest: int) -> str:
    """A text of the vocabulary's own tokens, at most `longest`. Raises `CheckpointError` where none can be made."""
    size = tokenizer.vocab_size
    # From the middle, where ordinary words are; then from everywhere, for vocabularies whose middle is signs.
    starts = (*range(size // 2, size // 2 + 50), *range(0, size, max(1, size // 50)))
    for count, start in product(
        (8, 1), starts
    ):  # a small vocabulary may not spell eight of its tokens in a row
        ids = [(start + 7 * step) % size for step in range(count)]
        text = tokenizer.decode(ids).strip()
        try:
            if text and 0 < len(tokenizer.encode(text, eos=False)) <= longest:
                return text
        except AtlasError:
            continue
    raise CheckpointError(
        "no sentence can be made of the vocabulary to check the model with; give --sentence."
    )
