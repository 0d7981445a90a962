"""What an accelerator gives: its tests, the steps it replays, and the engine's rows, each beside a peer on the same device.

    python -m benchmarks.accelerator [PART …] [--again]

Writes results/accelerator.json and .md. Each part is stored when it ends, so that a run that was stopped goes on with the
next; parts that are named are measured anew, `--again` measures all anew, and figures of another device or version of torch
are dropped. The tests come last and are stopped after a minute and a half; no part begins after eight minutes. Where there is
neither CUDA nor MPS the command says so and measures nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from unittest import mock

import numpy as np
import torch

import core
from benchmarks import engine, report
from core.checkpoints.bundle import available_devices
from core.decoding import path
from core.decoding.session import DecodeSession

os.environ.setdefault("HF_HUB_OFFLINE", "1")

ROOT: Final = Path(__file__).parents[1]
BUDGET_S: Final = 480.0  # after it no part begins; each takes less than the two minutes that are left
TESTS_S: Final = 90  # a test that compiles kernels takes most of them
_TOLD: Final = 3000  # characters of what failing tests printed last
MODEL: Final = "checkpoints/en-fr"
SENTENCES: Final = ("A man is riding a bike.", "Two dogs run through the tall grass near the lake.")
NONE: Final = "There is no accelerator here, neither CUDA nor MPS; nothing was measured."
NOTE: Final = (
    "`python -m benchmarks.accelerator` writes this. Medians on the clock, until the device has finished; ratio: the peer's time "
    "÷ ours. Of the engine's rows the peer is that of `results.md` on the same device; of steps, our own plain steps on the "
    "processor."
)

Row = Mapping[str, Any]
Section = Callable[[torch.device], Iterable[Row]]


def gpu_tests(device: torch.device) -> Iterator[Row]:
    """The tests marked `gpu`, which take the fastest device themselves. Raises RuntimeError where one fails or time is up."""
    files = [
        str(f) for f in sorted((ROOT / "tests").rglob("test_*.py")) if "mark.gpu" in f.read_text("utf-8")
    ]
    command = [sys.executable, "-m", "pytest", "-n0", "-v", "-m", "gpu", "--durations=3", *files]
    try:
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=TESTS_S, check=False)
    except subprocess.TimeoutExpired as late:
        told = late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout or ""
        raise RuntimeError(f"pytest -m gpu took more than {TESTS_S} seconds: {told[-_TOLD:]}") from None
    if run.returncode:
        raise RuntimeError(f"pytest -m gpu failed: {(run.stdout + run.stderr)[-_TOLD:]}")
    yield _line(f"pytest -m gpu: {run.stdout.strip().splitlines()[-1]}")


def steps(device: torch.device) -> Iterator[Row]:
    """Sentences a step at a time with everything recorded: plain and captured, beside the processor."""
    here = core.load(ROOT / MODEL, device="cpu")
    there = here.to(device)
    for text in SENTENCES:
        with mock.patch.object(path, "capture_on", return_value=None):
            expected, limit = _decoded(here, text)
            ways = {"plain": _decoded(there, text)}
        if path.capture_on(device) is not None:
            ways["captured"] = _decoded(there, text)
        for way, (session, seconds) in ways.items():
            if session.ids != expected.ids:
                raise RuntimeError(f"{way} steps write other tokens than the processor for {text!r}")
            gaps = (_gap(session, expected, site) for site in expected.trace.records)
            work = f"en-fr, {len(session.ids)} {way} steps, records within {max(gaps):.0e} of the processor's"
            yield _line(work, limit, seconds)


def _decoded(checkpoint: core.Checkpoint, text: str) -> tuple[DecodeSession, float]:
    """A finished greedy session, and the seconds of one, after one that is not counted."""
    DecodeSession(checkpoint, text).run()
    session = DecodeSession(checkpoint, text)
    return session, report.seconds_on_clock(session.run, checkpoint.device)


def _gap(one: DecodeSession, other: DecodeSession, site: core.Site) -> float:
    here, there = (session.trace.records[site] for session in (one, other))
    seen = np.isfinite(there)
    return float(np.abs(here[seen] - there[seen]).max(initial=0.0))


def rows(measure: Callable[[torch.device], Iterable[engine.Row]]) -> Section:
    """A part that measures rows of the engine on the device."""

    def part(device: torch.device) -> Iterator[Row]:
        # Training needs gradients; `engine` turns them on again where it trains.
        with torch.inference_mode():
            for row in measure(device):
                yield {"work": row.work, "peer ms": row.peer, "ours ms": row.ours, "ratio": row.ratio}

    return part


def _line(work: str, peer: float | None = None, ours: float | None = None) -> Row:
    measured = {"peer ms": peer and peer * 1e3, "ours ms": ours and ours * 1e3}
    return {"work": work, **measured, "ratio": peer / ours if peer and ours else None}


PARTS: Final[Mapping[str, Section]] = {
    "steps": steps,
    "weights": rows(lambda device: engine.passes(engine.SMALL, False, 1.15, device)),
    "weights-base": rows(lambda device: engine.passes(engine.BASE, False, 1.15, device)),
    "plain-steps": rows(lambda device: engine.steps(engine.SMALL, 2.0, device)),
    "greedy": rows(lambda device: engine.batches(1, 1.6, device)),
    "beam": rows(lambda device: engine.batches(5, 1.6, device)),
    "training": rows(engine.training),
    "stream": rows(engine.stream),
    "tests": gpu_tests,
}


def measure(
    device: torch.device,
    file: Path,
    parts: Mapping[str, Section] = PARTS,
    clock: Callable[[], float] = time.monotonic,
    anew: Sequence[str] = (),
) -> list[str]:
    """Run the parts `anew`, or those that `file` lacks, storing each as it ends → what is still missing, a sentence for each.

    A part that fails does not stop the others; it is tried again by the next run.
    """
    started, missing = clock(), []
    about = {"device": _name(device), "torch": torch.__version__, "machine": platform.machine()}
    stored = json.loads(file.read_text("utf-8")) if file.exists() else {}
    done: dict[str, list[Row]] = stored.get("parts", {}) if stored.get("about") == about else {}
    for name, part in parts.items():
        if name not in anew if anew else name in done:
            continue
        if clock() - started > BUDGET_S:
            missing.append(f"{name}: no time was left; run the command again.")
            continue
        begun = clock()
        try:
            done[name] = list(part(device))
        except Exception as error:
            missing.append(f"{name}: {type(error).__name__}: {error}")
            continue
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({"about": about, "parts": done}, indent=1) + "\n", "utf-8")
        print(f"{name}: {len(done[name])} figures, {clock() - begun:.0f} s", flush=True)
    listed = [row for name in parts for row in done.get(name, ())]
    if listed:
        described = "; ".join(f"{name} {value}" for name, value in about.items())
        file.with_suffix(".md").write_text(report.table(listed, f"{NOTE} {described}.") + "\n", "utf-8")
    return missing


def _name(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type


def main() -> int:
    """Measure on the fastest device → the exit code: 1 where a part is missing."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.accelerator", description=__doc__.split("\n")[0]
    )
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--again", action="store_true", help="measure all parts anew")
    parser.add_argument("--device", default=available_devices()[0], help=argparse.SUPPRESS)
    parser.add_argument(
        "--file", type=Path, default=report.RESULTS / "accelerator.json", help=argparse.SUPPRESS
    )
    asked = parser.parse_args()
    if asked.device == "cpu" and "--device" not in sys.argv:
        print(NONE)
        return 0
    if asked.again:
        asked.file.unlink(missing_ok=True)
    missing = measure(torch.device(asked.device), asked.file, anew=asked.parts)
    print("\n".join([*missing, f"The figures are in {asked.file.with_suffix('.md')}."]))
    return bool(missing)


if __name__ == "__main__":
    sys.exit(main())
