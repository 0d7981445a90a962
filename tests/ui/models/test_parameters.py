"""Parameters in the order of the data's way, counted by their part of the model, in that part's colour."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from core.checkpoints.summary import ParameterLine, parameter_lines
from ui.models import gallery
from ui.style.theme import DARK


def line(name: str, *shape: int) -> ParameterLine:
    return ParameterLine(name, shape, "float32", 0.0, 1.0, 2.0)


def test_parameters_stand_in_the_order_of_the_datas_way() -> None:
    names = [
        "source_embedding.table",
        "encoder_layers.2.self_attention.k_proj.weight",
        "encoder_layers.2.self_residual.norm.weight",
        "encoder_layers.2.feed_forward.up_proj.weight",
        "encoder_layers.10.self_attention.k_proj.weight",
        "encoder_norm.weight",
        "decoder_layers.0.self_attention.k_proj.weight",
        "decoder_layers.0.cross_attention.k_proj.weight",
        "decoder_layers.0.ffn_residual.norm.weight",
        "decoder_norm.weight",
    ]
    shuffled = random.Random(1).sample(names, len(names))
    assert [each.name for each in gallery.in_order(map(line, shuffled))] == names


def test_every_number_is_counted_once(tiny_checkpoint: Path) -> None:
    lines = parameter_lines(tiny_checkpoint)
    shares = gallery.shares(lines)
    assert [share.kind for share in shares] == ["table", "encoder", "causal", "cross"]
    from core.checkpoints.summary import read_summary

    assert sum(share.parameters for share in shares) == read_summary(tiny_checkpoint).parameters
    assert sum(share.fraction for share in shares) == pytest.approx(1)
    cross = shares[-1].parameters
    # Four projections of 16 × 16 with their biases and a norm of 16, in each of two layers.
    assert cross == 2 * (4 * (16 * 16 + 16) + 2 * 16)


def test_a_part_without_parameters_is_left_out() -> None:
    (only,) = gallery.shares([line("source_embedding.table", 3, 4)])
    assert (only.parameters, only.fraction) == (12, 1.0)
    assert gallery.shares([]) == []


@pytest.mark.parametrize(
    ("name", "hue"),
    [
        ("decoder_layers.0.cross_attention.q_proj.weight", "query"),
        ("encoder_layers.0.self_attention.k_proj.bias", "key"),
        ("decoder_layers.0.self_attention.v_proj.weight", "value"),
        ("decoder_layers.0.cross_attention.output_proj.weight", "cross"),
        ("decoder_layers.0.feed_forward.up_proj.weight", "causal"),
        ("encoder_norm.weight", "encoder"),
        ("target_embedding.table", "bar"),
    ],
)
def test_a_parameter_has_the_colour_of_its_part(name: str, hue: str) -> None:
    assert gallery.hue(name) == hue
    assert getattr(DARK, hue).startswith("#")


def test_norms_are_explained() -> None:
    assert gallery.meaning("encoder_norm.weight").startswith("γ")
    assert gallery.meaning("encoder_norm.bias").startswith("β")
    assert "peak" in gallery.meaning("encoder_layers.0.feed_forward.up_proj.bias")
