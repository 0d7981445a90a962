"""What a translation gains without a source word is the difference of two plain passes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from core.api import Checkpoint
from core.decoding.search import translate_batch
from core.errors import InputError
from core.experiments import omissions


def plain(checkpoint: Checkpoint, source: list[int], written: list[int]) -> float:
    """log p(written | source), a token at a time, each in a pass of its own."""
    total = 0.0
    for t, token in enumerate(written):
        read = torch.tensor([[checkpoint.config.bos_id, *written[:t]]])
        with torch.inference_mode():
            scores = checkpoint.model(torch.tensor([source]), read)[0, -1].double()
        total += float(scores[token]) - float(scores.logsumexp(-1))
    return total


def test_the_gain_of_each_word_is_that_of_a_source_without_it(kind: Checkpoint) -> None:
    source = kind.encode_source("abc def.")
    written = translate_batch(kind.model, [source], max_steps=5)[0]
    words = [[0, 1], [2], [len(source) - 2]]
    result = np.concatenate(list(omissions.gains(kind, source, written, words)))
    whole = plain(kind, source, written)
    for word, gain in zip(words, result, strict=True):
        rest = [token for position, token in enumerate(source) if position not in word]
        assert gain == pytest.approx(plain(kind, rest, written) - whole, abs=2e-4)


def test_a_token_that_is_always_written_first_gains_nothing(build: Callable[..., Checkpoint]) -> None:
    checkpoint = build(forced_bos_id=9)
    source = checkpoint.encode_source("abc def.")
    written = translate_batch(checkpoint.model, [source], max_steps=5)[0]
    (gain,) = np.concatenate(list(omissions.gains(checkpoint, source, written, [[2]])))
    rest = [*source[:2], *source[3:]]
    of_all = plain(checkpoint, rest, written) - plain(checkpoint, source, written)
    of_first = plain(checkpoint, rest, written[:1]) - plain(checkpoint, source, written[:1])
    assert abs(of_first) > 1e-3
    assert gain == pytest.approx(of_all - of_first, abs=2e-4)


def test_batches_change_nothing_and_take_turns(tiny: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tiny.encode_source("abc def.")
    written = translate_batch(tiny.model, [source], max_steps=5)[0]
    words = [[position] for position in range(len(source) - 1)]
    (together,) = omissions.gains(tiny, source, written, words)
    monkeypatch.setattr(omissions, "_TOKENS_AT_ONCE", 2 * (len(source) + len(written)))
    steps = list(omissions.gains(tiny, source, written, words))
    assert len(steps) == -(-len(words) // 2)
    np.testing.assert_allclose(np.concatenate(steps), together, atol=1e-4)


def test_a_source_of_one_word_has_nothing_to_leave_out(tiny: Checkpoint) -> None:
    source = tiny.encode_source("a")
    written = translate_batch(tiny.model, [source], max_steps=4)[0]
    words = [[position for position, number in enumerate(tiny.source_tokenizer.words(source)) if number >= 0]]
    assert np.concatenate(list(omissions.gains(tiny, source, written, words))).tolist() == [0.0]


def test_too_many_words_are_refused_in_one_sentence() -> None:
    omissions.check_length(12, 12, 11, 288)
    with pytest.raises(InputError, match="288 token vectors, 287 are computed. Shorten"):
        omissions.check_length(12, 12, 11, 287)


def test_what_each_word_loses_is_the_difference_of_two_plain_passes(kind: Checkpoint) -> None:
    """Every written token without every source token; ⟨end⟩ is never left out."""
    source = kind.encode_source("abc.")
    written = translate_batch(kind.model, [source], max_steps=4)[0]
    texts = [position for position, word in enumerate(kind.source_tokenizer.words(source)) if word >= 0]
    result = omissions.losses(kind, source, written)
    assert result.shape == (len(written), len(source)) and len(texts) >= 2

    def each(read: list[int]) -> np.ndarray:
        sums = [plain(kind, read, written[: t + 1]) for t in range(len(written))]
        return np.diff([0.0, *sums])

    for position in range(len(source)):
        rest = [token for other, token in enumerate(source) if other != position]
        expected = each(source) - each(rest) if position in texts else np.zeros(len(written))
        np.testing.assert_allclose(result[:, position], expected, atol=2e-4)


def test_a_token_that_is_always_written_loses_nothing(build: Callable[..., Checkpoint]) -> None:
    checkpoint = build(forced_bos_id=9)
    source = checkpoint.encode_source("abc def.")
    written = translate_batch(checkpoint.model, [source], max_steps=5)[0]
    result = omissions.losses(checkpoint, source, written)
    assert not result[0].any() and result[1:].any()
