"""Thirty students on one laptop: real sessions over the app's own protocol, with every received map checked.

    python -m benchmarks.classroom [--students 30] [--seconds 120] [--processes 1] [--profile FILE]

At first all open the same link at once. Then each, with a second of thinking between two actions, opens that link or
another page, types a sentence, steps, clicks on heads, opens Attention, Layer norm, What if, Lenses, Alignment or Inside,
or asks for a beam, while three more visitors train tiny models. The server is started for this and serves the loopback
alone; the students run in another process on the same machine and share its processor. Time is from sending the event to
the end of the script run that answers it, with everything received. The expected maps are computed apart from the app.
With `--processes 2` two servers stand behind HAProxy, as `deploy/haproxy.cfg` has it.
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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks import report, tab
from benchmarks.tab import BrokenError, Tab

if TYPE_CHECKING:
    from core.api import Checkpoint
    from core.model.trace import Trace


KINDS: Final = {"encoder": ("encoder", "self"), "causal": ("decoder", "self"), "cross": ("decoder", "cross")}
# Of a weight; the server itself rounds to 1/255 of a square root on the wall, and to 1e-5 elsewhere.
CLOSE: Final = 2e-4


@dataclass(frozen=True)
class Asked:
    """The last request of a student."""

    text: str
    beam: int = 0  # 0: greedy
    kind: str = "cross"
    head: tuple[int, int] | None = None


@cache
def model(folder: str) -> Checkpoint:
    """The checkpoint, read in this process."""
    import torch

    import core

    torch.set_num_threads(1)
    return core.load(Path(folder), device="cpu")


@cache
def trace(folder: str, text: str, beam: int) -> Trace:
    """A full pass over a sentence and its translation, with the residual stream."""
    import core
    from core.analysis import norms
    from core.decoding.session import DecodeSession

    loaded = model(folder)
    session = DecodeSession(loaded, text) if not beam else DecodeSession(loaded, text, "beam", beam_size=beam)
    while not session.finished:
        session.step()
    from core.api import trace_ids

    recorded = trace_ids(loaded, session.source_ids, tuple(session.ids), ("*.weights", *norms.RECORD))
    assert isinstance(recorded, core.Trace)
    return recorded


def wrong(tab: Tab, asked: Asked, folder: str) -> tuple[int, list[str]]:
    """The number of maps on the tab's page, and a line for each that is not the expected one."""
    right = trace(folder, asked.text, asked.beam)
    components = {e.proto.bidi_component.component_name.removeprefix("atlas_") for e in tab.elements.values()}
    checks = {"stage": _stage, "wall": _wall, "head": _head}
    messages = [check(tab.data(name), right, asked) for name, check in checks.items() if name in components]
    messages += [
        _stream(chart, lengths(folder, asked.text, asked.beam), right.tokens.source)
        for key, chart in tab.charts("norm_stream").items()
    ]
    return len(messages), [each for each in messages if each]


def _stage(data: dict[str, Any], right: Trace, asked: Asked) -> str:
    if data["source"] != list(right.tokens.source) or data["target"] != list(right.tokens.written):
        return f"the stage shows {data['source']} → {data['target']} for {asked}"
    weights = right.stacked("decoder", "cross", "weights")
    given = data["weights"].reshape(data["shape"]) / 65535
    return _apart(given, weights, CLOSE, f"the stage's weights for {asked}")


def _wall(data: dict[str, Any], right: Trace, asked: Asked) -> str:
    kind = data["kind"]
    if kind != asked.kind:
        return f"the wall shows {kind} for {asked}"
    weights = right.stacked(*KINDS[kind], "weights")
    if data["cols"] != _keys(right, kind):
        return f"the wall's tokens are {data['cols']} for {asked}"
    given = data["levels"].reshape(weights.shape) / 255
    return _apart(given, np.sqrt(weights), 1.01 / 255, f"the wall's weights for {asked}")


def _head(data: dict[str, Any], right: Trace, asked: Asked) -> str:
    kind, pairs = data["kind"], data["pairs"]
    if asked.head is not None and pairs != [list(asked.head)]:
        return f"head {pairs} is open for {asked}"
    if data["cols"] != _keys(right, kind):
        return f"the open head's tokens are {data['cols']} for {asked}"
    weights = right.stacked(*KINDS[kind], "weights")
    one = weights[tuple(pairs[0])] if pairs else weights.mean(axis=(0, 1))
    given = np.nan_to_num(data["heads"][0]["values"]).reshape(one.shape)
    return _apart(given, one, CLOSE, f"the open head's numbers for {asked}")


@cache
def lengths(folder: str, text: str, beam: int) -> tuple[NDArray[np.float64], ...]:
    """The lengths of every source token's stream in the encoder, sorted, an array per token."""
    from core.analysis.norms import stream_table

    table = stream_table(trace(folder, text, beam))
    encoder = table[table["stack"] == "encoder"]
    return tuple(np.sort(rows["length"].to_numpy()) for _, rows in encoder.groupby("token", sort=True))


def _stream(chart: dict[str, Any], lines: tuple[NDArray[np.float64], ...], source: Sequence[str]) -> str:
    given = [np.sort(_numbers(line["y"])) for line in chart["data"]]
    if len(given) != len(lines) or any(a.shape != b.shape for a, b in zip(given, lines, strict=True)):
        return f"the chart has {len(given)} lines for {source}"
    gap = max(float(np.abs(a - b).max()) for a, b in zip(given, lines, strict=True))
    return "" if gap < 1e-2 else f"the chart of the stream is {gap:.3g} apart for {source}"


