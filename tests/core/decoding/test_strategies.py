"""The strategies on distributions one can compute by hand.

Which tokens a step may write: the same for the session, its cut-off and the bars, and Hugging Face's own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.api import Checkpoint
from core.decoding.inputs import never_written
from core.decoding.session import DecodeSession
from core.decoding.strategies import (
    check_options,
    cut_off,
    greedy_choice,
    log_probabilities,
    only_choice,
    probabilities,
    sample,
    uniform_draw,
    writable,
)
from core.errors import InputError
from core.model.config import ModelConfig

P = np.array([0.05, 0.4, 0.1, 0.25, 0.2], dtype=np.float32)
LOGITS = np.log(P)


def test_probabilities_are_the_softmax() -> None:
    assert np.allclose(probabilities(LOGITS + 7), P, atol=1e-6)
    assert np.allclose(probabilities(LOGITS, temperature=0.5), P**2 / (P**2).sum(), atol=1e-6)
    assert probabilities(LOGITS).dtype == np.float32
    assert np.allclose(log_probabilities(LOGITS), np.log(P), atol=1e-6)


def test_huge_logits_do_not_overflow() -> None:
    assert np.array_equal(probabilities(np.array([1e4, 0.0, -1e4], dtype=np.float32)), [1.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("options", "ids", "mass"),
    [
        ({}, (1, 3, 4, 2, 0), 1.0),
        ({"top_k": 1}, (1,), 0.4),
        ({"top_k": 3}, (1, 3, 4), 0.85),
        ({"top_k": 99}, (1, 3, 4, 2, 0), 1.0),
        ({"top_p": 0.3}, (1,), 0.4),
        ({"top_p": 0.41}, (1, 3), 0.65),
        ({"top_p": 0.9}, (1, 3, 4, 2), 0.95),
        ({"top_p": 1e-9}, (1,), 0.4),
        ({"top_p": 0.9, "top_k": 2}, (1, 3), 0.65),
        ({"top_p": 0.5, "top_k": 4}, (1, 3), 0.65),
        ({"top_k": 2, "banned": (1,)}, (3, 4), 0.45),
        ({"top_p": 0.6, "top_k": 2}, (1,), 0.4),  # 0.4 is 0.615 of the two that top-k leaves
        ({"top_p": 0.5, "banned": (1,)}, (3, 4), 0.45),  # 0.25 is 0.417 of the 0.6 that may be written
        ({"top_p": 0.4, "banned": (1,)}, (3,), 0.25),
    ],
)
def test_exactly_these_tokens_are_kept(options: dict[str, Any], ids: tuple[int, ...], mass: float) -> None:
    cut = cut_off(P, **options)
    assert cut.ids == ids
    assert cut.mass == pytest.approx(mass)
    assert ids[0] in cut
    assert len(cut) == len(ids)
    assert cut.probabilities == pytest.approx(P[list(ids)] / P[list(ids)].sum())


def test_equal_probabilities_are_kept_in_the_order_of_their_ids() -> None:
    assert cut_off(np.full(4, 0.25, dtype=np.float32), top_k=2).ids == (0, 1)


@given(st.lists(st.floats(-20, 20), min_size=2, max_size=30), st.floats(0.01, 0.99))
def test_the_nucleus_is_the_smallest_that_reaches_p(values: list[float], p: float) -> None:
    probability = probabilities(np.array(values, dtype=np.float32))
    cut = cut_off(probability, top_p=p)
    whole = probability.sum(dtype=np.float64)  # of float32 numbers: 1 to seven digits
    without_last = sum(float(probability[token]) for token in cut.ids[:-1])
    assert without_last / whole < p + 1e-12
    assert cut.mass / whole > p - 1e-12 or len(cut) == len(values)


def test_greedy_takes_the_best_that_is_allowed() -> None:
    assert greedy_choice(LOGITS) == 1
    assert greedy_choice(LOGITS, banned=(1, 3)) == 4


@pytest.mark.parametrize(("uniform", "token"), [(0.0, 1), (0.61, 1), (0.62, 3), (0.99999, 3)])
def test_sampling_renormalises_what_is_kept(uniform: float, token: int) -> None:
    assert sample(cut_off(P, top_k=2), uniform) == token  # 0.4 and 0.25: the border is 0.6154


def test_samples_have_the_distributions_frequencies() -> None:
    cut = cut_off(P)
    drawn = np.bincount([sample(cut, uniform_draw(0, step)) for step in range(4000)], minlength=5) / 4000
    assert np.abs(drawn - P).max() < 0.03


def test_draws_depend_on_seed_and_step_alone() -> None:
    assert uniform_draw(3, 5) == uniform_draw(3, 5)
    assert len({uniform_draw(seed, step) for seed in range(5) for step in range(5)}) == 25


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"strategy": "magic"}, "strategy is 'magic'; choose one of greedy, sample, beam"),
        ({"temperature": 0.0}, "temperature is 0.0"),
        ({"temperature": float("nan")}, "temperature is nan"),
        ({"top_k": -1}, "top_k is -1"),
        ({"top_p": 0.0}, "top_p is 0.0"),
        ({"top_p": 1.1}, "top_p is 1.1"),
        ({"beam_size": 0}, "beam_size is 0"),
        ({"beam_size": 65}, "beam_size is 65"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_each_wrong_option_is_one_sentence(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        check_options(**{"strategy": "sample", **options})
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("option", "bounds"),
    [
        ("temperature", (0.01, 100.0)),
        ("top_k", (0, 10**9)),
        ("top_p", (1e-9, 1.0)),
        ("beam_size", (1, 64)),
        ("seed", (0, 2**63 - 1)),
        ("length_penalty", (-10.0, 10.0)),
    ],
)
def test_the_bounds_themselves_are_allowed(option: str, bounds: tuple[float, float]) -> None:
    for value in bounds:
        check_options("sample", **{option: value})  # type: ignore[arg-type]


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


@pytest.mark.sampled(1)
@pytest.mark.parametrize("options", [{"top_k": 3}, {"top_p": 0.6}, {"top_k": 6, "top_p": 0.5}])
def test_a_sampler_writes_each_token_as_often_as_the_cut_says(
    build: Callable[..., Checkpoint], options: dict[str, float]
) -> None:
    ck = build(bos_id=0)  # its start token is its padding
    session = DecodeSession(ck, "abc def.", "sample", 2.0, max_steps=1, **options)  # type: ignore[arg-type]
    cut, written = session.cut_off(), np.zeros(ck.config.target_vocab_size)
    for session.seed in range(400):
        written[session.step()] += 1 / 400
        session.back()
    assert set(np.flatnonzero(written)) <= set(cut.ids)
    np.testing.assert_allclose(written[list(cut.ids)], cut.probabilities, atol=0.09)
