"""The single head scores against hand-computed cases and the identities they must obey."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.analysis import scores
from core.analysis.maps import uniform_weights


def attention(seed: int, *shape: int, causal: bool = False) -> np.ndarray:
    """Random attention weights of the given shape (…, T, S)."""
    logits = np.random.default_rng(seed).normal(0, 2, shape)
    if causal:
        logits = np.where(np.tri(*shape[-2:], dtype=bool), logits, -np.inf)
    weights = np.exp(logits - logits.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def shifted_identity(length: int, offset: int) -> np.ndarray:
    """Row i looks only at i + offset; rows without that key look at token 0."""
    weights = np.zeros((length, length))
    for i in range(length):
        weights[i, i + offset if 0 <= i + offset < length else 0] = 1.0
    return weights


stochastic = st.tuples(st.integers(1, 6), st.integers(1, 6)).flatmap(
    lambda shape: arrays(np.float64, (2, *shape), elements=st.floats(0.01, 1.0)).map(
        lambda raw: raw / raw.sum(-1, keepdims=True)
    )
)


def test_entropy_of_a_uniform_row_is_the_log_of_its_length() -> None:
    assert scores.entropy(uniform_weights(5, 7)) == pytest.approx(math.log(7), abs=1e-14)


def test_entropy_of_a_one_hot_row_is_exactly_zero() -> None:
    value = scores.entropy(np.eye(6))
    assert value == 0.0 and not np.signbit(value)


def test_entropy_by_hand() -> None:
    rows = np.array([[0.5, 0.5, 0.0], [0.25, 0.25, 0.5]])
    assert scores.entropy(rows) == pytest.approx((math.log(2) + 1.5 * math.log(2)) / 2, abs=1e-15)


def test_normalised_entropy_is_one_for_even_rows_and_zero_where_one_key_is_allowed() -> None:
    assert scores.entropy(uniform_weights(4, 6), normalised=True) == pytest.approx(1.0, abs=1e-14)
    causal = uniform_weights(4, 4, causal=True)
    # Row 0 has one allowed key and counts as 0, the other three as 1.
    assert scores.entropy(causal, normalised=True, causal=True) == pytest.approx(0.75, abs=1e-14)
    assert scores.entropy(np.ones((3, 1)), normalised=True) == 0.0


def test_normalised_entropy_counts_only_the_valid_keys() -> None:
    weights = np.pad(uniform_weights(2, 3), ((0, 1), (0, 2)))
    value = scores.entropy(weights, normalised=True, valid_keys=[1, 1, 1, 0, 0], valid_queries=[1, 1, 0])
    assert value == pytest.approx(1.0, abs=1e-14)


def test_confidence_drops_the_end_token_as_key_and_as_query() -> None:
    weights = np.array([[0.2, 0.1, 0.7], [0.3, 0.6, 0.1], [0.0, 0.0, 1.0]])
    end = [False, False, True]
    assert scores.confidence(weights) == pytest.approx((0.7 + 0.6 + 1.0) / 3)
    assert scores.confidence(weights, end_keys=end) == pytest.approx((0.2 + 0.6 + 0.0) / 3)
    assert scores.confidence(weights, end_queries=end) == pytest.approx((0.7 + 0.6) / 2)
    assert scores.confidence(weights, end_queries=end, end_keys=end) == pytest.approx((0.2 + 0.6) / 2)


@pytest.mark.parametrize("offset", [-2, -1, 0, 1, 3])
def test_a_shifted_identity_has_all_its_weight_at_that_offset(offset: int) -> None:
    weights = shifted_identity(7, offset)
    assert scores.positional_share(weights, offset) == 1.0
    assert scores.offset_share(weights, offset) == 1.0


def test_positional_share_leaves_out_rows_where_the_key_does_not_exist() -> None:
    weights = uniform_weights(4, 4)
    weights[0] = [1, 0, 0, 0]
    assert scores.positional_share(weights, -1) == pytest.approx(0.25)
    assert np.isnan(scores.positional_share(np.ones((1, 1)), -1))


def test_positional_share_ignores_padding() -> None:
    weights = np.pad(shifted_identity(4, 1), ((0, 2), (0, 2)))
    valid = [True] * 4 + [False] * 2
    assert scores.positional_share(weights, 1, valid_queries=valid, valid_keys=valid) == 1.0


def test_a_tie_for_the_largest_weight_points_nowhere() -> None:
    assert scores.offset_share(uniform_weights(5, 5), 0) == 0.0


def test_positional_threshold_separates_nine_of_ten_from_eight_of_ten() -> None:
    nine = shifted_identity(11, -1)
    nine[5] = np.eye(11)[0]
    eight = nine.copy()
    eight[6] = np.eye(11)[0]
    shares = scores.offset_share(np.stack([nine, eight]), -1)
    assert (shares >= 0.9).tolist() == [True, False]


def test_token_share_adds_the_marked_keys() -> None:
    weights = np.array([[0.2, 0.3, 0.5], [0.6, 0.4, 0.0]])
    assert scores.token_share(weights, [True, False, True]) == pytest.approx((0.7 + 0.6) / 2)
    assert np.isnan(scores.token_share(weights, [False] * 3))


def test_distance_in_tokens_and_in_sentences() -> None:
    assert scores.distance(np.eye(6)) == 0.0
    assert scores.distance(shifted_identity(5, 1)) == pytest.approx((1 + 1 + 1 + 1 + 4) / 5)
    assert scores.distance(uniform_weights(1, 4)) == pytest.approx((0 + 1 + 2 + 3) / 4)
    assert scores.distance(np.eye(6), cross=True) == 0.0
    # Two rows (0 and 1), three keys (0, 0.5, 1): each row is half a sentence off on average.
    assert scores.distance(uniform_weights(2, 3), cross=True) == pytest.approx(0.5)
    assert scores.distance(np.eye(6)[::-1], cross=True) == pytest.approx(np.mean([1, 0.6, 0.2] * 2))


def test_cross_distance_measures_the_sentence_without_its_padding() -> None:
    weights = np.pad(np.eye(4), ((0, 3), (0, 2)))
    valid = {"valid_queries": [True] * 4 + [False] * 3, "valid_keys": [True] * 4 + [False] * 2}
    assert scores.distance(weights, cross=True, **valid) == 0.0
    assert scores.diagonality(weights, **valid) == pytest.approx(1.0)


def test_rare_token_asks_for_the_key_with_the_most_weight() -> None:
    weights = np.array([[[0.1, 0.8, 0.1], [0.4, 0.4, 0.2]], [[0.9, 0.0, 0.1], [0.9, 0.1, 0.0]]])
    assert scores.rare_token(weights, [900, 3, np.nan]).tolist() == [1.0, 0.0]
    assert scores.rare_token(weights, [3, 3, 900]).tolist() == [1.0, 1.0]
    assert np.isnan(scores.rare_token(weights, [np.nan] * 3)).all()
    assert scores.rare_token(weights, [9, 3, 1], valid_keys=[1, 1, 0]).tolist() == [1.0, 0.0]


def test_diagonality_by_hand() -> None:
    assert scores.diagonality(np.eye(5)) == pytest.approx(1.0)
    anti = np.eye(2)[::-1]  # both rows half a sentence off
    assert scores.diagonality(anti) == pytest.approx(math.exp(-(0.5**2) / (2 * 0.2**2)))
    stretched = np.array([[1, 0, 0, 0], [0, 0, 1, 0]])  # row 1 of 2 at key 2 of 4
    assert scores.diagonality(stretched) == pytest.approx(1.0)


def test_monotonicity_is_one_forwards_and_minus_one_backwards() -> None:
    assert scores.monotonicity(np.eye(6)) == 1.0
    assert scores.monotonicity(np.eye(6)[::-1]) == -1.0
    assert scores.monotonicity(uniform_weights(5, 5)) == 0.0
    assert np.isnan(scores.monotonicity(np.ones((1, 3))))


def kendall_tau_b(values: list[float]) -> float:
    """The definition, pair by pair, against 0, 1, 2, …"""
    pairs = [(i, j) for i in range(len(values)) for j in range(i + 1, len(values))]
    signs = [np.sign(values[j] - values[i]) for i, j in pairs]
    untied = sum(sign != 0 for sign in signs)
    return float(sum(signs)) / math.sqrt(len(pairs) * untied) if untied else 0.0


@given(st.lists(st.integers(0, 5), min_size=2, max_size=8))
def test_monotonicity_is_kendalls_tau_with_ties(positions: list[int]) -> None:
    weights = np.eye(6)[positions]
    assert scores.monotonicity(weights) == pytest.approx(kendall_tau_b([float(p) for p in positions]))


def test_monotonicity_calls_rounding_noise_a_tie() -> None:
    weights = np.tile(np.array([0.1, 0.2, 0.7], dtype=np.float32), (4, 1))
    weights[2, 0] = np.nextafter(weights[2, 0], np.float32(1))
    assert scores.monotonicity(weights) == 0.0


@given(stochastic)
@settings(max_examples=60)
def test_coverage_sums_to_the_number_of_rows(weights: np.ndarray) -> None:
    np.testing.assert_allclose(scores.coverage(weights).sum(-1), weights.shape[-2], atol=1e-12)


def test_coverage_skips_padded_rows_and_keys() -> None:
    covered = scores.coverage(np.pad(np.eye(3), ((0, 1), (0, 1))), valid_queries=[1, 1, 0, 0])
    assert covered.tolist() == [1.0, 1.0, 0.0, 0.0]


def test_fully_masked_rows_do_not_count() -> None:
    weights = np.vstack([np.eye(3), np.zeros((1, 3))])
    assert scores.confidence(weights) == 1.0
    assert scores.entropy(weights) == 0.0
    assert np.isnan(scores.entropy(np.zeros((2, 3))))


def test_mean_score_leaves_out_sentences_without_the_score() -> None:
    mean = scores.mean_score([np.array([[1.0, np.nan]]), np.array([[3.0, np.nan]]), np.array([[np.nan] * 2])])
    assert mean[0, 0] == 2.0 and np.isnan(mean[0, 1])


def test_one_call_scores_every_head_alone() -> None:
    weights = attention(3, 2, 3, 5, 4)
    together = scores.distance(weights, cross=True)
    assert together.shape == (2, 3)
    assert together[1, 2] == pytest.approx(float(scores.distance(weights[1, 2], cross=True)))
