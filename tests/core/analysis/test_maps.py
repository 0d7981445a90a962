"""Maps made smaller or simpler: what must stay true of their rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.analysis.maps import (
    LEAST_LEFT,
    hidden_share,
    hide_keys,
    hides_later,
    merge_words,
    only_allowed,
    reduce_map,
    uniform_weights,
    word_groups,
)
from core.errors import InputError

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
def test_hidden_keys_get_nothing_and_the_rest_sums_to_one(weights: np.ndarray, data: st.DataObject) -> None:
    keys = weights.shape[-1]
    hidden = np.array(data.draw(st.lists(st.booleans(), min_size=keys, max_size=keys)))
    result = hide_keys(weights, hidden)
    assert (result[..., hidden] == 0).all()
    left = np.where(hidden, 0.0, weights).sum(-1)
    np.testing.assert_allclose(result.sum(-1), left >= LEAST_LEFT, atol=1e-12)


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
