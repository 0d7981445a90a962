"""Sudden drops of entropy: the largest fall of a head within one doubling of the steps."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import InputError
from core.training.dynamics import SUDDEN, Drop, sudden_drops

STEPS = (0, 1, 2, 4, 8, 16)


def one(*values: float) -> np.ndarray:
    return np.array(values, dtype=float).reshape(-1, 1, 1)


def test_the_largest_fall_within_a_doubling_is_found() -> None:
    assert sudden_drops(STEPS, one(0.9, 0.9, 0.85, 0.5, 0.45, 0.4)) == (Drop(0, 0, 2, 3, 0.85, 0.5),)
    # 0.9 → 0.3 takes two doublings, of which neither is sudden alone.
    slow = one(0.9, 0.9, 0.9, 0.9 - SUDDEN * 0.9, 0.9 - SUDDEN * 1.8, 0.9 - SUDDEN * 2.7)
    assert sudden_drops(STEPS, slow) == ()
    assert [drop.fall for drop in sudden_drops(STEPS, slow, least=0.1)] == [pytest.approx(SUDDEN * 0.9)]


def test_several_records_within_one_doubling_count_together() -> None:
    steps = (0, 10, 13, 16, 20, 40)
    (drop,) = sudden_drops(steps, one(0.9, 0.9, 0.8, 0.7, 0.6, 0.55))
    assert (drop.start, drop.end, drop.before, drop.after) == (1, 4, 0.9, 0.6)


def test_records_farther_apart_than_a_doubling_tell_of_no_sudden_fall() -> None:
    assert sudden_drops((0, 10, 25, 70), one(0.9, 0.9, 0.6, 0.2)) == ()
    assert [drop.end for drop in sudden_drops((0, 10, 20, 60), one(0.9, 0.9, 0.6, 0.2))] == [2]


def test_a_rise_and_what_was_not_measured_are_no_fall() -> None:
    assert sudden_drops(STEPS, one(0.1, 0.3, 0.5, 0.7, 0.9, 1.0)) == ()
    assert sudden_drops(STEPS, one(0.9, np.nan, 0.2, np.nan, np.nan, 0.1)) == ()
    assert [drop.end for drop in sudden_drops(STEPS, one(0.9, 0.5, 0.5, 0.5, 0.5, 0.5))] == [1]


def test_every_head_has_its_own_and_they_come_in_time() -> None:
    values = np.full((6, 2, 2), 0.9)
    values[4:, 0, 1] = 0.4
    values[2:, 1, 0] = 0.6
    assert [(drop.layer, drop.head, drop.end) for drop in sudden_drops(STEPS, values)] == [
        (1, 0, 2),
        (0, 1, 4),
    ]


def test_what_does_not_fit_is_refused() -> None:
    for steps, values in (
        (STEPS, np.zeros((5, 1, 1))),
        ((0, 2, 1), np.zeros((3, 1, 1))),
        (STEPS, np.zeros(6)),
    ):
        with pytest.raises(InputError, match="rising steps"):
            sudden_drops(steps, values)
