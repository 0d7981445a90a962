"""Position encodings: every published figure and every identity of the tables."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.analysis import positions
from core.errors import InputError
from core.model import position_tables
from core.model.config import ModelConfig
from core.model.transformer import PositionTable, RelativeBias

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
    cosines = positions.similarity(position_tables.sinusoid_table(160, d_model))
    for offset, expected in zip(OFFSETS, formula, strict=True):
        np.testing.assert_allclose(cosines.diagonal(offset), expected, atol=1e-12)


@pytest.mark.parametrize("d_model", [2, 6, 16, 64, 128, 512])
def test_nearer_is_not_always_more_alike(d_model: int) -> None:
    """For d = 64 positions 6 apart are more alike than positions 5 apart."""
    cosines = positions.similarity(position_tables.sinusoid_table(80, d_model))[0]
    rise = positions.first_rise(d_model, 79)
    assert rise is not None and cosines[rise] > cosines[rise - 1]
    assert (np.diff(cosines[:rise]) < 0).all()
    assert d_model != 64 or rise == 6
    assert positions.first_rise(d_model, rise - 1) is None


def test_printed_rows_for_six_dimensions() -> None:
    table = position_tables.sinusoid_table(2, 6)
    assert table[0].tolist() == [0, 1, 0, 1, 0, 1]
    assert np.round(table[1], 4).tolist() == [0.8415, 0.5403, 0.0464, 0.9989, 0.0022, 1.0]
    # The third is printed as 464.1590, which is how single precision writes 464.1589.
    np.testing.assert_allclose(position_tables.denominators(6), [1.0, 21.5443, 464.1590], atol=1.5e-4)


@both
@pytest.mark.parametrize("d_model", [2, 6, 128, 512])
def test_every_row_has_length_root_half_d(layout: str, denominator: str, d_model: int) -> None:
    table = position_tables.sinusoid_table(300, d_model, layout, denominator)
    np.testing.assert_allclose((table**2).sum(-1), d_model / 2, rtol=1e-12)


@both
def test_inner_products_depend_on_the_offset_only(layout: str, denominator: str) -> None:
    products = positions.inner_products(position_tables.sinusoid_table(200, 64, layout, denominator))
    assert positions.toeplitz_deviation(products / 32) < 1e-12


@both
@pytest.mark.parametrize("offset", [-7, 0, 1, 5, 100])
def test_a_shift_is_a_rotation(layout: str, denominator: str, offset: int) -> None:
    table = position_tables.sinusoid_table(220, 32, layout, denominator)
    rotation = positions.rotation_matrix(offset, 32, layout, denominator)
    rows = np.arange(10, 100)
    np.testing.assert_allclose(table[rows] @ rotation.T, table[rows + offset], atol=1e-12)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(32), atol=1e-12)


def test_rotations_add_up() -> None:
    three, four = (positions.rotation_matrix(offset, 16) for offset in (3, 4))
    np.testing.assert_allclose(three @ four, positions.rotation_matrix(7, 16), atol=1e-12)


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
    drawn = position_tables.sinusoid_table(50, 24, layout, denominator)  # type: ignore[arg-type]
    np.testing.assert_array_equal(added.numpy(), drawn.astype(np.float32))
    steps = 12 if denominator == "half" else 11
    for p in (0, 1, 7, 49):
        for i in range(12):
            angle = p / 10_000 ** (i / steps)
            sine, cosine = (i, 12 + i) if layout == "sinusoidal_halves" else (2 * i, 2 * i + 1)
            assert drawn[p, sine] == pytest.approx(math.sin(angle), abs=1e-12)
            assert drawn[p, cosine] == pytest.approx(math.cos(angle), abs=1e-12)
    assert position_tables.sinusoid_table is position_tables.sinusoid_table
    assert position_tables.relative_buckets is position_tables.relative_buckets


def test_only_one_file_holds_the_formulas() -> None:
    """No second table with its own rounding: 10000 to a power, a logarithm of distances; a text that is shown may say it.

    The checks have formulas of their own: what they expect must not come from what they check. So has the claim of a
    write-up that its other formula gives the same table.
    """
    root = Path(positions.__file__).parents[2]
    for path in [*(root / "core").rglob("*.py"), *(root / "ui").rglob("*.py")]:
        text = re.sub(r'"[^"\n]*"', '""', path.read_text("utf-8"))
        if path.name not in ("position_tables.py", "expected.py", "claims.py"):
            assert not re.search(r"10_?000(\.0)? ?\*\*|log\(10_?000|log\(max_distance", text), path


def test_an_offset_starts_further_down_the_table() -> None:
    np.testing.assert_array_equal(
        position_tables.sinusoid_table(5, 8, offset=2), position_tables.sinusoid_table(7, 8)[2:]
    )


def test_published_relative_buckets() -> None:
    assert position_tables.relative_buckets([-1, 1, -8, 8, -128, 128], True).tolist() == [
        1,
        17,
        8,
        24,
        15,
        31,
    ]
    assert position_tables.relative_buckets([-15, -16, -64, -128], False).tolist() == [15, 16, 26, 31]
    assert position_tables.relative_buckets([0, 1, 50], False).tolist() == [0, 0, 0]


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(("buckets", "distance"), [(32, 128), (8, 20), (64, 512), (32, 256)])
def test_relative_buckets_are_those_of_t5_and_of_the_model(
    bidirectional: bool, buckets: int, distance: int
) -> None:
    t5 = pytest.importorskip("transformers.models.t5.modeling_t5").T5Attention
    offsets = np.arange(-700, 701)
    mine = position_tables.relative_buckets(offsets, bidirectional, buckets, distance)
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


def test_a_model_without_memory_holds_no_table() -> None:
    config = ModelConfig(
        source_vocab_size=9, target_vocab_size=9, d_model=16_384, heads=1, max_length=100_000
    )
    with torch.device("meta"):
        assert PositionTable(config).table.is_meta  # 13 GB otherwise


@given(st.integers(2, 32), st.integers(8, 300), st.booleans())
@settings(max_examples=50)
def test_further_away_is_never_a_lower_bucket(quarter: int, distance: int, bidirectional: bool) -> None:
    buckets = 4 * quarter
    past = position_tables.relative_buckets(
        -np.arange(400), bidirectional, buckets, max(distance, 2 * buckets)
    )
    assert (np.diff(past) >= 0).all() and past.max() < buckets


def test_a_zero_row_is_similar_to_nothing() -> None:
    assert positions.similarity([[0, 0], [3, 4]]).tolist() == [[0, 0], [0, pytest.approx(1)]]


def test_summary_of_a_sinusoidal_table() -> None:
    summary = positions.position_summary(position_tables.sinusoid_table(80, 128))
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
        position_tables.sinusoid_table(4, 7)
    with pytest.raises(InputError, match="'stripes' is unknown; choose 'sinusoidal' or 'sinusoidal_halves'"):
        position_tables.sinusoid_table(4, 8, "stripes")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="choose 'half' or 'half_minus_one'"):
        position_tables.denominators(8, "third")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"\(positions, d_model\)"):
        positions.position_summary(np.zeros(3))
