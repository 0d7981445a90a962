"""Runs every row beside its peer, in turn in one process: `python -m benchmarks [ROW …]` writes results.json and results.md.

Rows that are not requested keep their last measurement; the names are those of `benchmarks.engine.ROWS`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
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


def table(groups: dict[str, Any]) -> str:
    """results.md: the machine, one line per row, and the notes of the profile."""
    lines = [
        "# Measured",
        "",
        "`python -m benchmarks` writes this. Peer: Hugging Face transformers, eager attention, the same weights, one "
        "thread, in the same process, turn by turn; medians of the thread's own time on the processor, which on an idle "
        "machine is the time on the clock. Ratio: the peer's time ÷ ours.",
        "",
        "| work | peer ms | ours ms | ratio | wanted | share of the bound |",
        "|---|---|---|---|---|---|",
    ]
    for group in groups.values():
        for row in group["rows"]:
            share = f"{row['share']:.0f} % ({row['bound']})" if row["share"] else ""
            times = ("" if row[side] is None else f"{row[side]:,.1f}" for side in ("peer", "ours"))
            lines.append(
                f"| {row['work']} | {' | '.join(times)} | {row['ratio']:.2f} | {row['wanted']} | {share} |"
            )
    loads = [group["machine"]["load"][0] for group in groups.values()]
    described = {
        json.dumps({**details, "load": None}): {
            **details,
            "load": f"{min(loads)} to {max(loads)} over the rows",
        }
        for details in (group["machine"] for group in groups.values())
    }
    for details in described.values():
        lines += ["", "Machine: " + "; ".join(f"{name} {value}" for name, value in details.items()) + "."]
    return "\n".join(lines) + "\n\n" + (NOTES.read_text("utf-8") if NOTES.exists() else "")


def main() -> None:
    """Measure the requested rows and write both files."""
    import torch

    from benchmarks.engine import ROWS

    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("rows", nargs="*", choices=[*ROWS, []], metavar="ROW", help=", ".join(ROWS))
    asked = parser.parse_args().rows or list(ROWS)
    torch.set_num_threads(1)
    path = FOLDER / "results.json"
    groups: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    for name in asked:
        with torch.inference_mode():
            rows = [row._asdict() for row in ROWS[name]()]
        groups[name] = {
            "measured": datetime.now(UTC).isoformat(timespec="minutes"),
            "machine": machine(),
            "rows": rows,
        }
        for row in rows:
            print(f"{row['work']}: {row['ratio']:.2f} (wanted {row['wanted']})", flush=True)
        ordered = {each: groups[each] for each in ROWS if each in groups}
        path.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", "utf-8")
        (FOLDER / "results.md").write_text(table(ordered), "utf-8")


if __name__ == "__main__":
    main()
