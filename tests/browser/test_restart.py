"""The server is restarted under an open tab: the tab comes back by itself, and the first thing done in it counts."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import ROOT, _wait_until_it_answers
from tests.browser.looking import ready, wait_for_params

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

Serve = Callable[[], subprocess.Popen[bytes]]


@pytest.fixture
def serve(listed: str, tmp_path: Path) -> Iterator[tuple[str, Serve]]:
    """An address, and what starts the app there; whatever runs is stopped at the end."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address, log, started = f"http://127.0.0.1:{port}", tmp_path / "log.txt", []

    def start() -> subprocess.Popen[bytes]:
        with log.open("a") as stream:
            process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"),
                    *("--server.port", str(port), "--server.address", "127.0.0.1"),
                ],
                cwd=ROOT,
                env={**os.environ, "ATLAS_CHECKPOINTS": listed},
                stdout=stream,
                stderr=subprocess.STDOUT,
            )
        started.append(process)
        _wait_until_it_answers(address, process, log)
        return process

    yield address, start
    for process in started:
        process.terminate()
        process.wait(timeout=20)


def test_the_first_action_after_a_restart_counts(context: BrowserContext, serve: tuple[str, Serve]) -> None:
    address, start = serve
    server = start()
    typed, clicked = context.new_page(), context.new_page()
    typed.goto(f"{address}/?checkpoint=tiny&text=I+am+tired.")
    clicked.goto(f"{address}/attention?checkpoint=tiny&text=I+am+tired.&kind=cross")
    for page in (typed, clicked):
        ready(page)
    clicked.locator(".wall-head").nth(3).wait_for()
    server.kill()
    server.wait()
    for page in (typed, clicked):
        page.wait_for_function("() => document.querySelector('input')?.disabled")
    start()

    # Playwright fills as soon as the box can be written in: the moment the connection is back.
    box = typed.locator(".st-key-sentence input").first
    box.fill("A white ball.", timeout=60_000)
    box.press("Enter")
    wait_for_params(typed, text="A white ball.", checkpoint="tiny")
    typed.wait_for_timeout(500)
    assert box.input_value() == "A white ball."

    # An action of a view, which Streamlit sends for its fragment alone.
    clicked.wait_for_function("() => !document.querySelector('input')?.disabled")
    clicked.locator(".wall-head").nth(3).click()
    wait_for_params(clicked, layer="1", head="1", text="I am tired.")
    typed.close()
    clicked.close()
