"""Figures of the What-if page: signs of effects, and each word's probability before and after."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.analysis.readout import decimal
from ui.heads.importance import _brief
from ui.what_if import finding


def test_effects_have_a_sign_unless_they_are_rounded_to_zero() -> None:
    rows = [("head 0.1", 0.004, "positive"), ("head 0.2", -0.004, "negative"), ("the", -1.234, "negative")]
    (bars,) = finding.reasons(rows, (-1.234, 0.004), "Heads", mode="light").data
    assert list(bars.text) == ["0.00", "0.00", "−1.23"]
    assert [_brief(value) for value in (-0.004, 0.25, -0.25, 1.04, -12.34)] == [
        ".00", ".25", "−.25", "1.0", "−12.3",
    ]  # fmt: skip
    assert decimal(np.float32(0.006), plus=True) == "+0.01"


def test_effects_side_by_side_have_one_scale() -> None:
    ends = (-0.4, 6.05)
    small, large = (
        finding.reasons([("a", effect, "positive")], ends, "Heads", mode="light").layout.xaxis.range
        for effect in (0.41, 6.05)
    )
    assert small == large and small[0] < -0.4 and small[1] > 6.05


def points(figure: Any, name: str) -> Any:
    return next(trace for trace in figure.data if trace.name == name)


@pytest.mark.parametrize("count", [3, finding.COLUMNS, finding.COLUMNS + 1, 75])
def test_each_word_has_both_points_in_a_column_or_from_thirteen_words_on_in_a_row(count: int) -> None:
    labels, read = ([f"{name}{n}" for n in range(count)] for name in "wr")
    before, after = np.linspace(0.9, 0.5, count), np.linspace(0.9, 0.0001, count)
    figure = finding.next_words(labels, read, before, after, [("a", 0.5)] * count, pinned=1, mode="light")
    across = count <= finding.COLUMNS
    for name, values in (("before", before), ("after", after)):
        trace = points(figure, name)
        tokens, numbers = (trace.x, trace.y) if across else (trace.y, trace.x)
        assert list(tokens) == list(range(count))
        np.testing.assert_allclose(numbers, 100 * values)
    assert list(points(figure, "before").text) == [f"{100 * value:.0f}" for value in before]
    last = points(figure, "after").text
    assert last[0] == "" and last[-1] == "&lt;0.1", "the same number stands once"
    axis = figure.layout.xaxis if across else figure.layout.yaxis
    assert len(axis.ticktext) == count and "w1" in axis.ticktext[1] and "<b>" in axis.ticktext[1]
    assert across or all("r0" in axis.ticktext[0] for _ in (0,)), "a row says what is read too"
    (shade,) = figure.layout.shapes
    assert ((shade.x0, shade.x1) if across else (shade.y0, shade.y1)) == pytest.approx((0.54, 1.46))


def test_without_edits_there_is_one_point_a_word() -> None:
    share = np.full(3, 0.5)
    figure = finding.next_words(
        ["a"] * 3, ["b"] * 3, share, share, [("a", 0.5)] * 3, edited=False, mode="dark"
    )
    assert [trace.name for trace in figure.data] == ["before"]
