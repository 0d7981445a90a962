"""Thirty students on one laptop: real sessions over the app's own protocol, with every received map checked.

    python -m benchmarks.classroom [--students 30] [--seconds 120] [--profile FILE]

At first all open the same link at once. Then each, with a second of thinking between two actions, opens that link or
another page, types a sentence, steps, clicks on heads, opens Attention, Layer norm, What if, Lenses, Alignment or
Inside, or
asks for a beam, while three more visitors train tiny models. The server is started for this and serves the loopback
alone;
the students run in another process on the same machine and share its processor. Time is from sending the event to the
end of
the script run that answers it, with everything received.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from benchmarks import report, watched
from benchmarks.right_maps import Asked, lengths, trace, wrong
from benchmarks.tab import BrokenError, Tab

CHECKPOINT: Final = "en-fr"
FOLDER: Final = str(watched.ROOT / "checkpoints" / CHECKPOINT)
THINKING_S: Final = 1.0
STAY_S: Final = 8  # seconds that the server keeps a session whose tab has gone; the app's own setting is 120
BOARD: Final = "The cat is sleeping on the red sofa."
WHO: Final = (
    "A man",
    "A woman",
    "A young girl",
    "An old man",
    "A boy",
    "The teacher",
    "My brother",
    "A child",
)
DOES: Final = ("is riding a bike", "plays the guitar", "is eating an apple", "reads a book", "is swimming")
WHERE: Final = ("in the park", "on the street", "near the lake", "at the market", "in the snow")
BEAMED: Final = 4  # sentences of the pool that are translated by beam search
HOW_OFTEN: Final = {
    "link": 2,
    "sentence": 5,
    "step": 4,
    "head": 6,
    "attention": 4,
    "layer norm": 3,
    "beam": 1,
    "beam 12": 1,
    "what_if": 2,
    "lenses": 2,
    "alignment": 2,
    "inside": 2,
}
EXPERIMENTS: Final = ("what_if", "lenses", "alignment", "inside")
"""Pages that compute more than a translation; their numbers are tested elsewhere."""
TRAININGS: Final = 3
WATCHING_S: Final = 2.0  # between two looks at a training


def sentences(random_: random.Random, count: int) -> list[str]:
    """`count` different sentences."""
    every = [f"{who} {does} {where}." for who in WHO for does in DOES for where in WHERE]
    return random_.sample(every, count)


@dataclass
class Outcome:
    """The outcome of a lesson: seconds by action, maps received, and errors."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    maps: int = 0
    wrong: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    waited: int = 0  # actions during which the page said how many others were waiting
    received: int = 0
    spent: float = 0.0  # seconds of processor time of the students' own process

    def add(self, action: str, seconds: float) -> None:
        self.seconds.setdefault(action, []).append(seconds)


