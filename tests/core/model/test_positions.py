"""Positions: the sinusoid's identities, published buckets, rotations, and tables with an offset."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.api import Checkpoint
from core.errors import ConfigError
from core.model.attention import rotate
from core.model.config import ModelConfig
from core.model.hooks import Hooks, Site
from core.model.position_tables import rotated, rotation_angles
from core.model.transformer import PositionTable, RelativeBias, relative_bucket, sinusoid_table
from tests.numpy_model import NumpyModel


def test_the_blog_posts_printed_row() -> None:
    row = sinusoid_table(2, 6)[1]
    assert [round(value, 4) for value in row.tolist()] == [0.8415, 0.5403, 0.0464, 0.9989, 0.0022, 1.0]


@pytest.mark.parametrize("layout", ["sinusoidal", "sinusoidal_halves"])
@pytest.mark.parametrize("denominator", ["half", "half_minus_one"])
def test_length_and_dot_products_depend_on_the_distance_alone(layout: str, denominator: str) -> None:
    table = sinusoid_table(60, 32, layout, denominator)
    products = table @ table.T
    assert torch.allclose(products.diagonal(), torch.full((60,), 16.0, dtype=torch.float64), atol=1e-12)
    for offset in (1, 7, 30):
        diagonal = products.diagonal(offset)
        assert float((diagonal - diagonal[0]).abs().max()) < 1e-12


def test_halves_are_the_interleaved_table_reordered() -> None:
    interleaved, halves = sinusoid_table(20, 16), sinusoid_table(20, 16, "sinusoidal_halves")
    assert torch.equal(halves, torch.cat([interleaved[:, 0::2], interleaved[:, 1::2]], dim=1))


def test_the_last_wavelength() -> None:
    table = sinusoid_table(2, 512)
    assert math.isclose(math.asin(float(table[1, 510])), 10_000 ** -(510 / 512), rel_tol=1e-9)
    fairseq = sinusoid_table(2, 512, "sinusoidal_halves", "half_minus_one")
    assert math.isclose(math.asin(float(fairseq[1, 255])), 1e-4, rel_tol=1e-9)


@pytest.mark.parametrize(
    ("offset", "bucket"), [(0, 0), (-1, 1), (1, 17), (8, 24), (-8, 8), (-128, 15), (128, 31), (9999, 31)]
)
def test_bidirectional_buckets(offset: int, bucket: int) -> None:
    assert int(relative_bucket(torch.tensor(offset), bidirectional=True)) == bucket


@pytest.mark.parametrize(
    ("offset", "bucket"), [(0, 0), (5, 0), (-1, 1), (-15, 15), (-16, 16), (-64, 26), (-128, 31), (-9999, 31)]
)
def test_causal_buckets(offset: int, bucket: int) -> None:
    assert int(relative_bucket(torch.tensor(offset), bidirectional=False)) == bucket


@pytest.mark.parametrize("bidirectional", [True, False])
def test_a_bias_of_one_query_is_a_row_of_the_whole(bidirectional: bool) -> None:
    config = ModelConfig(
        source_vocab_size=9, target_vocab_size=9, d_model=16, heads=4, positions="relative_buckets"
    )
    bias = RelativeBias(config, bidirectional)
    torch.nn.init.normal_(bias.table)
    whole = bias(0, 40, 40)
    assert whole.shape == (1, 4, 40, 40)
    assert torch.equal(bias(25, 1, 26), whole[:, :, 25:26, :26])


@pytest.mark.parametrize("kind", ["sinusoidal", "learned"])
def test_an_offset_moves_the_first_row(kind: str) -> None:
    sizes = {"source_vocab_size": 9, "target_vocab_size": 9, "d_model": 16, "heads": 4, "max_length": 10}
    table = PositionTable(ModelConfig(**sizes, positions=kind, position_offset=2))
    if kind == "learned":
        torch.nn.init.normal_(table.table)
    assert table.table.shape == (12, 16)
    assert torch.equal(table(3, 4), table.table[5:9])


# -- rotary positions (Su et al. 2021, section 3.2.2) -----------------------------------------------------------------


def turns_of(length: int, size: int) -> torch.Tensor:
    angles = torch.from_numpy(rotation_angles(length, size))
    return torch.stack((angles.cos(), angles.sin()))


@given(st.integers(1, 8), st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_a_rotation_keeps_norms_and_products_depend_on_the_distance_alone(pairs: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    q, k = draw.normal(size=(2, 2 * pairs))
    length = 40
    queries, keys = (
        rotate(torch.from_numpy(each).expand(1, 1, length, -1), turns_of(length, 2 * pairs))[0, 0]
        for each in (q, k)
    )
    assert float((queries.norm(dim=-1) - np.linalg.norm(q)).abs().max()) < 1e-12 * max(1.0, np.linalg.norm(q))
    scores = queries @ keys.T
    scale = float(np.linalg.norm(q) * np.linalg.norm(k))
    for offset in (-30, -7, -1, 0, 1, 7, 30):
        diagonal = scores.diagonal(offset)
        assert float((diagonal - diagonal[0]).abs().max()) < 1e-12 * max(1.0, scale)


def test_a_rotation_is_the_product_with_a_complex_number() -> None:
    rows = np.random.default_rng(0).normal(size=(30, 12))
    ours = rotate(torch.from_numpy(rows)[None, None], turns_of(30, 12))[0, 0].numpy()
    model = NumpyModel({"d_model": 12, "heads": 1, "positions": "rotary"}, {})
    assert np.abs(ours - model.turned(rows)).max() < 1e-12
    assert np.abs(rotated(rows, np.arange(30)) - model.turned(rows)).max() < 1e-12


def test_rotations_are_those_of_the_library() -> None:
    library = pytest.importorskip("transformers.models.roformer.modeling_roformer")
    table = library.RoFormerSinusoidalPositionalEmbedding(64, 16)
    table.create_weight() if table.weight.is_meta else None
    table.weight.data.copy_(table.create_weight())
    q, k = torch.randn(2, 3, 4, 50, 16)
    theirs = library.RoFormerSelfAttention.apply_rotary_position_embeddings(table((3, 50))[None, None], q, k)
    turns = turns_of(50, 16).float()
    for ours, other in zip((rotate(q, turns), rotate(k, turns)), theirs, strict=True):
        assert float((ours - other).abs().max()) < 1e-5


def test_only_self_attention_is_turned(build: Callable[..., Checkpoint]) -> None:
    model = build(positions="rotary").model
    source, target = torch.randint(4, 16, (1, 9)), torch.randint(4, 16, (1, 7))
    hooks = Hooks(["*.q", "*.k", "*.norm_output", "*.residual_before", "*.final.output"])
    model(source, target, hooks)
    cross = model.get_submodule("decoder_layers.1.cross_attention")
    read = hooks.records[Site.parse("decoder.1.cross.residual_before")]
    expected = cross.q_proj(read).unflatten(-1, (4, 8)).transpose(1, 2)
    assert torch.equal(hooks.records[Site.parse("decoder.1.cross.q")], expected)
    for stack, length in (("encoder", 9), ("decoder", 7)):
        attention = model.get_submodule(f"{stack}_layers.1.self_attention")
        read = hooks.records[Site(stack, 1, "self", "residual_before")]
        for kind in "qk":
            plain = attention.get_submodule(f"{kind}_proj")(read).unflatten(-1, (4, 8)).transpose(1, 2)[0]
            oracle = NumpyModel({"d_model": 32, "heads": 4, "positions": "rotary"}, {})
            turned = np.stack([oracle.turned(head.double().numpy()) for head in plain])
            assert np.abs(hooks.records[Site(stack, 1, "self", kind)][0].numpy() - turned).max() < 1e-5
            assert np.abs(plain.numpy() - turned)[:, 1:length].max() > 1e-2


def test_a_head_of_odd_size_cannot_be_turned() -> None:
    with pytest.raises(ConfigError, match="a head has 5; choose an even head_dim"):
        ModelConfig(source_vocab_size=9, target_vocab_size=9, d_model=10, heads=2, positions="rotary")
