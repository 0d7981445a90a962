"""Which tokens a step may write: the same for the session, its cut-off and the bars, and Hugging Face's own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from core.api import Checkpoint
from core.decoding import DecodeSession
from core.decoding.inputs import never_written
from core.decoding.strategies import only_choice, writable
from core.model.config import ModelConfig

V = 60
CONFIG = ModelConfig(source_vocab_size=V, target_vocab_size=V, pad_id=0, bos_id=0, eos_id=1)  # T5's ids


def drawn_logits(seed: int) -> np.ndarray:
    logits = np.random.default_rng(seed).normal(0, 2.5, V).astype(np.float32)
    logits[0] = logits.max() + 1 - seed % 3  # padding, which is the start token, near the top
    return logits


@pytest.mark.parametrize("temperature", [0.7, 1.0, 1.6])
@pytest.mark.parametrize("top_k", [0, 1, 5, 20])
@pytest.mark.parametrize("top_p", [0.05, 0.5, 0.9, 1.0])
def test_sampling_keeps_what_hugging_face_keeps(temperature: float, top_k: int, top_p: float) -> None:
    """Their processors in the order of `generate`: suppress, temperature, top-k, top-p, then softmax."""
    generation = pytest.importorskip("transformers").generation.logits_process
    steps = [
        generation.SuppressTokensLogitsProcessor([0]),
        generation.TemperatureLogitsWarper(temperature),
        *([generation.TopKLogitsWarper(top_k)] if top_k else []),
        *([generation.TopPLogitsWarper(top_p)] if top_p < 1 else []),
    ]
    for seed in range(25):
        logits = drawn_logits(seed)
        theirs = torch.from_numpy(logits)[None].clone()
        for step in steps:
            theirs = step(torch.zeros(1, 1, dtype=torch.long), theirs)
        expected = torch.softmax(theirs[0].double(), dim=-1).numpy()
        cut = writable(logits, CONFIG, seed, "sample", temperature=temperature, top_k=top_k, top_p=top_p)
        assert set(cut.ids) == set(np.flatnonzero(expected))
        mine = np.zeros(V)
        mine[list(cut.ids)] = cut.probabilities
        np.testing.assert_allclose(mine, expected, atol=1e-6)


def test_padding_that_is_the_start_token_is_never_kept_nor_counted() -> None:
    logits = drawn_logits(0)
    assert logits.argmax() == 0 and never_written(CONFIG) == (0,)
    second, third = np.argsort(-logits)[1:3].tolist()
    assert only_choice(logits, CONFIG, 3, "greedy") == second
    assert writable(logits, CONFIG, 3, "greedy").ids == (second,)
    assert writable(logits, CONFIG, 3, "sample", top_k=2).ids == (second, third)
    assert len(writable(logits, CONFIG, 3, "beam", beam_size=4)) == 8
    assert 0 not in writable(logits, CONFIG, 3, "sample")
    assert sum(writable(logits, CONFIG, 3, "sample", top_k=2).probabilities) == pytest.approx(1)


def test_a_forced_token_is_the_only_one(build: Callable[..., Checkpoint]) -> None:
    config = build(forced_bos_id=9).config
    logits = drawn_logits(1)[: config.target_vocab_size]
    for strategy in ("greedy", "sample", "beam"):
        cut = writable(logits, config, 0, strategy, top_k=3)
        assert (cut.ids, cut.probabilities) == ((9,), (1.0,))
        assert cut.mass == pytest.approx(float(torch.softmax(torch.from_numpy(logits), -1)[9]), abs=1e-6)
        assert writable(logits, config, 1, strategy, top_k=3).ids != (9,)


@pytest.mark.parametrize("options", [{"top_k": 3}, {"top_p": 0.6}, {"top_k": 6, "top_p": 0.5}])
def test_a_sampler_writes_each_token_as_often_as_the_cut_says(
    build: Callable[..., Checkpoint], options: dict[str, float]
) -> None:
    ck = build(bos_id=0)  # its start token is its padding
    cut = DecodeSession(ck, "abc def.", "sample", 2.0, **options).cut_off()  # type: ignore[arg-type]
    written = np.zeros(ck.config.target_vocab_size)
    for seed in range(400):
        session = DecodeSession(ck, "abc def.", "sample", 2.0, seed=seed, max_steps=1, **options)  # type: ignore[arg-type]
        written[session.step()] += 1 / 400
    assert set(np.flatnonzero(written)) <= set(cut.ids)
    np.testing.assert_allclose(written[list(cut.ids)], cut.probabilities, atol=0.09)
