"""A child process works within its limits and is replaced when it did not survive a question."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

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
