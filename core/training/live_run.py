"""A training that is watched, seen from the server: a child process, what it has told so far, and the ways to stop it.

Imports no torch. All methods are safe for threads; one thread reads what the child says.
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
"""Below the server and whatever else runs: a training takes what is left of the processor."""
LIFE_S: Final = 900.0
"""Seconds after which a run is ended whatever it does, a pause included."""
_ROOT: Final = str(Path(__file__).resolve().parents[2])
_ENDED: Final = ("done", "stopped", "failed")


@dataclass(frozen=True)
class Progress:
    """How far a run is. `curve`: (step, training loss in nats per target token) as it went; `exact`: (step, percent of the
    validation pairs written exactly). `dynamics` is None until the untrained model was recorded.
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
        """Whether nothing more will come."""
        return self.phase in _ENDED

    @property
    def share(self) -> float:
        """How much is done, 0 to 1."""
        return min(1.0, self.step / self.steps) if self.steps else 0.0


class LiveRun:
    """Trains `task` into `folder / CHECKPOINT` from the moment it is made. Ends with `stop`, `cancel` or by itself."""

    def __init__(
        self, task: str, folder: Path, *, steps: int | None = None, life_s: float = LIFE_S, entry: str = ENTRY
    ) -> None:
        """`steps` ends it earlier than the task's recipe. `entry` is the module that the child runs."""
        self.task, self.folder = task, folder
        self._told = Progress()
        self._records: list[dict[str, Any]] = []
        self._introduction: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._process = _start(entry)
        self._say({"task": task, "folder": str(folder), "steps": steps})
        self._clock = threading.Timer(life_s, self._end, args=(f"ended after {life_s / 60:.0f} minutes",))
        self._clock.daemon = True
        self._clock.start()
        threading.Thread(target=self._listen, name=f"live-{task}", daemon=True).start()

    @property
    def progress(self) -> Progress:
        """What it has come to by now."""
        with self._lock:
            return self._told

    @property
    def checkpoint(self) -> Path:
        """Where the result is, once the phase is "done"."""
        return self.folder / CHECKPOINT

    @property
    def pid(self) -> int:
        """The child process."""
        return self._process.pid

    def pause(self) -> None:
        """Hold after the step that is being made."""
        self._say("pause")

    def resume(self) -> None:
        """Go on after a pause."""
        self._say("resume")

    def stop(self) -> None:
        """End with what has been learnt: the checkpoint is written."""
        self._say("stop")

    def cancel(self) -> None:
        """End now and leave nothing; returns when the process has gone."""
        self._end("")

    def wait(self, seconds: float) -> bool:
        """Wait for the end; whether it has come."""
        end = time.monotonic() + seconds
        while not self.progress.over and time.monotonic() < end:
            time.sleep(0.05)
        return self.progress.over

    def _end(self, problem: str) -> None:
        with self._lock:
            if self._told.phase in _ENDED:
                return
            phase: Phase = "failed" if problem else "stopped"
            self._told = replace(self._told, phase=phase, problem=problem and f"The training was {problem}.")
        self._process.kill()
        self._process.wait()
        self._clock.cancel()

    def _say(self, word: object) -> None:
        with contextlib.suppress(OSError, ValueError):  # it has ended: there is nobody to tell
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(word).encode() + b"\n")
            self._process.stdin.flush()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._hear(json.loads(line))
        self._process.wait()
        self._clock.cancel()
        with self._lock:
            if self._told.phase not in _ENDED:
                problem = self._told.problem or "The training ended by itself; start it again."
                self._told = replace(self._told, phase="failed", problem=problem)
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()

    def _hear(self, said: Mapping[str, Any]) -> None:
        with self._lock:
            now = self._told
            if now.phase in _ENDED:
                return
            if "probes" in said:
                self._introduction = dict(said)
                now = replace(now, steps=said["steps"], parameters=said["parameters"])
            elif "record" in said:
                self._records.append(said["record"])
                now = replace(now, dynamics=_dynamics(self._introduction, self._records))
            elif "loss" in said:
                point = (said["step"], said["loss"])
                curve = (*now.curve, point) if math.isfinite(said["loss"]) else now.curve
                now = replace(now, step=said["step"], seconds=said["seconds"], curve=curve)
            elif "exact" in said:
                now = replace(now, exact=(*now.exact, (said["step"], said["exact"])))
            elif "problem" in said:
                now = replace(now, phase="failed", problem=said["problem"])
            else:
                now = replace(now, phase=said["phase"])
            self._told = now


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
    # From its first moment: to import torch alone takes seconds of a core that visitors wait for.
    with contextlib.suppress(
        AttributeError, OSError
    ):  # Windows has no such priority; it may have ended already
        os.setpriority(os.PRIO_PROCESS, process.pid, NICE)
    return process


def _dynamics(introduction: Mapping[str, Any], records: list[dict[str, Any]]) -> Dynamics:
    """The records so far, as `dynamics.npz` will hold them."""

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


def _probe(told: Mapping[str, Any]) -> Probe:
    rows = [tuple(told[f"{side}_tokens"]) for side in ("source", "target", "written")]
    return Probe(told["source"], told["target"], *rows)
