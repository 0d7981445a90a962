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

CPU = torch.device("cpu")
RESULTS = Path(__file__).parent / "results"


class Timing(NamedTuple):
    """Median seconds of the peer and of ours."""

    peer: float
    ours: float

    @property
    def ratio(self) -> float:
        """The peer's time divided by ours."""
        return self.peer / self.ours


def in_turn(
    peer: Callable[[], object], ours: Callable[[], object], repeats: int, device: torch.device = CPU
) -> Timing:
    """`repeats` turns of both, after one that is not counted. Garbage is collected between turns, not in them.

    Existing objects are exempt from it, or it would pass through the caches and slow the first of the two. On an accelerator
    the time is the clock's, until the device has finished.
    """
    peer(), ours()
    seconds: tuple[list[float], list[float]] = ([], [])
    gc.disable()
    gc.freeze()
    try:
        for _ in range(repeats):
            for run, times in zip((peer, ours), seconds, strict=True):
                times.append(seconds_of(run, device))
            gc.collect()
    finally:
        gc.unfreeze()
        gc.enable()
    return Timing(*map(statistics.median, seconds))


def seconds_of(run: Callable[[], object], device: torch.device = CPU) -> float:
    """Seconds of one call: the thread's own on the processor, the clock's on an accelerator."""
    if device.type != "cpu":
        return seconds_on_clock(run, device)
    start = time.thread_time()
    run()
    return time.thread_time() - start


def seconds_on_clock(run: Callable[[], object], device: torch.device) -> float:
    """Seconds on the clock of one call, until the device has finished."""
    _wait(device)
    start = time.perf_counter()
    run()
    _wait(device)
    return time.perf_counter() - start


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()


def product_rate() -> float:
    """Floating-point operations a second of this machine's best large matrix product, one thread."""
    a, b = torch.randn(2, 768, 768).unbind()
    return 2 * 768**3 / min(seconds_of(lambda: a @ b) for _ in range(9))


def read_rate() -> float:
    """Bytes a second that one thread reads from memory, from a tensor larger than any cache."""
    tensor = torch.ones(64 * 2**20)  # 256 MiB
    return tensor.nbytes / min(seconds_of(tensor.sum) for _ in range(9))


def table(rows: Sequence[Mapping[str, Any]], note: str) -> str:
    """A Markdown table of rows with the same columns, and a note under it."""
    columns = list(rows[0])
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    lines += [f"| {' | '.join(_cell(row[column]) for column in columns)} |" for row in rows]
    return "\n".join([*lines, "", note])


def write(name: str, rows: Sequence[Mapping[str, Any]], note: str, *, dry: bool = False) -> None:
    """Print the table, and write `results/NAME.json` and `results/NAME.md` if the run is not `dry`."""
    print(text := table(rows, note))
    if dry:
        return
    RESULTS.mkdir(exist_ok=True)
    machine = {"python": platform.python_version(), "processor": platform.machine()}
    payload = {"note": note, "machine": machine, "rows": list(rows)}
    (RESULTS / f"{name}.json").write_text(json.dumps(payload, indent=1) + "\n", "utf-8")
    (RESULTS / f"{name}.md").write_text(f"{text}\n", "utf-8")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return (
        f"{value:,.4g}"
        if isinstance(value, float)
        else f"{value:,}"
        if isinstance(value, int)
        else str(value)
    )
