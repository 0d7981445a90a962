"""The sentences and figures of direct attribution and of the measures of source words say the numbers they are given."""

from __future__ import annotations

import numpy as np
import pytest

from core.analysis.faithfulness import GRID, MEASURES, RANDOM
from core.experiments.attribution import Direct
from core.experiments.contrast_sets import SetResult
from core.experiments.faithfulness import Faithfulness, SourceMeasures
from core.model.config import ModelConfig
from ui.style import theme
from ui.what_if import attributing, carrying

PARTS = Direct(
    total=3.0,
    embedding=-0.5,
    heads={("cross", layer, head): 0.1 for layer in range(2) for head in range(4)} | {("causal", 1, 2): 2.5},
    feed_forward=(0.4, -0.6),
    biases=0.4,
)
LABELS = ("The", "cat", "sleeps", "⟨end⟩")


def measures(first: dict[str, int]) -> SourceMeasures:
    scores = {}
    for number, name in enumerate(MEASURES):
        values = np.array([0.1, 0.2, 0.1, 9.0])  # the end token is no word to hide
        values[first.get(name, 1)] = 0.6 + number / 10
        scores[name] = values
    areas = dict.fromkeys(MEASURES, 0.4) | {"alti": 0.21, RANDOM: 0.63}
    return SourceMeasures(scores, (0, 1, 2), areas)


def test_the_parts_that_are_drawn_sum_to_the_log_odds() -> None:
    rows = attributing.part_rows(PARTS)
    assert len(rows) == attributing.MOST + 1
    assert rows[0] == ("decoder 1.2", 2.5, "positive")
    assert rows[1] == ("feed-forward 1", -0.6, "negative")
    assert sum(value for _, value, _ in rows) == pytest.approx(PARTS.sum)
    assert PARTS.sum == pytest.approx(2.2 + 0.8 + 0.0)
    assert (
        attributing.parts_title(rows, "chat", "chien")
        == "Decoder 1.2 favours “chat” over “chien” most: +2.50"
    )
    assert attributing.parts_sentence(PARTS) == (
        "Cross-attention +0.80, decoder self-attention +2.50, feed-forward layers −0.20, embedding of the word read last −0.50, "
        "biases +0.40: together +3.00, the log-odds."
    )


def test_no_part_speaks_for_a_word_that_all_speak_against() -> None:
    rows = [("cross 0.1", -1.0, "negative"), ("biases", -2.0, "negative")]
    assert attributing.parts_title(rows, "chat", "chien") == "No single part favours “chat”"


def test_the_title_counts_the_measures_that_agree() -> None:
    assert attributing.measures_title(measures({}), LABELS) == "Every measure names “cat” first"
    two = measures({"gradient": 2, "attention": 0})
    assert attributing.measures_title(two, LABELS) == "5 of 7 measures name “cat” first"
    assert attributing.measures_sentence(two) == (
        "While the source words are hidden one after the other, the word keeps 21 % on average in the order of ALTI+, and "
        "63 % in random orders."
    )


def test_each_row_is_shares_of_its_own_sum() -> None:
    cells, _ = attributing.measures_figure(measures({}), LABELS, mode="light").data
    table = np.asarray(cells.z)
    assert table.shape == (len(MEASURES), 3)
    assert np.abs(table).sum(axis=1) == pytest.approx(1.0)
    assert table[0] == pytest.approx(np.array([0.1, 0.6, 0.1]) / 0.8)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_every_number_in_a_cell_can_be_read(mode: theme.Mode) -> None:
    """Also on the strongest cell, at the contrast of small type."""
    values = np.linspace(-0.4, 0.4, 21)[None]
    names = [str(n) for n in range(21)]
    drawn = carrying.table(
        values, values, ["0"], names, ("layer", "head"), "cross", reach=0.4, upright=True, mode=mode
    )
    cells, numbers = drawn.data
    assert list(numbers.text) == [word for line in cells.text for word in line if word]
    for row, ink in zip(numbers.y, numbers.textfont.color, strict=True):
        assert theme.contrast(ink, theme.diverging(cells.z[row][0] / 0.4, mode)) >= 4.5


def faithfulness(spread: float) -> Faithfulness:
    heights = np.linspace(0.2, 0.2 + spread, len(MEASURES) + 1)
    curves = np.repeat(heights[:, None], len(GRID), axis=1)
    areas = np.stack([heights, heights - 0.02, heights + 0.02], axis=1)
    below = np.stack([heights[-1] - heights] * 3, axis=1) + np.array([0.0, -0.03, 0.03])
    names = (*MEASURES, RANDOM)
    return Faithfulness(names, curves, curves - 0.02, curves + 0.02, areas, below, 60, 233, (1, 2))


def test_measures_whose_intervals_overlap_are_not_ranked() -> None:
    found = faithfulness(0.35)
    assert attributing.curves_title(found) == (
        "Hiding one word finds the needed words soonest, attention of head 1.2 last"
    )
    assert "35 (32 to 38) points below random orders" in attributing.curves_sentence(found)
    alike = attributing.curves_title(faithfulness(0.02))
    assert alike == "On these sentences the measures find the needed words equally well"
    found.areas[1, 0] = 0.204  # printed as 20 %, as the first is
    assert attributing.curves_title(found) == (
        "Hiding one word and integrated gradients find the needed words soonest, attention of head 1.2 last"
    )
    lines = attributing.curves_figure(found, mode="light").data
    assert len(lines) == len(MEASURES) + 1
    assert [line.line.dash for line in lines].count("dash") == 1


@pytest.mark.parametrize(
    ("controls", "said", "cell"), [((0, 2), "at most 2", "2 at most"), ((0, 0), "none", "0")]
)
def test_pairs_that_flip_by_chance_are_counted(controls: tuple[int, ...], said: str, cell: str) -> None:
    share = ((0.3, 0.1), (0.2, 0.4))
    result = SetResult("a", "cross", "x", "y", 9, 8, share, share, share, ((1, 1), (0, 0)), 5, controls)
    config = ModelConfig(
        source_vocab_size=8, target_vocab_size=8, d_model=8, heads=2, encoder_layers=2, decoder_layers=2
    )
    title = carrying.sets_title(result, config)
    assert title == f"Without 2 heads of cross-attention, 5 of 8 pairs flip; without 2 random ones, {said}"
    assert carrying.set_row(result, config)[-1] == cell
