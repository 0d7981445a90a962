"""Parameters in the order of the data's way, counted by their part of the model, in that part's colour."""

from __future__ import annotations

import dataclasses
import math
import random
from pathlib import Path
from typing import Any

import pytest

from core.checkpoints.summary import ParameterLine, parameter_lines
from ui.models import parameters
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
    assert [each.name for each in parameters.in_order(map(line, shuffled))] == names


def test_every_number_is_counted_once(tiny_checkpoint: Path) -> None:
    lines = parameter_lines(tiny_checkpoint)
    shares = parameters.shares(lines)
    assert [share.kind for share in shares] == ["table", "encoder", "causal", "cross"]
    from core.checkpoints.summary import read_summary

    assert sum(share.parameters for share in shares) == read_summary(tiny_checkpoint).parameters
    assert sum(share.fraction for share in shares) == pytest.approx(1)
    cross = shares[-1].parameters
    # Four projections of 16 × 16 with their biases and a norm of 16, in each of two layers.
    assert cross == 2 * (4 * (16 * 16 + 16) + 2 * 16)


def test_a_part_without_parameters_is_left_out() -> None:
    (only,) = parameters.shares([line("source_embedding.table", 3, 4)])
    assert (only.parameters, only.fraction) == (12, 1.0)
    assert parameters.shares([]) == []


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
    assert parameters.hue(name) == hue
    assert getattr(DARK, hue).startswith("#")


def test_norms_are_explained() -> None:
    assert parameters.meaning("encoder_norm.weight").startswith("γ")
    assert parameters.meaning("encoder_norm.bias").startswith("β")
    assert "peak" in parameters.meaning("encoder_layers.0.feed_forward.up_proj.bias")


SHIPPED = sorted(Path(__file__).parents[3].glob("checkpoints/**/model.safetensors"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.parent.name)
def test_every_tensor_has_an_area_and_a_name_in_words_and_none_looks_wrong(path: Path) -> None:
    lines = parameter_lines(path.parent)
    listed = parameters.columns(lines)
    assert sum(column.parameters for column in listed) == sum(math.prod(each.shape) for each in lines)
    assert [column.stack for column in listed] == sorted(
        (column.stack for column in listed), key=("table", "encoder", "decoder", "output").index
    )
    for stack in ("encoder", "decoder"):
        layers = [each.layer for each in listed if each.stack == stack and each.layer is not None]
        assert layers == [*range(len(layers))] and layers
    drawn = parameters.areas_html(listed)
    assert drawn.count("<i class=") == sum(len(column.blocks) for column in listed)
    assert all("_" not in parameters.spoken(each.name) for each in lines)
    assert parameters.doubts(lines) == []


def test_the_blocks_of_a_layer_stand_in_one_column_in_the_order_of_the_datas_way() -> None:
    layer = "decoder_layers.1."
    parts = ("ffn_residual.norm", "feed_forward.up_proj", "cross_attention.q_proj", "self_attention.q_proj")
    (column,) = parameters.columns(line(f"{layer}{part}.weight", 2, 3) for part in parts)
    assert (column.stack, column.layer, column.parameters) == ("decoder", 1, 24)
    looks = [block.look for block in column.blocks]
    assert looks == ["causal", "cross", "causal ffn", "causal norm"]
    drawn = parameters.areas_html([column])
    assert 'title="decoder, layer 1, cross-attention: 6 parameters, 25.0 %"' in drawn
    assert '<div style="flex-grow:24">' in drawn and '<i class="cross" style="flex-grow:6"' in drawn


def test_what_is_said_of_tensors_that_look_wrong() -> None:
    def one(name: str, *shape: int, **more: Any) -> ParameterLine:
        return dataclasses.replace(line(name, *shape), **more)

    wrong = [
        one("encoder_layers.0.self_attention.q_proj.weight", 4, 4, broken=1, dead=4),
        one("encoder_layers.0.feed_forward.up_proj.weight", 4, 4, dead=4),
        one("encoder_layers.0.feed_forward.down_proj.weight", 4, 4, dead=2),
        one("target_embedding.table", 9, 4, dead=3),
        one("encoder_norm.weight", 4, mean=1.0, std=0.0),
    ]
    right = [
        one("source_embedding.table", 9, 4, dead=1),  # the row of padding
        one("encoder_norm.bias", 4, mean=0.0, std=0.0),
        one("decoder_norm.weight", 4, mean=0.9, std=0.1),
    ]
    assert [words for _, words in parameters.doubts([*right, *wrong])] == [
        "1 of 16 numbers is NaN or infinite",
        "every number is 0",
        "2 of 4 rows are 0 throughout",
        "3 of 9 rows are 0 throughout",
        "every number is 1.000, as before training",
    ]


def test_the_title_says_where_most_parameters_are() -> None:
    lines = [
        line("source_embedding.table", 10, 2),
        line("encoder_norm.weight", 5),
        line("decoder_norm.weight", 15),
    ]
    words = parameters.areas_title(parameters.shares(lines))
    assert words == "50 % of its 40 parameters are in the tables of tokens and positions"
    lines = [line("encoder_norm.weight", 30), line("decoder_norm.weight", 20)]
    lines.append(line("decoder_layers.0.cross_attention.q_proj.bias", 20))
    words = parameters.areas_title(parameters.shares(lines))
    assert words == "57 % of its 70 parameters are in the decoder", "cross-attention is part of it"
