"""Positions: the sinusoid's identities, published buckets, and tables with an offset."""

from __future__ import annotations

import math

import pytest
import torch

from core.model.config import ModelConfig
from core.model.transformer import PositionTable, RelativeBias, relative_bucket, sinusoid_table


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