class Student:
    """One tab, and the last request in it."""

    def __init__(self, tab: Tab, seed: int, pool: list[str], outcome: Outcome) -> None:
        self.tab, self.outcome, self.pool = tab, outcome, pool
        self.random = random.Random(seed)
        self.asked = Asked(BOARD)

    async def act(self, action: str) -> None:
        """Perform one action, time it, and check the maps received."""
        try:
            if self.asked.beam:
                await self._greedy()
            page = action in EXPERIMENTS
            took = await (
                self._experiment(action) if page else getattr(self, f"_{action.split()[0]}")(action)
            )
        except (BrokenError, TimeoutError, OSError) as error:
            self.outcome.errors.append(f"{action}: {type(error).__name__} {error}")
            return
        self.outcome.add(action, took)
        self.outcome.waited += any("others" in each or "other" in each for each in self.tab.notices)
        if self.tab.page in EXPERIMENTS:
            return
        count, bad = wrong(self.tab, self.asked, FOLDER)
        self.outcome.maps += count
        self.outcome.wrong += [f"{action}: {each}" for each in bad]

    def _address(self) -> dict[str, str]:
        parameters = {"checkpoint": CHECKPOINT, "text": self.asked.text}
        if self.asked.beam:
            parameters |= {"strategy": "beam", "beam": str(self.asked.beam)}
        return parameters

    async def _link(self, _action: str) -> float:
        self.asked = Asked(BOARD)
        return await self.tab.load("", **self._address())

    async def _sentence(self, _action: str) -> float:
        await self._translate()
        self.asked = replace(self.asked, text=self.random.choice(self.pool))
        return await self.tab.type("Sentence to translate", self.asked.text)

    async def _step(self, _action: str) -> float:
        await self._translate()
        data = self.tab.data("stage")
        step = self.random.randrange(len(data["target"])) + 1
        view = {"position": step, "layer": data["layer"], "head": data["head"]}
        return await self.tab.report("stage", "view", view)

    async def _head(self, _action: str) -> float:
        if self.tab.page != "attention":
            await self._attention("attention")
        head = (self.random.randrange(4), self.random.randrange(8))
        self.asked = replace(self.asked, head=head)
        return await self.tab.report("wall", "picked", {"heads": [list(head)]})

    async def _attention(self, _action: str) -> float:
        self.asked = replace(self.asked, kind=self.random.choice(("encoder", "causal", "cross")), head=None)
        # On the page itself the kind is chosen by a button; the same address again would be an external link.
        go = self.tab.load if self.tab.page == "attention" else self.tab.open
        return await go("attention", kind=self.asked.kind, **self._address())

    async def _layer(self, _action: str) -> float:
        return await self.tab.open("layer_norm", **self._address())

    async def _experiment(self, page: str) -> float:
        return await self.tab.open(page, **self._address())

    async def _beam(self, action: str) -> float:
        self.asked = Asked(self.random.choice(self.pool[:BEAMED]))
        if action == "beam":
            await self.tab.load("", **self._address())
            self.asked = replace(self.asked, beam=5)
            return await self.tab.choose("Ways to write", "beam")
        self.asked = replace(self.asked, beam=12)
        return await self.tab.load("", **self._address())

    async def _greedy(self) -> None:
        """Return from beam search to greedy search."""
        self.asked = replace(self.asked, beam=0)
        await self.tab.choose("Ways to write", "greedy")

    async def _translate(self) -> None:
        if self.tab.page != "":
            await self.tab.open("", **self._address())


def prepare(pool: list[str]) -> None:
    """Compute the expected maps in advance, so that this takes no processor time from the lesson."""
    for text in (BOARD, *pool):
        lengths(FOLDER, text, 0)
    for text in pool[:BEAMED]:
        for beam in (5, 12):
            trace(FOLDER, text, beam)


async def lesson(port: int, students: int, seconds: float, seed: int, trainings: int = 0) -> Outcome:
    """One lesson: everybody arrives, works until the time is over, and leaves; meanwhile some train models."""
    outcome, chance = Outcome(), random.Random(seed)
    pool = sentences(chance, students)
    prepare(pool)
    end, spent = time.monotonic() + seconds, time.process_time()

    async def sit(number: int) -> None:
        async with Tab("127.0.0.1", port) as tab:
            student = Student(tab, seed + number, pool, outcome)
            await student.act("link")
            while time.monotonic() < end:
                await asyncio.sleep(THINKING_S * student.random.uniform(0.5, 1.5))
                await student.act(student.random.choices([*HOW_OFTEN], [*HOW_OFTEN.values()])[0])
            outcome.received += tab.received

    async def train() -> None:
        """A visitor who trains a tiny model all the time, and watches."""
        page = {"watch": "live"}
        try:
            async with Tab("127.0.0.1", port) as tab:
                await tab.open("learning", **page)
                while True:  # once at least, however short the lesson is
                    with contextlib.suppress(BrokenError):  # a training is running already
                        outcome.add("train", await tab.press("Train"))
                    await asyncio.sleep(WATCHING_S)
                    outcome.add("watch", await tab.open("learning", **page))
                    if time.monotonic() >= end:
                        break
        except (BrokenError, TimeoutError, OSError) as error:
            outcome.errors.append(f"train: {type(error).__name__} {error}")

    await asyncio.gather(*(sit(number) for number in range(students)), *(train() for _ in range(trainings)))
    outcome.spent = time.process_time() - spent
    return outcome


async def ready(port: int) -> None:
    """Wait until the model is loaded and checked, with one tab that opens each page once."""
    async with Tab("127.0.0.1", port) as tab:
        for _ in range(60):
            await tab.open("", checkpoint=CHECKPOINT)
            if "checks ✓" in tab.words():
                break
            await asyncio.sleep(1)
        for page in ("attention", "layer_norm", *EXPERIMENTS):
            await tab.open(page, checkpoint=CHECKPOINT)


