"""A training that is watched: what it tells is what it stores; it pauses, stops, is cancelled, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.checkpoints.files import read_config
from core.errors import ConfigError
from core.training import live_child, live_run
from core.training.config import DataConfig, TrainingConfig
from core.training.dynamics import KINDS, stored_dynamics
from core.training.live_run import TASKS, LiveRun, live_recipe
from core.training.loop import Trainer
from core.training.recorded import LETTERS, recorded
from core.training.tasks import get_task
from tests.core.training.conftest import ALONE, MakeConfig

ROOT = Path(__file__).parents[3]
PATIENCE = 240.0  # seconds on a busy machine


@pytest.fixture
def promptly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside other tests a training that stands back for visitors would hardly come to its turn."""
    monkeypatch.setattr(live_run, "NICE", 0)


def gone(pid: int, seconds: float = 30.0) -> bool:
    """Whether a process ends within so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def until(run: LiveRun, seen: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not seen() and not run.progress.over:
        assert time.monotonic() < end, run.progress.phase
        time.sleep(0.02)


@pytest.mark.parametrize("task", LETTERS)
def test_each_task_has_a_stored_run_of_its_recipe_that_ends_exact(task: str) -> None:
    run = recorded(task)
    assert run.dynamics.steps[0] == 0 and run.dynamics.steps[-1] == TASKS[task].steps
    assert [step for step, _ in run.exact] == list(range(100, TASKS[task].steps + 1, 100))
    assert run.exact[-1][1] >= 99 and run.curve[-1][1] < 0.05 < run.curve[0][1]
    letters = get_task(task)
    assert all(letters.answer(probe.source) == probe.target for probe in run.dynamics.probes)  # type: ignore[attr-defined]


@pytest.mark.parametrize("task", TASKS)
def test_every_recipe_is_whole_and_its_sentences_can_be_read(task: str, tmp_path: Path) -> None:
    config = live_recipe(task, tmp_path / "out", tmp_path / "work")
    assert isinstance(config, TrainingConfig) and isinstance(config.data, DataConfig)
    assert all(set(text) <= set(get_task(task).source_alphabet) for text in config.examples)
    assert config.training.threads == 1


def test_a_task_that_is_none_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="choose one of reverse, copy, sort, dates"):
        live_recipe("names", tmp_path, tmp_path)


def test_the_loop_tells_every_step(make_config: MakeConfig) -> None:
    trainer = Trainer(make_config(steps=20), ALONE)
    events = list(trainer.events())
    assert [event.step for event in events] == list(range(21)) and trainer.over
    assert {event.step for event in events if event.recorded} == {
        row["step"] for row in trainer.recorder.records
    }
    assert [event.step for event in events if event.measured and event.measured.exact >= 0] == [10, 20]
    early = Trainer(make_config("early", steps=20), ALONE)
    asked = iter([False, False, True])
    assert [event.step for event in early.events(enough=lambda: next(asked))] == [0, 1, 2, 3]
    assert early.over and early.recorder.records[-1]["step"] == 3


@pytest.mark.thorough
@pytest.mark.usefixtures("promptly")
def test_it_pauses_goes_on_and_stops_and_what_is_told_is_what_is_stored(tmp_path: Path) -> None:
    run = LiveRun("reverse", tmp_path / "run")
    until(run, lambda: run.progress.phase == "training" and run.progress.step >= 1)
    run.pause()
    until(run, lambda: run.progress.phase == "paused")
    held = run.progress.step
    time.sleep(1.0)
    assert run.progress.step == held and run.progress.phase == "paused"
    run.resume()
    until(run, lambda: run.progress.step > held)
    run.stop()
    assert run.wait(PATIENCE)
    told = run.progress
    assert (told.phase, told.problem) == ("done", "") and held < told.step < told.steps
    assert told.share == told.step / told.steps
    assert told.dynamics is not None
    stored = stored_dynamics(run.checkpoint, read_config(run.checkpoint))
    assert stored.steps[-1] == told.step
    np.testing.assert_array_equal(told.dynamics.steps, stored.steps)
    for name in ("train_loss", "valid_loss"):
        np.testing.assert_array_equal(getattr(told.dynamics, name), getattr(stored, name))
    for kind in KINDS:
        np.testing.assert_array_equal(told.dynamics.scores[kind], stored.scores[kind])
        np.testing.assert_array_equal(told.dynamics.packed[kind], stored.packed[kind])
    assert told.dynamics.probes == stored.probes and told.dynamics.score_names == stored.score_names
    recorded = dict(zip(stored.steps.tolist(), stored.train_loss.tolist(), strict=True))
    assert {step: loss for step, loss in told.curve if step in recorded} == pytest.approx(
        {step: loss for step, loss in recorded.items() if step}
    )
    assert told.exact[-1][0] == told.step
    assert {"model.safetensors", "example.npz", "atlas.npz", "dynamics.npz"} <= {
        file.name for file in run.checkpoint.iterdir()
    }
    assert told.unfinished and told.ended == "stop" and gone(run.pid)


class Asked:
    """The requests of a visitor who asks for nothing."""

    paused = False

    def enough(self) -> bool:
        return False


def test_a_run_ends_at_its_limit_of_time_and_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(TASKS, "reverse", replace(TASKS["reverse"], steps=6, pairs=300))  # type: ignore[misc]
    told: list[dict[str, Any]] = []
    order = {"task": "reverse", "folder": str(tmp_path)}

    def work(seconds: float) -> list[dict[str, Any]]:
        told.clear()
        monkeypatch.setattr(live_child, "SECONDS", seconds)
        live_child._work(order, Asked(), lambda **words: told.append(words), lambda folder: None)  # type: ignore[arg-type]
        return list(told)

    first = work(0.0)
    assert {"ended": "time"} in first and first[-1] == {"phase": "done"}
    assert [row["step"] for row in first if "loss" in row] == [0, 1] and (tmp_path / "work").exists()
    assert (tmp_path / "checkpoint" / "model.safetensors").exists()
    second = work(1000.0)
    assert [row["step"] for row in second if "loss" in row][-1] == 6
    assert not any("ended" in row for row in second) and not (tmp_path / "work").exists()
    stored = stored_dynamics(tmp_path / "checkpoint", read_config(tmp_path / "checkpoint"))
    assert stored.steps[:2].tolist() == [0, 1] and stored.steps[-1] == 6


def test_what_was_told_before_stays_when_a_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_run, "_start", lambda: subprocess.Popen(["sleep", "60"], stdin=-1, stdout=-1))
    first = LiveRun("copy", tmp_path)
    first._progress = replace(
        first.progress, phase="done", step=99, steps=400, curve=((99, 0.5),), ended="time"
    )
    assert first.progress.unfinished
    again = LiveRun("copy", tmp_path, first)
    again._receive({"step": 104, "loss": 0.4, "seconds": 301.0})
    assert (again.progress.ended, again.progress.curve) == ("", ((99, 0.5), (104, 0.4)))
    for run in (first, again):
        run._process.kill()


@pytest.mark.thorough
@pytest.mark.usefixtures("promptly")
def test_left_alone_it_trains_to_its_last_step(tmp_path: Path) -> None:
    run = LiveRun("reverse", tmp_path / "run")
    assert run.wait(PATIENCE)
    last = run.progress
    assert (last.phase, last.problem, last.share) == ("done", "", 1.0)
    assert last.step == last.steps == TASKS["reverse"].steps
    assert stored_dynamics(run.checkpoint, read_config(run.checkpoint)).steps[-1] == last.steps
    assert gone(run.pid)


@pytest.mark.thorough
def test_cancelled_it_is_gone_at_once_even_while_it_pauses(tmp_path: Path) -> None:
    run = LiveRun("sort", tmp_path / "run")
    until(run, lambda: run.progress.phase == "training")
    run.pause()
    run.cancel()
    assert run.progress.phase == "stopped" and gone(run.pid, 0.5)
    run.cancel()  # a second time changes nothing
    run.resume()
    assert run.progress.phase == "stopped"


def test_a_run_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_run, "LIFE_S", 0.5)
    run = LiveRun("reverse", tmp_path / "run")
    assert run.wait(30) and gone(run.pid)
    assert run.progress.phase == "failed" and "ended after 0 minutes" in run.progress.problem


def test_a_child_that_dies_is_told(tmp_path: Path) -> None:
    run = LiveRun("reverse", tmp_path / "run")
    os.kill(run.pid, signal.SIGKILL)
    assert run.wait(30)
    assert run.progress.phase == "failed" and run.progress.problem == (
        "The training ended by itself; start it again."
    )


@pytest.mark.thorough
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_no_orphan_is_left_when_the_server_goes(tmp_path: Path, end: signal.Signals) -> None:
    code = (
        "import sys, time; from pathlib import Path; from core.training import live_run; "
        "live_run.NICE = 0; run = live_run.LiveRun('reverse', Path(sys.argv[1])); print(run.pid, flush=True)\n"
        "while run.progress.step < 1: time.sleep(0.05)\n"
        "print('learning', flush=True); time.sleep(600)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "run")], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert parent.stdout.readline() == "learning\n"
    assert not gone(child, 0.1)
    parent.send_signal(end)
    parent.wait()
    assert gone(child, 20)


@pytest.mark.thorough
def test_it_gives_way_to_others(tmp_path: Path) -> None:
    run = LiveRun("reverse", tmp_path / "run")
    until(run, lambda: run.progress.phase == "training")
    assert os.getpriority(os.PRIO_PROCESS, run.pid) >= os.getpriority(os.PRIO_PROCESS, 0) + 15
    limits = Path(f"/proc/{run.pid}/limits").read_text()
    most = next(line for line in limits.splitlines() if line.startswith("Max address space")).split()[3]
    assert 0 <= int(most) - 2048 * 2**20 < 2**34, "2 GB beyond what it had mapped"
    assert "OMP_NUM_THREADS=1" in Path(f"/proc/{run.pid}/environ").read_text().split("\0")
    run.cancel()


def test_watching_needs_no_torch() -> None:
    code = "import sys, core.training.live_run; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
