"""Maps made smaller or simpler: what must stay true of their rows.

Differences of two maps, the distance between heads, and sureness: identities on maps of any size.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.analysis.maps import (
    LEAST_LEFT,
    Change,
    distances,
    hidden_share,
    hide_keys,
    hides_later,
    largest_change,
    merge_words,
    only_allowed,
    reduce_map,
    sureness,
    uniform_weights,
    word_groups,
)
from core.errors import InputError
from tests.core.analysis.test_scores import attention

sides = st.integers(1, 7)
maps = st.tuples(sides, sides).flatmap(
    lambda shape: arrays(np.float64, (2, 2, *shape), elements=st.floats(0.01, 1.0)).map(
        lambda raw: raw / raw.sum(-1, keepdims=True)
    )
)
words = st.lists(st.integers(0, 2), min_size=1, max_size=7).map(
    lambda steps: [-1 if step == 2 else i - sum(s == 1 for s in steps[:i]) for i, step in enumerate(steps)]
)


@given(maps, st.data())
@settings(max_examples=60)
def test_what_a_row_hides_and_what_it_shows_is_all_of_it(weights: np.ndarray, data: st.DataObject) -> None:
    keys = weights.shape[-1]
    hidden = np.array(data.draw(st.lists(st.booleans(), min_size=keys, max_size=keys)))
    share = hidden_share(weights, hidden)
    np.testing.assert_allclose(share + hidden_share(weights, ~hidden), 1.0, atol=1e-12)
    # Renormalised rows times what was left of them are the model's own weights again, where they are drawn.
    left = (1 - share)[..., None]
    drawn = hide_keys(weights, hidden) * left
    np.testing.assert_allclose(drawn, np.where(~hidden & (left >= LEAST_LEFT), weights, 0.0), atol=1e-12)


@pytest.mark.parametrize(
    ("left", "drawn"), [(0.0, False), (0.04, False), (0.0499, False), (0.05, True), (0.06, True)]
)
def test_a_row_with_less_than_five_percent_left_is_empty(left: float, drawn: bool) -> None:
    weights = [[1 - left, left / 4, 3 * left / 4]]
    expected = [[0, 0.25, 0.75]] if drawn else [[0, 0, 0]]
    np.testing.assert_allclose(hide_keys(weights, [True, False, False]), expected)
    np.testing.assert_allclose(hidden_share(weights, [True, False, False]), [1 - left])


def test_hide_keys_by_hand() -> None:
    weights = np.array([[0.5, 0.3, 0.2], [1.0, 0.0, 0.0]])
    result = hide_keys(weights, [True, False, False])
    np.testing.assert_allclose(result, [[0, 0.6, 0.4], [0, 0, 0]])
    assert weights[0, 0] == 0.5  # the input is left as it was
    with pytest.raises(InputError, match="3 keys"):
        hide_keys(weights, [True, False])


def test_reduce_map_takes_the_largest_of_each_block_also_at_the_ragged_edge() -> None:
    small, block = reduce_map(np.arange(15, dtype=float).reshape(3, 5), 2)
    assert block == (2, 3)
    np.testing.assert_array_equal(small, [[7, 9], [12, 14]])
    with pytest.raises(InputError, match="at least 1 cell"):
        reduce_map(np.eye(3), 0)


@given(maps, st.integers(1, 8))
@settings(max_examples=60)
def test_reduce_map_fits_and_keeps_the_largest_weight(weights: np.ndarray, side: int) -> None:
    largest, block = reduce_map(weights, side)
    assert max(largest.shape[-2:]) <= side
    np.testing.assert_array_equal(largest.max((-2, -1)), weights.max((-2, -1)))
    if block == (1, 1):
        np.testing.assert_array_equal(largest, weights)


def test_word_groups_keep_special_tokens_alone() -> None:
    assert word_groups([-1, 0, 0, 1, 2, 2, 2, -1, -1]) == [[0], [1, 2], [3], [4, 5, 6], [7], [8]]
    assert word_groups([]) == []


def test_words_are_summed_as_keys_and_averaged_as_queries() -> None:
    weights = np.array([[0.5, 0.25, 0.25], [0.1, 0.6, 0.3]])
    merged = merge_words(weights, [[0, 1]], [[0], [1, 2]])
    np.testing.assert_allclose(merged, [[0.3, 0.7]])
    with pytest.raises(InputError, match="do not cover the map's 3 key tokens"):
        merge_words(weights, [[0, 1]], [[0], [1]])


@given(words, words, st.integers(0, 99))
@settings(max_examples=60)
def test_rows_still_sum_to_one_after_merging(queries: list[int], keys: list[int], seed: int) -> None:
    raw = np.random.default_rng(seed).random((2, len(queries), len(keys))) + 0.01
    merged = merge_words(raw / raw.sum(-1, keepdims=True), word_groups(queries), word_groups(keys))
    np.testing.assert_allclose(merged.sum(-1), 1.0, atol=1e-12)


def test_uniform_weights_share_the_allowed_keys() -> None:
    np.testing.assert_allclose(uniform_weights(2, 2, causal=True), [[1, 0], [0.5, 0.5]])
    np.testing.assert_allclose(uniform_weights(1, 4), [[0.25] * 4])


def test_what_is_forbidden_is_no_number() -> None:
    weights = np.tril(np.full((2, 3, 3), 0.5))
    cells = only_allowed(weights, causal=True)
    above = np.triu(np.ones((3, 3), dtype=bool), 1)
    assert np.isnan(cells[:, above]).all()
    np.testing.assert_array_equal(cells[:, ~above], weights[:, ~above])
    assert np.isfinite(only_allowed(weights, causal=False)).all()
    assert np.isfinite(only_allowed(weights, causal=True, quantity="scores")).all()
    masked = np.where(above, -np.inf, 1.0)
    assert np.array_equal(np.isnan(only_allowed(masked, causal=False)), above)
    at_one = only_allowed(np.ones((2, 3)), causal=True, positions=[1, 1])
    assert np.isnan(at_one).tolist() == [[False, False, True]] * 2
    assert weights.sum() == 6, "the map itself stays as it is"


def test_a_map_hides_later_keys_only_where_it_gives_them_nothing() -> None:
    causal = np.tril(np.random.default_rng(0).random((2, 4, 4)))
    whole = causal.copy()
    whole[1, 0, 3] = 0.1
    assert hides_later("causal", causal) and hides_later("decoder-self", causal)
    assert not hides_later("causal", whole) and not hides_later("encoder", causal)
    aside = np.concatenate([causal, np.ones((2, 4, 1))], axis=2)  # a column that is no token
    assert hides_later("causal", aside)
    assert hides_later("causal", np.where(np.triu(np.ones((4, 4)), 1) > 0, -np.inf, 1.0))


SIZES = st.tuples(st.integers(1, 6), st.integers(1, 6))
SEEDS = st.integers(0, 2**31)


def labels(count: int, letter: str) -> list[str]:
    return [f"{letter}{place}" for place in range(count)]


# -- the largest change --------------------------------------------------------------------------------------


@given(size=SIZES, seed=SEEDS)
def test_the_largest_change_is_the_cell_that_differs_most(size: tuple[int, int], seed: int) -> None:
    first, second = attention(seed, *size), attention(seed + 1, *size)
    found = largest_change(first, second, labels(size[0], "q"), labels(size[1], "k"))
    gap = np.abs(second - first)
    if found is None:
        assert gap.max() < 0.005
        return
    assert abs(found.second - found.first) == gap.max()
    assert (found.first, found.second) == (
        first[found.query, found.key],
        second[found.query, found.key],
    )
    back = largest_change(second, first, labels(size[0], "q"), labels(size[1], "k"))
    assert back is not None
    assert back.points == -found.points


@given(size=SIZES, seed=SEEDS)
def test_equal_maps_have_no_change(size: tuple[int, int], seed: int) -> None:
    one = attention(seed, *size)
    assert largest_change(one, one, labels(size[0], "q"), labels(size[1], "k")) is None
    assert largest_change(one, one + 0.004, labels(size[0], "q"), labels(size[1], "k")) is None


def test_words_are_told_before_the_start_and_end_tokens() -> None:
    keys = ["⟨start⟩", "dog", "⟨end⟩"]
    first, second = np.zeros((2, 3)), np.zeros((2, 3))
    second[0, 2], second[1, 1] = 0.9, 0.06  # the larger at ⟨end⟩
    assert largest_change(first, second, ["a", "b"], keys) == Change(1, 1, 0.0, 0.06)
    second[1, 1] = 0.04  # too small to be told first
    assert largest_change(first, second, ["a", "b"], keys) == Change(0, 2, 0.0, 0.9)
    second[1, 1] = 0.06
    assert largest_change(first, second, ["a", "⟨end⟩"], keys) == Change(0, 2, 0.0, 0.9)


def test_points_are_whole_and_signed() -> None:
    assert Change(0, 0, 0.2, 0.456).points == 26
    assert Change(0, 0, 0.456, 0.2).points == -26


def test_cells_that_are_no_number_are_passed_over() -> None:
    first = np.array([[np.nan, 0.2], [0.1, 0.3]])
    second = np.array([[0.9, 0.2], [0.4, 0.3]])
    assert largest_change(first, second, ["a", "b"], ["c", "d"]) == Change(1, 0, 0.1, 0.4)


def test_an_empty_map_has_no_change() -> None:
    assert largest_change(np.zeros((0, 3)), np.zeros((0, 3)), [], labels(3, "k")) is None


@pytest.mark.parametrize(
    ("one", "other", "queries", "keys"),
    [((2, 3), (3, 2), 2, 3), ((2, 3), (2, 3), 3, 3), ((2, 3), (2, 3), 2, 2)],
)
def test_maps_over_other_words_cannot_be_subtracted(
    one: tuple[int, int], other: tuple[int, int], queries: int, keys: int
) -> None:
    with pytest.raises(InputError, match="only maps over the same words can be subtracted"):
        largest_change(np.zeros(one), np.zeros(other), labels(queries, "q"), labels(keys, "k"))


# -- distances -----------------------------------------------------------------------------------------------


@given(layers=st.integers(1, 3), heads=st.integers(1, 4), size=SIZES, seed=SEEDS)
def test_distance_is_a_metric_between_0_and_1(
    layers: int, heads: int, size: tuple[int, int], seed: int
) -> None:
    weights = attention(seed, layers, heads, *size)
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
    weights = attention(seed, *size)
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
