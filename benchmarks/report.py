"""Writes the results of a benchmark: one JSON file with all numbers, one Markdown table."""

from __future__ import annotations

import json
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

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
