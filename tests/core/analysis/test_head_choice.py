"""The head to show, on maps small enough to count by hand."""

from __future__ import annotations

import numpy as np
import pytest

from core.analysis.alignment import READINGS, Reading
from core.analysis.roles import ALIGNMENT, NEEDED, Counted, aligned, card_heads, outward
from core.analysis.scores import AxisTokens

# “une” follows from “pomme” alone; a full stop and ⟨end⟩ end both sides.
SOURCE = ("an", "apple", "falls", ".", "⟨end⟩")
WRITTEN = ("une", "pomme", "tombe", ".", "⟨end⟩")
LOSSES = np.array(
    [[0.4, 0.2, 0, 0, 0], [0.1, 6, 0.3, 0, 0], [0, 0.5, 4, 0, 0], [0, 0, 0.2, 9, 0], [0, 0, 0, 3, 0]]
)


def one_hot(keys: list[int], width: int) -> np.ndarray:
    """(T, S) with all weight of row t on keys[t]."""
    return np.eye(width)[keys]


def counted(maps: list[np.ndarray], reading: Reading, losses: np.ndarray = LOSSES) -> Counted:
    sides = AxisTokens.from_labels(WRITTEN), AxisTokens.from_labels(SOURCE)
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
    sides = AxisTokens.from_labels(WRITTEN[:3]), AxisTokens.from_labels(SOURCE)
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
    shown = card_heads({"default_heads": {"cross": GOOD}}, {"cross": 4}, 8)["cross"]
    assert (shown.layer, shown.head) == (1, 2)
    assert "1.2" in shown.because and "77 %" in shown.because and "141 words" in shown.because


def test_a_card_states_the_head_that_aligns_beside_the_one_that_opens() -> None:
    """It is one of cross-attention, in either row; one that the model lacks is left out, the other stays."""
    card = {
        "default_heads": {"cross": GOOD, ALIGNMENT: {**GOOD, "layer": 0, "head": 6, "reading": "reading"}}
    }
    found = card_heads(card, {"cross": 4}, 8)
    assert (found[ALIGNMENT].layer, found[ALIGNMENT].head, found[ALIGNMENT].reading) == (0, 6, "reading")
    assert found["cross"].because != found[ALIGNMENT].because
    assert card_heads(card, {"cross": 4}, 6).keys() == {"cross"}


@pytest.mark.parametrize(
    "change",
    [
        *({"layer": 4}, {"layer": -1}, {"head": 8}, {"head": True}, {"head": "2"}),
        *({"share": float("nan")}, {"share": 1e400}, {"words": 10**12}),
        *({"reading": "<script>"}, {"sentences": None}),
    ],
)
def test_what_does_not_fit_the_model_is_left_out(change: dict[str, object]) -> None:
    assert card_heads({"default_heads": {"cross": {**GOOD, **change}}}, {"cross": 4}, 8) == {}


@pytest.mark.parametrize("card", [{}, {"default_heads": 3}, {"default_heads": {"cross": []}}])
def test_a_card_without_heads_states_none(card: dict[str, object]) -> None:
    assert card_heads(card, {"cross": 4}, 8) == {}