def _numbers(values: Any) -> NDArray[np.float64]:
    """A column of a Plotly figure, a list or packed as base64."""
    import base64

    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), np.dtype(values["dtype"])).astype(np.float64)
    return np.asarray(values, dtype=np.float64)


def _keys(right: Trace, kind: str) -> list[str]:
    return list(right.tokens.target if kind == "causal" else right.tokens.source)


def _apart(given: NDArray[Any], right: NDArray[Any], most: float, what: str) -> str:
    if given.shape != right.shape:
        return f"{what} have shape {given.shape}, not {right.shape}"
    gap = float(np.abs(given - right).max(initial=0.0))
    return "" if gap <= most else f"{what} are {gap:.3g} apart"


CHECKPOINT: Final = "en-fr"
FOLDER: Final = str(tab.ROOT / "checkpoints" / CHECKPOINT)
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
            return await self.tab.choose("Ways to write", "Beam")
        self.asked = replace(self.asked, beam=12)
        return await self.tab.load("", **self._address())

    async def _greedy(self) -> None:
        """Return from beam search to greedy search."""
        self.asked = replace(self.asked, beam=0)
        await self.tab.choose("Ways to write", "Greedy")

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
    if trainings and "train" not in outcome.seconds:
        outcome.errors.append("train: no press of “Train” began a training")
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


@contextlib.contextmanager
def served(folder: Path, asked: argparse.Namespace) -> Iterator[tuple[int, list[Path]]]:
    """The servers of a lesson → the port that students open, and each server's log."""
    options = ("--server.disconnectedSessionTTL", str(STAY_S))
    if asked.processes == 1:
        log = folder / "server.jsonl"
        with tab.watched(log, options, asked.profile) as (port, _process):
            yield port, [log]
    else:
        with tab.proxied(folder, options) as (port, servers):
            yield port, [log for _process, log in servers.values()]


async def all_ready(port: int, servers: int) -> None:
    """Wait until every server is ready: HAProxy leads as many tabs, opened together, to one each."""
    await asyncio.gather(*(ready(port) for _ in range(servers)))


def counted(logs: Sequence[Path], since: float) -> list[dict[str, Any]]:
    """What all servers together held and had spent, second by second."""
    by_server = [[line for line in tab.read(log) if line["at"] > since] for log in logs]
    return [
        {name: sum(line[name] for line in lines) for name in lines[0]}
        for lines in zip(*by_server, strict=False)
    ]


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
    parser.add_argument("--processes", type=int, default=1, choices=(1, len(tab.SHIPPED)))
    parser.add_argument("--profile", type=Path, default=None)
    parser.add_argument("--dry", action="store_true", help="write no results")
    asked = parser.parse_args()
    os.environ["ATLAS_TRAININGS"] = str(TRAININGS)
    with tempfile.TemporaryDirectory() as folder, served(Path(folder), asked) as (port, logs):
        asyncio.run(all_ready(port, len(logs)))
        # A first lesson fills the shared caches, so that the memory of the second is its own.
        asyncio.run(lesson(port, asked.students, min(30.0, asked.seconds), asked.seed + 1000))
        time.sleep(STAY_S + 4)
        began = time.time()
        load = os.getloadavg()[0]
        outcome = asyncio.run(lesson(port, asked.students, asked.seconds, asked.seed, TRAININGS))
        loaded = os.getloadavg()[0]
        time.sleep(STAY_S + 6)
        lines = counted(logs, began - 2)
    used = memory(lines, asked.students)
    table = rows(outcome)
    counts = Counter(each.split(":")[0] for each in outcome.errors)
    for line in (*outcome.wrong[:20], *outcome.errors[:20]):
        print(line)
    worst = table[-1]
    spent = lines[-1]["processor"] - lines[0]["processor"]
    note = (
        f"{asked.students} students and {TRAININGS} trainings before {asked.processes} {'process' if asked.processes == 1 else 'processes'} for {asked.seconds:.0f} s with {THINKING_S:.0f} s of thinking: p95 {worst['p95 s']:.2f} s "
        f"(wanted: at most 2 s), {len(outcome.errors)} errors {dict(counts) or ''}, {len(outcome.wrong)} wrong of {outcome.maps} maps, "
        f"{used['a session']:.1f} MB a session; the server had {used['before']:.0f} MB before, {used['most']:.0f} at most, "
        f"{used['after']:.0f} after all had left (of which the shared caches grew from "
        f"{lines[0]['cached'] / 1e6:.0f} to {used['shared after']:.0f}); {lines[0]['threads']} → {lines[-1]['threads']} threads, "
        f"{lines[0]['files']} → {lines[-1]['files']} files, {lines[-1]['sessions']} sessions left. During {outcome.waited} "
        f"actions the page told how many others were waiting. {outcome.received / asked.students / 1e6:.1f} MB were sent to a "
        f"student; of the processor the server took {1000 * spent / max(1, worst['times']):.0f} ms for an action, {spent:.0f} s in all, and "
        f"the students {outcome.spent:.0f} s. Students and server on the same {os.cpu_count()} cores (load {load:.1f} before, {loaded:.1f} at the end)."
    )
    report.write(
        "classroom" if asked.processes == 1 else f"classroom-{asked.processes}", table, note, dry=asked.dry
    )


if __name__ == "__main__":
    main()
