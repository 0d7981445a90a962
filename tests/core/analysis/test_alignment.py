"""Word alignment: both readings, grow-diag, and AER on a gold set worked out on paper."""

from __future__ import annotations

import numpy as np
import pytest

from core.analysis.alignment import (
    Counted,
    Gold,
    Measured,
    gold_line,
    grow_diag,
    links,
    measure,
    pharaoh,
    read_gold,
    word_map,
)
from core.errors import InputError

# Three written tokens (the last ends the sentence), three source tokens (the last is the end token).
MAP = np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.2, 0.7, 0.1]])


def test_writing_takes_the_row_that_writes_and_reading_the_one_after() -> None:
    single = [[0], [1], [2]]
    assert word_map(MAP, single, single).tolist() == MAP.tolist()
    reading = word_map(MAP, single, single, "reading")
    assert reading.tolist() == [*MAP[1:].tolist(), [0.0, 0.0, 0.0]]
    with pytest.raises(InputError, match="writing or reading"):
        word_map(MAP, single, single, "both")  # type: ignore[arg-type]


def test_pieces_sum_over_the_source_and_average_over_the_target() -> None:
    found = word_map(MAP, [[0, 1], [2]], [[0, 1], [2]])
    np.testing.assert_allclose(found, [[(0.9 + 0.4) / 2, (0.1 + 0.6) / 2], [0.9, 0.1]])
    np.testing.assert_allclose(found.sum(-1), 1)


def test_a_row_that_looks_at_the_end_has_no_link() -> None:
    assert links(MAP, [0, 1], [0, 1], end=2) == {(0, 0)}
    assert links(MAP, [0, 1], [0, 1], end=None) == {(0, 0), (1, 1)}
    assert links(np.zeros((2, 3)), [0, 1], [0, 1], end=2) == set()


def test_links_count_words_and_not_columns() -> None:
    """A start token before the source moves the columns, not the numbers of the words."""
    shifted = np.concatenate([np.zeros((3, 1)), MAP], axis=1)
    assert links(shifted, [0, 1], [1, 2], end=3) == {(0, 0)}


def test_grow_diag_on_paper() -> None:
    """Both agree on 0-0 and 3-3. 1-1 touches 0-0 diagonally and has free words: in. 2-2 touches 1-1: in. 1-3 touches
    nothing that is free on a side once 1 and 3 are taken. 5-5 touches nothing at all."""
    forward = {(0, 0), (1, 1), (3, 3), (5, 5)}
    backward = {(0, 0), (2, 2), (3, 3), (1, 3)}
    assert grow_diag(forward, backward) == {(0, 0), (1, 1), (2, 2), (3, 3)}
    assert grow_diag(forward, forward) == forward
    assert grow_diag({(0, 0)}, {(1, 1)}) == set()
    # A neighbour whose source word is taken may still bring a free target word.
    assert grow_diag({(0, 0), (0, 1)}, {(0, 0)}) == {(0, 0), (0, 1)}


def test_aer_on_paper() -> None:
    """Sentence 1: A 3 links, S 2, P 3; A∩S 1, A∩P 2. Sentence 2: A 1, S 2, P 2; A∩S 1, A∩P 1.
    Together |A| 4, |S| 4, A∩S 2, A∩P 3: precision ¾, recall ½, AER 1 − 5/8."""
    gold = read_gold(["1-1 2-2 3p2", "1-2 2-1"])
    assert gold[0] == Gold(frozenset({(0, 0), (1, 1)}), frozenset({(0, 0), (1, 1), (2, 1)}))
    first = measure({(0, 0), (2, 1), (2, 2)}, gold[0])
    second = measure({(1, 0)}, gold[1])
    assert first == Measured(3, 2, 1, 2) and second == Measured(1, 2, 1, 1)
    total = first + second
    assert (total.precision, total.recall, total.aer) == (0.75, 0.5, 0.375)


def test_perfect_and_empty_alignments() -> None:
    gold = read_gold(["1-1 2p2"])[0]
    assert measure({(0, 0)}, gold).aer == 0.0
    assert measure({(0, 0), (1, 1)}, gold).aer == 0.0  # a possible link costs nothing
    assert measure({(5, 5)}, gold).aer == 1.0
    assert measure(set(), gold).aer == 1.0
    assert np.isnan(Measured().aer) and np.isnan(Measured().precision) and np.isnan(Measured().recall)


def test_pharaoh_counts_from_nought() -> None:
    assert read_gold(["0-0 1-2"], first=0) == read_gold(["1-1 2-3"])


def test_links_are_written_in_the_order_of_the_targets_words() -> None:
    assert pharaoh([(2, 1), (1, 1), (3, 0), (0, 2)]) == "3-0 1-1 2-1 0-2"
    gold = Gold(frozenset({(2, 1), (3, 0)}), frozenset({(2, 1), (1, 1), (3, 0), (0, 2), (4, 1)}))
    assert gold_line(gold) == "4-1 2p2 3-2 5p2 1p3"
    assert read_gold([gold_line(gold)]) == [gold]


def test_counts_of_two_sentences_add_up() -> None:
    one = Counted(np.full((2, 2, 3, 4), 1), np.full((2, 2, 4), 2), np.full((2, 4), 3))
    two = Counted(np.full((2, 2, 3, 4), 10), np.full((2, 2, 4), 20), np.full((2, 4), 30))
    both = one + two
    assert both.of("writing", 1, 2) == Measured(11, 11, 11, 11)
    assert both.of("reading", 1, None) == Measured(22, 22, 22, 22)
    assert both.of("reading", None, None) == Measured(33, 33, 33, 33)


@pytest.mark.parametrize("line", ["1:1", "0-1", "a-b", "1-", "1-1,2-2", "999999-1"])
def test_a_line_that_is_no_alignment_is_one_sentence(line: str) -> None:
    with pytest.raises(InputError, match="Line 2 of the alignment"):
        read_gold(["1-1", line])


def moses(forward: set[tuple[int, int]], backward: set[tuple[int, int]], size: int) -> set[tuple[int, int]]:
    """Grow-diag as its authors print it: the whole matrix is scanned by target, then source word, until nothing is added."""
    union = np.zeros((size, size), dtype=bool)
    grid = np.zeros((size, size), dtype=bool)
    for source, target in forward | backward:
        union[target, source] = True
    for source, target in forward & backward:
        grid[target, source] = True
    neighbouring = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]
    before = -1
    while before != grid.sum():
        before = grid.sum()
        for e in range(size):
            for f in range(size):
                if not grid[e, f]:
                    continue
                for de, df in neighbouring:
                    new = e + de, f + df
                    if min(new) < 0 or max(new) >= size or not union[new]:
                        continue
                    if not grid[new[0]].any() or not grid[:, new[1]].any():
                        grid[new] = True
    return {(int(f), int(e)) for e, f in zip(*np.nonzero(grid), strict=True)}


def test_grow_diag_takes_links_in_the_order_of_moses() -> None:
    """Which link wins where two compete for a word is a matter of the order alone."""
    draw = np.random.default_rng(7)
    for _ in range(1000):
        size = int(draw.integers(3, 13))
        one = {(int(draw.integers(size)), target) for target in range(size)}
        # The other direction agrees on about half of the words, as two models do, and is near on the rest.
        two = {(source, target) for source, target in one if draw.random() < 0.5}
        for source in set(range(size)) - {source for source, _ in two}:
            near = source + int(draw.integers(-2, 3))
            two.add((source, min(size - 1, max(0, near))))
        assert grow_diag(one, two) == moses(one, two, size)
