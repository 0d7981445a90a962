"""Processor time of the server for one action of a visitor: the run of the script and its messages, one visitor at a time.

    python -m benchmarks.action_cost [--rounds 5] [--beside FOLDER] [--profile FILE]

Processor time hardly changes with what else the machine does. `--beside` names another working tree of this project;
its server then answers each round in turn with this one. A sentence is new in its first round, so the columns "new"
hold the decode and "again" what is left when everything that is kept is there. `--profile` writes where this tree's
script runs spend their time (benchmarks/tab.py).
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from benchmarks import report, tab
from benchmarks.classroom import CHECKPOINT, sentences
from benchmarks.tab import Tab

ROUNDS: Final = 5
Action = Callable[[Tab, str], Awaitable[float]]


def _page(name: str) -> Action:
    return lambda tab, text: tab.open(name, checkpoint=CHECKPOINT, text=text)


async def _sentence(tab: Tab, text: str) -> float:
    return await tab.type("Sentence to translate", text)


async def _step(tab: Tab, _text: str) -> float:
    data = tab.data("stage")
    return await tab.report("stage", "view", {"position": 2, "layer": data["layer"], "head": data["head"]})


async def _head(tab: Tab, text: str) -> float:
    return await tab.report("wall", "picked", {"heads": [[1, len(text) % 8]]})


async def _beam(tab: Tab, text: str) -> float:
    return await tab.open("", checkpoint=CHECKPOINT, text=text, strategy="beam", beam="5")


ACTIONS: Final[dict[str, Action]] = {
    "sentence": _sentence,
    "step": _step,
    "attention": _page("attention"),
    "head": _head,
    "layer norm": _page("layer_norm"),
    "what if": _page("what_if"),
    "lenses": _page("lenses"),
    "alignment": _page("alignment"),
    "inside": _page("inside"),
    "heads": _page("heads"),
    "beam": _beam,
    "translate": _page(""),
}
"""In this order, for each sentence: a step and a head need the page that the action before opens."""


def processor(process: int) -> float:
    """Seconds of the processor that a process has used, its ended threads included (Linux)."""
    return time.clock_gettime((~process << 3) | 2)  # what clock_getcpuclockid(3) gives


class Server:
    """A server of one working tree, one visitor of it, and what its actions cost."""

    def __init__(self, port: int, process: int) -> None:
        self.tab, self.process = Tab("127.0.0.1", port), process
        self.costs: dict[str, list[float]] = {}

    async def arrive(self) -> None:
        """Open the front page until the model is loaded and checked, then each page once."""
        await self.tab.__aenter__()
        while "checks ✓" not in self.tab.words():
            await self.tab.open("", checkpoint=CHECKPOINT)
            await asyncio.sleep(1)
        for name, act in ACTIONS.items():
            if name not in ("sentence", "step", "head"):
                await act(self.tab, "The cat is sleeping.")

    async def act(self, name: str, text: str, column: str) -> None:
        """One action, and its cost once the server is at rest again."""
        before = processor(self.process)
        await ACTIONS[name](self.tab, text)
        await asyncio.sleep(0.05)
        self.costs.setdefault(f"{name} {column}", []).append(processor(self.process) - before)


async def measure(servers: list[Server], rounds: int) -> None:
    """Every action with a new sentence and again, in each server by turns."""
    for server in servers:
        await server.arrive()
    for text in sentences(random.Random(3), rounds):
        for column in ("new", "again"):
            for name in ACTIONS:
                for server in servers:
                    await server.act(name, text, column)
    for server in servers:
        await server.tab.__aexit__()


def table(servers: dict[str, Server]) -> list[dict[str, Any]]:
    """A row an action: the median in milliseconds, of each tree."""
    rows: list[dict[str, Any]] = []
    for name in ACTIONS:
        row: dict[str, Any] = {"action": name}
        for tree, server in servers.items():
            for column in ("new", "again"):
                row[f"{tree} {column} ms"] = round(
                    1000 * statistics.median(server.costs[f"{name} {column}"]), 1
                )
        rows.append(row)
    last = {
        name: round(statistics.fmean(row[name] for row in rows), 1) for name in rows[0] if name != "action"
    }
    return [*rows, {"action": "mean", **last}]


def main() -> None:
    """Measure, and write results/action_cost.json and .md."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.action_cost", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--beside", type=Path, default=None, metavar="FOLDER")
    parser.add_argument("--profile", type=Path, default=None)
    parser.add_argument("--dry", action="store_true", help="write no results")
    asked = parser.parse_args()
    trees = {"this": tab.ROOT} | ({"beside": asked.beside.resolve()} if asked.beside else {})
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        servers = {}
        for name, root in trees.items():
            profile = asked.profile if name == "this" else None
            watch = tab.watched(folder / f"{name}.jsonl", (), profile, root)
            servers[name] = Server(*stack.enter_context(watch))
        asyncio.run(measure([*servers.values()], asked.rounds))
        report.write(
            "action_cost",
            table(servers),
            f"Processor time of the server for one action, median of {asked.rounds} sentences.",
            dry=asked.dry,
        )


if __name__ == "__main__":
    main()
