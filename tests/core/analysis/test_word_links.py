"""Links of every head, layer and all layers in both readings, worked out on paper; by weight and by contribution."""

from __future__ import annotations

import numpy as np
import pytest

from core.analysis.alignment import (
    READINGS,
    Gold,
    WordAxes,
    by_contribution,
    by_weight,
    counted,
    gold_line,
    pharaoh,
    read_gold,
    summed_norms,
    word_links,
)
from core.analysis.contributions import Layer, parts

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


def test_lines_of_links_are_read_back() -> None:
    links = {(1, 0), (0, 2), (3, 1)}
    assert pharaoh(links) == "1-0 3-1 0-2"
    assert read_gold([pharaoh(links)], first=0)[0].sure == links
    assert gold_line(GOLD) == "1-1 2p2" and read_gold([gold_line(GOLD)]) == [GOLD]
