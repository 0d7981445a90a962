"""Texts as ids that the model can read, and the tokens that a decode may write. Each error is one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

from core.errors import AtlasError, CheckpointError, InputError
from core.language import message, numeral, tr

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle
    from core.model.config import ModelConfig
    from core.tokenizer import Reading, Tokenizer

# The default of `record`: every map before and after softmax, the norms, the residual stream.
DEFAULT_RECORD = (
    "*.weights",
    "*.scores",
    "*.masked_scores",
    "*.value_norm",
    "*.norm_*",
    "*.residual_*",
    "*.output",
    "encoder.embed.*",
    "decoder.embed.*",
)

_SENTENCE, _TARGET = message("The sentence"), message("The target")


def source_ids(checkpoint: Bundle, text: str) -> list[int]:
    """Ids of the source `text`, its end token included."""
    return list(read_source(checkpoint, text).ids)


def read_source(checkpoint: Bundle, text: str) -> Reading:
    """The source `text` as the model reads it. Raises `InputError` for a text that it cannot read."""
    config = checkpoint.config
    return _in_table(
        read(checkpoint.source_tokenizer, text, config.max_length),
        checkpoint.source_tokenizer,
        config.source_vocab_size,
    )


def _in_table(reading: Reading, tokenizer: Tokenizer, rows: int) -> Reading:
    """The same reading. Raises `InputError` for a token that the model's table has no row for."""
    beyond = next((token_id for token_id in reading.ids if token_id >= rows), None)
    if beyond is not None:
        raise InputError.tr(
            "This model has no row for the token {token}, number {number} of its tokenizer: its table has {rows} "
            "rows; leave the token out.",
            token=tokenizer.label(beyond),
            number=numeral(beyond, ","),
            rows=numeral(rows, ","),
        )
    return reading


def target_ids(checkpoint: Bundle, text: str) -> list[int]:
    """Ids of the target `text` as the decoder would write them: the forced first token, if any, and the end token included."""
    config = checkpoint.config
    forced = () if config.forced_bos_id is None else (config.forced_bos_id,)
    reading = read(checkpoint.target_tokenizer, text, config.max_length - len(forced), _TARGET)
    ids = list(_in_table(reading, checkpoint.target_tokenizer, config.target_vocab_size).ids)
    return ids if tuple(ids[:1]) == forced else [*forced, *ids]


def read(tokenizer: Tokenizer, text: str, limit: int, name: str = _SENTENCE) -> Reading:
    """`text` cut into tokens by `tokenizer`. Raises `InputError` where it is empty or has more than `limit` tokens.

    Tokens that the layout adds to a text, such as an end token, count towards the limit but do not make a text
    readable.
    """
    if isinstance(text, str) and not text.strip():
        raise InputError.tr("{name} is empty; give at least one word.", name=tr(name))
    reading = tokenizer.read(text, limit)
    if not reading.readable:
        raise InputError.tr(
            "{name} holds no character that this model reads; give at least one word.", name=tr(name)
        )
    if (length := len(reading.ids)) > limit:
        raise InputError.tr(
            "{name} is {length} tokens long; this model reads at most {limit}, so shorten or split it.",
            name=tr(name),
            length=numeral(length, ","),
            limit=numeral(limit, ","),
        )
    return reading


def step_limit(config: ModelConfig, source_length: int, max_steps: int | None = None) -> int:
    """The number of tokens a decode may write for a source of that many tokens: `max_steps`, or twice the source plus 20."""
    if max_steps is None:
        return min(config.max_length, 2 * source_length + 20)
    if not 1 <= max_steps <= config.max_length:
        raise InputError(f"max_steps is {max_steps}; this model writes from 1 to {config.max_length} tokens.")
    return max_steps


def never_written(config: ModelConfig) -> tuple[int, ...]:
    """Tokens that no decode may write: padding and the start token, which mean nothing inside a text."""
    return tuple(sorted({config.pad_id, config.bos_id} - {config.eos_id}))


def forced_token(config: ModelConfig, step: int) -> int | None:
    """The only token that a strategy may write as number `step` (from 0), or None where it has a choice.

    A person may still write another: the language of mBART's output, say, can be changed at the first step.
    """
    return config.forced_bos_id if step == 0 else None


def choices(config: ModelConfig, written: Sequence[int]) -> tuple[int, ...]:
    """The indices of `written` at which a strategy had a choice.

    A forced token costs nothing: beams and sums leave it out.
    """
    return tuple(index for index, token in enumerate(written) if token != forced_token(config, index))


def check_written(config: ModelConfig, ids: Sequence[int], limit: int) -> None:
    """Raise `InputError` unless a decode of at most `limit` tokens could have written `ids`."""
    banned = never_written(config)
    for index, token in enumerate(ids):
        if not 0 <= token < config.target_vocab_size:
            raise InputError.tr(
                "Token {token} does not exist; this vocabulary has tokens 0 to {value}.",
                token=token,
                value=config.target_vocab_size - 1,
            )
        if token in banned and token != forced_token(config, index):
            raise InputError.tr(
                "Token {token} stands for the start or for padding and cannot be written; choose another.",
                token=token,
            )
        if token == config.eos_id and index < len(ids) - 1:
            raise InputError.tr(
                "Token {value} of {count} ends the sentence; give no tokens after it.",
                value=index + 1,
                count=len(ids),
            )
    if len(ids) > limit:
        raise InputError.tr(
            "{count} tokens are given; this decode writes at most {limit}.", count=len(ids), limit=limit
        )


def sample_text(checkpoint: Bundle) -> str:
    """A text of a few tokens from the middle of the source vocabulary. Raises `CheckpointError` where none can be made."""
    return text_of(checkpoint.source_tokenizer, checkpoint.config.max_length // 2)


def text_of(tokenizer: Tokenizer, longest: int) -> str:
    """A text of the vocabulary's own tokens, at most `longest`. Raises `CheckpointError` where none can be made."""
    size = tokenizer.vocab_size
    # First the middle, where ordinary words are; then everywhere, for vocabularies whose middle is punctuation.
    starts = (*range(size // 2, size // 2 + 50), *range(0, size, max(1, size // 50)))
    # A small vocabulary may not spell eight of its tokens in a row.
    for known, count, start in product((True, False), (8, 1), starts):
        ids = [(start + 7 * step) % size for step in range(count)]
        text = tokenizer.decode(ids).strip()
        try:
            read = tokenizer.encode(text, eos=False)
        except AtlasError:
            continue
        # A vocabulary of both languages has tokens that its source side does not read.
        if text and 0 < len(read) <= longest and not (known and tokenizer.unk_id in read):
            return text
    raise CheckpointError(
        "no sentence can be made of the vocabulary to check the model with; give --sentence."
    )
