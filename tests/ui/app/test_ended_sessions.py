"""How often what ended sessions hold is given back; tests/browser/test_uploads_live.py measures the memory itself."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import pytest

from ui.app import server


class EnoughError(BaseException):
    """The looks a test asked for are over."""


def collections(monkeypatch: pytest.MonkeyPatch, ended: list[int]) -> list[float]:
    """The seconds at which memory is given back if `ended[n]` sessions end before look n."""
    clock = [0.0]
    given_back: list[float] = []
    left = iter(ended)

    def sleep(seconds: float) -> None:
        clock[0] += seconds

    def end_those_away() -> int:
        try:
            return next(left)
        except StopIteration:
            raise EnoughError from None

    monkeypatch.setattr(server, "time", SimpleNamespace(sleep=sleep, monotonic=lambda: clock[0]))
    monkeypatch.setattr(server, "end_those_away", end_those_away)
    monkeypatch.setattr(server, "give_back", lambda: given_back.append(clock[0]))
    monkeypatch.setattr(server, "trim", lambda: None)
    with pytest.raises(EnoughError):
        server._work()
    return given_back


def test_memory_is_given_back_at_once_and_again_for_threads_that_were_at_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    look, pause = server.LOOK_S, server.COLLECT_S
    assert collections(monkeypatch, [1] + [0] * 60) == [look, look + pause]


def test_nothing_is_collected_while_nobody_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    assert collections(monkeypatch, [0] * 60) == []


def test_many_that_leave_cost_one_collection_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    found = collections(monkeypatch, [1] * 20)
    assert [later - sooner for sooner, later in pairwise(found)] == [server.COLLECT_S] * 3
