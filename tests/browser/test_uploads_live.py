"""The real server, opened to all addresses and names: who may upload, and what is left behind.

The visitors are bare websocket clients, so that each can say where it comes from and send what no page would.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import socket
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.serving import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from websockets.sync.client import ClientConnection

GRACE_S = 2.0
# Streamlit in this process, with a shorter patience for sessions that are away.
START = f"""
import sys
from ui.app import server as ended
from ui import uploads
uploads.GRACE_S, uploads.LOOK_S = {GRACE_S}, 0.2
ended.LOOK_S, ended.COLLECT_S = 0.2, 0.0
from streamlit.web.cli import main
sys.argv = ["streamlit", "run", "app.py", *sys.argv[1:]]
main()
"""


@dataclass(frozen=True)
class Server:
    """A server on all addresses of this machine, and the folder its temporary files are in."""

    port: int
    temporary: Path
    process: int

    def memory_mb(self) -> int:
        """The most it has ever held."""
        status = Path(f"/proc/{self.process}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) // 1000

    def holds_mb(self) -> int:
        """What it holds now."""
        status = Path(f"/proc/{self.process}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) // 1000

    def rests_at_mb(self) -> int:
        """What it holds once that has changed little for two seconds."""
        held = [self.holds_mb()]
        for _ in range(60):
            time.sleep(0.5)
            held.append(self.holds_mb())
            if len(held) > 4 and max(held[-5:]) - min(held[-5:]) < 5:
                break
        return held[-1]

    def open_files(self) -> int:
        return len(os.listdir(f"/proc/{self.process}/fd"))

    def folders(self) -> list[Path]:
        return sorted(self.temporary.glob("attention-atlas-upload-*"))


@pytest.fixture(scope="module")
def open_server(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("open")
    (folder / "tmp").mkdir()
    env = {"ATLAS_CHECKPOINTS": str(tiny_checkpoint.parent), "TMPDIR": str(folder / "tmp")}
    everywhere = ("--server.address", "0.0.0.0", "--server.allowedHosts", "*")
    away = ("--server.disconnectedSessionTTL", f"{GRACE_S:.0f}")
    with served(folder, *everywhere, *away, start=("-c", START), env=env) as started:
        yield Server(started.port, folder / "tmp", started.process.pid)


@dataclass
class Visitor:
    """One session, by its websocket, and what its own page would know."""

    host: str
    port: int
    token: str
    socket: ClientConnection
    session: str = ""

    def open(self, page: str, query: str) -> str:
        """Run the script for a page; returns everything it wrote as HTML."""
        from streamlit.proto.BackMsg_pb2 import BackMsg
        from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

        message = BackMsg()
        message.rerun_script.page_name, message.rerun_script.query_string = page, query
        self.socket.send(message.SerializeToString())
        wrote = []
        while True:
            answer = ForwardMsg()
            answer.ParseFromString(bytes(self.socket.recv(timeout=60)))  # type: ignore[arg-type]
            if answer.WhichOneof("type") == "new_session":
                self.session = answer.new_session.initialize.session_id
            if answer.WhichOneof("type") == "delta":
                wrote.append(answer.delta.new_element.html.body)
            if answer.WhichOneof("type") == "script_finished" and wrote:
                return "\n".join(wrote)

    def send(self, content: bytes, session: str = "") -> int:
        """Send a file as Streamlit's uploader does, drawn or not; returns the status of the answer."""
        body = b'--x\r\nContent-Disposition: form-data; name="f"; filename="model.pt"\r\n\r\n%s\r\n--x--\r\n'
        connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
        headers = {
            "Content-Type": "multipart/form-data; boundary=x",
            "X-Xsrftoken": self.token,
            "Cookie": f"_streamlit_xsrf={self.token}",
        }
        path = f"/_stcore/upload_file/{session or self.session}/0f0f"
        connection.request("PUT", path, body % content, headers)
        return connection.getresponse().status


@pytest.fixture
def visit(open_server: Server) -> Iterator[Callable[..., Visitor]]:
    """`visit("localhost")` connects to the server by that name; further arguments are headers."""
    from websockets.sync.client import connect
    from websockets.typing import Origin, Subprotocol

    opened: list[Visitor] = []

    def go(host: str, headers: Mapping[str, str] | None = None) -> Visitor:
        place = f"{host}:{open_server.port}"
        with urllib.request.urlopen(f"http://{place}/_stcore/health", timeout=10) as answer:
            cookies = [value.split(";")[0] for value in answer.headers.get_all("Set-Cookie", [])]
        token = next((c.partition("=")[2] for c in cookies if c.startswith("_streamlit_xsrf=")), "")
        stream = connect(
            f"ws://{place}/_stcore/stream",
            subprotocols=[Subprotocol("streamlit")],
            origin=Origin(f"http://{place}"),
            additional_headers={**(headers or {}), "Cookie": f"_streamlit_xsrf={token}"},
            max_size=None,
        )
        opened.append(Visitor(host, open_server.port, token, stream))
        return opened[-1]

    yield go
    for visitor in opened:
        visitor.socket.close()


