"""What stands on the bars and in the cells of the What-if page: signs, and none at what is rounded to zero."""

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
