"""A measurement behind the page: it ends, can be stopped, says what went wrong, and takes turns with others."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

from core.errors import InputError
from ui.data.jobs import Job


@dataclass(frozen=True)
class Stage:
    done: int
    total: int


def test_a_job_runs_to_its_end_and_hands_over_the_last_stage() -> None:
    kept: list[Stage] = []
    job = Job(lambda: iter([Stage(1, 2), Stage(2, 2)]), kept.append)
    assert job.wait(10) and job.finished and not job.cancelled
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
