"""A text for a model that comes without one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import AtlasError, CheckpointError

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle


def sample_text(checkpoint: Bundle) -> str:
    """A text of a few tokens from the middle of the source vocabulary. Raises `CheckpointError` where none can be made."""
    tokenizer = checkpoint.source_tokenizer
    size = tokenizer.vocab_size
    # From the middle, where ordinary words are; then from everywhere, for vocabularies whose middle is signs.
    for start in (*range(size // 2, size // 2 + 50), *range(0, size, max(1, size // 50))):
        ids = [(start + 7 * step) % size for step in range(8)]
        text = tokenizer.decode(ids).strip()
        try:
            if text and 0 < len(tokenizer.encode(text, eos=False)) <= checkpoint.config.max_length // 2:
                return text
        except AtlasError:
            continue
    raise CheckpointError(
        "no sentence can be made of the vocabulary to check the model with; give --sentence."
    )
