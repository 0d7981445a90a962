"""A server of the app and a Chromium, once a run; each test has its own browser context."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
SCREENSHOTS = Path(__file__).with_name("screenshots")
WAIT = 60_000  # milliseconds; the first view may have to wait for torch on a busy machine
Visit = Callable[..., "Page"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def server(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the app, which lists the small checkpoint beside the shipped ones."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with log.open("w") as stream:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"),
                *("--server.port", str(port), "--server.address", "127.0.0.1"),
            ],
            cwd=ROOT,
            env={**os.environ, "ATLAS_CHECKPOINTS": str(tiny_checkpoint.parent)},
            stdout=stream,
            stderr=subprocess.STDOUT,
        )
        address = f"http://127.0.0.1:{port}"
        try:
            _wait_until_it_answers(address, process, log)
            yield address
        finally:
            process.terminate()
            process.wait(timeout=20)


def _wait_until_it_answers(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(300):
        if process.poll() is not None:
            pytest.fail(f"the server stopped: {log.read_text()[-2000:]}")
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail("the server did not answer within a minute")


@pytest.fixture
def visit(chromium: Browser, server: str) -> Iterator[Visit]:
    """`visit("attention", kind="causal")` opens a page on the small checkpoint and waits for its first view."""
    contexts: list[Any] = []
    errors: list[str] = []

    def go(
        page: str = "", *, width: int = 1440, height: int = 1010, scheme: str = "light", **params: str
    ) -> Page:
        context = chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, accept_downloads=True
        )
        contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(WAIT)
        tab.on("pageerror", lambda error: errors.append(str(error)))
        from urllib.parse import urlencode

        query = urlencode({"checkpoint": "tiny", **params})
        tab.goto(f"{server}/{page}?{query}")
        tab.locator(".atlas .stage-root > *").first.wait_for()
        return tab

    yield go
    for context in contexts:
        context.close()
    assert not errors, errors


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """A git-ignored folder for pictures of the pages."""
    SCREENSHOTS.mkdir(exist_ok=True)
    return SCREENSHOTS
