"""Differences of two maps, the distance between heads, and sureness: identities on maps of any size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.analysis.maps import Change, distances, largest_change, sureness
from core.errors import InputError

SIZES = st.tuples(st.integers(1, 6), st.integers(1, 6))
SEEDS = st.integers(0, 2**31)


def maps(seed: int, *shape: int) -> np.ndarray:
    """Random attention: rows that sum to 1."""
    scores = np.random.default_rng(seed).exponential(size=shape) + 1e-6
    return np.asarray(scores / scores.sum(axis=-1, keepdims=True))


def words(count: int, letter: str) -> list[str]:
    return [f"{letter}{place}" for place in range(count)]


# -- the largest change --------------------------------------------------------------------------------------


@given(size=SIZES, seed=SEEDS)
def test_the_largest_change_is_the_cell_that_differs_most(size: tuple[int, int], seed: int) -> None:
    first, second = maps(seed, *size), maps(seed + 1, *size)
    found = largest_change(first, second, words(size[0], "q"), words(size[1], "k"))
    gap = np.abs(second - first)
    if found is None:
        assert gap.max() < 0.005
        return
    assert abs(found.second - found.first) == gap.max()
    assert (found.first, found.second) == (
        first[found.query, found.key],
        second[found.query, found.key],
    )
    back = largest_change(second, first, words(size[0], "q"), words(size[1], "k"))
    assert back is not None
    assert back.points == -found.points


@given(size=SIZES, seed=SEEDS)
def test_equal_maps_have_no_change(size: tuple[int, int], seed: int) -> None:
    one = maps(seed, *size)
    assert largest_change(one, one, words(size[0], "q"), words(size[1], "k")) is None
    assert largest_change(one, one + 0.004, words(size[0], "q"), words(size[1], "k")) is None


def test_words_are_told_before_the_start_and_end_tokens() -> None:
    labels = ["⟨start⟩", "dog", "⟨end⟩"]
    first, second = np.zeros((2, 3)), np.zeros((2, 3))
    second[0, 2], second[1, 1] = 0.9, 0.06  # the larger at ⟨end⟩
    assert largest_change(first, second, ["a", "b"], labels) == Change(1, 1, 0.0, 0.06)
    second[1, 1] = 0.04  # too small to be told first
    assert largest_change(first, second, ["a", "b"], labels) == Change(0, 2, 0.0, 0.9)
    second[1, 1] = 0.06
    assert largest_change(first, second, ["a", "⟨end⟩"], labels) == Change(0, 2, 0.0, 0.9)


def test_points_are_whole_and_signed() -> None:
    assert Change(0, 0, 0.2, 0.456).points == 26
    assert Change(0, 0, 0.456, 0.2).points == -26


def test_cells_that_are_no_number_are_passed_over() -> None:
    first = np.array([[np.nan, 0.2], [0.1, 0.3]])
    second = np.array([[0.9, 0.2], [0.4, 0.3]])
    assert largest_change(first, second, ["a", "b"], ["c", "d"]) == Change(1, 0, 0.1, 0.4)


def test_an_empty_map_has_no_change() -> None:
    assert largest_change(np.zeros((0, 3)), np.zeros((0, 3)), [], words(3, "k")) is None


@pytest.mark.parametrize(
    ("one", "other", "queries", "keys"),
    [((2, 3), (3, 2), 2, 3), ((2, 3), (2, 3), 3, 3), ((2, 3), (2, 3), 2, 2)],
)
def test_maps_over_other_words_cannot_be_subtracted(
    one: tuple[int, int], other: tuple[int, int], queries: int, keys: int
) -> None:
    with pytest.raises(InputError, match="only maps over the same words can be subtracted"):
        largest_change(np.zeros(one), np.zeros(other), words(queries, "q"), words(keys, "k"))


# -- distances -----------------------------------------------------------------------------------------------


@given(layers=st.integers(1, 3), heads=st.integers(1, 4), size=SIZES, seed=SEEDS)
def test_distance_is_a_metric_between_0_and_1(
    layers: int, heads: int, size: tuple[int, int], seed: int
) -> None:
    weights = maps(seed, layers, heads, *size)
    table = {
        (layer, head): distances(weights, (layer, head)) for layer in range(layers) for head in range(heads)
    }
    for one, row in table.items():
        assert row.shape == (layers, heads)
        assert row[one] == 0.0
        assert row.min() >= 0.0
        assert row.max() <= 1.0 + 1e-12
        for other, its in table.items():
            assert row[other] == pytest.approx(its[one], abs=1e-12)
            assert np.all(row <= row[other] + its + 1e-12)  # the triangle


def test_distance_of_heads_that_share_nothing_is_1() -> None:
    weights = np.zeros((1, 3, 4, 4))
    weights[0, 0], weights[0, 1], weights[0, 2] = np.eye(4), np.roll(np.eye(4), 1, axis=1), 0.25
    assert distances(weights, (0, 0)).tolist() == [[0.0, 1.0, 0.75]]


# -- sureness ------------------------------------------------------------------------------------------------


@given(size=SIZES, seed=SEEDS)
def test_sureness_lies_between_uniform_and_one_hot(size: tuple[int, int], seed: int) -> None:
    weights = maps(seed, *size)
    assert 1 / size[1] - 1e-12 <= sureness(weights) <= 1.0 + 1e-12
    assert sureness(np.full(size, 1 / size[1])) == pytest.approx(1 / size[1])
    assert sureness(np.eye(size[1])) == 1.0
    shuffled = np.random.default_rng(seed).permutation(weights, axis=1)
    assert sureness(shuffled) == sureness(weights)


def test_the_first_causal_row_has_no_choice_and_does_not_count() -> None:
    weights = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.25, 0.35, 0.4]])
    assert sureness(weights, causal=True) == pytest.approx((0.5 + 0.4) / 2)
    assert sureness(weights) == pytest.approx((1 + 0.5 + 0.4) / 3)
    assert sureness(weights[:1], causal=True) == 0.0
    assert sureness(np.zeros((0, 3))) == 0.0
