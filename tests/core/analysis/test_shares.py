"""Percents of the parts of a whole sum to 100."""

from __future__ import annotations

import pytest

from core.analysis.readout import whole_percents
from core.errors import InputError


def test_parts_that_would_round_to_101_sum_to_100() -> None:
    shares = [0.505, 0.335, 0.16]
    assert sum(round(100 * share + 1e-9) for share in shares) == 101
    assert whole_percents(shares) == [51, 33, 16]
    assert sum(whole_percents([1 / 3] * 3)) == 100
    assert whole_percents([0.25, 0.75]) == [25, 75]


def test_parts_of_less_than_a_whole_sum_to_what_they_are() -> None:
    assert whole_percents([0.105, 0.105]) == [11, 10]
    assert whole_percents([]) == []


def test_what_is_no_share_is_refused() -> None:
    for wrong in ([-0.1, 1.1], [float("nan")]):
        with pytest.raises(InputError, match="none of them below 0"):
            whole_percents(wrong)
