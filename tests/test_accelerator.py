"""`python -m benchmarks.accelerator`: what it does without one, how it goes on after a stop, and each part on the processor."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
import torch

from benchmarks import accelerator, engine
from core.decoding import path
from tests.core.decoding.test_path import replayed

CPU = torch.device("cpu")
Patch = pytest.MonkeyPatch


def test_without_an_accelerator_it_says_so_and_measures_nothing(
    tmp_path: Path, monkeypatch: Patch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(accelerator, "available_devices", lambda: ["cpu"])
    monkeypatch.setattr("sys.argv", ["accelerator", "--file", str(tmp_path / "figures.json")])
    assert accelerator.main() == 0
    assert capsys.readouterr().out == accelerator.NONE + "\n"
    assert not list(tmp_path.iterdir())


@pytest.fixture
def ran() -> list[str]:
    return []


def part(name: str, ran: list[str], fails: bool = False) -> accelerator.Section:
    def run(device: torch.device) -> Iterator[accelerator.Row]:
        ran.append(name)
        if fails:
            raise RuntimeError("no room")
        yield {"work": name, "peer ms": 3.0, "ours ms": 1.5, "ratio": 2.0}

    return run


def test_a_run_goes_on_with_what_is_missing(tmp_path: Path, ran: list[str]) -> None:
    file = tmp_path / "results" / "figures.json"
    first = {"a": part("a", ran), "b": part("b", ran, fails=True), "c": part("c", ran)}
    assert accelerator.measure(CPU, file, first) == ["b: RuntimeError: no room"]
    assert list(json.loads(file.read_text("utf-8"))["parts"]) == ["a", "c"]
    assert accelerator.measure(CPU, file, {name: part(name, ran) for name in "abc"}) == []
    assert ran == ["a", "b", "c", "b"]
    lines = file.with_suffix(".md").read_text("utf-8").splitlines()
    assert lines[2:5] == ["| a | 3 | 1.5 | 2 |", "| b | 3 | 1.5 | 2 |", "| c | 3 | 1.5 | 2 |"]
    assert accelerator.measure(CPU, file, first) == [] and len(ran) == 4


def test_named_parts_are_measured_anew_and_no_others(tmp_path: Path, ran: list[str]) -> None:
    file, parts = tmp_path / "figures.json", {name: part(name, ran) for name in "abc"}
    accelerator.measure(CPU, file, {"a": parts["a"], "b": parts["b"]})
    assert accelerator.measure(CPU, file, parts, anew=["b"]) == []
    assert ran == ["a", "b", "b"] and list(json.loads(file.read_text("utf-8"))["parts"]) == ["a", "b"]


def test_tests_that_take_too_long_are_stopped_and_say_how_far_they_came(monkeypatch: Patch) -> None:
    def late(command: list[str], **options: object) -> None:
        raise subprocess.TimeoutExpired(command, accelerator.TESTS_S, b"one PASSED, two")

    monkeypatch.setattr(subprocess, "run", late)
    with pytest.raises(RuntimeError, match="more than 90 seconds: one PASSED, two"):
        list(accelerator.gpu_tests(CPU))


def test_a_run_that_is_interrupted_keeps_what_has_ended(tmp_path: Path, ran: list[str]) -> None:
    def stopped(device: torch.device) -> Iterator[accelerator.Row]:
        raise KeyboardInterrupt
        yield

    file = tmp_path / "figures.json"
    with pytest.raises(KeyboardInterrupt):
        accelerator.measure(CPU, file, {"a": part("a", ran), "b": stopped})
    assert accelerator.measure(CPU, file, {name: part(name, ran) for name in "ab"}) == []
    assert ran == ["a", "b"]


def test_figures_of_another_device_are_not_kept(tmp_path: Path, ran: list[str], monkeypatch: Patch) -> None:
    file, parts = tmp_path / "figures.json", {"a": part("a", ran)}
    for name in ("one", "one", "another"):
        monkeypatch.setattr(accelerator, "_name", lambda device, name=name: name)
        accelerator.measure(CPU, file, parts)
    assert ran == ["a", "a"]


def test_no_part_begins_when_the_time_is_over(tmp_path: Path, ran: list[str]) -> None:
    minutes = count(0, 170)  # asked before a part, at its start and at its end
    clock: Callable[[], float] = lambda: next(minutes)  # noqa: E731
    missing = accelerator.measure(CPU, tmp_path / "f.json", {n: part(n, ran) for n in "abc"}, clock)
    assert ran == ["a"] and missing == [f"{n}: no time was left; run the command again." for n in "bc"]


def test_steps_on_the_processor(monkeypatch: Patch) -> None:
    """Captured ones by the stand-in for a GPU; both write the processor's tokens."""
    monkeypatch.setattr(path, "capture_on", lambda device: replayed)
    monkeypatch.setattr(accelerator, "MODEL", "checkpoints/dates")
    monkeypatch.setattr(accelerator, "SENTENCES", ("3rd of May, 1979",))
    plain, captured = accelerator.steps(CPU)
    assert " plain steps, " in plain["work"] and " captured steps, " in captured["work"]
    assert min(plain["ratio"], captured["ratio"]) > 0


def test_other_tokens_than_the_processors_are_an_error(monkeypatch: Patch) -> None:
    decoded = accelerator._decoded
    texts = iter(["3rd of May, 1979", "4th of May, 1979"])
    monkeypatch.setattr(accelerator, "_decoded", lambda checkpoint, text: decoded(checkpoint, next(texts)))
    monkeypatch.setattr(accelerator, "MODEL", "checkpoints/dates")
    with pytest.raises(RuntimeError, match="plain steps write other tokens"):
        list(accelerator.steps(CPU))


@pytest.mark.thorough
def test_the_marked_tests_are_run() -> None:
    (line,) = accelerator.gpu_tests(CPU)
    assert re.match(r"pytest -m gpu: (=+ )?[1-9]\d* (passed|skipped)", line["work"])


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", [name for name in accelerator.PARTS if name not in ("tests", "steps")])
def test_rows_of_the_engine_on_the_processor(name: str, monkeypatch: Patch) -> None:
    small, in_turn = engine.Shape(1, 64, 64), engine.in_turn
    for setting, value in {"SMALL": small, "BASE": small, "SENTENCES": 3, "STEPS": 3}.items():
        monkeypatch.setattr(engine, setting, value)
    monkeypatch.setattr(engine, "_rates", lambda: (1e9, 1e9))
    monkeypatch.setattr(engine, "Shape", lambda *sizes: small)
    monkeypatch.setattr(engine, "in_turn", lambda peer, ours, repeats, device: in_turn(peer, ours, 1, device))
    measured = list(accelerator.PARTS[name](CPU))
    assert measured and all(row["ratio"] > 0 and row["ours ms"] > 0 for row in measured)
