"""Half an hour of random actions by a few students who come and go, with the state of the server over time.

    python -m benchmarks.soak [--minutes 30] [--students 4]

Bounded and on the loopback alone. Every map is checked as in the classroom. After the first fifth the following must
not
grow: memory without the shared caches, threads, open files, sessions.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import report, tab
from benchmarks.classroom import HOW_OFTEN, STAY_S, Outcome, Student, prepare, ready, sentences
from benchmarks.tab import Tab

STAY_RANGE_S = (20.0, 120.0)


async def visits(port: int, students: int, seconds: float, seed: int) -> Outcome:
    """Students come, work for a minute or two, and leave; their number stays the same."""
    outcome, pool = Outcome(), sentences(random.Random(seed), 30)
    prepare(pool)
    end = time.monotonic() + seconds

    async def sit(number: int) -> None:
        chance, turn = random.Random(seed + number), 0
        while time.monotonic() < end:
            turn += 1
            leaves = min(end, time.monotonic() + chance.uniform(*STAY_RANGE_S))
            async with Tab("127.0.0.1", port) as tab:
                student = Student(tab, 1000 * number + turn, pool, outcome)
                await student.act("link")
                while time.monotonic() < leaves:
                    await asyncio.sleep(chance.uniform(0.2, 2.0))
                    await student.act(chance.choices([*HOW_OFTEN], [*HOW_OFTEN.values()])[0])

    await asyncio.gather(*(sit(number) for number in range(students)))
    return outcome


def minutes(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for every fifth of the time: the medians of the server's measurements."""
    fifth = max(1, len(lines) // 5)
    fifths = [lines[start : start + fifth] for start in range(0, 5 * fifth, fifth)]
    return [
        {
            "fifth": number,
            "MB": round(statistics.median(each["resident"] for each in lines_of_fifth) / 1e6, 1),
            "of them shared caches": round(
                statistics.median(each["cached"] for each in lines_of_fifth) / 1e6, 1
            ),
            "threads": statistics.median(each["threads"] for each in lines_of_fifth),
            "files": statistics.median(each["files"] for each in lines_of_fifth),
            "sessions": statistics.median(each["sessions"] for each in lines_of_fifth),
        }
        for number, lines_of_fifth in enumerate(fifths, start=1)
        if lines_of_fifth
    ]


def main() -> None:
    """Soak and write results/soak.json and .md."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--students", type=int, default=4, choices=range(1, 31), metavar="N")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--dry", action="store_true", help="write no results")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "server.jsonl"
        with tab.watched(file, ("--server.disconnectedSessionTTL", str(STAY_S))) as (port, _process):
            asyncio.run(ready(port))
            time.sleep(STAY_S + 4)
            began = time.time()
            outcome = asyncio.run(visits(port, asked.students, 60 * asked.minutes, asked.seed))
            ended = time.time()
            time.sleep(STAY_S + 10)
            lines = tab.read(file)
        log = file.with_suffix(".log").read_text("utf-8")
    table = minutes([line for line in lines if began <= line["at"] <= ended])
    before = next(line for line in reversed(lines) if line["at"] <= began)
    after = lines[-1]
    for line in (*outcome.wrong[:10], *outcome.errors[:10]):
        print(line)
    acted = sum(map(len, outcome.seconds.values()))
    note = (
        f"{acted:,} actions in {(ended - began) / 60:.0f} minutes by {asked.students} students at a time: {len(outcome.errors)} errors, "
        f"{len(outcome.wrong)} wrong of {outcome.maps:,} maps, {log.count('Traceback')} tracebacks in the log. Before and after: "
        f"{before['threads']} → {after['threads']} threads, {before['files']} → {after['files']} files, {after['sessions']} "
        f"sessions left, {before['resident'] / 1e6:.0f} → {after['resident'] / 1e6:.0f} MB, of which the shared caches "
        f"{before['cached'] / 1e6:.0f} → {after['cached'] / 1e6:.0f}. {os.cpu_count()} cores shared with other programs "
        f"(load {os.getloadavg()[0]:.0f})."
    )
    report.write("soak", table, note, dry=asked.dry)


if __name__ == "__main__":
    main()
