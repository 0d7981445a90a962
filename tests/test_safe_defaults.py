"""The server as it starts without options: on this machine alone, connecting to nothing, telling visitors no details."""

from __future__ import annotations

import socket
import time
import tomllib
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.serving import served

ROOT = Path(__file__).resolve().parents[1]
# Notes every connection and every name that is looked up, unless it is this machine; loaded before anything else.
GUARD = """
import os, socket
OWN = ("127.", "::1", "localhost", "0.0.0.0")
def note(what):
    with open(os.environ["GUARD_LOG"], "a") as log:
        log.write(f"{what}\\n")
def guarded(name):
    real = getattr(socket.socket, name)
    def connect(self, address):
        inside = self.family == socket.AF_UNIX or str(address[0]).startswith(OWN)
        if not inside and self.type & socket.SOCK_STREAM:
            note(f"connect {address}")
            raise OSError("no network in this test")
        return real(self, address)
    setattr(socket.socket, name, connect)
guarded("connect"); guarded("connect_ex")
look_up = socket.getaddrinfo
def getaddrinfo(host, *rest, **more):
    if host and not str(host).startswith(OWN):
        note(f"look up {host}")
        raise OSError("no network in this test")
    return look_up(host, *rest, **more)
socket.getaddrinfo = getaddrinfo
"""


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    """(port, what was noted) of a server that was given no address."""
    folder = tmp_path_factory.mktemp("guard")
    (folder / "sitecustomize.py").write_text(GUARD)
    noted = folder / "noted.txt"
    noted.touch()
    with served(folder, env={"PYTHONPATH": str(folder), "GUARD_LOG": str(noted)}) as server:
        yield server.port, noted


def _run_the_page(port: int, origin: str) -> bytes:
    """Open a session as a page of `origin` and let the app's script run once."""
    from streamlit.proto.BackMsg_pb2 import BackMsg

    message = BackMsg()
    message.rerun_script.query_string = ""
    address = f"ws://localhost:{port}/_stcore/stream"
    received = b""
    with connect(address, origin=origin, subprotocols=["streamlit"], max_size=None) as page:  # type: ignore[list-item, arg-type]
        page.send(message.SerializeToString())
        until = time.monotonic() + 120
        while b"Attention Atlas" not in received and time.monotonic() < until:
            received += bytes(page.recv(timeout=120))
    return received


@pytest.mark.parametrize("path", ["/", "/attention", "/_stcore/health", "/static/none.js", "/nowhere/at/all"])
def test_no_other_site_may_frame_it(started: tuple[int, Path], path: str) -> None:
    """Also before the first visitor's run, and in answers that are no page."""
    try:
        answer = urllib.request.urlopen(f"http://localhost:{started[0]}{path}", timeout=20)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        assert "frame-ancestors 'self'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Frame-Options"] == "SAMEORIGIN"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_it_connects_to_nothing_and_refuses_other_sites(started: tuple[int, Path]) -> None:
    port, noted = started
    assert b"Attention Atlas" in _run_the_page(port, f"http://localhost:{port}")
    with pytest.raises(InvalidStatus):
        _run_the_page(port, "http://attacker.example")
    with pytest.raises(InvalidStatus):  # the name of another machine, as a rebound DNS entry would give it
        connect(
            f"ws://localhost:{port}/_stcore/stream",
            origin=f"http://rebound.example:{port}",  # type: ignore[arg-type]
            additional_headers={"Host": f"rebound.example:{port}"},
        )
    assert noted.read_text() == ""


def test_it_listens_on_this_machine_alone(started: tuple[int, Path]) -> None:
    port, _ = started
    others = {str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), None)}
    for address in [other for other in others if not other.startswith(("127.", "::1"))]:
        with pytest.raises((ConnectionError, TimeoutError)):
            socket.create_connection((address, port), timeout=2)
    lines = [
        *Path("/proc/net/tcp").read_text().splitlines(),
        *Path("/proc/net/tcp6").read_text().splitlines(),
    ]
    listening = {
        line.split()[1].split(":")[0]
        for line in lines[1:]
        if line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "0A"
    }
    assert listening and listening <= {"0100007F", "00000000000000000000000001000000"}, listening


def test_visitors_are_told_no_details() -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert settings["client"]["showErrorDetails"] == "none"
    assert settings["browser"]["gatherUsageStats"] is False
