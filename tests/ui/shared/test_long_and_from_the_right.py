"""Labels of figures that are many, or written from the right."""

from __future__ import annotations

import numpy as np

from ui.inside import position_figures
from ui.what_if import figures


def test_a_word_from_the_right_cannot_turn_the_number_of_its_row() -> None:
    figure = position_figures.table(np.zeros((6, 4)), ["הכלב", "dog"], mode="light")
    assert list(figure.layout.yaxis.ticktext)[:2] == ["\u2068הכלב\u2069  0", "dog  1"]


def test_of_a_long_translation_as_many_words_are_written_as_can_be_read() -> None:
    for count in (5, figures.MOST_WORDS, figures.MOST_WORDS + 1, 75):
        labels = [f"w{place}" for place in range(count)]
        share = np.full(count, 0.5)
        figure = figures.next_words(labels, share, share, [("a", 0.5)] * count, mode="light")
        written = list(figure.layout.xaxis.ticktext)
        assert len(written) <= figures.MOST_WORDS and written[0] == "w0"
        assert written == [labels[place] for place in figure.layout.xaxis.tickvals]
        assert count > figures.MOST_WORDS or written == labels
        assert len(figure.data[-1].x) == count, "each has its point"
