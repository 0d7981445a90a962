"""Stored runs of the tasks that are trained live, which a class plays while its own wait.

`python -m core.training.recorded [TASK …]` trains them again, a minute each on one free core, into the folder `live_runs`
beside this file. Of dates the shipped model has a training of its own. torch is imported by what trains, not by this module.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from core.errors import CheckpointError
from core.training.dynamics import Dynamics, read_dynamics, save_dynamics
from core.training.live_run import live_recipe

FOLDER: Final = Path(__file__).with_name("live_runs")
_RUNS: Final = "runs.json"
LETTERS: Final = ("reverse", "copy", "sort")
"""The tasks that have a stored run."""


@dataclass(frozen=True)
class Recorded:
    """One whole run. `curve`: (step, training loss in nats per target token); `exact`: (step, percent of held-out pairs with
    an exact translation).
    """

    dynamics: Dynamics
    curve: tuple[tuple[int, float], ...]
    exact: tuple[tuple[int, float], ...]


@cache
def recorded(task: str) -> Recorded:
    """The stored run of a task. Raises `CheckpointError` where there is none, or it is damaged."""
    try:
        run = json.loads((FOLDER / _RUNS).read_text("utf-8"))[task]
        curve, exact = (
            tuple((int(step), float(value)) for step, value in run[name]) for name in ("curve", "exact")
        )
        return Recorded(read_dynamics(FOLDER / f"{task}.npz"), curve, exact)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(
            f"The stored run of {task} cannot be read; run python -m core.training.recorded."
        ) from error


def record(task: str) -> Recorded:
    """Train a task from its recipe, without a limit of time."""
    from core.training.loop import Trainer
    from core.training.process import join

    curve: list[tuple[int, float]] = []
    exact: list[tuple[int, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(live_recipe(task, Path(folder, "out"), Path(folder, "work")), join("cpu", 1))
        for event in trainer.events():
            if event.step % 5 == 0 and (loss := trainer.train_loss()) == loss:  # not NaN
                curve.append((event.step, round(loss, 4)))
            if event.measured is not None and event.measured.exact == event.measured.exact:
                exact.append((event.step, event.measured.exact))
        return Recorded(trainer.recorder.dynamics(), tuple(curve), tuple(exact))


def store(task: str, run: Recorded) -> None:
    """Write a run beside those that are stored."""
    FOLDER.mkdir(exist_ok=True)
    save_dynamics(FOLDER / f"{task}.npz", run.dynamics)
    path = FOLDER / _RUNS
    runs = json.loads(path.read_text("utf-8")) if path.exists() else {}
    runs[task] = {"curve": run.curve, "exact": run.exact}
    path.write_text(json.dumps(dict(sorted(runs.items())), separators=(",", ":")) + "\n", "utf-8")


def main(tasks: Sequence[str]) -> None:
    """Train these tasks again, or all of letters, and store them."""
    for task in tasks or LETTERS:
        store(task, record(task))


if __name__ == "__main__":
    main(sys.argv[1:])
