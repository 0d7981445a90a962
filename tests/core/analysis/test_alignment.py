"""Word alignment: both readings, grow-diag, and AER on a gold set worked out on paper.

Gold files: what is read from one text or three, and one sentence for each thing that does not fit.

Links of every head, layer and all layers in both readings, worked out on paper; by weight and by contribution.
"""

from __future__ import annotations

import numpy as np
import pytest

from core.analysis import alignment
from core.analysis.alignment import (
    READINGS,
    Counted,
    Gold,
    Measured,
    WordAxes,
    by_contribution,
    by_weight,
    counted,
    from_lines,
    from_texts,
    gold_line,
    grow_diag,
    line_of,
    links,
    measure,
    pharaoh,
    read_gold,
    summed_norms,
    word_links,
    word_map,
)
from core.analysis.contributions import Layer, parts
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


def test_links_are_written_in_the_order_of_the_targets_words() -> None:
    links = [(2, 1), (1, 1), (3, 0), (0, 2)]
    assert pharaoh(links) == "3-0 1-1 2-1 0-2"
    assert read_gold([pharaoh(links)], first=0)[0].sure == set(links), "Pharaoh counts from 0"
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


GOOD = "the dog ||| le chien ||| 1-1 2-2\na b c ||| d e ||| 1-2 3p1\n"
SECOND = Gold(frozenset({(0, 1)}), frozenset({(0, 1), (2, 0)}))


def test_one_text_and_three_are_read_alike() -> None:
    one = from_lines("g", GOOD)
    three = from_texts("g", "the dog\na b c\n", "le chien\nd e\n\n", "1-1 2-2\n1-2 3p1\n")
    assert one == three and one.digest == three.digest
    assert one.pairs == (("the dog", "le chien"), ("a b c", "d e"))
    assert one.of(" a b c ", "d e") == SECOND and one.of("a b c", "d") is None
    from_nought = from_texts("g", "the dog\na b c\n", "le chien\nd e\n", "0-0 1-1\n0-1 2p0", first=0)
    assert from_nought.gold == one.gold
    assert from_lines("g", line_of(["a", "b", "c"], ["d", "e"], SECOND)).gold == (SECOND,)
    assert from_lines("g", "\ufeff" + GOOD.replace("\n", "\r\n")) == one
    assert from_lines("g", GOOD.replace("3p1", "2p1")).digest != one.digest


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        ("a ||| b", "Line 1 has 2 parts"),
        (f"{GOOD}\na ||| b ||| 1-1", "Line 3 has 1 parts"),
        ("a ||| b ||| 1-2", "Line 1 links word 2 of a translation with 1 words"),
        ("a ||| b ||| 2-1", "Line 1 links word 2 of a sentence with 1 words"),
        ("a ||| b ||| 1:1", "Line 1 of the alignment holds '1:1'"),
        (" ||| b ||| ", "Line 1: the sentence has 0 characters"),
        ("a " * 1500 + "||| b ||| 1-1", "Line 1: the sentence has"),
    ],
)
def test_what_does_not_fit_is_one_sentence(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        from_lines("g", text)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300


def test_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="2 sentences, 1 translations and 1 lines"):
        from_texts("g", "a\nb", "c", "1-1")
    monkeypatch.setattr(alignment, "MOST_SENTENCES", 1)
    with pytest.raises(InputError, match="2 sentences; at most 1"):
        from_lines("g", GOOD)
    monkeypatch.setattr(alignment, "MOST_BYTES", 10)
    with pytest.raises(InputError, match="at most 10"):
        from_lines("g", GOOD)


# Two words and the end token on both sides. A, B, E: a row that looks at the first word, the second, the end.
A, B, E = [0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]
a, b, e = [0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]
WEIGHTS = np.array([[[A, B, E], [e, a, b]], [[A, A, A], [b, a, e]]])  # (2 layers, 2 heads, 3 steps, 3 tokens)
AXES = WordAxes.of([0, 1, -1], [0, 1, -1], [7, 8, 2], 2)
GOLD = Gold(frozenset({(0, 0)}), frozenset({(0, 0), (1, 1)}))
# Every head's links on paper: the row that writes a word, and the row after it, which reads it.
PAPER = {
    ("writing", 0, 0): {(0, 0), (1, 1)},
    ("reading", 0, 0): {(1, 0)},  # the second word's next row looks at the end
    ("writing", 0, 1): {(0, 1)},
    ("reading", 0, 1): {(0, 0), (1, 1)},
    ("writing", 1, 0): {(0, 0), (0, 1)},
    ("reading", 1, 0): {(0, 0), (0, 1)},
    ("writing", 1, 1): {(1, 0), (0, 1)},
    ("reading", 1, 1): {(0, 0)},
}
# AER = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|) with S 1 link and P 2.
AER = {"writing": [[0.0, 1.0], [1 / 3, 1.0]], "reading": [[1.0, 0.0], [1 / 3, 0.0]]}


