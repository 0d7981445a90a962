"""Seventy visitors of a server that may have 256 files open: who is in goes on, who comes then reads one sentence."""

from __future__ import annotations

import http.client
import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from tests.serving import served
from ui.app.server import FULL

LIMIT = 256


@pytest.fixture
def small_server(tmp_path: Path) -> Iterator[tuple[int, int, Path]]:
    """(port, process, log) of a server whose limit of open files is 256 and cannot be raised."""
    with served(
        tmp_path, before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (LIMIT, LIMIT))
    ) as server:
        yield server.port, server.process.pid, server.log


def ask(port: int, path: str) -> tuple[int, str]:
    """Status and body of an answer; 0 where there was none."""
    connection = http.client.HTTPConnection("localhost", port, timeout=20)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    except (OSError, http.client.HTTPException):
        return 0, ""
    finally:
        connection.close()


def enter(port: int) -> ClientConnection:
    """A session whose script has run once."""
    from streamlit.proto.BackMsg_pb2 import BackMsg

    page = connect(
        f"ws://localhost:{port}/_stcore/stream",
        origin=Origin(f"http://localhost:{port}"),
        subprotocols=[Subprotocol("streamlit")],
        max_size=None,
    )
    run(page, BackMsg())
    return page


def run(page: ClientConnection, message: object) -> None:
    from streamlit.proto.BackMsg_pb2 import BackMsg
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

    assert isinstance(message, BackMsg)
    message.rerun_script.query_string = ""
    page.send(message.SerializeToString())
    drawn = 0
    while True:
        answer = ForwardMsg()
        answer.ParseFromString(bytes(page.recv(timeout=60)))  # type: ignore[arg-type]
        drawn += answer.WhichOneof("type") == "delta"
        if answer.WhichOneof("type") == "script_finished" and drawn:
            return


@pytest.mark.thorough
def test_seventy_visitors_and_256_files(small_server: tuple[int, int, Path]) -> None:
    from streamlit.proto.BackMsg_pb2 import BackMsg

    port, process, log = small_server
    inside, refused = [enter(port)], []
    assert ask(port, "/")[0] == 200
    for _ in range(69):
        try:
            inside.append(enter(port))
        except InvalidStatus as error:
            refused.append(error.response)
    assert len(inside) >= 45, "four files a visitor"
    assert refused and len(inside) + len(refused) == 70
    for each in refused:
        assert each.status_code == 503
        assert FULL in each.body.decode()
    status, page = ask(port, "/attention")
    assert (status, page.count(FULL)) == (503, 1)
    assert ask(port, "/_stcore/health") == (200, "ok")
    for each in inside:
        run(each, BackMsg())
    assert len(os.listdir(f"/proc/{process}/fd")) < LIMIT
    for each in inside[:40]:
        each.close()
    inside[0].close()
    assert "Traceback" not in log.read_text()
    assert "Too many open files" not in log.read_text()
    for each in inside[40:]:
        each.close()


def test_the_sentence_is_one() -> None:
    assert FULL.count(".") == 1
    assert FULL.endswith(".")
