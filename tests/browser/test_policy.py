"""Every page works under the Content-Security-Policy that docs/operating.md gives to a proxy."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

TEXT = (Path(__file__).parents[2] / "docs" / "operating.md").read_text()
_END = b"\r\n\r\n"


def _relay(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(1 << 16):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # one of the two has gone


def _head(connection: socket.socket) -> tuple[bytes, bytes]:
    """Everything up to the empty line, and what came with it."""
    data = b""
    while _END not in data:
        more = connection.recv(1 << 16)
        if not more:
            break
        data += more
    head, _, rest = data.partition(_END)
    return head, rest


def _pass_on(visitor: socket.socket, server: tuple[str, int], policy: bytes) -> None:
    """One request a connection, its answer with the policy; a WebSocket as it is."""
    with visitor, socket.create_connection(server) as there:
        head, rest = _head(visitor)
        lines = head.split(b"\r\n")
        if b"upgrade: websocket" not in head.lower():
            lines = [line for line in lines if not line.lower().startswith(b"connection:")] + [
                b"Connection: close"
            ]
        there.sendall(b"\r\n".join(lines) + _END + rest)
        threading.Thread(target=_relay, args=(visitor, there), daemon=True).start()
        answer, body = _head(there)
        if b"upgrade: websocket" not in head.lower():
            answer += b"\r\nContent-Security-Policy: " + policy
        visitor.sendall(answer + _END + body)
        _relay(there, visitor)


@pytest.fixture
def under_policy(server: str) -> Iterator[str]:
    """The address of the app behind a proxy that sends the documented header."""
    found = re.search(r'add_header Content-Security-Policy "([^"]+)"', TEXT)
    assert found is not None
    parts = urlsplit(server)
    target = (str(parts.hostname), int(parts.port or 0))
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    visitor, _ = listener.accept()
                except OSError:
                    return  # the test is over
                threading.Thread(
                    target=_pass_on, args=(visitor, target, found[1].encode()), daemon=True
                ).start()

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


@pytest.mark.thorough
def test_pages_work_under_the_documented_policy(context: BrowserContext, under_policy: str) -> None:
    page = context.new_page()
    blocked: list[str] = []
    page.on(
        "console", lambda line: blocked.append(line.text) if "Content Security Policy" in line.text else None
    )
    page.goto(f"{under_policy}/positions?checkpoint=tiny")
    page.locator(".st-key-chart_position_table .js-plotly-plot .main-svg").first.wait_for()
    page.get_by_role("link", name="Attention").first.click()
    page.locator(".wall-head").first.wait_for()
    assert blocked == []
    # The policy is in force: a script that nobody vouches for does not run.
    page.evaluate(
        "document.head.appendChild(Object.assign(document.createElement('script'), { textContent: 'window.ran = 1' }))"
    )
    assert page.evaluate("window.ran") is None
    assert blocked
    page.close()
