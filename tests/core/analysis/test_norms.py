"""Norm statistics and the residual stream, on traces of small real models."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from core.analysis import norms
from core.errors import InputError
from core.model.config import ModelConfig
from core.model.hooks import Hooks, Site
from core.model.trace import Tokens, Trace
from core.model.transformer import Transformer

FORMULAS = ["layer", "layer_unbiased_std", "rms"]
variants = pytest.mark.parametrize(
    ("placement", "formula"), list(itertools.product(["post", "pre"], FORMULAS))
)
SOURCE, TARGET = (4, 5, 6, 2), (1, 7, 8, 9, 5)


def traced(placement: str = "post", formula: str = "layer", record: tuple[str, ...] = norms.RECORD) -> tuple:
    """A random model with uneven gains and shifts, and a trace of one pair."""
    config = ModelConfig(
        source_vocab_size=11,
        target_vocab_size=11,
        d_model=16,
        encoder_layers=2,
        decoder_layers=2,
        heads=2,
        d_ff=24,
        norm_placement=placement,
        norm_formula=formula,
        final_norm=placement == "pre",
        embedding_norm=True,
    )
    torch.manual_seed(3)
    model = Transformer(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name:
                parameter.add_(torch.randn_like(parameter) * 0.3)
        hooks = Hooks(record=record)
        model(torch.tensor([SOURCE]), torch.tensor([TARGET]), hooks)
    labels = Tokens(tuple("abcd"), tuple("⟨vwxy"), tuple("vwxyz"))
    records = {site: tensor[0].numpy() for site, tensor in hooks.records.items()}
    return model, Trace(config, labels, SOURCE, TARGET, TARGET, records)


def parameters(model: Transformer) -> dict[norms.NormSite, norms.NormParameters]:
    return norms.norm_parameters(model.state_dict(), model.config)


@variants
def test_recorded_statistics_rebuild_every_norm(placement: str, formula: str) -> None:
    model, trace = traced(placement, formula)
    errors = norms.rebuild_errors(trace, parameters(model))
    sublayers = 2 * 2 + 2 * 3
    assert len(errors) == sublayers + 2 + (2 if placement == "pre" else 0)
    assert errors["error"].max() < 1e-5


def test_a_wrong_statistic_does_not_rebuild() -> None:
    model, trace = traced()
    site = Site("decoder", 1, "cross", "norm_mean")
    broken = {**trace.records, site: trace.records[site] + 0.1}
    errors = norms.rebuild_errors(
        Trace(trace.config, trace.tokens, SOURCE, TARGET, TARGET, broken), parameters(model)
    )
    worst = errors.sort_values("error").iloc[-1]
    assert (worst.stack, worst.layer, worst.block) == ("decoder", 1, "cross") and worst.error > 1e-3


@variants
def test_every_norm_has_its_parameters(placement: str, formula: str) -> None:
    model, _ = traced(placement, formula)
    found = parameters(model)
    assert len(found) == sum(name.endswith("norm.weight") for name in model.state_dict())
    if formula == "rms":
        assert all((value.beta == 0).all() for value in found.values())
    gains = norms.norm_parameters({k: v.numpy() for k, v in model.state_dict().items()}, model.config)
    np.testing.assert_array_equal(
        gains[norms.NormSite("encoder", 0, "ffn")].gamma, found[("encoder", 0, "ffn")].gamma
    )
    with pytest.raises(InputError, match="does not fit this configuration"):
        norms.norm_parameters({}, model.config)


def test_layer_norm_by_hand_and_as_torch_computes_it() -> None:
    x = np.array([[1.0, 3.0]])  # mean 2, variance 1
    gains = norms.NormParameters(np.array([2.0, 2.0]), np.array([0.5, 0.5]))
    rebuilt = norms.rebuild_norm(x, [2.0], [1.0], gains, 0.0)
    np.testing.assert_allclose(rebuilt, [[-1.5, 2.5]])
    data = torch.randn(4, 8, dtype=torch.float64)
    gains = norms.NormParameters(np.full(8, 1.5), np.full(8, -0.25))
    expected = torch.nn.functional.layer_norm(
        data, (8,), torch.full((8,), 1.5).double(), torch.full((8,), -0.25).double()
    )
    rebuilt = norms.rebuild_norm(data.numpy(), data.mean(-1), data.var(-1, correction=0), gains, 1e-5)
    np.testing.assert_allclose(rebuilt, expected, atol=1e-12)
    with pytest.raises(InputError, match="'batch' is unknown; choose layer, layer_unbiased_std or rms"):
        norms.rebuild_norm(x, [2.0], [1.0], gains, 0.0, "batch")


@variants
def test_the_norm_table_has_a_row_for_every_token(placement: str, formula: str) -> None:
    _, trace = traced(placement, formula)
    table = norms.norm_table(trace)
    places = 2 * 2 + 1 + (placement == "pre"), 2 * 3 + 1 + (placement == "pre")
    assert len(table) == places[0] * len(SOURCE) + places[1] * len(TARGET)
    row = table.query("stack == 'decoder' and layer == 1 and block == 'cross' and token == 2").iloc[0]
    before = trace.array("decoder.1.cross.norm_input")[2].astype(float)
    after = trace.array("decoder.1.cross.norm_output")[2].astype(float)
    assert row.label == "w"
    assert row.mean_before == pytest.approx(before.mean()) and row.std_before == pytest.approx(before.std())
    assert row.std_after == pytest.approx(after.std())
    assert row.rms_before == pytest.approx((sum(x * x for x in before) / len(before)) ** 0.5)
    assert row.rms_after == pytest.approx((sum(x * x for x in after) / len(after)) ** 0.5)
    assert row.length_after == pytest.approx(np.sqrt((after**2).sum()))


@pytest.mark.parametrize("placement", ["post", "pre"])
def test_the_sublayer_table_compares_what_is_added_with_the_stream(placement: str) -> None:
    _, trace = traced(placement)
    table = norms.sublayer_table(trace)
    assert len(table) == 4 * len(SOURCE) + 6 * len(TARGET)
    np.testing.assert_allclose(table["ratio"], table["output"] / table["residual"])
    # ‖x + y‖² = ‖x‖² + ‖y‖² + 2‖x‖‖y‖ cos
    law = (
        table["residual"] ** 2
        + table["output"] ** 2
        + 2 * table["residual"] * table["output"] * table["cosine"]
    )
    np.testing.assert_allclose(table["total"] ** 2, law, rtol=1e-9)
    last = trace.array("encoder.1.ffn.residual_after")
    lengths = table.query("stack == 'encoder' and layer == 1 and block == 'ffn'")["total"]
    np.testing.assert_allclose(lengths, np.linalg.norm(last, axis=-1), rtol=1e-5)


@pytest.mark.parametrize("placement", ["post", "pre"])
def test_the_stream_table_follows_the_stream_through_all_sublayers(placement: str) -> None:
    _, trace = traced(placement)
    table = norms.stream_table(trace).query("stack == 'decoder'")
    assert sorted(table["depth"].unique()) == list(range(7))
    for depth, site in enumerate(
        f"decoder.{layer}.{block}.residual_before" for layer in (0, 1) for block in ("self", "cross", "ffn")
    ):
        expected = np.linalg.norm(trace.array(site), axis=-1)
        np.testing.assert_allclose(table.query(f"depth == {depth}")["length"], expected, rtol=1e-5)
    final = trace.array("decoder.final.norm_input" if placement == "pre" else "decoder.final.output")
    np.testing.assert_allclose(table.query("depth == 6")["length"], np.linalg.norm(final, axis=-1), rtol=1e-5)
    assert table.query("depth == 0")["block"].unique().tolist() == ["embed"]


def test_outlying_gains_are_found_in_their_own_norm() -> None:
    gamma = np.ones(64) + np.random.default_rng(0).normal(0, 0.01, 64)
    gamma[7], gamma[9] = 2.0, 0.2
    calm = norms.NormParameters(np.ones(64), np.zeros(64))
    found = norms.outlier_gains(
        {
            norms.NormSite("encoder", 0, "ffn"): calm,
            norms.NormSite("decoder", 1, "cross"): norms.NormParameters(gamma, gamma),
        }
    )
    assert found["dimension"].tolist() == [7, 9]
    assert set(found["block"]) == {"cross"}
    assert found["sigmas"].tolist()[0] > 3 and found["sigmas"].tolist()[1] < -3


def test_outlying_activations_need_a_quarter_of_the_layers_and_six_percent_of_tokens() -> None:
    config = ModelConfig(
        source_vocab_size=5, target_vocab_size=5, d_model=8, heads=2, encoder_layers=4, decoder_layers=1
    )
    stream = np.zeros((4, 20, 8))
    stream[0, [0, 3], 1] = -6.0  # 1 of 4 layers, 2 of 20 tokens: counts
    stream[1, 0, 2] = 50.0  # 1 of 20 tokens is 5 %: too few
    stream[:, :, 3] = 5.99  # never 6
    records = {Site("encoder", layer, "ffn", "residual_after"): stream[layer] for layer in range(4)}
    records |= {Site("encoder", layer, "ffn", "norm_output"): stream[layer] for layer in range(4)}
    labels = Tokens(tuple("a" * 20), (), ())
    found = norms.outlier_activations(Trace(config, labels, (1,) * 20, (), (), records))
    assert found[["stack", "dimension", "layers", "tokens", "largest"]].values.tolist() == [
        ["encoder", 1, 0.25, 0.1, 6.0]
    ]


def test_a_trace_without_the_sites_says_what_to_record() -> None:
    _, trace = traced(record=("*.weights",))
    for table in (norms.norm_table, norms.sublayer_table, norms.stream_table):
        with pytest.raises(InputError, match="record core.analysis.norms.RECORD"):
            table(trace)


def test_a_silent_sublayer_has_no_cosine() -> None:
    _, trace = traced()
    site = Site("encoder", 0, "self", "output")
    records = {**trace.records, site: np.zeros_like(trace.records[site])}
    table = norms.sublayer_table(Trace(trace.config, trace.tokens, SOURCE, TARGET, TARGET, records))
    quiet = table.query("stack == 'encoder' and layer == 0 and block == 'self'")
    assert quiet["cosine"].isna().all() and (quiet["ratio"] == 0).all()
