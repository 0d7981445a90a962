"""A child process works within its limits and is replaced when it did not survive a question."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from core.child import Child, ChildError, ChildStoppedError, limit


def worker(setup: int) -> Callable[[str, int], object]:
    """What the child in these tests does."""

    def work(what: str, number: int) -> object:
        if what == "memory":
            return len(bytearray(number))
        if what == "sleep":
            time.sleep(number)
        if what == "die":
            os._exit(number)
        return [what, number + setup, os.getpid()]

    return work


def test_it_answers_and_is_another_process() -> None:
    child = Child(f"{__name__}:worker", 5)
    what, number, process = child.ask("é\ud800", 1, seconds=60)
    assert (what, number) == ("é\ud800", 6) and process != os.getpid()
    assert child.ask("again", 1, seconds=60)[2] == process


@pytest.mark.sampled(1)
@pytest.mark.parametrize("question", [("sleep", 60), ("memory", 10**10), ("die", 3)])
def test_a_child_that_breaks_its_limits_is_replaced(question: tuple[str, int]) -> None:
    child, began = Child(f"{__name__}:worker", 0, megabytes=1000), time.monotonic()
    first = child.ask("first", 0, seconds=60)[2]
    with pytest.raises(ChildStoppedError):
        child.ask(*question, seconds=1)
    assert time.monotonic() - began < 30
    assert child.ask("later", 0, seconds=60)[0] == "later"
    assert question[0] == "memory" or child.ask("later", 0, seconds=60)[2] != first


def test_its_exceptions_are_told() -> None:
    with pytest.raises(ChildError, match="negative count"):
        Child(f"{__name__}:worker", 0).ask("memory", -1, seconds=60)
    with pytest.raises(ChildError, match="nothing_here"):
        Child("core.errors:nothing_here", 0).ask(seconds=60)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no module resource")
def test_a_limit_that_the_system_does_not_know_or_tell_leaves_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import resource

    made: list[int] = []
    monkeypatch.setattr(resource, "setrlimit", lambda kind, limits: made.append(kind))
    cpu, asked = resource.RLIMIT_CPU, resource.getrlimit

    def refuse(kind: int) -> tuple[int, int]:
        if kind == cpu:
            raise OSError("not told")
        return asked(kind)

    monkeypatch.setattr(resource, "getrlimit", refuse)
    limit(1000)
    assert made == [resource.RLIMIT_AS]
    monkeypatch.setattr(resource, "getrlimit", asked)
    monkeypatch.delattr(resource, "RLIMIT_AS")
    limit(1000)
    assert made[1:] == [cpu]


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not say what is mapped")
def test_the_limit_counts_from_what_is_mapped_already() -> None:
    script = (
        "import mmap\nfrom core.child import limit\n"
        "libraries = mmap.mmap(-1, 2**31)\nlimit(300)\nbytearray(100 * 2**20)\n"
        "try:\n    bytearray(600 * 2**20)\nexcept MemoryError:\n    print('bounded')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert done.stdout == "bounded\n"
