"""From texts to ids the model can read, with one sentence for each thing that does not fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.errors import InputError

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle
    from core.model.config import ModelConfig
    from core.tokenizer import Reading, Tokenizer

# What is recorded when nothing else is asked for: every map before and after softmax, the norms, the stream.
DEFAULT_RECORD = (
    *("*.weights", "*.scores", "*.masked_scores", "*.value_norm"),
    *("*.norm_*", "*.residual_*", "*.output"),
    *("encoder.embed.*", "decoder.embed.*"),
)


def source_ids(checkpoint: Bundle, text: str) -> list[int]:
    """Ids of the source `text`, its end token included."""
    return list(read_source(checkpoint, text).ids)


def read_source(checkpoint: Bundle, text: str) -> Reading:
    """The source `text` as the model reads it. Raises `InputError` for what it cannot read."""
    return read(checkpoint.source_tokenizer, text, checkpoint.config.max_length)


def target_ids(checkpoint: Bundle, text: str) -> list[int]:
    """Ids of the target `text` as the decoder would write them: what it is forced to begin with, and the end token."""
    config = checkpoint.config
    forced = () if config.forced_bos_id is None else (config.forced_bos_id,)
    ids = list(read(checkpoint.target_tokenizer, text, config.max_length - len(forced), "target").ids)
    return ids if tuple(ids[:1]) == forced else [*forced, *ids]


def read(tokenizer: Tokenizer, text: str, limit: int, name: str = "sentence") -> Reading:
    """`text` as `tokenizer` cuts it. Raises `InputError` where it holds nothing to read or more than `limit` tokens.

    What a layout puts around a text, such as an end token, counts towards the limit but is nothing to read.
    """
    if isinstance(text, str) and not text.strip():
        raise InputError(f"The {name} is empty; give at least one word.")
    reading = tokenizer.read(text, limit)
    if not reading.readable:
        raise InputError(f"The {name} holds no character that this model reads; give at least one word.")
    if (length := len(reading.ids)) > limit:
        raise InputError(
            f"The {name} is {length:,} tokens long; this model reads at most {limit:,}, so shorten it or split it."
        )
    return reading


def step_limit(config: ModelConfig, source_length: int, max_steps: int | None = None) -> int:
    """How many tokens may be written for a source of that many tokens: `max_steps`, or twice the source and 20."""
    if max_steps is None:
        return min(config.max_length, 2 * source_length + 20)
    if not 1 <= max_steps <= config.max_length:
        raise InputError(f"max_steps is {max_steps}; this model writes from 1 to {config.max_length} tokens.")
    return max_steps


def never_written(config: ModelConfig) -> tuple[int, ...]:
    """Tokens that no decode may write: padding and the start token, which mean nothing in the middle of a text."""
    return tuple(sorted({config.pad_id, config.bos_id} - {config.eos_id}))


def forced_token(config: ModelConfig, step: int) -> int | None:
    """The only token that a strategy may write as number `step` (from 0), or None where it has a choice.

    A person may still write another: the language of mBART's output, say, can be changed at the first step.
    """
    return config.forced_bos_id if step == 0 else None


def choices(config: ModelConfig, written: Sequence[int]) -> tuple[int, ...]:
    """The places of `written` at which a strategy had a choice.

    A token that is the only one at its place costs nothing and is none of the model's, in a beam and in every sum.
    """
    return tuple(place for place, token in enumerate(written) if token != forced_token(config, place))


def check_written(config: ModelConfig, ids: Sequence[int], limit: int) -> None:
    """Raise `InputError` unless `ids` could have been written by a decode of at most `limit` tokens."""
    banned = never_written(config)
    for place, token in enumerate(ids):
        if not 0 <= token < config.target_vocab_size:
            raise InputError(
                f"Token {token} does not exist; this vocabulary has tokens 0 to {config.target_vocab_size - 1}."
            )
        if token in banned and token != forced_token(config, place):
            raise InputError(
                f"Token {token} stands for the start or for padding and cannot be written; choose another."
            )
        if token == config.eos_id and place < len(ids) - 1:
            raise InputError(f"Token {place + 1} of {len(ids)} ends the sentence; give no tokens after it.")
    if len(ids) > limit:
        raise InputError(f"{len(ids)} tokens are given; this decode writes at most {limit}.")