def quantile(seconds: list[float], share: float) -> float:
    """The quantile of a list, as the next larger value that occurred."""
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def rows(outcome: Outcome) -> list[dict[str, Any]]:
    """The table: a row per action and one for all."""
    everything = {**outcome.seconds, "all": [each for times in outcome.seconds.values() for each in times]}
    return [
        {
            "action": action,
            "times": len(times),
            "p50 s": round(quantile(times, 0.5), 3),
            "p95 s": round(quantile(times, 0.95), 3),
            "max s": round(max(times), 3),
        }
        for action, times in everything.items()
    ]


def memory(lines: list[dict[str, Any]], students: int) -> dict[str, float]:
    """Megabytes before, at most and after all have left, and those per session without the shared caches."""
    busy = [line for line in lines if line["sessions"] >= students]
    before, last = lines[0], lines[-1]
    full = max(busy, key=lambda line: line["resident"] - line["cached"])
    mb = 1e6
    return {
        "before": before["resident"] / mb,
        "most": max(line["resident"] for line in lines) / mb,
        "after": last["resident"] / mb,
        "shared then": full["cached"] / mb,
        "shared after": last["cached"] / mb,
        "a session": (full["resident"] - full["cached"] - before["resident"] + before["cached"])
        / students
        / mb,
    }


def main() -> None:
    """Hold the lesson and write results/classroom.json and .md."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.classroom", description=__doc__)
    parser.add_argument("--students", type=int, default=30, choices=range(1, 101), metavar="N")
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--profile", type=Path, default=None)
    parser.add_argument("--dry", action="store_true", help="write no results")
    asked = parser.parse_args()
    os.environ["ATLAS_TRAININGS"] = str(TRAININGS)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "server.jsonl"
        options = ("--server.disconnectedSessionTTL", str(STAY_S))
        with watched.watched(file, options, asked.profile) as (port, _process):
            asyncio.run(ready(port))
            # A first lesson fills the shared caches, so that the memory of the second is its own.
            asyncio.run(lesson(port, asked.students, min(30.0, asked.seconds), asked.seed + 1000))
            time.sleep(STAY_S + 4)
            began = time.time()
            load = os.getloadavg()[0]
            outcome = asyncio.run(lesson(port, asked.students, asked.seconds, asked.seed, TRAININGS))
            loaded = os.getloadavg()[0]
            time.sleep(STAY_S + 6)
            lines = [line for line in watched.read(file) if line["at"] > began - 2]
    used = memory(lines, asked.students)
    table = rows(outcome)
    counts = Counter(each.split(":")[0] for each in outcome.errors)
    for line in (*outcome.wrong[:20], *outcome.errors[:20]):
        print(line)
    worst = table[-1]
    spent = lines[-1]["processor"] - lines[0]["processor"]
    note = (
        f"{asked.students} students and {TRAININGS} trainings for {asked.seconds:.0f} s with {THINKING_S:.0f} s of thinking: p95 {worst['p95 s']:.2f} s "
        f"(wanted: at most 2 s), {len(outcome.errors)} errors {dict(counts) or ''}, {len(outcome.wrong)} wrong of {outcome.maps} maps, "
        f"{used['a session']:.1f} MB a session; the server had {used['before']:.0f} MB before, {used['most']:.0f} at most, "
        f"{used['after']:.0f} after all had left (of which the shared caches grew from "
        f"{lines[0]['cached'] / 1e6:.0f} to {used['shared after']:.0f}); {lines[0]['threads']} → {lines[-1]['threads']} threads, "
        f"{lines[0]['files']} → {lines[-1]['files']} files, {lines[-1]['sessions']} sessions left. During {outcome.waited} "
        f"actions the page told how many others were waiting. {outcome.received / asked.students / 1e6:.1f} MB were sent to a "
        f"student; of the processor the server took {1000 * spent / max(1, worst['times']):.0f} ms for an action, {spent:.0f} s in all, and "
        f"the students {outcome.spent:.0f} s. Students and server on the same {os.cpu_count()} cores (load {load:.1f} before, {loaded:.1f} at the end)."
    )
    report.write("classroom", table, note, dry=asked.dry)


if __name__ == "__main__":
    main()
