"""Each benchmark in its smallest form: none can break unnoticed when a page or a contract changes. No time is asserted."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks import __main__ as rows_beside_peers
from benchmarks import (
    classroom,
    engine,
    first_look,
    report,
    soak,
    tab,
)

TEXT = "The boy plays the guitar."
Patch = pytest.MonkeyPatch


@pytest.fixture
def written(monkeypatch: Patch) -> dict[str, Any]:
    """The rows that a benchmark would have written, by its name."""
    tables: dict[str, Any] = {}
    monkeypatch.setattr(report, "write", lambda name, rows, note, dry=False: tables.update({name: rows}))
    return tables


def apart(run: Callable[[], Any]) -> Any:
    """The result of `run` in a thread of its own: that of the tests has Playwright's event loop."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result()


def port(server: str) -> int:
    return int(server.rsplit(":", 1)[1])


def in_browser(run: Callable[[Any], Any]) -> Any:
    """The result of `run` with a Playwright of its own."""
    from playwright.sync_api import sync_playwright

    def started() -> Any:
        with sync_playwright() as playwright:
            return run(playwright)

    return apart(started)


@pytest.mark.thorough
def test_a_student_acts_and_gets_the_right_maps(server: str) -> None:
    outcome = classroom.Outcome()
    actions = [each for each in classroom.HOW_OFTEN if each not in classroom.EXPERIMENTS]  # those: below

    async def sit() -> None:
        async with tab.Tab("127.0.0.1", port(server)) as opened:
            student = classroom.Student(opened, 1, [TEXT], outcome)
            for action in actions:
                await student.act(action)

    apart(lambda: asyncio.run(sit()))
    assert (outcome.errors, outcome.wrong) == ([], [])
    assert outcome.maps >= 10 and set(outcome.seconds) == set(actions)
    assert classroom.rows(outcome)[-1]["action"] == "all"


@pytest.mark.thorough
def test_a_lesson_with_a_training_begins_and_ends(server: str, monkeypatch: Patch) -> None:
    monkeypatch.setattr(classroom, "HOW_OFTEN", {"link": 1})
    monkeypatch.setattr(classroom, "THINKING_S", 0.05)
    monkeypatch.setattr(classroom, "WATCHING_S", 0.05)
    monkeypatch.setattr(classroom, "prepare", lambda pool: None)
    lesson = classroom.lesson(port(server), 1, 0.5, 7, 1)
    outcome = apart(lambda: asyncio.run(lesson))
    assert (outcome.errors, outcome.wrong) == ([], [])
    assert {"link", "train", "watch"} <= set(outcome.seconds)


@pytest.mark.thorough
def test_a_press_that_nothing_answers_is_an_error(server: str) -> None:
    async def press(label: str, option: str) -> None:
        async with tab.Tab("127.0.0.1", port(server)) as opened:
            await opened.open("")
            await opened.choose(label, option)

    apart(lambda: asyncio.run(press("Ways to write", "Beam")))
    with pytest.raises(tab.BrokenError, match="offers .*'Beam'.*, not beam"):
        apart(lambda: asyncio.run(press("Ways to write", "beam")))


@pytest.mark.thorough
def test_visitors_come_and_go(server: str, monkeypatch: Patch) -> None:
    monkeypatch.setattr(soak, "HOW_OFTEN", {"link": 1})
    monkeypatch.setattr(soak, "prepare", lambda pool: None)
    outcome = apart(lambda: asyncio.run(soak.visits(port(server), 1, 0.1, 3)))
    assert (outcome.errors, outcome.wrong) == ([], []) and outcome.maps
    lines = [{"resident": 1, "cached": 1, "threads": 1, "files": 1, "sessions": 1}] * 5
    assert [row["fifth"] for row in soak.minutes(lines)] == [1, 2, 3, 4, 5]


@pytest.mark.thorough
def test_a_first_look(server: str, monkeypatch: Patch) -> None:
    monkeypatch.setattr(first_look, "served", lambda: contextlib.nullcontext(server))
    monkeypatch.setattr(first_look, "SENTENCES", (TEXT,))
    measured = in_browser(first_look.our_turn)
    assert len(measured) == 5 and min(measured.values()) > 0


@pytest.mark.thorough
def test_memory_of_a_trace(monkeypatch: Patch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(engine, "LENGTH", 64)
    threads = torch.get_num_threads()
    engine.print_memory()
    torch.set_num_threads(threads)
    assert re.fullmatch(r'\{"peak": \d+, "kept": [1-9]\d*\}\n', capsys.readouterr().out)


@pytest.mark.thorough
def test_rows_beside_peers(monkeypatch: Patch, tmp_path: Path) -> None:
    small = engine.Shape(1, 64, 64)
    for name, value in {"SMALL": small, "BASE": small, "SENTENCES": 3, "STEPS": 3}.items():
        monkeypatch.setattr(engine, name, value)
    in_turn = engine.in_turn
    monkeypatch.setattr(engine, "in_turn", lambda peer, ours, repeats, device: in_turn(peer, ours, 1, device))
    monkeypatch.setattr(engine, "_rates", lambda: (1e9, 1e9))
    monkeypatch.setattr(engine, "Shape", lambda *sizes: small)
    monkeypatch.delitem(engine.ROWS, "memory")  # peak_memory in a process of its own
    monkeypatch.setattr(rows_beside_peers, "FOLDER", tmp_path)
    monkeypatch.setattr("sys.argv", ["benchmarks"])
    engine._pair.cache_clear()
    rows_beside_peers.main()
    table = (tmp_path / "results.md").read_text("utf-8")
    assert sum(line.startswith("| 1+1×64") or "| training step" in line for line in table.splitlines()) >= 10