def other_address() -> str:
    """An address of this machine that is not a loopback one; a test that needs one is skipped without."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing; asks which address would be used
            address = str(probe.getsockname()[0])
        except OSError:
            address = "127.0.0.1"
    if address.startswith("127."):
        pytest.skip("This machine has no address but its loopback one.")
    return address


def test_a_visitor_at_this_machine_may_upload(visit: Callable[..., Visitor]) -> None:
    for host in ("localhost", "127.0.0.1"):
        visitor = visit(host)
        assert "Drop all files" in visitor.open("checkpoints", "desk=import")
        assert visitor.send(b"anything") == 204


def test_a_visitor_by_another_address_is_refused_by_page_and_server(visit: Callable[..., Visitor]) -> None:
    local = visit("localhost")
    local.open("checkpoints", "desk=import")
    visitor = visit(other_address())
    assert "Uploads are off for your browser." in visitor.open("checkpoints", "desk=import")
    assert visitor.send(b"anything") == 403
    assert local.send(b"anything") == 204, "the refusal is for that visitor alone"


def test_a_visitor_behind_a_proxy_is_refused_by_page_and_server(visit: Callable[..., Visitor]) -> None:
    visit("localhost").open("checkpoints", "desk=import")
    visitor = visit("localhost", {"X-Forwarded-For": "203.0.113.9"})
    assert "Uploads are off for your browser." in visitor.open("checkpoints", "desk=import")
    assert visitor.send(b"anything") == 403


def test_a_refused_file_is_not_read(visit: Callable[..., Visitor], open_server: Server) -> None:
    visit("localhost").open("checkpoints", "desk=import")
    visitor = visit("localhost", {"X-Forwarded-For": "203.0.113.9"})
    visitor.open("checkpoints", "desk=import")
    assert visitor.send(b"first") == 403
    before = open_server.memory_mb()
    for _ in range(3):
        with contextlib.suppress(ConnectionError):  # the server need not wait for the rest
            assert visitor.send(bytes(200_000_000)) == 403
    assert open_server.memory_mb() - before < 150, "one of them has 200 MB"


@pytest.mark.thorough
def test_the_folder_of_an_upload_goes_after_its_tab(
    chromium: Browser, open_server: Server, tmp_path: Path
) -> None:
    weights = tmp_path / "notes.pt"
    weights.write_bytes(b"no checkpoint, but a file")
    already = open_server.folders()
    tab = chromium.new_page()
    tab.set_default_timeout(60_000)
    tab.goto(f"http://localhost:{open_server.port}/checkpoints?desk=import")
    tab.get_by_text("Drop all files").wait_for()
    field = tab.locator('input[type="file"]').first
    field.wait_for(state="attached")
    tab.wait_for_timeout(400)  # until Streamlit's uploader listens to the field that it has drawn
    field.set_input_files(weights)
    tab.get_by_role("alert").wait_for()
    (folder,) = set(open_server.folders()) - set(already)
    assert (folder / "model.pt").read_bytes() == weights.read_bytes()
    time.sleep(2 * GRACE_S)
    assert folder.exists(), "its tab is still open"
    tab.close()
    deadline = time.monotonic() + GRACE_S + 20
    while folder.exists() and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not folder.exists()


@pytest.mark.thorough
def test_what_a_visitor_held_goes_with_the_session_though_nobody_else_comes(
    visit: Callable[..., Visitor], open_server: Server
) -> None:
    visit("localhost").open("checkpoints", "desk=import")
    memory, files = open_server.rests_at_mb(), open_server.open_files()
    visitors = [visit("localhost") for _ in range(4)]
    for visitor in visitors:
        visitor.open("checkpoints", "desk=import")
        assert visitor.send(bytes(60_000_000)) == 204
    most = open_server.rests_at_mb()  # without copies that were needed to receive them
    assert most > memory + 200
    for visitor in visitors:
        visitor.socket.close()
    # Not compared with `memory`: on a busy machine models that all share may have been loaded since.
    deadline = time.monotonic() + GRACE_S + 20
    while (
        open_server.holds_mb() > most - 180 or open_server.open_files() > files + 1
    ) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert open_server.holds_mb() <= most - 180, "240 MB were sent"
    assert open_server.open_files() <= files + 1, "each session has three files beside its connection"
