"""Figures of the What-if page: signs of effects, and as many words as can be read."""

from __future__ import annotations

import numpy as np

from core.analysis.readout import decimal
from ui.what_if import figures


def test_effects_have_a_sign_unless_they_are_rounded_to_zero() -> None:
    rows = [("head 0.1", 0.004, "positive"), ("head 0.2", -0.004, "negative"), ("the", -1.234, "negative")]
    (bars,) = figures.reasons(rows, mode="light").data
    assert list(bars.text) == ["0.00", "0.00", "−1.23"]
    assert [figures._brief(value) for value in (-0.004, 0.25, -0.25, 1.04, -12.34)] == [
        ".00", ".25", "−.25", "1.0", "−12.3",
    ]  # fmt: skip
    assert decimal(np.float32(0.006), plus=True) == "+0.01"


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
