"""deploy/haproxy.cfg before two servers of the app: visitors are shared out, and each stays where it was."""

from __future__ import annotations

import asyncio
import http.cookiejar
import os
import re
import shutil
import signal
import time
import urllib.error
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from benchmarks import tab

COOKIE = "atlas_process"


def visit(port: int, process: str = "") -> Any:
    """The connection of an open page, of a visitor with the cookie of `process` if there is one."""
    from websockets.sync.client import connect

    return connect(
        f"ws://127.0.0.1:{port}/_stcore/stream",
        subprotocols=["streamlit"],  # type: ignore[list-item]
        origin=f"http://127.0.0.1:{port}",  # type: ignore[arg-type]
        additional_headers={"Cookie": f"{COOKIE}={process}"} if process else {},
    )


def led_to(connection: Any) -> str:
    """The process that the proxy names in the cookie of its answer; empty where it sets none."""
    found = re.match(rf"{COOKIE}=(\w+);", connection.response.headers.get("Set-Cookie", ""))
    return found[1] if found else ""


def sessions(servers: dict[str, Any]) -> dict[str, int]:
    """How many sessions each process counts by now."""
    lines = {name: tab.read(log) for name, (_, log) in servers.items()}
    return {name: each[-1]["sessions"] if each else 0 for name, each in lines.items()}


def wait_for(servers: dict[str, Any], expected: dict[str, int]) -> None:
    """Wait until the processes count these sessions; fails with what they count after half a minute."""
    for _ in range(60):
        if sessions(servers) == expected:
            return
        time.sleep(0.5)
    assert sessions(servers) == expected


NEEDED = pytest.mark.skipif(
    shutil.which("haproxy") is None, reason="haproxy is not installed (Debian: apt-get install haproxy)"
)


@NEEDED
@pytest.mark.thorough
def test_two_processes_share_a_school_and_keep_each_visitor(tmp_path: Path) -> None:
    with tab.proxied(tmp_path) as (port, servers):
        pages = [visit(port) for _ in range(8)]
        assert Counter(map(led_to, pages)) == {"one": 4, "two": 4}, "all come from one address"
        wait_for(servers, {"one": 4, "two": 4})
        # Who comes again, by a reload or after a loss of the network, is led back without another cookie.
        again = [visit(port, "two") for _ in range(3)]
        assert [led_to(each) for each in again] == [""] * 3
        wait_for(servers, {"one": 4, "two": 7})
        # A process that has gone: its visitors are led to the other one, and stay there.
        for page in (*pages, *again):
            page.close()
        os.kill(servers["two"][0], signal.SIGKILL)
        time.sleep(5)
        moved = visit(port, "two")
        assert led_to(moved) == "one"
        moved.close()


@NEEDED
@pytest.mark.thorough
def test_a_file_goes_to_the_process_of_its_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATLAS_UPLOADS", "on")
    with tab.proxied(tmp_path) as (port, _):
        jar = http.cookiejar.CookieJar()
        urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar)).open(
            f"http://127.0.0.1:{port}/_stcore/health"
        ).close()
        cookies = {each.name: each.value or "" for each in jar}
        ours = cookies[COOKIE]
        # In a thread of its own: a browser of another test may keep a loop in this one.
        with ThreadPoolExecutor(1) as thread:
            answers = thread.submit(asyncio.run, uploaded(port, ours, cookies)).result()
        assert answers == {ours: 204, {"one": "two", "two": "one"}[ours]: 400}, (
            "the other knows no such session"
        )


async def uploaded(port: int, process: str, cookies: dict[str, str]) -> dict[str, int]:
    """The status of an upload into the session of a page opened at `process`, sent to each process."""
    from websockets.asyncio.client import connect
    from websockets.typing import Origin, Subprotocol

    page = tab.Tab("127.0.0.1", port)
    page.socket = await connect(
        f"ws://127.0.0.1:{port}/_stcore/stream",
        subprotocols=[Subprotocol("streamlit")],
        origin=Origin(f"http://127.0.0.1:{port}"),
        max_size=None,
        additional_headers={"Cookie": f"{COOKIE}={process}"},
    )
    await page.open("checkpoints")
    answers = {
        each: await asyncio.to_thread(put, port, page.session, {**cookies, COOKIE: each})
        for each in ("one", "two")
    }
    await page.socket.close()
    return answers


def put(port: int, session: str, cookies: dict[str, str]) -> int:
    """The status of an upload into a session, as a page with these cookies sends it."""
    body = b'--B\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\nhello\r\n--B--\r\n'
    address = f"http://127.0.0.1:{port}/_stcore/upload_file/{session}/file"
    request = urllib.request.Request(address, body, method="PUT")
    request.add_header("Content-Type", "multipart/form-data; boundary=B")
    request.add_header("Cookie", "; ".join(f"{name}={value}" for name, value in cookies.items()))
    request.add_header("X-Xsrftoken", cookies["_streamlit_xsrf"])
    try:
        with urllib.request.urlopen(request) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
