"""The head to show, on maps small enough to count by hand."""

from __future__ import annotations

import numpy as np
import pytest

from core.analysis.head_choice import Counted, anchored, best, consensus, firm_consensus, outward, shown_heads

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


def test_words_that_the_heads_agree_on_count_most() -> None:
    """Four heads, three words. Of “le” three heads agree, of “chat” all four, of “Paris” two.

    le: heads 0-2 look at “the”, as the others of each do; the others of head 3 do so too, and it looks at “cat”: 3/4.
    chat: all at “cat”: 4/4. Paris: 0 and 1 at “Paris”, 2 at “the”, 3 at “cat”: the others of 0 scatter one each, the
    first of equals is “the”, which 0 does not look at; likewise 1; the others of 2 and 3 point at “Paris”, which they
    do not: 0/4.
    """
    keys = [[0, 1, 2], [0, 1, 2], [0, 1, 0], [1, 1, 1]]
    maps = np.stack([one_hot([*head, 3, 3], 4) for head in keys])[None]
    counted = firm_consensus(maps, WRITTEN, SOURCE)
    le, chat = (3 / 4) ** 2, 1.0
    assert counted.words == 3
    assert counted.total == pytest.approx(le + chat)
    assert counted.hits[0] == pytest.approx([le + chat, le + chat, le + chat, chat])
    assert counted.share[0, 3] == pytest.approx(16 / 25)  # 1 / (9/16 + 1); unweighted it would be 1/3
    assert consensus(maps, WRITTEN, SOURCE).share[0, 3] == pytest.approx(1 / 3)


def test_a_head_wrong_where_the_others_scatter_loses_less_than_one_wrong_where_they_agree() -> None:
    """Head 4 differs on “chat”, which five of six agree on; head 5 on “Paris”, which four of six do."""
    keys = [[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 0], [0, 0, 2], [0, 1, 1]]
    counted = firm_consensus(np.stack([one_hot([*head, 3, 3], 4) for head in keys])[None], WRITTEN, SOURCE)
    chat, paris = (5 / 6) ** 2, (4 / 6) ** 2
    assert counted.hits[0, 0] - counted.hits[0, 4] == pytest.approx(chat)
    assert counted.hits[0, 0] - counted.hits[0, 5] == pytest.approx(paris)
    plain = consensus(np.stack([one_hot([*head, 3, 3], 4) for head in keys])[None], WRITTEN, SOURCE)
    assert plain.hits[0, 4] == plain.hits[0, 5]


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
    for count in (consensus, firm_consensus):
        assert count(maps[..., 3:, :], WRITTEN[3:], SOURCE).words == 0


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
    total = Counted(np.array([[1.0, 2.0]]), 2.5, 4) + Counted(np.array([[2.0, 0.0]]), 2.5, 3)
    assert total.share.tolist() == [[0.6, 0.4]]
    assert total.words == 7
    assert Counted(np.zeros((1, 2)), 0, 0).share.tolist() == [[0.0, 0.0]]


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
