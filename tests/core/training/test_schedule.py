"""The learning rate and the steps at which the heads are recorded."""

from __future__ import annotations

import pytest

from core.training.objective import learning_rate, log_spaced_steps


def rate(step: int, cooldown: float = 0.0, max_steps: int = 1000) -> float:
    return learning_rate(step, peak=2.0, warmup_steps=100, max_steps=max_steps, cooldown=cooldown)


def test_warm_up_then_inverse_square_root() -> None:
    assert rate(1) == pytest.approx(0.02)
    assert rate(50) == pytest.approx(1.0)
    assert rate(100) == pytest.approx(2.0)
    assert rate(400) == pytest.approx(1.0)


def test_cool_down_ends_just_above_zero() -> None:
    assert rate(750, cooldown=0.25) == rate(750)
    assert rate(875, cooldown=0.25) == pytest.approx(rate(875) / 2, rel=0.01)
    assert 0 < rate(1000, cooldown=0.25) < 0.01 * rate(1000)
    falling = [rate(step, cooldown=0.25) for step in range(100, 1001)]
    assert falling == sorted(falling, reverse=True)


@pytest.mark.parametrize(
    ("count", "steps"), [(28, 9000), (24, 30), (6, 5), (24, 100_000), (3, 100), (1, 10), (2, 1)]
)
def test_log_spaced_steps(count: int, steps: int) -> None:
    chosen = log_spaced_steps(count, steps)
    assert chosen[0] == 0
    assert chosen[-1] == steps
    assert len(chosen) >= min(count, steps + 1)
    assert chosen == sorted(set(chosen))
    assert log_spaced_steps(0, steps) == []
