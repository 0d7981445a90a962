"""Runs every row beside its peer, in turn in one process: `python -m benchmarks [ROW …]` writes results.json and results.md.

Rows that are not requested keep their last measurement; the names are those of `benchmarks.engine.ROWS`. `--avx2` measures as on
a processor without AVX-512, in columns of their own; `--runs` repeats each row and writes the medians.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

FOLDER = Path(__file__).parent
NOTES = FOLDER / "profile.md"


def machine() -> dict[str, Any]:
    """The machine of the measurements."""
    import torch
    import transformers

    info = Path("/proc/cpuinfo")
    model = re.search(r"^model name\s*:\s*(.+)$", info.read_text(), re.M) if info.exists() else None
    return {
        "processor": model[1] if model else platform.processor(),
        "cores": os.cpu_count(),
        "load": [round(value, 1) for value in os.getloadavg()],
        "threads used": 1,
        "accelerator": torch.cuda.get_device_name() if torch.cuda.is_available() else "none",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "instructions": torch.backends.cpu.get_cpu_capability(),
    }


AVX2 = {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2"}
"""What torch and its libraries read at their start: kernels for AVX2 alone."""


def table(groups: dict[str, Any]) -> str:
    """results.md: one line per row with the figures of each set of instructions, the machines, and the notes of the profile."""
    kinds = sorted({kind for group in groups.values() for kind in group})
    lines = [
        "# Measured",
        "",
        "`python -m benchmarks` and `python -m benchmarks --avx2` write this. Peer: Hugging Face transformers, eager attention, the "
        "same weights, one thread, in the same process, turn by turn; medians of the thread's own time on the processor, which on "
        "an idle machine is the time on the clock, and of several runs. Ratio: the peer's time ÷ ours.",
        "",
        f"| work | wanted | {' | '.join(f'peer ms, {kind} | ours ms | ratio' for kind in kinds)} |",
        f"|---|---|{'---|' * 3 * len(kinds)}",
    ]
    for group in groups.values():
        found = [group[kind]["rows"] if kind in group else None for kind in kinds]
        for number, row in enumerate(next(rows for rows in found if rows)):
            cells = " | ".join(_figures(None if rows is None else rows[number]) for rows in found)
            lines.append(f"| {row['work']} | {row['wanted']} | {cells} |")
    described: dict[str, list[dict[str, Any]]] = {}
    for measured in (each for group in groups.values() for each in group.values()):
        machine = measured["machine"]
        described.setdefault(json.dumps({**machine, "load": None, "runs": None}), []).append(machine)
    for machines in described.values():
        loads, runs = (
            [machine["load"][0] for machine in machines],
            sorted({machine["runs"] for machine in machines}),
        )
        about = {
            **machines[0],
            "load": f"{min(loads)} to {max(loads)} over the rows",
            "runs": " or ".join(map(str, runs)),
        }
        lines += ["", "Machine: " + "; ".join(f"{name} {value}" for name, value in about.items()) + "."]
    return "\n".join(lines) + "\n\n" + (NOTES.read_text("utf-8") if NOTES.exists() else "")


def _figures(row: dict[str, Any] | None) -> str:
    """The peer's milliseconds, ours and the ratio, as three cells."""
    if row is None:
        return " | | "
    times = ("" if row[side] is None else f"{row[side]:,.1f}" for side in ("peer", "ours"))
    return f"{' | '.join(times)} | {row['ratio']:.2f}"


def medians(runs: Sequence[Iterable[Any]]) -> list[dict[str, Any]]:
    """The rows of several runs in one: the median of each figure."""
    rows = []
    for alike in zip(*runs, strict=True):
        row: dict[str, Any] = alike[-1]._asdict()
        for name in ("peer", "ours", "ratio", "share"):
            if row[name] is not None:
                row[name] = statistics.median(getattr(each, name) for each in alike)
        rows.append(row)
    return rows


def main() -> None:
    """Measure the requested rows and write both files."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "rows", nargs="*", metavar="ROW", help="names of `benchmarks.engine.ROWS`; all of them"
    )
    parser.add_argument("--avx2", action="store_true", help="without AVX-512")
    parser.add_argument("--runs", type=int, default=3, help="how often each row is measured")
    given = parser.parse_args()
    if given.avx2 and not AVX2.items() <= os.environ.items():
        os.execve(sys.executable, [sys.executable, "-m", "benchmarks", *sys.argv[1:]], {**os.environ, **AVX2})
    import torch

    from benchmarks.engine import ROWS

    if unknown := [name for name in given.rows if name not in ROWS]:
        parser.error(f"{', '.join(unknown)}: choose from {', '.join(ROWS)}")
    torch.set_num_threads(1)
    path = FOLDER / "results.json"
    for name in given.rows or ROWS:
        with torch.inference_mode():
            rows = medians([list(ROWS[name]()) for _ in range(given.runs)])
        for row in rows:
            print(f"{row['work']}: {row['ratio']:.2f} (wanted {row['wanted']})", flush=True)
        about = {**machine(), "runs": given.runs}
        # Read again: the other set of instructions may be measured at the same time.
        groups: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
        groups.setdefault(name, {})[about["instructions"]] = {
            "measured": datetime.now(UTC).isoformat(timespec="minutes"),
            "machine": about,
            "rows": rows,
        }
        ordered = {each: groups[each] for each in ROWS if each in groups}
        path.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", "utf-8")
        (FOLDER / "results.md").write_text(table(ordered), "utf-8")


if __name__ == "__main__":
    main()
