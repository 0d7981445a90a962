"""Times two implementations in turn, so that a busy machine slows both alike."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

import torch


class Timing(NamedTuple):
    """Median seconds of processor time of the thread, for the peer and for ours."""

    peer: float
    ours: float

    @property
    def ratio(self) -> float:
        """The peer's time divided by ours."""
        return self.peer / self.ours


def in_turn(peer: Callable[[], object], ours: Callable[[], object], repeats: int) -> Timing:
    """`repeats` turns of both, after one that is not counted. Garbage is collected between turns, not in them.

    Existing objects are exempt from it, or it would pass through the caches and slow the first of the two.
    """
    peer(), ours()
    seconds: tuple[list[float], list[float]] = ([], [])
    gc.disable()
    gc.freeze()
    try:
        for _ in range(repeats):
            for run, times in zip((peer, ours), seconds, strict=True):
                start = time.thread_time()
                run()
                times.append(time.thread_time() - start)
            gc.collect()
    finally:
        gc.unfreeze()
        gc.enable()
    return Timing(*map(statistics.median, seconds))


def product_rate() -> float:
    """Floating-point operations a second of this machine's best large matrix product, one thread."""
    a, b = torch.randn(2, 768, 768).unbind()
    return 2 * 768**3 / _best(lambda: a @ b)


def read_rate() -> float:
    """Bytes a second that one thread reads from memory, from a tensor larger than any cache."""
    tensor = torch.ones(64 * 2**20)  # 256 MiB
    return tensor.nbytes / _best(tensor.sum)


def _best(run: Callable[[], object]) -> float:
    times = []
    for _ in range(9):
        start = time.thread_time()
        run()
        times.append(time.thread_time() - start)
    return min(times)
