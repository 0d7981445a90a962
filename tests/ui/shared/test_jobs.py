"""A measurement behind the page: it ends, can be stopped, says what went wrong, and takes turns with others."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from core.errors import InputError
from ui.session import state
from ui.shared import cache
from ui.shared.cache import MOST_JOBS, Job


@dataclass(frozen=True)
class Stage:
    done: int
    total: int


def test_a_job_runs_to_its_end_and_hands_over_the_last_stage() -> None:
    kept: list[Stage] = []
    job = Job(lambda: iter([Stage(1, 2), Stage(2, 2)]), kept.append)
    assert job.wait(10) and job.finished
    assert kept == [Stage(2, 2)] and job.share == 1.0 and job.problem == ""


def test_a_job_that_is_stopped_keeps_what_it_found_and_hands_over_nothing() -> None:
    kept: list[Stage] = []
    reached, go = threading.Event(), threading.Event()

    def steps() -> Iterator[Stage]:
        yield Stage(1, 100)
        reached.set()
        go.wait(10)
        for done in range(2, 100):
            yield Stage(done, 100)

    job = Job(steps, kept.append)
    assert reached.wait(10)
    job.cancel()
    go.set()
    assert job.wait(10)
    assert job.latest in (Stage(1, 100), Stage(2, 100)) and kept == []


def test_a_mistake_is_one_sentence() -> None:
    def steps() -> Iterator[Stage]:
        raise InputError("Give at least one.")
        yield Stage(0, 0)

    job = Job(steps)
    assert job.wait(10) and job.problem == "Give at least one." and job.share == 0.0


def test_jobs_take_turns() -> None:
    at_once, most, lock = [0], [0], threading.Lock()

    def steps() -> Iterator[Stage]:
        for done in range(20):
            with lock:
                at_once[0] += 1
                most[0] = max(most[0], at_once[0])
            threading.Event().wait(0.001)
            with lock:
                at_once[0] -= 1
            yield Stage(done, 20)

    jobs = [Job(steps) for _ in range(4)]
    assert all(job.wait(20) for job in jobs)
    assert most[0] == 1


def endless(begun: threading.Event) -> Iterator[Stage]:
    for done in range(10**6):
        begun.set()
        threading.Event().wait(0.001)
        yield Stage(done, 10**6)


def test_a_job_ends_with_its_session_also_while_it_waits_for_its_turn() -> None:
    """Nobody presses stop in a tab that was closed."""
    here, begun, kept = [True], threading.Event(), list[Stage]()
    jobs = [Job(lambda: endless(begun), kept.append, lambda: here[0]) for _ in range(3)]
    assert begun.wait(20) and not jobs[0].finished
    here[0] = False
    assert all(job.wait(20) for job in jobs)
    assert all(not job.problem for job in jobs) and kept == []


def test_what_a_job_held_goes_with_its_end() -> None:
    class Batch(list[int]):
        pass

    batch = Batch([1])
    alive = weakref.ref(batch)

    def steps(texts: Batch) -> Iterator[Stage]:
        for done in range(2):
            yield Stage(done, len(texts))

    job = Job(partial(steps, batch))
    del batch
    assert job.wait(20)
    until = time.monotonic() + 20
    while alive() is not None and time.monotonic() < until:  # the thread's last line comes after `wait`
        time.sleep(0.01)
        gc.collect()
    assert alive() is None and job.latest is not None


def test_only_a_few_jobs_run_at_once_and_a_stopped_one_makes_room() -> None:
    begun = threading.Event()
    jobs = [Job(lambda: endless(begun)) for _ in range(MOST_JOBS)]
    late = Job(lambda: endless(begun))
    assert (
        late.finished and late.latest is None and len(late.problem) <= 300 and str(MOST_JOBS) in late.problem
    )
    jobs[0].cancel()
    next_one = Job(lambda: iter([Stage(1, 1)]))
    assert next_one.wait(60) and not next_one.problem
    for job in jobs:
        job.cancel()
    assert all(job.wait(60) for job in jobs)


def test_a_session_is_gone_once_it_was_away_for_long_enough() -> None:
    open_now, clock = {"a"}, [0.0]
    asked = state.stays("a", 15, lambda session: session in open_now, lambda: clock[0])
    assert asked()
    clock[0] = 1000
    assert asked(), "it was there all the time"
    open_now.clear()
    assert asked()
    clock[0] += 14
    assert asked(), "the browser may still come back"
    open_now.add("a")
    assert asked()
    open_now.clear()
    clock[0] += 14
    assert asked(), "the time away begins again"
    clock[0] += 15
    assert not asked()


def test_the_end_of_the_process_waits_for_work_behind_a_page() -> None:
    """A daemon thread inside of PyTorch aborted the process at its exit, with code 134."""
    script = (
        "import time\nfrom ui.shared import cache\n"
        "def work():\n    assert cache.ending.wait(20)\n    time.sleep(0.3)\n    print('ended')\n"
        "cache.work_behind(work, 'load')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[3],
        check=True,
    )
    assert done.stdout == "ended\n"


def test_a_measurement_stops_when_the_process_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    ending = threading.Event()
    ending.set()
    monkeypatch.setattr(cache, "ending", ending)
    job = Job(lambda: iter([Stage(1, 2), Stage(2, 2)]))
    assert job.wait(10) and job.latest is None and not job.problem
