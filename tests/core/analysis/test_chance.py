"""The closed forms of chance against maps whose rows are really shuffled, and the level against corpora of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.analysis.chance import SHUFFLED, moments, over_corpus
from core.analysis.heads import head_scores
from core.analysis.scores import AxisTokens

LABELS = ("⟨start⟩", "▁the", "▁old", "▁dog", ",", "▁cat", ".", "⟨end⟩")
COUNTS = (None, 90.0, 40.0, 7.0, 200.0, 9.0, 300.0, None)


def maps(kind: str, rng: np.random.Generator) -> np.ndarray:
    """Peaked maps (2, 3, T, T), causal for a decoder's own."""
    scores = 2.5 * rng.normal(size=(2, 3, len(LABELS), len(LABELS)))
    if kind == "decoder-self":
        scores[..., np.triu_indices(len(LABELS), 1)[0], np.triu_indices(len(LABELS), 1)[1]] = -np.inf
    weights = np.exp(scores)
    return np.asarray(weights / weights.sum(-1, keepdims=True))


def shuffled(weights: np.ndarray, kind: str, rng: np.random.Generator) -> np.ndarray:
    """Every row permuted among the keys that it may see."""
    result = weights.copy()
    for at in np.ndindex(weights.shape[:3]):
        seen = at[2] + 1 if kind == "decoder-self" else weights.shape[3]
        result[at][:seen] = rng.permutation(result[at][:seen])
    return result


@pytest.mark.parametrize("kind", ["encoder-self", "decoder-self", "cross"])
def test_mean_and_variance_are_those_of_shuffled_rows(kind: str) -> None:
    rng = np.random.default_rng(3)
    weights, axis = maps(kind, rng), AxisTokens.from_labels(LABELS, COUNTS)
    found = moments(weights, kind, axis, axis)
    names = [name for name in SHUFFLED if name in found]
    drawn: dict[str, list[Any]] = {name: [] for name in names}
    for _ in range(600):
        scores = head_scores(shuffled(weights, kind, rng), kind, queries=axis, keys=axis, names=names)
        for name in names:
            drawn[name].append(scores[name])
    checked = 0
    for name in names:
        values = np.array(drawn[name])
        if np.isnan(values).all():  # not defined for this kind
            continue
        mean, variance = found[name]
        error = np.sqrt(variance.max() / 600) + 1e-12
        assert np.abs(values.mean(0) - mean).max() < 5 * error, name
        assert values.var(0) == pytest.approx(variance, rel=0.3, abs=1e-9), name
        checked += 1
    assert checked >= {"encoder-self": 6, "decoder-self": 4, "cross": 3}[kind]


def test_words_that_need_a_token_are_hit_with_one_in_the_source_words() -> None:
    axis = AxisTokens.from_labels(LABELS, COUNTS)
    mean, variance = moments(maps("cross", np.random.default_rng(0)), "cross", axis, axis, needing=5)[
        "alignment"
    ]
    assert (mean == 1 / 4).all() and variance == pytest.approx(np.full((2, 3), 3 / 16 / 5))
    assert "alignment" not in moments(maps("cross", np.random.default_rng(0)), "cross", axis, axis)


def test_a_corpus_of_chance_is_above_its_level_in_one_of_twenty() -> None:
    """Forty sentences of shuffled maps, many times: 5 % of the means lie above the level, and p is uniform."""
    rng, axis = np.random.default_rng(5), AxisTokens.from_labels(LABELS)
    weights = [maps("encoder-self", rng) for _ in range(40)]
    sums = np.sum([moments(each, "encoder-self", axis, axis)["next_share"] for each in weights], axis=0)
    exceeded, p_values = [], []
    for _ in range(120):
        drawn = [shuffled_next(each, rng) for each in weights]
        chance = over_corpus(np.mean(drawn, axis=0), sums, np.full((2, 3), 40))
        exceeded.append(np.mean(drawn, axis=0) > chance.level)
        p_values.append(chance.p)
    assert 0.03 < np.mean(exceeded) < 0.07
    assert 0.45 < np.mean(p_values) < 0.55 and not over_corpus(np.mean(drawn, axis=0), sums, 40).above.all()


def shuffled_next(weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The weight on the next token in shuffled rows: that of a random column of each row."""
    size = weights.shape[-1]
    columns = rng.integers(0, size, (*weights.shape[:2], size - 1, 1))
    return np.asarray(np.take_along_axis(weights[:, :, :-1], columns, -1)[..., 0].mean(-1))


def test_a_head_that_does_its_work_is_above_chance_and_nothing_is_without_sentences() -> None:
    axis = AxisTokens.from_labels(LABELS)
    weights = maps("encoder-self", np.random.default_rng(1))
    weights[0, 0] = np.eye(len(LABELS), k=1) + 1e-9
    weights[0, 0, -1] = 1 / len(LABELS)
    sums = moments(weights, "encoder-self", axis, axis)["next_share"]
    score = head_scores(weights, "encoder-self", queries=axis, keys=axis, names=["next_share"])["next_share"]
    assert over_corpus(score, 20 * sums, 20).above[0, 0]
    empty = over_corpus(score, 0 * sums, 0)
    assert np.isnan(empty.level).all() and not empty.above.any()
