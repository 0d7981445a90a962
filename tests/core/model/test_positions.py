"""Positions: every published figure and identity of the tables, the model's tables with an offset, buckets and rotations."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from core.api import Checkpoint
from core.errors import ConfigError, InputError
from core.model import positions
from core.model.attention import rotate
from core.model.config import ModelConfig
from core.model.hooks import Hooks, Site
from core.model.positions import rotated, rotation_angles
from core.model.transformer import PositionTable, RelativeBias
from tests.numpy_model import NumpyModel

OFFSETS = [1, 2, 5, 10, 50, 100]
LAYOUTS = ["sinusoidal", "sinusoidal_halves"]
DENOMINATORS = ["half", "half_minus_one"]
both = pytest.mark.parametrize(
    ("layout", "denominator"), [(layout, denominator) for layout in LAYOUTS for denominator in DENOMINATORS]
)


@pytest.mark.parametrize(
    ("d_model", "published"),
    [
        (128, [0.9702, 0.8966, 0.7373, 0.6691, 0.5462, 0.4772]),
        (512, [0.9731, 0.9052, 0.7406, 0.6789, 0.5121, 0.4373]),
    ],
)
def test_published_cosines_by_offset(d_model: int, published: list[float]) -> None:
    formula = positions.cosine_by_offset(d_model, OFFSETS)
    assert np.round(formula, 4).tolist() == published
    cosines = positions.similarity(positions.sinusoid_table(160, d_model))
    for offset, expected in zip(OFFSETS, formula, strict=True):
        np.testing.assert_allclose(cosines.diagonal(offset), expected, atol=1e-12)


@pytest.mark.parametrize("d_model", [2, 6, 16, 64, 128, 512])
def test_nearer_is_not_always_more_alike(d_model: int) -> None:
    """For d = 64 positions 6 apart are more alike than positions 5 apart."""
    cosines = positions.similarity(positions.sinusoid_table(80, d_model))[0]
    rise = positions.first_rise(d_model, 79)
    assert rise is not None and cosines[rise] > cosines[rise - 1]
    assert (np.diff(cosines[:rise]) < 0).all()
    assert d_model != 64 or rise == 6
    assert positions.first_rise(d_model, rise - 1) is None


def test_printed_rows_for_six_dimensions() -> None:
    table = positions.sinusoid_table(2, 6)
    assert table[0].tolist() == [0, 1, 0, 1, 0, 1]
    assert np.round(table[1], 4).tolist() == [0.8415, 0.5403, 0.0464, 0.9989, 0.0022, 1.0]
    # The third is printed as 464.1590, which is how single precision writes 464.1589.
    np.testing.assert_allclose(positions.denominators(6), [1.0, 21.5443, 464.1590], atol=1.5e-4)


@both
def test_inner_products_depend_on_the_offset_only(layout: str, denominator: str) -> None:
    products = positions.inner_products(positions.sinusoid_table(200, 64, layout, denominator))
    assert positions.toeplitz_deviation(products / 32) < 1e-12


@both
@pytest.mark.parametrize("offset", [-7, 0, 1, 5, 100])
def test_a_shift_is_a_rotation(layout: str, denominator: str, offset: int) -> None:
    table = positions.sinusoid_table(220, 32, layout, denominator)
    rotation = positions.rotation_matrix(offset, 32, layout, denominator)
    rows = np.arange(10, 100)
    np.testing.assert_allclose(table[rows] @ rotation.T, table[rows + offset], atol=1e-12)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(32), atol=1e-12)


@pytest.mark.parametrize("d_model", [6, 128, 512])
def test_wavelengths_run_from_two_pi_to_the_published_end(d_model: int) -> None:
    waves = positions.wavelengths(d_model)
    assert waves[0] == pytest.approx(2 * np.pi, rel=1e-15)
    assert waves[-1] == pytest.approx(2 * np.pi * 10_000 ** ((d_model - 2) / d_model), rel=1e-12)
    assert positions.wavelengths(d_model, "half_minus_one")[-1] == pytest.approx(2e4 * np.pi, rel=1e-12)


@both
def test_the_table_that_is_drawn_is_the_one_the_model_adds(layout: str, denominator: str) -> None:
    """Both against the formula of the paper, a number at a time, and defined in one place."""
    config = ModelConfig(
        source_vocab_size=9,
        target_vocab_size=9,
        d_model=24,
        heads=4,
        max_length=50,
        positions=layout,
        sinusoid_denominator=denominator,
    )
    added = PositionTable(config).table
    drawn = positions.sinusoid_table(50, 24, layout, denominator)  # type: ignore[arg-type]
    np.testing.assert_array_equal(added.numpy(), drawn.astype(np.float32))
    steps = 12 if denominator == "half" else 11
    for p in (0, 1, 7, 49):
        for i in range(12):
            angle = p / 10_000 ** (i / steps)
            sine, cosine = (i, 12 + i) if layout == "sinusoidal_halves" else (2 * i, 2 * i + 1)
            assert drawn[p, sine] == pytest.approx(math.sin(angle), abs=1e-12)
            assert drawn[p, cosine] == pytest.approx(math.cos(angle), abs=1e-12)


def test_only_one_file_holds_the_formulas() -> None:
    """No second table with its own rounding: 10000 to a power, a logarithm of distances; a text that is shown may say it.

    The checks have formulas of their own: what they expect must not come from what they check. So has the claim of a
    write-up that its other formula gives the same table.
    """
    root = Path(positions.__file__).parents[2]
    for path in [*(root / "core").rglob("*.py"), *(root / "ui").rglob("*.py")]:
        text = re.sub(r'"[^"\n]*"', '""', path.read_text("utf-8"))
        if path.name not in ("positions.py", "expected.py") and path.parent.name != "claims":
            assert not re.search(r"10_?000(\.0)? ?\*\*|log\(10_?000|log\(max_distance", text), path


def test_an_offset_starts_further_down_the_table() -> None:
    np.testing.assert_array_equal(
        positions.sinusoid_table(5, 8, offset=2), positions.sinusoid_table(7, 8)[2:]
    )


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(("buckets", "distance"), [(32, 128), (8, 20), (64, 512), (32, 256)])
def test_relative_buckets_are_those_of_t5_and_of_the_model(
    bidirectional: bool, buckets: int, distance: int
) -> None:
    t5 = pytest.importorskip("transformers.models.t5.modeling_t5").T5Attention
    offsets = np.arange(-700, 701)
    mine = positions.relative_buckets(offsets, bidirectional, buckets, distance)
    theirs = t5._relative_position_bucket(torch.from_numpy(offsets), bidirectional, buckets, distance)
    np.testing.assert_array_equal(mine, theirs.numpy())
    config = ModelConfig(
        source_vocab_size=9,
        target_vocab_size=9,
        d_model=8,
        heads=1,
        positions="relative_buckets",
        relative_buckets=buckets,
        relative_max_distance=distance,
    )
    bias = RelativeBias(config, bidirectional)
    with torch.no_grad():
        bias.table.copy_(torch.arange(buckets)[:, None])  # a bias that names its bucket
        looked_up = bias(700, 1, 1401)[0, 0, 0].long().numpy()  # keys 0 … 1400 from the query at 700
    np.testing.assert_array_equal(looked_up, mine)


def test_relative_buckets_near_and_far() -> None:
    offsets = np.array([0, -1, 1, 8, -8, -128, 128, 9999])
    assert positions.relative_buckets(offsets, True).tolist() == [0, 1, 17, 24, 8, 15, 31, 31]
    offsets = np.array([0, 5, -1, -15, -16, -64, -128, -9999])
    assert positions.relative_buckets(offsets, False).tolist() == [0, 0, 1, 15, 16, 26, 31, 31]


def test_a_model_without_memory_holds_no_table() -> None:
    config = ModelConfig(
        source_vocab_size=9, target_vocab_size=9, d_model=16_384, heads=1, max_length=100_000
    )
    with torch.device("meta"):
        assert PositionTable(config).table.is_meta  # 13 GB otherwise


def test_a_zero_row_is_similar_to_nothing() -> None:
    assert positions.similarity([[0, 0], [3, 4]]).tolist() == [[0, 0], [0, pytest.approx(1)]]


def test_summary_of_a_sinusoidal_table() -> None:
    summary = positions.position_summary(positions.sinusoid_table(80, 128))
    np.testing.assert_allclose(summary.norms, 8.0)
    np.testing.assert_allclose(summary.cosine[OFFSETS[:5]], positions.cosine_by_offset(128, OFFSETS[:5]))
    assert summary.cosine_spread.max() < 1e-12
    assert summary.shift_invariance == pytest.approx(1.0, abs=1e-12)


def test_summary_of_a_random_table_shows_no_order() -> None:
    summary = positions.position_summary(np.random.default_rng(0).normal(size=(60, 64)))
    off_diagonal = summary.cosine[1:40]
    assert np.abs(off_diagonal).max() < 0.1
    # That every place is like itself explains nothing; what is left is the noise of 59 means over 1,770 pairs.
    assert summary.shift_invariance < 0.1


def test_shift_invariance_is_the_explained_share_of_the_variance() -> None:
    table = np.random.default_rng(1).normal(size=(5, 3))
    cosines = positions.similarity(table)
    offset = np.subtract.outer(np.arange(5), np.arange(5))
    fitted = np.zeros_like(cosines)
    for k in range(-4, 5):
        fitted[offset == k] = cosines[offset == k].mean()
    pairs = offset != 0
    mean = cosines[pairs].mean()
    expected = 1 - ((cosines - fitted)[pairs] ** 2).sum() / ((cosines - mean)[pairs] ** 2).sum()
    assert positions.position_summary(table).shift_invariance == pytest.approx(expected)


def test_bad_options_name_the_choices() -> None:
    with pytest.raises(InputError, match="even d_model of at least 2, not 7"):
        positions.sinusoid_table(4, 7)
    with pytest.raises(InputError, match="'stripes' is unknown; choose 'sinusoidal' or 'sinusoidal_halves'"):
        positions.sinusoid_table(4, 8, "stripes")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="choose 'half' or 'half_minus_one'"):
        positions.denominators(8, "third")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"\(positions, d_model\)"):
        positions.position_summary(np.zeros(3))


# -- the model's tables, as tensors ---------------------------------------------------------------------------


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
