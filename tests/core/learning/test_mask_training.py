"""The two trainings of the lesson on masks: what is stored is what was measured, and a fresh training shows the same."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

from core.learning import mask_training
from core.learning.mask_training import ALMOST, BOS, CONFIG, EOS, SHOWN_STEPS, measure, stored, train, words
from core.model.transformer import Transformer


@pytest.mark.parametrize("masked", [True, False])
def test_only_the_unmasked_model_sees_what_follows(masked: bool) -> None:
    torch.manual_seed(3)
    model = Transformer(CONFIG).eval()
    source, given = torch.tensor([[3, 4, 5, EOS]]), torch.tensor([[BOS, 5, 4, 3]])
    other = given.clone()
    other[0, -1] = 9
    with torch.inference_mode():
        first, second = (model(source, each, mask_training._hooks(masked))[0] for each in (given, other))
    moved = (first - second).abs().amax(dim=-1)
    assert moved[-1] > 1e-3
    assert bool((moved[:-1] > 1e-4).all()) is not masked


def test_no_held_out_word_is_trained_on() -> None:
    rng = random.Random(0)
    trained, held_out = set(words(rng, "train", 4000)), set(words(rng, "test", 400))
    assert not trained & held_out and stored().word not in trained


def test_the_stored_maps_are_attention() -> None:
    both = stored()
    assert [each.masked for each in both.trainings] == [True, False]
    for training in both.trainings:
        assert [moment.step for moment in training.moments] == list(SHOWN_STEPS)
        assert len(training.losses) == len(training.steps) and training.steps[-1] == SHOWN_STEPS[-1]
        for moment in training.moments:
            causal, cross = np.array(moment.causal), np.array(moment.cross)
            assert causal.shape == (len(both.word) + 1,) * 2 == cross.shape
            np.testing.assert_allclose(causal.sum(1), 1, atol=6e-4)
            np.testing.assert_allclose(cross.sum(1), 1, atol=6e-4)
            assert bool(np.triu(causal, 1).any()) is not training.masked


@pytest.mark.thorough
def test_a_fresh_training_shows_what_the_stored_one_shows() -> None:
    fresh = measure(seed=2)
    for both in (stored(), fresh):
        with_mask, without = both.trainings
        assert with_mask.right >= 90 and without.right <= 5
        assert both.faster > 0 and without.losses[-1] < ALMOST
        assert "".join(with_mask.written) == f"{both.answer}⟨end⟩"


def test_the_same_seed_begins_with_the_same_weights_and_words() -> None:
    with_mask, without = (train(masked, 5, stored().word, steps=0) for masked in (True, False))
    assert with_mask.moments[0].cross != without.moments[0].cross, "self-attention differs below"
    assert abs(with_mask.losses[0] - without.losses[0]) < 0.3
    again = train(True, 5, stored().word, steps=0)
    assert again.losses == with_mask.losses and again.moments == with_mask.moments
