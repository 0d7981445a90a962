"""What the atlas measures of one sentence, on maps whose numbers are known on paper."""

from __future__ import annotations

import numpy as np

from core.analysis.roles import (
    ATLAS_SCORES,
    NO_ROLE_SCORE,
    PLAIN,
    ROLES,
    corpus_scores,
    leading_score,
    roles_of,
    scores_of,
    sinks,
    special_sinks,
)
from core.analysis.scores import AxisTokens

SOURCE = ("un", "chat", "dort", ".", "⟨end⟩")
WRITTEN = ("a", "cat", "sleeps", ".", "⟨end⟩")
KEYS, QUERIES = AxisTokens.from_labels(SOURCE), AxisTokens.from_labels(WRITTEN)


def test_sinks_are_special_tokens_and_punctuation_but_no_padding() -> None:
    axis = AxisTokens.from_labels(("⟨start⟩", "un", ",", "⟨end⟩", "⟨pad⟩"))
    assert sinks(axis).tolist() == [True, False, True, True, False]


def test_special_sinks_are_named_once_and_are_no_padding() -> None:
    labels = ["⟨start⟩", "⟨fr⟩", "⟨unk⟩", "dog", ".", "⟨start⟩", "⟨pad⟩"]
    assert special_sinks(labels) == ["⟨start⟩", "⟨fr⟩"]
    assert special_sinks(["dog", ".", "⟨pad⟩"]) == []


def test_a_sink_is_told_with_its_size_and_without() -> None:
    """Half of each row rests on ⟨end⟩, whose vectors are a tenth as long as those of words."""
    weights = np.zeros((1, 1, 5, 5))
    weights[..., 4] = 0.5
    weights[0, 0, np.arange(5), [0, 1, 2, 2, 2]] = 0.5
    norms = np.array([[[1.0, 1.0, 1.0, 1.0, 0.1]]])
    found = {
        name: float(values[0, 0])
        for name, values in corpus_scores(weights, "cross", QUERIES, KEYS, norms).items()
        if np.isfinite(values).all()
    }
    assert found["sink_share"] == 0.5 and found["eos_share"] == 0.5 and found["punctuation_share"] == 0.0
    assert np.isclose(found["sink_arrives"], 0.05 / 0.55)
    assert np.isclose(found["sink_norm"], 0.55)  # the full stop is as long as a word
    assert np.isclose(found["confidence"], 0.5) and np.isclose(found["confidence_plain"], 1.0)
    assert np.isclose(found["normalised_entropy"], np.log(2) / np.log(5))
    assert found["normalised_entropy_plain"] == 0.0
    # 0.5 each for "un" and "chat"; three rows give "dort" 1.5, which counts as 1.
    assert np.isclose(found["coverage"], (0.5 + 0.5 + 1.0) / 3)


def test_the_identity_covers_every_word_and_one_column_only_itself() -> None:
    identity = np.eye(5)[None, None]
    one = np.zeros((1, 1, 5, 5))
    one[..., 1] = 1.0
    assert corpus_scores(identity, "cross", QUERIES, KEYS)["coverage"] == 1.0
    assert np.isclose(corpus_scores(one, "cross", QUERIES, KEYS)["coverage"], 1 / 3)


def test_what_cannot_be_known_is_nan() -> None:
    only = AxisTokens.from_labels((".", "⟨end⟩"))
    found = corpus_scores(np.full((1, 1, 2, 2), 0.5), "encoder-self", only, only, np.ones((1, 1, 2)))
    assert found["sink_share"] == 1.0 and np.isnan(found["sink_norm"])
    assert all(np.isnan(found[f"{name}_plain"]) for name in PLAIN if f"{name}_plain" in found)
    words = AxisTokens.from_labels(("a", "b"))
    found = corpus_scores(np.full((1, 1, 2, 2), 0.5), "encoder-self", words, words)
    assert np.isnan(found["sink_share"]) and np.isnan(found["sink_arrives"])


def test_every_score_has_its_words_and_the_kinds_it_is_about() -> None:
    for kind in ("encoder-self", "decoder-self", "cross"):
        size = (1, 2, 5, 5)
        weights = (
            np.tri(5) / np.tri(5).sum(-1, keepdims=True) if kind == "decoder-self" else np.full((5, 5), 0.2)
        )
        axis = KEYS if kind != "decoder-self" else AxisTokens.from_labels(("⟨start⟩", *WRITTEN[:-1]))
        rows = QUERIES if kind == "cross" else axis
        found = corpus_scores(
            np.broadcast_to(weights, size), kind, rows, axis, np.ones((1, 2, 5)), 2 * np.eye(5)
        )
        assert list(found) == scores_of(kind)
    assert all(score.definition and score.source and score.counts for score in ATLAS_SCORES.values())


def test_a_role_begins_at_its_threshold_and_belongs_to_its_kinds() -> None:
    for role in ROLES:
        assert role.metric in ATLAS_SCORES and set(role.kinds) <= set(ATLAS_SCORES[role.metric].kinds)
        for kind in role.kinds:
            assert (role, role.threshold) in roles_of({role.metric: role.threshold}, kind)
            assert not roles_of({role.metric: role.threshold - 1e-9}, kind)
    assert not roles_of({"alignment": 1.0}, "encoder-self")
    assert leading_score({"eos_share": 0.9, "alignment": 0.75}, "cross") == "alignment"
    assert leading_score({"eos_share": 0.4}, "cross") == NO_ROLE_SCORE
