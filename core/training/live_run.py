"""A watched training as the server sees it: a child process, its progress, and how to stop it.

Imports no torch. All methods are thread-safe; one thread reads the child's messages.
"""

from __future__ import annotations

import base64
import contextlib
import json
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from core.training.dynamics import KINDS, Dynamics, Probe
from core.training.live_recipe import CHECKPOINT

Phase = Literal["starting", "training", "paused", "finishing", "done", "stopped", "failed"]
ENTRY: Final = "core.cli.live"
MEGABYTES: Final = 2048
NICE: Final = 15
"""The priority, below the server and other processes."""
LIFE_S: Final = 900.0
"""Seconds after which a run is ended in any case, pauses included."""
_ROOT: Final = str(Path(__file__).resolve().parents[2])
_ENDED: Final = ("done", "stopped", "failed")


@dataclass(frozen=True)
class Progress:
    """The progress of a run. `curve`: (step, training loss in nats per target token); `exact`: (step, percent of the
    validation pairs with an exact translation). `dynamics` is None until the untrained model is recorded.
    """

    phase: Phase = "starting"
    step: int = 0
    steps: int = 0
    seconds: float = 0.0
    parameters: int = 0
    curve: tuple[tuple[int, float], ...] = ()
    exact: tuple[tuple[int, float], ...] = ()
    dynamics: Dynamics | None = None
    problem: str = ""

    @property
    def over(self) -> bool:
        """Whether the run has ended."""
        return self.phase in _ENDED

    @property
    def share(self) -> float:
        """The completed share, 0 to 1."""
        return min(1.0, self.step / self.steps) if self.steps else 0.0


class LiveRun:
    """A training of `task` into `folder / CHECKPOINT`, started at once. Ends with `stop`, `cancel` or by itself."""

    def __init__(
        self, task: str, folder: Path, *, steps: int | None = None, life_s: float = LIFE_S, entry: str = ENTRY
    ) -> None:
        """`steps` ends it earlier than the task's recipe. `entry` is the module that the child runs."""
        self.task, self.folder = task, folder
        self._progress = Progress()
        self._records: list[dict[str, Any]] = []
        self._introduction: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._process = _start(entry)
        self._send({"task": task, "folder": str(folder), "steps": steps})
        self._clock = threading.Timer(life_s, self._end, args=(f"ended after {life_s / 60:.0f} minutes",))
        self._clock.daemon = True
        self._clock.start()
        threading.Thread(target=self._listen, name=f"live-{task}", daemon=True).start()

    @property
    def progress(self) -> Progress:
        """The progress so far."""
        with self._lock:
            return self._progress

    @property
    def checkpoint(self) -> Path:
        """The folder of the result, once the phase is "done"."""
        return self.folder / CHECKPOINT

    @property
    def pid(self) -> int:
        """The id of the child process."""
        return self._process.pid

    def pause(self) -> None:
        """Pause after the current step."""
        self._send("pause")

    def resume(self) -> None:
        """Continue after a pause."""
        self._send("resume")

    def stop(self) -> None:
        """End and keep what was learnt: the checkpoint is written."""
        self._send("stop")

    def cancel(self) -> None:
        """End now without a checkpoint; returns when the process has ended."""
        self._end("")

    def wait(self, seconds: float) -> bool:
        """Wait for the end, at most `seconds`; returns whether it has ended."""
        end = time.monotonic() + seconds
        while not self.progress.over and time.monotonic() < end:
            time.sleep(0.05)
        return self.progress.over

    def _end(self, problem: str) -> None:
        with self._lock:
            if self._progress.phase in _ENDED:
                return
            phase: Phase = "failed" if problem else "stopped"
            self._progress = replace(
                self._progress, phase=phase, problem=problem and f"The training was {problem}."
            )
        self._process.kill()
        self._process.wait()
        self._clock.cancel()

    def _send(self, word: object) -> None:
        with contextlib.suppress(OSError, ValueError):  # the child has ended
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(word).encode() + b"\n")
            self._process.stdin.flush()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._receive(json.loads(line))
        self._process.wait()
        self._clock.cancel()
        with self._lock:
            if self._progress.phase not in _ENDED:
                problem = self._progress.problem or "The training ended by itself; start it again."
                self._progress = replace(self._progress, phase="failed", problem=problem)
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()

    def _receive(self, message: Mapping[str, Any]) -> None:
        with self._lock:
            now = self._progress
            if now.phase in _ENDED:
                return
            if "probes" in message:
                self._introduction = dict(message)
                now = replace(now, steps=message["steps"], parameters=message["parameters"])
            elif "record" in message:
                self._records.append(message["record"])
                now = replace(now, dynamics=_dynamics(self._introduction, self._records))
            elif "loss" in message:
                point = (message["step"], message["loss"])
                curve = (*now.curve, point) if math.isfinite(message["loss"]) else now.curve
                now = replace(now, step=message["step"], seconds=message["seconds"], curve=curve)
            elif "exact" in message:
                now = replace(now, exact=(*now.exact, (message["step"], message["exact"])))
            elif "problem" in message:
                now = replace(now, phase="failed", problem=message["problem"])
            else:
                now = replace(now, phase=message["phase"])
            self._progress = now


def _start(entry: str) -> subprocess.Popen[bytes]:
    paths = [_ROOT, *filter(None, [os.environ.get("PYTHONPATH")])]
    one_thread = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    process = subprocess.Popen(
        [sys.executable, "-m", entry, str(MEGABYTES)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **one_thread, "PYTHONPATH": os.pathsep.join(paths)},
    )
    # At once: importing torch alone takes seconds of a core that visitors need.
    # AttributeError: Windows has no such priority. OSError: the child may have ended already.
    with contextlib.suppress(AttributeError, OSError):
        os.setpriority(os.PRIO_PROCESS, process.pid, NICE)
    return process


def _dynamics(introduction: Mapping[str, Any], records: list[dict[str, Any]]) -> Dynamics:
    """The records so far, as in the final `dynamics.npz`."""

    def column(name: str) -> NDArray[np.float32]:
        return np.array([record[name] for record in records], dtype=np.float32)

    def arrays(name: str, dtype: type[np.generic]) -> list[NDArray[Any]]:
        return [np.frombuffer(base64.b64decode(record[name]), dtype=dtype) for record in records]

    names = tuple(introduction["score_names"])
    probes = tuple(_probe(each) for each in introduction["probes"])
    return Dynamics(
        steps=np.array([record["step"] for record in records], dtype=np.int64),
        train_loss=column("train_loss"),
        valid_loss=column("valid_loss"),
        bleu=column("bleu"),
        probes=probes,
        score_names=names,
        scores={
            kind: np.stack(arrays(f"{kind}.scores", np.float16)).reshape(
                len(records), len(names), *introduction["shapes"][kind]
            )
            for kind in KINDS
        },
        packed={kind: np.stack(arrays(f"{kind}.maps", np.uint8)) for kind in KINDS},
        scored_sentences=introduction["scored"],
    )


def _probe(entry: Mapping[str, Any]) -> Probe:
    rows = [tuple(entry[f"{side}_tokens"]) for side in ("source", "target", "written")]
    return Probe(entry["source"], entry["target"], *rows)
