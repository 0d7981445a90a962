"""Parts of a vector: they sum to the real activation, whatever the model, and small cases are worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.analysis import contributions as analysis
from core.analysis.contributions import Layer, rollout
from core.analysis.maps import uniform_weights
from core.errors import InputError


def layer(seed: int = 0, **options: Any) -> Layer:
    """Random numbers: 2 heads of 3, 4 queries, 5 keys (4 in self-attention), d 6."""
    draw = np.random.default_rng(seed)
    cross = bool(options.get("cross"))
    scores = draw.normal(size=(2, 4, 5 if cross else 4))
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    made = Layer(
        weights,
        draw.normal(size=(2, weights.shape[-1], 3)),
        draw.normal(size=(6, 6)),
        draw.normal(size=6),
        draw.normal(size=(4, 6)),
    )
    return replace(made, **options)


def test_one_head_of_size_one_by_hand() -> None:
    """f(x_0) = 2·(1, 0) = (2, 0), f(x_1) = −1·(1, 0); α = (¾, ¼) → ‖αf‖ = 1½ and ¼; with (0, 1) they sum to (1¼, 1)."""
    small = Layer(
        weights=np.array([[[0.75, 0.25]]]),
        values=np.array([[[2.0], [-1.0]]]),
        output_weight=np.array([[1.0], [0.0]]),
        output_bias=np.array([0.0, 1.0]),
        residual=np.array([[0.0, 3.0]]),
        cross=True,
    )
    assert analysis.weighted_norms(small).tolist() == [[[1.5, 0.25]]]
    assert analysis.parts(small).tolist() == [[[1.5, 0.0], [-0.25, 0.0]]]
    assert analysis.norms_after(small).tolist() == [[1.5, 0.25, 3.0]]
    # Others (1¼, 0) against the residual (0, 3).
    assert analysis.mixing_ratio(small)[0] == pytest.approx(1.25 / 4.25)
    # y = (1¼, 4), ‖y‖₁ = 5¼; without each part 4¼, 5½, 2¼ → 1, 0, 3 of 4.
    assert analysis.alti(small)[0] == pytest.approx([0.25, 0.0, 0.75])


def test_the_residual_joins_the_token_itself() -> None:
    made = layer(5)
    found = analysis.parts_after(made) - analysis.parts(made)
    for i in range(4):
        for j in range(4):
            assert found[i, j].tolist() == pytest.approx(made.residual[i].tolist() if i == j else [0.0] * 6)


def test_the_norm_is_linear_once_its_variance_is_known() -> None:
    made = layer(3)
    whole = analysis.parts(made).sum(1) + made.output_bias + made.residual
    gain, shift = np.arange(1.0, 7.0), np.linspace(-1, 1, 6)
    for formula in ("layer", "rms", "layer_unbiased_std"):
        mean = 0.0 if formula == "rms" else whole.mean(-1, keepdims=True)
        spread = (whole - mean) ** 2
        variance = spread.sum(-1) / (5 if formula == "layer_unbiased_std" else 6)
        divisor = np.sqrt(variance) + 0.1 if formula == "layer_unbiased_std" else np.sqrt(variance + 0.1)
        real = (whole - mean) / divisor[:, None] * gain + (0 if formula == "rms" else shift)
        normed = replace(
            made,
            variance=variance,
            gain=gain,
            shift=None if formula == "rms" else shift,
            eps=0.1,
            formula=formula,
        )
        found = analysis.parts_after(normed).sum(1) + analysis.constant(normed)
        np.testing.assert_allclose(found, real, atol=1e-12)


@pytest.mark.parametrize("cross", [False, True])
def test_rows_of_alti_sum_to_one_and_are_not_negative(cross: bool) -> None:
    for seed in range(20):
        found = analysis.alti(layer(seed, cross=cross))
        assert (found >= 0).all()
        np.testing.assert_allclose(found.sum(-1), 1, atol=1e-12)


def test_a_row_to_which_nothing_contributes_stays_with_itself() -> None:
    dead = layer(0, values=np.zeros((2, 4, 3)), residual=np.zeros((4, 6)))
    assert analysis.alti(dead).tolist() == np.eye(4).tolist()
    dead = layer(0, cross=True, values=np.zeros((2, 5, 3)), residual=np.zeros((4, 6)))
    assert analysis.alti(dead)[:, -1].tolist() == [1.0] * 4


@pytest.mark.parametrize("cross", [False, True])
def test_a_row_of_no_numbers_stays_with_itself_and_the_others_are_as_before(cross: bool) -> None:
    made = layer(5, cross=cross)
    residual = made.residual.copy()
    residual[2] = np.nan
    found, before = analysis.alti(replace(made, residual=residual)), analysis.alti(made)
    assert found[2].tolist() == [
        float(key == (found.shape[1] - 1 if cross else 2)) for key in range(found.shape[1])
    ]
    np.testing.assert_array_equal(found[[0, 1, 3]], before[[0, 1, 3]])


def test_alti_plus_of_one_layer_by_hand() -> None:
    """Prefix half and half, three quarters of it kept, the rest from source token 1, which is half source token 0."""
    encoder = [np.array([[1.0, 0.0], [0.5, 0.5]])]
    own = [np.array([[1.0, 0.0], [0.5, 0.5]])]
    cross = [np.array([[0.0, 0.25, 0.75], [0.0, 0.25, 0.75]])]
    found = analysis.alti_plus(encoder, own, cross)
    assert found.tolist() == [[0.125, 0.125, 0.75, 0.0], [0.125, 0.125, 0.375, 0.375]]
    two = analysis.alti_plus(encoder * 2, own * 2, cross * 2)
    np.testing.assert_allclose(two.sum(-1), 1)
    assert two[0, 3] == 0.0
    # Twice: source 0 gets ¾ of both quarters, 0.25·0.75·(1 + 0.75).
    assert two[0, 0] == pytest.approx(0.25 * 0.75 * 1.75)


def test_every_layer_of_alti_plus_is_that_of_a_shallower_model() -> None:
    draw = np.random.default_rng(3)

    def rows(queries: int, keys: int) -> np.ndarray:
        made = draw.random((queries, keys))
        return made / made.sum(-1, keepdims=True)

    encoder, own = [rows(4, 4) for _ in range(2)], [np.tril(rows(3, 3)) for _ in range(3)]
    own = [each / each.sum(-1, keepdims=True) for each in own]
    cross = [rows(3, 5) for _ in range(3)]
    found = analysis.alti_plus_layers(encoder, own, cross)
    assert found.shape == (3, 3, 7)
    for depth in (1, 2, 3):
        expected = analysis.alti_plus(encoder, own[:depth], cross[:depth])
        np.testing.assert_allclose(found[depth - 1], expected, atol=1e-15)


def test_halves_of_cross_attention_have_the_residual_as_their_last_key() -> None:
    draw = np.random.default_rng(4).random((3, 2, 5, 5))
    (across, *_) = analysis.halves(draw / draw.sum(-1, keepdims=True), cross=True)
    assert across.shape == (5, 6) and (across[:, -1] == 0.5).all()
    np.testing.assert_allclose(across.sum(-1), 1)


def test_composing_needs_a_layer() -> None:
    with pytest.raises(InputError, match="at least one"):
        analysis.compose([])
    swap, first = np.eye(3)[[1, 0, 2]], np.eye(3)[[0, 0, 0]]
    assert analysis.compose([first, swap]).tolist() == [first.tolist(), (swap @ first).tolist()]


def test_rollout_multiplies_half_attention_half_identity_of_each_layer() -> None:
    weights = np.random.default_rng(0).dirichlet(np.ones(4), (2, 3, 4))
    one, two = 0.5 * weights.mean(axis=1) + 0.5 * np.eye(4)
    np.testing.assert_allclose(rollout(weights), [one, two @ one])


def test_rollout_of_uniform_attention_puts_nearly_half_on_the_first_token() -> None:
    """Six causal layers already put 0.487 of row 10 on token 0."""
    uniform = rollout(np.broadcast_to(uniform_weights(10, 10, causal=True), (6, 1, 10, 10)))[-1]
    assert round(float(uniform[-1, 0]), 3) == 0.487
    assert np.triu(uniform, 1).max() == 0
    np.testing.assert_allclose(uniform.sum(-1), 1)
    with pytest.raises(InputError, match="self-attention"):
        rollout(np.ones((1, 1, 2, 3)))


def test_value_zeroing_by_hand() -> None:
    """Zeroing token 0 turns the vector by 90° (distance 1), token 1 by 60° (½)."""
    before = np.array([[1.0, 0.0]])
    after = np.array([[[0.0, 2.0]], [[1.0, np.sqrt(3)]]])
    assert analysis.value_zeroing(before, after)[0] == pytest.approx([2 / 3, 1 / 3])
    assert analysis.value_zeroing(before, np.array([before, before]))[0].tolist() == [0.0, 0.0]
    little = analysis.value_zeroing(before, np.array([[[1.0, 0.1]], [[1.0, 0.2]]]))
    assert little.sum() == pytest.approx(1) and little[0, 1] > little[0, 0]


def test_value_zeroing_of_several_tokens_is_what_plain_loops_find() -> None:
    draw = np.random.default_rng(6)
    before, after = draw.standard_normal((3, 5)), draw.standard_normal((4, 3, 5))
    after[0, 1] = -2 * before[1]  # the farthest there is: a distance of 2
    found = analysis.value_zeroing(before, after)
    for t, vector in enumerate(before):
        far = [
            1 - sum(vector * zeroed[t]) / np.sqrt(sum(vector**2) * sum(zeroed[t] ** 2)) for zeroed in after
        ]
        assert found[t] == pytest.approx([each / sum(far) for each in far])
    np.testing.assert_allclose(analysis.value_zeroing(before / 1000, after / 1000), found)
    before[2], after[1, 0] = 0.0, 0.0  # a vector of no length has not turned
    still = analysis.value_zeroing(before, after)
    assert still[2].tolist() == [0.0] * 4 and still[0, 1] == 0.0
    np.testing.assert_allclose(still[:2].sum(-1), 1)


@pytest.mark.parametrize("cross", [False, True])
def test_the_mixing_ratio_is_of_each_tokens_own_part(cross: bool) -> None:
    made = layer(7, cross=cross)
    found = analysis.mixing_ratio(made)
    for t, row in enumerate(analysis.parts_after(made)):
        own = len(row) - 1 if cross else t
        others = sum(part for place, part in enumerate(row) if place != own)
        sizes = [np.sqrt(sum(vector**2)) for vector in (others, row[own])]
        assert found[t] == pytest.approx(sizes[0] / sum(sizes))
    small = replace(made, values=made.values / 1000, residual=made.residual / 1000)
    np.testing.assert_allclose(analysis.mixing_ratio(small), found)
    nothing = replace(made, values=0 * made.values, residual=0 * made.residual)
    assert analysis.mixing_ratio(nothing).tolist() == [0.0] * 4


def test_without_encoder_layers_each_source_token_is_itself() -> None:
    own, cross = [np.eye(2)], [np.array([[0.5, 0.25, 0.25], [0.125, 0.5, 0.375]])]
    assert (analysis.alti_plus([], own, cross) == analysis.alti_plus([np.eye(2)], own, cross)).all()
