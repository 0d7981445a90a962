"""The head to show, on maps small enough to count by hand."""

from __future__ import annotations

import numpy as np
import pytest

from core.analysis.head_choice import Counted, anchored, best, consensus, outward, shown_heads

SOURCE = ("the", "cat", "Paris", "⟨end⟩")
WRITTEN = ("le", "chat", "Paris", ".", "⟨end⟩")


def one_hot(keys: list[int], width: int) -> np.ndarray:
    """(T, S) with all weight of row t on keys[t]."""
    return np.eye(width)[keys]


@pytest.fixture
def maps() -> np.ndarray:
    """Heads 0 and 1 align, head 2 looks at the end, head 3 at the first word: (1, 4, 5, 4)."""
    aligned, late = one_hot([0, 1, 2, 3, 3], 4), one_hot([0, 1, 0, 3, 3], 4)
    return np.stack([aligned, late, one_hot([3] * 5, 4), one_hot([0] * 5, 4)])[None]


def test_consensus_counts_the_words_where_the_others_together_point_at_the_same_word(
    maps: np.ndarray,
) -> None:
    # Punctuation and ⟨end⟩ left out, 3 words; the first of equals, as argmax has it.
    rows, keys = [0, 1, 2], [0, 1, 2]
    expected = np.zeros((1, 4))
    for head in range(4):
        for row in rows:
            others = [sum(maps[0, other, row, key] for other in range(4) if other != head) for key in keys]
            own = [maps[0, head, row, key] for key in keys]
            expected[0, head] += own.index(max(own)) == others.index(max(others))
    counted = consensus(maps, WRITTEN, SOURCE)
    assert counted.total == 3
    assert np.array_equal(counted.hits, expected)


def test_the_head_that_others_confirm_wins_over_one_that_is_only_sure() -> None:
    aligned = one_hot([0, 1, 2, 3, 3], 4)
    faint = 0.4 * aligned + 0.6 * one_hot([0, 1, 1, 3, 3], 4)
    sink = one_hot([1] * 5, 4)
    counted = consensus(np.stack([sink, 0.6 * aligned + 0.1, aligned, faint])[None], WRITTEN, SOURCE)
    assert best(counted) == (0, 1)
    assert counted.hits[0, 0] < counted.hits[0, 1]


def test_special_tokens_count_on_neither_side(maps: np.ndarray) -> None:
    moved = maps.copy()
    moved[..., 4, :] = one_hot([1] * 4, 4)  # the row that writes ⟨end⟩
    moved[..., 3] += 5.0  # the key ⟨end⟩
    assert np.array_equal(consensus(moved, WRITTEN, SOURCE).hits, consensus(maps, WRITTEN, SOURCE).hits)
    assert consensus(maps[..., 3:, :], WRITTEN[3:], SOURCE).total == 0


@pytest.mark.parametrize(("reading", "hits"), [("writing", [1.0, 0.0]), ("reading", [0.0, 1.0])])
def test_words_spelled_alike_tell_the_step_that_writes_from_the_step_that_reads(
    reading: str, hits: list[float]
) -> None:
    writes, reads = (
        one_hot([0, 1, 2, 0, 0], 4),
        one_hot([0, 0, 1, 2, 0], 4),
    )  # row 2 writes Paris, row 3 reads it
    counted = anchored(np.stack([writes, reads])[None], WRITTEN, SOURCE, reading)
    assert counted.total == 1
    assert counted.hits[0].tolist() == hits


def test_a_word_that_occurs_twice_is_no_anchor() -> None:
    weights = np.ones((1, 1, 3, 3)) / 3
    assert anchored(weights, ("a", "b", "a"), ("a", "b", "c"), "writing").total == 1


def test_outward_takes_the_largest_weight_on_another_plain_word() -> None:
    tokens = ("⟨start⟩", "le", "chat", ".")
    weights = np.array([[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0.1, 0.6, 0.3, 0], [0.25] * 4])[None, None]
    counted = outward(weights, tokens)
    assert counted.total == 1  # “le” has no plain word before it, “.” and ⟨start⟩ are no words
    assert counted.hits[0, 0] == pytest.approx(0.6)


def test_counts_add_up_over_sentences() -> None:
    total = Counted(np.array([[1.0, 2.0]]), 2) + Counted(np.array([[2.0, 0.0]]), 3)
    assert total.share.tolist() == [[0.6, 0.4]]


GOOD = {"layer": 1, "head": 2, "share": 0.77, "words": 141, "sentences": 20, "reading": "writing"}


def test_a_card_states_the_head_and_why() -> None:
    shown = shown_heads({"default_heads": {"cross": GOOD}}, {"cross": 4}, 8)["cross"]
    assert (shown.layer, shown.head) == (1, 2)
    assert "1.2" in shown.because and "77 %" in shown.because and "141 words" in shown.because


@pytest.mark.parametrize(
    "change",
    [
        *({"layer": 4}, {"layer": -1}, {"head": 8}, {"head": True}, {"head": "2"}),
        *({"share": float("nan")}, {"share": 1e400}, {"words": 10**12}),
        *({"reading": "<script>"}, {"sentences": None}),
    ],
)
def test_what_does_not_fit_the_model_is_left_out(change: dict[str, object]) -> None:
    assert shown_heads({"default_heads": {"cross": {**GOOD, **change}}}, {"cross": 4}, 8) == {}


@pytest.mark.parametrize("card", [{}, {"default_heads": 3}, {"default_heads": {"cross": []}}])
def test_a_card_without_heads_states_none(card: dict[str, object]) -> None:
    assert shown_heads(card, {"cross": 4}, 8) == {}
