"""The app in a process of its own, at a free port of this machine."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STREAMLIT = ("-m", "streamlit", "run", "app.py")


@dataclass(frozen=True)
class Server:
    """A running server and what it has printed."""

    port: int
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def served(
    folder: Path,
    *options: str,
    start: Sequence[str] = STREAMLIT,
    port: int = 0,
    env: Mapping[str, str] | None = None,
    before: Callable[[], None] | None = None,
) -> Iterator[Server]:
    """Python with `start`, Streamlit's `options` behind it, until the block ends; it prints to `folder`/log.txt.

    `before` runs in the new process first.
    """
    port, log = port or free_port(), folder / "log.txt"
    command = [*start, "--server.headless", "true", "--server.port", str(port), *options]
    with log.open("a") as stream:
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env={**os.environ, **(env or {})},
            stdout=stream,
            stderr=subprocess.STDOUT,
            preexec_fn=before,
        )
    try:
        wait_until_it_answers(server := Server(port, process, log))
        yield server
    finally:
        process.terminate()
        process.wait(timeout=20)


def wait_until_it_answers(server: Server) -> None:
    for _ in range(300):
        if server.process.poll() is not None:
            pytest.fail(f"the server stopped: {server.log.read_text()[-2000:]}")
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"http://localhost:{server.port}/_stcore/health", timeout=2).close()
            return
        time.sleep(0.2)
    pytest.fail("the server did not answer within a minute")
