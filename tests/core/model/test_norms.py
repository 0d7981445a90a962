"""Norms: each formula against its definition, and recorded statistics that rebuild the output."""

from __future__ import annotations

import pytest
import torch

from core.model.config import CHOICES, ModelConfig
from core.model.hooks import Hooks, Site
from core.model.layers import Norm


def norm_of(formula: str) -> Norm:
    norm = Norm(
        ModelConfig(source_vocab_size=9, target_vocab_size=9, d_model=16, heads=4, norm_formula=formula)
    )
    torch.nn.init.normal_(norm.weight)
    if norm.bias is not None:
        torch.nn.init.normal_(norm.bias)
    return norm.requires_grad_(False)


def test_layer_is_torchs_layer_norm() -> None:
    norm, x = norm_of("layer"), torch.randn(2, 3, 16)
    assert torch.allclose(norm(x), torch.nn.functional.layer_norm(x, (16,), norm.weight, norm.bias, 1e-5))


def test_rms_is_torchs_rms_norm_and_has_no_bias() -> None:
    norm, x = norm_of("rms"), torch.randn(2, 3, 16) + 3
    assert norm.bias is None
    assert torch.allclose(norm(x), torch.nn.functional.rms_norm(x, (16,), norm.weight, 1e-5), atol=1e-6)


def test_unbiased_deviation_with_epsilon_outside_the_root() -> None:
    norm, x = norm_of("layer_unbiased_std"), torch.randn(2, 3, 16)
    expected = norm.weight * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-5) + norm.bias
    assert torch.allclose(norm(x), expected, atol=1e-6)


@pytest.mark.parametrize("formula", CHOICES["norm_formula"])
def test_recorded_statistics_rebuild_the_output(formula: str) -> None:
    norm, x, hooks = norm_of(formula), torch.randn(2, 3, 16) + 1, Hooks(["encoder.0.ffn.*"])
    output = norm(x, hooks.at("encoder", 0, "ffn"))
    assert torch.allclose(output, norm(x), atol=1e-6)
    mean, var = (
        hooks.records[Site("encoder", 0, "ffn", kind)][..., None] for kind in ("norm_mean", "norm_var")
    )
    divisor = var.sqrt() + norm.eps if formula == "layer_unbiased_std" else (var + norm.eps).sqrt()
    rebuilt = (x - mean) / divisor * norm.weight + (0 if norm.bias is None else norm.bias)
    assert torch.allclose(rebuilt, output, atol=1e-5)


@pytest.mark.parametrize("spread", [1e-6, 1e-3, 1.0, 1e3])
def test_the_kernel_s_own_statistics_are_the_rows_means_and_variances(spread: float) -> None:
    norm = Norm(ModelConfig(source_vocab_size=9, target_vocab_size=9, d_model=32, heads=4))
    x, hooks = torch.randn(2, 5, 32) * spread + 0.5, Hooks(["encoder.0.ffn.norm_*"])
    output = norm(x, hooks.at("encoder", 0, "ffn"))
    seen = {site.kind: tensor for site, tensor in hooks.records.items()}
    assert torch.allclose(seen["norm_mean"], x.mean(-1), rtol=1e-5, atol=1e-7)
    assert torch.allclose(seen["norm_var"], x.var(-1, correction=0), rtol=1e-4, atol=1e-11)
    assert torch.equal(output, norm(x))
