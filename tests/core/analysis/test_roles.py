"""What the atlas measures of one sentence, on maps whose numbers are known on paper.

The head to show, on maps small enough to count by hand.
"""

from __future__ import annotations

import numpy as np
import pytest

from core.analysis.alignment import READINGS, Reading
from core.analysis.roles import (
    ALIGNMENT,
    ATLAS_SCORES,
    NEEDED,
    NO_ROLE_SCORE,
    PLAIN,
    ROLES,
    Counted,
    aligned,
    card_heads,
    corpus_scores,
    leading_score,
    outward,
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


# “une” follows from “pomme” alone; a full stop and ⟨end⟩ end both sides.
READ = ("an", "apple", "falls", ".", "⟨end⟩")
WROTE = ("une", "pomme", "tombe", ".", "⟨end⟩")
LOSSES = np.array(
    [[0.4, 0.2, 0, 0, 0], [0.1, 6, 0.3, 0, 0], [0, 0.5, 4, 0, 0], [0, 0, 0.2, 9, 0], [0, 0, 0, 3, 0]]
)


def one_hot(keys: list[int], width: int) -> np.ndarray:
    """(T, S) with all weight of row t on keys[t]."""
    return np.eye(width)[keys]


def counted(maps: list[np.ndarray], reading: Reading, losses: np.ndarray = LOSSES) -> Counted:
    sides = AxisTokens.from_labels(WROTE), AxisTokens.from_labels(READ)
    return aligned(np.stack(maps)[None], losses, *sides, reading)


def test_a_head_that_aligns_what_is_fed_back_is_told_from_one_whose_full_stop_alone_aligns() -> None:
    """Both look at the full stop in the last two rows, as the row that writes ⟨end⟩ does in most models.

    The first aligns each word in the row after it; in the row that predicts a word only its full stop is right. The
    second is wrong about every word in both rows, and right about the full stop in both.
    """
    fed_back, stop_alone = one_hot([4, 0, 1, 3, 3], 5), one_hot([4, 4, 0, 3, 3], 5)
    fed_back[3, 2], fed_back[3, 3] = 0.6, 0.4  # reads “tombe”, writes the full stop
    assert counted([fed_back, stop_alone], "reading").share.tolist() == [[1.0, 0.0]]
    assert counted([fed_back, stop_alone], "writing").share.tolist() == [[0.0, 0.0]]
    assert counted([fed_back, stop_alone], "reading").total == 2  # “pomme” and “tombe”


def test_a_head_that_aligns_what_is_predicted_is_found_in_its_own_row() -> None:
    predicts = one_hot([0, 1, 2, 3, 3], 5)
    assert counted([predicts], "writing").share.tolist() == [[1.0]]
    assert counted([predicts], "reading").share.tolist() == [[0.0]]


def test_a_word_counts_where_it_needs_a_source_token() -> None:
    """“une” hardly does; once it does, a head that is wrong about it loses by it."""
    late = one_hot([2, 1, 2, 3, 3], 5)
    assert counted([late], "writing").total == 2
    needy = LOSSES.copy()
    needy[0, 0] = NEEDED
    found = counted([late], "writing", needy)
    assert (found.total, found.share.tolist()) == (3, [[pytest.approx(2 / 3)]])
    assert counted([late], "writing", np.zeros_like(LOSSES)).total == 0


def test_weight_on_special_tokens_and_punctuation_changes_nothing() -> None:
    aligns = 0.2 * one_hot([0, 1, 2, 3, 3], 5)
    heavy, needed = aligns.copy(), LOSSES.copy()
    heavy[:, 3:] += 5.0
    needed[:, 3:] += 20.0
    assert counted([heavy], "writing").share.tolist() == [[1.0]]
    assert counted([aligns], "writing", needed).share.tolist() == [[1.0]]


def test_a_full_stop_that_needs_a_word_is_no_word() -> None:
    """It may hang on the verb; that says nothing of alignment."""
    wrong, losses = one_hot([0, 1, 2, 0, 0], 5), LOSSES.copy()
    losses[3:, 2] = 5.0
    assert counted([wrong], "writing", losses).share.tolist() == [[1.0]]


def test_a_last_word_that_was_never_fed_back_counts_in_neither_row() -> None:
    """A translation that was cut: no row follows “tombe”."""
    sides = AxisTokens.from_labels(WROTE[:3]), AxisTokens.from_labels(READ)
    for reading in READINGS:
        assert aligned(np.ones((1, 1, 3, 5)), LOSSES[:3], *sides, reading).total == 1


def test_outward_takes_the_largest_weight_on_another_plain_word() -> None:
    tokens = ("⟨start⟩", "le", "chat", ".")
    weights = np.array([[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0.1, 0.6, 0.3, 0], [0.25] * 4])[None, None]
    counted = outward(weights, tokens)
    assert counted.total == 1  # “le” has no plain word before it, “.” and ⟨start⟩ are no words
    assert counted.hits[0, 0] == pytest.approx(0.6)


def test_counts_add_up_over_sentences() -> None:
    total = Counted(np.array([[1.0, 2.0]]), 3) + Counted(np.array([[2.0, 0.0]]), 2)
    assert total.share.tolist() == [[0.6, 0.4]]
    assert Counted(np.zeros((1, 2)), 0).share.tolist() == [[0.0, 0.0]]


GOOD = {"layer": 1, "head": 2, "share": 0.77, "words": 141, "sentences": 20, "reading": "writing"}


def test_a_card_states_the_head_and_why() -> None:
    shown = card_heads({"default_heads": {"cross": GOOD}}, {"cross": (4, 8)})["cross"]
    assert (shown.layer, shown.head) == (1, 2)
    assert "1.2" in shown.because and "77 %" in shown.because and "141 words" in shown.because
    sure = card_heads({"default_heads": {"cross": {**GOOD, "low": 0.7, "high": 0.84}}}, {"cross": (4, 8)})[
        "cross"
    ]
    assert "77 % (95 % interval 70 to 84 %)" in sure.because
    for ends in (
        {"low": 0.7},
        {"low": 0.8, "high": 0.9},
        {"low": "0", "high": 1},
        {"low": float("nan"), "high": 1},
    ):
        kept = card_heads({"default_heads": {"cross": {**GOOD, **ends}}}, {"cross": (4, 8)})["cross"]
        assert kept == shown


def test_a_card_states_the_head_that_aligns_beside_the_one_that_opens() -> None:
    """It is one of cross-attention, in either row; one that the model lacks is left out, the other stays."""
    card = {
        "default_heads": {"cross": GOOD, ALIGNMENT: {**GOOD, "layer": 0, "head": 6, "reading": "reading"}}
    }
    found = card_heads(card, {"cross": (4, 8)})
    assert (found[ALIGNMENT].layer, found[ALIGNMENT].head, found[ALIGNMENT].reading) == (0, 6, "reading")
    assert found["cross"].because != found[ALIGNMENT].because
    assert card_heads(card, {"cross": (4, 6)}).keys() == {"cross"}


@pytest.mark.parametrize(
    "change",
    [
        *({"layer": 4}, {"layer": -1}, {"head": 8}, {"head": True}, {"head": "2"}),
        *({"share": float("nan")}, {"share": 1e400}, {"words": 10**12}),
        *({"reading": "<script>"}, {"sentences": None}),
    ],
)
def test_what_does_not_fit_the_model_is_left_out(change: dict[str, object]) -> None:
    assert card_heads({"default_heads": {"cross": {**GOOD, **change}}}, {"cross": (4, 8)}) == {}


@pytest.mark.parametrize("card", [{}, {"default_heads": 3}, {"default_heads": {"cross": []}}])
def test_a_card_without_heads_states_none(card: dict[str, object]) -> None:
    assert card_heads(card, {"cross": (4, 8)}) == {}