def test_the_words_of_a_sentence_and_its_end() -> None:
    axes = WordAxes.of([0, 0, 1, -1], [-1, 0, 1, 1, -1], [1, 5, 6, 7, 2], 2)
    assert axes.rows == ((0, 1), (2,), (3,)) and axes.target == (0, 1)
    assert axes.columns == ((0,), (1,), (2, 3), (4,)) and axes.source == (1, 2) and axes.end == 3
    assert WordAxes.of([0], [0], [5], 2).end is None


@pytest.mark.parametrize(("reading", "layer", "head"), list(PAPER))
def test_every_head_links_as_on_paper(reading: str, layer: int, head: int) -> None:
    found = word_links(by_weight(WEIGHTS).of(layer, head), AXES, reading)  # type: ignore[arg-type]
    assert found == PAPER[reading, layer, head]


def test_aer_of_every_head_layer_and_all_layers_on_paper() -> None:
    found = counted(by_weight(WEIGHTS), AXES, GOLD)
    for reading in READINGS:
        np.testing.assert_allclose(found.rates(reading, "aer"), AER[reading])
    assert found.of("writing", 1, 0).precision == 0.5 and found.of("writing", 1, 0).recall == 1.0
    # Layer 0's mean rows are (.55 .13 .33), (.33 .55 .13), (.13 .33 .55): A, B, E; layer 1's are (.55 .33 .13), A, (.55 .13 .33)
    # and (.75 .13 .13), whose next row is (.55 .13 .33).
    assert [found.of(reading, 0, None).aer for reading in READINGS] == [0.0, 1.0]
    assert found.by_layer("writing") == pytest.approx([0.0, 1 / 3])
    assert found.by_layer("reading") == pytest.approx([1.0, 1 / 3])
    # All layers: (.55 .23 .23), (.54 .34 .13), (.34 .23 .44): both words to the first; read: to the first, to the end.
    assert found.of("writing", None, None).aer == pytest.approx(1 / 3)
    assert found.of("reading", None, None).aer == 0.0
    double = found + found
    assert double.of("writing", 1, 0).predicted == 4 and double.of("writing", 1, 0).aer == pytest.approx(
        1 / 3
    )


def layer(weights: np.ndarray, lengths: np.ndarray, width: int = 3) -> Layer:
    """A layer whose head h says lengths[h, j] of token j along its own axis of the stream."""
    heads = len(lengths)
    values = lengths[..., None]  # (H, S, 1)
    output = np.eye(width)[:, :heads]
    return Layer(weights, values, output, np.zeros(width), np.zeros((weights.shape[1], width)), cross=True)


def test_a_head_that_looks_at_an_empty_end_token_still_aligns() -> None:
    """Weights .3 and .7; the end token's vector is a tenth as long: contributions .3 and .07, a share of .81 and .19."""
    one = layer(np.array([[[0.3, 0.7]]]), np.array([[1.0, 0.1]]))
    axes = WordAxes.of([0], [0, -1], [7, 2], 2)
    assert word_links(one.weights[0], axes, "writing") == set()
    shares = by_contribution([one])
    np.testing.assert_allclose(shares.heads[0, 0], [[0.3 / 0.37, 0.07 / 0.37]])
    assert word_links(shares.of(0, 0), axes, "writing") == {(0, 0)}


def test_a_layers_contribution_is_the_length_of_the_heads_sum_not_the_sum_of_lengths() -> None:
    """Two heads along different axes: 3 and 4 make 5, on one axis 3 and −3 would make 0."""
    one = layer(np.full((2, 1, 1), 1.0), np.array([[3.0], [4.0]]))
    assert summed_norms(one) == pytest.approx(np.array([[5.0]]))
    random = np.random.default_rng(3)
    weights = random.dirichlet(np.ones(5), size=(4, 6))
    real = Layer(weights, random.normal(size=(4, 5, 3)), random.normal(size=(12, 12)), np.zeros(12), np.zeros((6, 12)), cross=True)  # fmt: skip
    np.testing.assert_allclose(summed_norms(real), np.linalg.norm(parts(real), axis=-1), rtol=1e-9)
    shares = by_contribution([real, real])
    np.testing.assert_allclose(shares.heads.sum(-1), 1)
    np.testing.assert_allclose(shares.layers.sum(-1), 1)
    sizes = np.linalg.norm(parts(real), axis=-1)
    np.testing.assert_allclose(shares.layers[0], sizes / sizes.sum(-1, keepdims=True))
    np.testing.assert_allclose(shares.of(None, None), shares.layers[0])
