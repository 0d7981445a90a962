"""All scores of one kind at once: names, kinds, padding read off the labels.

Likeness of heads: Jensen-Shannon divergence, its picture, effective rank.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.analysis import heads
from core.analysis.glossary import KINDS, SCORES
from core.analysis.heads import head_similarity, layout
from core.analysis.maps import uniform_weights
from core.analysis.scores import FORMULAS, AxisTokens, effective_rank
from core.errors import InputError
from tests.core.analysis.test_scores import attention

SOURCE = ["The", "dog", "·s", ".", "⟨end⟩"]
TARGET = ["⟨start⟩", "Les", "chiens", "."]


def axes(kind: str) -> tuple[list[str], list[str]]:
    return {
        "encoder-self": (SOURCE, SOURCE),
        "decoder-self": (TARGET, TARGET),
        "cross": (TARGET, SOURCE),
    }[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_every_score_of_the_glossary_is_a_layer_by_head_array(kind: str) -> None:
    queries, keys = axes(kind)
    weights = attention(0, 2, 3, len(queries), len(keys), causal=kind == "decoder-self")
    result = heads.head_scores(weights, kind, queries=queries, keys=keys)
    assert list(result) == list(SCORES)
    assert all(value.shape == (2, 3) for value in result.values())
    for name, value in result.items():
        if kind not in SCORES[name].kinds:
            assert np.isnan(value).all(), name


@pytest.mark.parametrize("kind", KINDS)
def test_scores_lie_in_the_ranges_the_glossary_states(kind: str) -> None:
    queries, keys = axes(kind)
    for seed in range(10):
        weights = attention(seed, 2, 3, len(queries), len(keys), causal=kind == "decoder-self")
        for name, value in heads.head_scores(weights, kind, queries=queries, keys=keys).items():
            known = value[~np.isnan(value)]
            assert (known >= SCORES[name].low - 1e-12).all(), name
            high = SCORES[name].high
            assert high is None or (known <= high + 1e-6).all(), name


def test_token_shares_are_read_off_the_labels() -> None:
    weights = np.tile(np.array([0.1, 0.2, 0.3, 0.25, 0.15]), (1, 1, 4, 1))
    result = heads.head_scores(weights, "cross", queries=TARGET, keys=SOURCE)
    assert result["eos_share"].item() == pytest.approx(0.15)
    assert result["punctuation_share"].item() == pytest.approx(0.25)
    assert np.isnan(result["bos_share"]).all()  # the source has no start token
    assert result["confidence"].item() == pytest.approx(0.3)


def test_rare_token_uses_the_counts_of_the_source() -> None:
    weights = np.zeros((1, 2, 4, 5))
    weights[:, 0, :, 1] = weights[:, 1, :, 4] = 1.0
    keys = AxisTokens.from_labels(SOURCE, [900, 4, 50, 1000, 2000])
    result = heads.head_scores(weights, "cross", queries=TARGET, keys=keys, names=["rare_token"])
    assert result["rare_token"].tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize("kind", KINDS)
def test_padding_changes_no_score(kind: str) -> None:
    queries, keys = axes(kind)
    weights = attention(5, 2, 2, len(queries), len(keys), causal=kind == "decoder-self")
    padded = np.pad(weights, ((0, 0), (0, 0), (0, 3), (0, 3)))
    padded[:, :, len(queries) :, : len(keys)] = 0.5  # padded queries attend somewhere; they must not count
    plain = heads.head_scores(weights, kind, queries=queries, keys=keys)
    pads = ["⟨pad⟩"] * 3
    result = heads.head_scores(padded, kind, queries=[*queries, *pads], keys=[*keys, *pads])
    for name, value in plain.items():
        np.testing.assert_allclose(result[name], value, atol=1e-12, err_msg=name)


def test_each_score_has_words_and_a_formula() -> None:
    assert list(FORMULAS) == list(SCORES)


def test_the_causal_decoder_has_no_next_token_score() -> None:
    weights = attention(2, 1, 2, 4, 4, causal=True)
    result = heads.head_scores(weights, "decoder-self", queries=TARGET)
    assert np.isnan(result["next_share"]).all()
    assert not np.isnan(result["previous_share"]).any()


def test_a_previous_token_head_is_positional() -> None:
    weights = np.eye(6, k=-1)
    weights[0, 0] = 1.0
    result = heads.head_scores(weights[None, None], "decoder-self")
    assert result["previous_share"].item() == 1.0
    assert result["positional"].item() >= 0.9
    assert heads.head_scores(uniform_weights(6, 6)[None, None], "encoder-self")["positional"].item() == 0


def test_names_pick_scores_and_bad_input_says_what_is_allowed() -> None:
    weights = attention(0, 1, 1, 4, 5)
    assert list(heads.head_scores(weights, "cross", names=["distance", "entropy"])) == ["distance", "entropy"]
    with pytest.raises(
        InputError, match="'self' is unknown; choose one of encoder-self, decoder-self, cross"
    ):
        heads.head_scores(weights, "self")
    with pytest.raises(InputError, match="'entorpy' is unknown"):
        heads.head_scores(weights, "cross", names=["entorpy"])
    with pytest.raises(InputError, match="5 query tokens for a map with 4"):
        heads.head_scores(weights, "cross", queries=SOURCE)
    with pytest.raises(InputError, match="layers, heads, queries, keys"):
        heads.head_scores(weights[0], "cross")
    with pytest.raises(InputError, match="2 counts for 1 tokens"):
        AxisTokens.from_labels(["a"], [1, 2])


def test_punctuation_is_told_from_words_marks_and_special_tokens() -> None:
    labels = [".", "␣?", "...", "·ing", "l'", "␣", "⟨end⟩", "«", "'", "¿", "5", "·."]
    axis = AxisTokens.from_labels(labels)
    marked = [label for label, is_mark in zip(labels, axis.punctuation, strict=True) if is_mark]
    assert marked == [".", "␣?", "...", "«", "'", "¿", "·."]


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


def test_similarity_leaves_out_empty_rows() -> None:
    heads = np.zeros((1, 2, 3, 2))
    heads[0, 0] = heads[0, 1] = [[1, 0], [0, 1], [1, 0]]
    heads[0, 1, 2] = [0, 1]
    assert head_similarity(heads)[0, 1] == pytest.approx(math.log(2) / 3)
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


def test_effective_rank_takes_the_singular_values_and_not_their_squares() -> None:
    """Roy & Vetterli 2007: of the shares 3/4 and 1/4, exp(−Σ p ln p); of the squares it would be 1.384."""
    assert effective_rank(np.diag([0.75, 0.25])) == pytest.approx(4 / 3**0.75)
    rows = np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    assert effective_rank(rows) == pytest.approx(2)


def test_effective_rank_ignores_padding() -> None:
    padded = np.pad(np.eye(3), ((0, 2), (0, 2)))
    padded[3:, 0] = 1.0
    valid = [True] * 3 + [False] * 2
    assert effective_rank(padded, valid_queries=valid, valid_keys=valid) == pytest.approx(3)
