"""The cost of attention by its shapes, counted again on what a real pass computes and records."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from core.learning import cost
from core.model.attention import Mask
from core.model.config import ModelConfig
from core.model.hooks import Hooks
from core.model.transformer import Transformer

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
    counted = cost.of(config, tokens)
    assert counted.weights == maps[0][0, 0].numel() and len(maps) == config.encoder_layers
    assert counted.bytes == sum(each.numel() * each.element_size() for each in maps)
    # torch counts a multiplication and its sum as two; explicit weights, so that both products are matrix products.
    with torch.no_grad(), FlopCounterMode(display=False) as flops:
        model.encoder_layers[0](torch.randn(1, tokens, config.d_model), Mask(), None, Hooks(("*.weights",)))
    assert 2 * (counted.products + counted.others) == flops.get_total_flops()


def test_half_of_a_layer_is_reached_at_the_break_even_length() -> None:
    for config in CONFIGS.values():
        even = cost.break_even(config)
        assert cost.of(config, even).share >= 0.5 > cost.of(config, even - 1).share


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
    assert lengths[1] - lengths[0] == cost.cached_numbers(config)


def test_times_are_measured_for_every_length() -> None:
    measured = cost.times(Transformer(CONFIGS["plain"]).eval(), (8, 16))
    assert list(measured) == [8, 16]
    assert all(each.attention > 0 and each.feed_forward > 0 for each in measured.values())
