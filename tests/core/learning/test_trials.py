"""The experiments of lessons, computed again by other means: what a real pass computes, torch's own layers, a fresh training."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from core.language import speaking
from core.learning import trials
from core.learning.claims import claims
from core.learning.measures import MEASURES
from core.learning.study import in_language
from core.learning.trials import ALMOST, BOS, CONFIG, EOS, SHOWN_STEPS, measure, stored, train, words
from core.learning.tutorials import preset
from core.model.attention import Mask
from core.model.config import ModelConfig
from core.model.hooks import Hooks
from core.model.transformer import Transformer

# -- the cost of attention ------------------------------------------------------------------------------------

SIZES: dict[str, Any] = {
    "source_vocab_size": 20,
    "target_vocab_size": 20,
    "d_model": 16,
    "heads": 2,
    "d_ff": 24,
    "max_length": 64,
}
CONFIGS = {
    "plain": ModelConfig(**SIZES, encoder_layers=3, decoder_layers=2),
    "gated": ModelConfig(**SIZES, encoder_layers=3, decoder_layers=2, gated=True, head_dim=4),
    "shared": ModelConfig(**SIZES, encoder_layers=1, decoder_layers=1, shared_head_projection=True),
}


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("tokens", [5, 12])
def test_what_is_counted_is_what_a_pass_computes(name: str, tokens: int) -> None:
    config = CONFIGS[name]
    model, hooks = Transformer(config).eval(), Hooks(("encoder.*.weights",))
    with torch.inference_mode():
        model.encode(torch.full((1, tokens), 5), hooks)
    maps = list(hooks.records.values())
    counted = trials.cost_of(config, tokens)
    assert counted.weights == maps[0][0, 0].numel() and len(maps) == config.encoder_layers
    assert counted.bytes == sum(each.numel() * each.element_size() for each in maps)
    # torch counts a multiplication and its sum as two; explicit weights, so that both products are matrix products.
    with torch.no_grad(), FlopCounterMode(display=False) as flops:
        model.encoder_layers[0](torch.randn(1, tokens, config.d_model), Mask(), None, Hooks(("*.weights",)))
    assert 2 * (counted.products + counted.others) == flops.get_total_flops()


def test_half_of_a_layer_is_reached_at_the_break_even_length() -> None:
    for config in CONFIGS.values():
        even = trials.break_even(config)
        assert trials.cost_of(config, even).share >= 0.5 > trials.cost_of(config, even - 1).share


def test_the_cache_holds_what_is_counted() -> None:
    config = CONFIGS["plain"]
    model = Transformer(config).eval()
    with torch.inference_mode():
        source = torch.tensor([[5, 6]])
        state = model.start(model.encode(source), source)
        lengths = []
        for token in (1, 7):
            model.step(torch.tensor([token]), state)
            nothing = torch.zeros(1, config.heads, 0, config.d_head)
            kept = [state.extend(layer, nothing, nothing) for layer in range(config.decoder_layers)]
            lengths.append(sum(part.numel() for pair in kept for part in pair))
    assert lengths[1] - lengths[0] == trials.cached_numbers(config)


# -- since 2017 -----------------------------------------------------------------------------------------------


def test_every_change_has_its_source() -> None:
    made = claims("t5")
    for each in made:
        assert "(" in in_language(each.says) and "20" in in_language(each.says)
    with speaking("fr"):
        assert claims("t5") == made, "numbers get the marks of a language where they are shown, and once"


@pytest.mark.parametrize("first", [True, False])
def test_torchs_own_decoder_has_the_same_kind_of_gradients(first: bool) -> None:
    torch.manual_seed(4)
    model = nn.Transformer(64, 4, 6, 6, 256, dropout=0.0, batch_first=True, norm_first=first)
    for name, values in model.named_parameters():
        if name.endswith("in_proj_weight"):
            for part in values.data.chunk(3):
                nn.init.xavier_uniform_(part)
        elif values.dim() > 1:
            nn.init.xavier_uniform_(values)
    if not first:
        model.encoder.norm = model.decoder.norm = None
    output = nn.Linear(64, 100, bias=False)
    nn.init.normal_(output.weight, std=64**-0.5)
    source, target = torch.randn(2, 8, 12, 64).unbind()
    mask = nn.Transformer.generate_square_subsequent_mask(12)
    logits = output(model(source, target, tgt_mask=mask))
    nn.functional.cross_entropy(logits.flatten(0, 1), torch.randint(0, 100, (96,))).backward()
    layers = model.decoder.layers
    ratio = float(layers[-1].linear2.weight.grad.norm() / layers[0].linear2.weight.grad.norm())
    ours = trials.gradient_ratio("pre" if first else "post")
    assert (ratio > 2) == (ours > 2) == (not first)
    assert trials.gradients("post") == trials.gradients("post")


@pytest.mark.thorough
def test_the_gradients_at_the_papers_width_are_those_that_the_lesson_states() -> None:
    paper = preset("paper")
    assert {"d_model": paper.d_model, "heads": paper.heads, "d_ff": paper.d_ff} == trials.PAPER_WIDTH
    assert trials.gradient_ratio("post", wide=True) == pytest.approx(trials.POST_GRADIENT_WIDE, rel=0.005)


def test_a_shift_moves_sinusoids_and_not_distances() -> None:
    assert trials.shift_change("sinusoidal") > 0.5
    assert trials.shift_change("relative_buckets") == 0 and trials.shift_change("rotary") < 1e-5
    assert trials.shift_change("none") == 0  # without positions there is nothing that could move


def test_the_same_numbers_whatever_others_draw() -> None:
    before = trials.shift_change("sinusoidal")
    trials.shift_change.cache_clear()
    torch.rand(7)
    assert trials.shift_change("sinusoidal") == before


def test_parameters_of_gates_and_of_the_decoder_alone() -> None:
    assert trials.feed_forward_parameters(2048, False) == 2 * 512 * 2048
    assert trials.feed_forward_parameters(1365, True) == 3 * 512 * 1365
    model = nn.Transformer(512, 8, 6, 6, 2048, batch_first=True)
    layers = [*model.encoder.layers, *model.decoder.layers]
    left = sum(
        values.numel()
        for layer in model.decoder.layers
        for name, values in layer.named_parameters()
        if not name.startswith(("multihead_attn", "norm2"))
    )
    share = left / sum(values.numel() for layer in layers for values in layer.parameters())
    assert trials.decoder_only_share(preset("paper")) == pytest.approx(share, abs=2e-3)
    for name, value in (
        ("post_gradient", trials.gradient_ratio("post")),
        ("sinusoid_shift", trials.shift_change("sinusoidal")),
        ("rotary_shift", trials.shift_change("rotary")),
    ):
        assert MEASURES[name].find(None) == value  # type: ignore[arg-type]


# -- with the causal mask and without it ----------------------------------------------------------------------


@pytest.mark.parametrize("masked", [True, False])
def test_only_the_unmasked_model_sees_what_follows(masked: bool) -> None:
    torch.manual_seed(3)
    model = Transformer(CONFIG).eval()
    source, given = torch.tensor([[3, 4, 5, EOS]]), torch.tensor([[BOS, 5, 4, 3]])
    other = given.clone()
    other[0, -1] = 9
    with torch.inference_mode():
        first, second = (model(source, each, trials._hooks(masked))[0] for each in (given, other))
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
