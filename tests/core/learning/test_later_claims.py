"""What changed since 2017 is recomputed by other means: torch's own layers, complex numbers, plain numpy."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from core.learning import later_claims
from core.learning.claims import claims
from core.learning.measures import MEASURES
from core.learning.study import in_language
from core.learning.tutorials import preset


def test_every_change_has_its_source_and_comes_out() -> None:
    made = claims("t5")
    assert [each.id for each in made] == ["pre-norm", "relative", "rotary", "gated", "rms", "decoder-only"]
    for each in made:
        assert each.holds and each.rows and "(" in in_language(each.says) and "20" in in_language(each.says)


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
    ours = later_claims.gradient_ratio("pre" if first else "post")
    assert (ratio > 2) == (ours > 2) == (not first)
    assert later_claims.gradients("post") == later_claims.gradients("post")


def test_a_shift_moves_sinusoids_and_not_distances() -> None:
    assert later_claims.shift_change("sinusoidal") > 0.5
    assert later_claims.shift_change("relative_buckets") == 0
    assert later_claims.shift_change("none") == 0  # without positions there is nothing that could move


def test_the_same_numbers_whatever_others_draw() -> None:
    before = later_claims.shift_change("sinusoidal")
    later_claims.shift_change.cache_clear()
    torch.rand(7)
    assert later_claims.shift_change("sinusoidal") == before


def test_rotary_scores_depend_on_the_distance_alone() -> None:
    assert later_claims.rotary_change() < 1e-5 < 0.1 < later_claims.shift_change("sinusoidal")


def test_parameters_of_gates_and_of_the_decoder_alone() -> None:
    assert later_claims.feed_forward_parameters(2048, False) == 2 * 512 * 2048
    assert later_claims.feed_forward_parameters(1365, True) == 3 * 512 * 1365
    model = nn.Transformer(512, 8, 6, 6, 2048, batch_first=True)
    layers = [*model.encoder.layers, *model.decoder.layers]
    left = sum(
        values.numel()
        for layer in model.decoder.layers
        for name, values in layer.named_parameters()
        if not name.startswith(("multihead_attn", "norm2"))
    )
    share = left / sum(values.numel() for layer in layers for values in layer.parameters())
    assert later_claims.decoder_only_share(preset("paper")) == pytest.approx(share, abs=2e-3)
    for name in ("post_gradient", "sinusoid_shift", "rotary_shift"):
        assert MEASURES[name].find(None) == pytest.approx(  # type: ignore[arg-type]
            {
                "post_gradient": later_claims.gradient_ratio("post"),
                "sinusoid_shift": later_claims.shift_change("sinusoidal"),
                "rotary_shift": later_claims.rotary_change(),
            }[name]
        )
