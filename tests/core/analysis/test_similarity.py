"""Likeness of heads: Jensen-Shannon divergence, its picture, effective rank."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.analysis.heads import effective_rank, head_similarity, layout
from core.analysis.maps import uniform_weights
from core.errors import InputError

rows = arrays(np.float64, (2, 4, 3, 5), elements=st.floats(0.0, 1.0)).map(
    lambda raw: (raw + 1e-3) / (raw + 1e-3).sum(-1, keepdims=True)
)


def divergence(first: list[float], second: list[float]) -> float:
    """Of two heads with one row each."""
    return float(head_similarity(np.array([[[first], [second]]]))[0, 1])


def test_divergence_of_disjoint_rows_is_log_two() -> None:
    assert divergence([1, 0], [0, 1]) == pytest.approx(math.log(2), abs=1e-15)
    assert divergence([0.3, 0.7], [0.3, 0.7]) == 0.0


def test_divergence_by_hand() -> None:
    middle = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    assert divergence([1, 0], [0.5, 0.5]) == pytest.approx(middle - math.log(2) / 2)
    assert np.isnan(divergence([0, 0], [0, 1]))


@given(rows)
@settings(max_examples=40)
def test_similarity_is_symmetric_and_bounded(weights: np.ndarray) -> None:
    matrix = head_similarity(weights)
    assert matrix.shape == (8, 8)
    assert (matrix == matrix.T).all() and (np.diag(matrix) == 0).all()
    assert (matrix >= 0).all() and (matrix <= math.log(2) + 1e-12).all()
    p, q = weights[0, 1], weights[1, 3]
    middle = (p + q) / 2
    pair = ((p * np.log(p / middle) + q * np.log(q / middle)).sum(-1) / 2).mean()
    assert matrix[1, 7] == pytest.approx(pair, abs=1e-12)


def test_similarity_leaves_out_padding_and_empty_rows() -> None:
    heads = np.zeros((1, 2, 3, 2))
    heads[0, 0] = heads[0, 1] = [[1, 0], [0, 1], [1, 0]]
    heads[0, 1, 2] = [0, 1]
    assert head_similarity(heads)[0, 1] == pytest.approx(math.log(2) / 3)
    assert head_similarity(heads, valid_queries=[1, 1, 0])[0, 1] == 0.0
    heads[0, 1, 2] = 0
    assert head_similarity(heads)[0, 1] == 0.0
    assert head_similarity(heads, max_rows=2).shape == (2, 2)


def test_layout_keeps_the_distances_of_points_in_the_plane() -> None:
    points = np.random.default_rng(0).normal(size=(6, 2))
    squared = ((points[:, None] - points) ** 2).sum(-1)
    placed = layout(squared)
    np.testing.assert_allclose(((placed[:, None] - placed) ** 2).sum(-1), squared, atol=1e-10)


def test_layout_is_centred_with_fixed_signs_and_repeats_exactly() -> None:
    weights = np.random.default_rng(3).dirichlet(np.ones(6), (2, 4, 5))
    matrix = head_similarity(weights)
    placed = layout(matrix)
    np.testing.assert_array_equal(placed, layout(matrix.copy()))
    np.testing.assert_allclose(placed.mean(0), 0.0, atol=1e-12)
    largest = placed[np.abs(placed).argmax(0), [0, 1]]
    assert (largest > 0).all()


def test_layout_of_few_or_equal_heads() -> None:
    assert layout(np.zeros((1, 1))).tolist() == [[0.0, 0.0]]
    np.testing.assert_allclose(layout(np.zeros((3, 3))), 0.0, atol=1e-12)
    two = layout(np.array([[0, 0.25], [0.25, 0]]))
    np.testing.assert_allclose(np.abs(two), [[0.25, 0], [0.25, 0]], atol=1e-8)
    with pytest.raises(InputError, match="square"):
        layout(np.zeros((2, 3)))
    with pytest.raises(InputError, match="no rows in common"):
        layout(np.full((2, 2), np.nan))


@pytest.mark.parametrize("size", [1, 2, 9])
def test_effective_rank_of_the_identity_is_its_size(size: int) -> None:
    assert effective_rank(np.eye(size)) == pytest.approx(size)


def test_effective_rank_of_a_uniform_map_is_one() -> None:
    assert effective_rank(uniform_weights(6, 9)) == pytest.approx(1.0, abs=1e-10)
    assert np.isnan(effective_rank(np.zeros((2, 2))))


def test_effective_rank_ignores_padding() -> None:
    padded = np.pad(np.eye(3), ((0, 2), (0, 2)))
    padded[3:, 0] = 1.0
    valid = [True] * 3 + [False] * 2
    assert effective_rank(padded, valid_queries=valid, valid_keys=valid) == pytest.approx(3)
