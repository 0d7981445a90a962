"""Words inside figures: larger for the presenter, and never on top of one another."""

from __future__ import annotations

import numpy as np
import pytest

from ui.inside import position_figures
from ui.style import theme


def in_hall(size: float) -> float:
    return max(theme.LEAST_TYPE, size * theme.PRESENTER_SCALE)


def test_the_presenter_reads_every_word_of_a_figure_larger() -> None:
    marks = {1: 0.97, 10: 0.7}
    offsets = np.arange(20)
    small, large = (
        position_figures.similarity(
            offsets, np.cos(offsets / 9), mode="light", marks=marks, presenter=presenter
        )
        for presenter in (False, True)
    )
    sizes = [
        [trace.textfont.size for trace in figure.data if trace.textfont.size] for figure in (small, large)
    ]
    assert sizes[0] and sizes[1] == [pytest.approx(in_hall(size)) for size in sizes[0]]
    curves = {0: np.sin(np.arange(30.0)), 3: np.sin(np.arange(30.0) / 5)}
    plain, presented = (
        position_figures.waves(
            curves, np.array([6.3, 9.0, 12.0, 31.4]), ["a", "b"], mode="dark", pair=3, presenter=presenter
        )
        for presenter in (False, True)
    )
    for before, after in zip(plain.layout.annotations, presented.layout.annotations, strict=True):
        assert after.font.size == pytest.approx(in_hall(before.font.size))


@pytest.mark.parametrize("larger", [1.0, 1.3])
@pytest.mark.parametrize("step", [0.05, 0.24, 0.9, 2.4])
def test_labels_around_the_clock_do_not_collide(step: float, larger: float) -> None:
    words = ["A", "man", "in", "a", "red", "shirt", "is", "riding", "a", "bike", ".", "⟨end⟩"]
    angles = np.asarray(step * np.arange(len(words)), dtype=np.float64)
    shown = position_figures._apart(angles, words, keep=(7, 8), larger=larger)
    assert shown[7] == "riding", "the token in hand always has its name"
    boxes = [
        position_figures._label_box(float(angle), side, len(word), larger)
        for angle, side, word in zip(angles, position_figures._outward(angles), shown, strict=True)
        if word
    ]
    assert not any(
        position_figures._overlap(one, other) for n, one in enumerate(boxes) for other in boxes[n + 1 :]
    )


def test_labels_of_a_hall_ask_for_more_room() -> None:
    words, angles = ["riding"] * 12, 0.24 * np.arange(12.0)
    plain, presented = (
        [word for word in position_figures.rotation(angles, words, mode="light", start=7, offset=1, per_token=0.24, presenter=hall).data[1].text if word]
        for hall in (False, True)
    )  # fmt: skip
    assert 1 <= len(presented) < len(plain)


def test_a_token_is_no_markup_in_a_figure() -> None:
    table = np.zeros((3, 4))
    labels = ["<b>bold</b>", "a&lt;b", "c"]
    figure = position_figures.table(table, labels, mode="light")
    assert any("&lt;b&gt;bold" in str(tick) for tick in figure.layout.yaxis.ticktext)
    waves = position_figures.waves({0: np.sin(np.arange(5.0))}, np.array([6.3]), labels, mode="light", pair=0)
    drawn = next(trace.text for trace in waves.data if trace.text is not None)
    assert list(drawn) == ["&lt;b&gt;bold&lt;/b&gt;", "a&amp;lt;b", "c"]
    turned = position_figures.rotation(np.arange(3.0), labels, mode="light", start=0, offset=1, per_token=1.0)
    told = " ".join(str(words) for trace in turned.data for words in (trace.text, trace.hovertext))
    assert "&lt;b&gt;bold" in told and "<b>" not in told


def test_a_word_from_the_right_cannot_turn_the_number_of_its_row() -> None:
    figure = position_figures.table(np.zeros((6, 4)), ["הכלב", "dog"], mode="light")
    assert list(figure.layout.yaxis.ticktext)[:2] == ["\u2068הכלב\u2069  0", "dog  1"]
