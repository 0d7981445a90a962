"""Times two implementations in turn, so that a busy machine slows both alike; and writes results: JSON, and a Markdown table."""

from __future__ import annotations

import gc
import json
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

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


RESULTS = Path(__file__).parent / "results"


def median_seconds(run: Callable[[], object], repeats: int) -> float:
    """The median wall-clock time of `repeats` calls, after one that is not counted."""
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def write(name: str, rows: Sequence[Mapping[str, Any]], note: str, *, dry: bool = False) -> None:
    """Print the table, and write `results/NAME.json` and `results/NAME.md` if the run is not `dry`."""
    columns = list(rows[0])
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    lines += [f"| {' | '.join(_cell(row[column]) for column in columns)} |" for row in rows]
    text = "\n".join([*lines, "", note])
    print(text)
    if dry:
        return
    RESULTS.mkdir(exist_ok=True)
    machine = {"python": platform.python_version(), "processor": platform.machine()}
    payload = {"note": note, "machine": machine, "rows": list(rows)}
    (RESULTS / f"{name}.json").write_text(json.dumps(payload, indent=1) + "\n", "utf-8")
    (RESULTS / f"{name}.md").write_text(f"{text}\n", "utf-8")


def _cell(value: Any) -> str:
    return (
        f"{value:,.4g}"
        if isinstance(value, float)
        else f"{value:,}"
        if isinstance(value, int)
        else str(value)
    )
