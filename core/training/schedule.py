"""Learning rate: linear warm-up, inverse square root, and an optional linear cool-down to zero."""

from __future__ import annotations

import math


def learning_rate(
    step: int, *, peak: float, warmup_steps: int, max_steps: int, cooldown: float = 0.0
) -> float:
    """The rate of update `step` (1-based). A pure function, so a resumed run needs no scheduler state.

    It rises linearly to `peak` at `warmup_steps`, then falls as 1/√step (Vaswani et al. 2017, section 5.3);
    over the last `cooldown` fraction of `max_steps` it is multiplied by a line that reaches 0 just after the
    last update.
    """
    rate = peak * min(step / warmup_steps, math.sqrt(warmup_steps / step))
    start = max_steps * (1 - cooldown)
    if cooldown > 0 and step > start:
        rate *= max(0.0, (max_steps + 1 - step) / (max_steps + 1 - start))
    return rate


def log_spaced_steps(count: int, max_steps: int) -> list[int]:
    """At least `count` distinct steps from 0 to `max_steps`, logarithmically spaced (all of them when few)."""
    if count <= 0:
        return []
    if max_steps + 1 <= count:
        return list(range(max_steps + 1))
    points = count - 1
    while True:
        ratio = math.log(max_steps) / max(1, points - 1)
        steps = sorted({0, *(round(math.exp(i * ratio)) for i in range(points)), max_steps})
        if len(steps) >= count:
            return steps
        points += 1
