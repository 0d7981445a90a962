"""The first action after the connection was gone counts: a typed sentence, a click on a head, in a tab that was frozen too."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import WAIT
from tests.serving import ROOT, Server, free_port, wait_until_it_answers

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SENTENCE = "Two dogs are playing."


class Served:
    """A server that can be stopped and started again at the same port."""

    def __init__(self, folder: Path) -> None:
        self.port, self.log = free_port(), folder / "log.txt"
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        with self.log.open("a") as stream:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"),
                    *("--server.port", str(self.port), "--server.address", "127.0.0.1"),
                    *("--server.disconnectedSessionTTL", "1"),
                ],
                cwd=ROOT,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
                stdout=stream,
                stderr=subprocess.STDOUT,
            )
        wait_until_it_answers(Server(self.port, self.process, self.log))

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait(timeout=20)


class Wire:
    """A way to the server that can be cut: what stood is closed, what comes is refused, until it is mended."""

    def __init__(self, to: int) -> None:
        self.to, self.port, self.cut = to, free_port(), False
        self.open: list[socket.socket] = []
        self.door = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                here, _ = self.door.accept()
            except OSError:
                return
            if self.cut:
                here.close()
                continue
            there = socket.create_connection(("127.0.0.1", self.to))
            self.open += [here, there]
            for a, b in ((here, there), (there, here)):
                threading.Thread(target=self._pump, args=(a, b), daemon=True).start()

    @staticmethod
    def _pump(a: socket.socket, b: socket.socket) -> None:
        try:
            while data := a.recv(65536):
                b.sendall(data)
        except OSError:
            pass
        for each in (a, b):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def sever(self) -> None:
        self.cut = True
        for each in self.open:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self.open = []


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    server = Served(tmp_path)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def tab(chromium: Browser, served: Served) -> Iterator[Page]:
    page = chromium.new_page(viewport={"width": 1440, "height": 1010})
    page.set_default_timeout(WAIT)
    yield page
    page.close()


def connected(page: Page, yes: bool = True) -> None:
    """Wait until Streamlit's page says that it has a connection, or has none."""
    state = page.locator("[data-test-connection-state]").first
    pattern = re.compile("^CONNECTED$")
    if yes:
        expect(state).to_have_attribute("data-test-connection-state", pattern, timeout=WAIT)
    else:
        expect(state).not_to_have_attribute("data-test-connection-state", pattern, timeout=WAIT)


# A head that the wall, sorted by the example's pinned pair, does not have at its place in the model.
OTHER = '.wall-head[aria-label^="Layer 1, head 1:"]'


def translate(page: Page, address: str) -> None:
    page.goto(f"{address}/?checkpoint=dates")
    page.locator(".stage .play-count").wait_for()
    # Streamlit fetches the code of a field when it first draws one, which a server that is gone cannot answer.
    page.get_by_label("Sentence to translate").wait_for()
    page.locator('[data-testid="stButtonGroup"]').nth(1).wait_for()


def attention(page: Page, address: str) -> None:
    page.goto(f"{address}/attention?checkpoint=dates&kind=cross&layer=0&head=0")
    page.locator(OTHER).wait_for()
    expect(page.locator(".detail .card-title").first).to_contain_text("0.0")


def a_typed_sentence_counts(page: Page) -> None:
    box = page.get_by_label("Sentence to translate")
    box.fill("5 May 2021")
    box.press("Enter")
    expect(page).to_have_url(re.compile(r"text=5(\+|%20)May(\+|%20)2021"), timeout=WAIT)
    expect(box).to_have_value("5 May 2021")


def a_click_on_a_head_counts(page: Page) -> None:
    page.locator(OTHER).click()
    expect(page).to_have_url(re.compile(r"layer=1&head=1"), timeout=WAIT)
    expect(page.locator(".detail .card-title").first).to_contain_text("1.1", timeout=WAIT)


@pytest.mark.thorough
def test_a_sentence_typed_after_a_restart_counts(tab: Page, served: Served) -> None:
    translate(tab, served.address)
    served.stop()
    connected(tab, yes=False)
    served.start()
    connected(tab)
    a_typed_sentence_counts(tab)


@pytest.mark.thorough
def test_a_head_clicked_after_a_restart_counts(tab: Page, served: Served) -> None:
    attention(tab, served.address)
    served.stop()
    connected(tab, yes=False)
    served.start()
    connected(tab)
    a_click_on_a_head_counts(tab)


@pytest.mark.thorough
def test_a_head_clicked_while_the_server_is_away_counts(tab: Page, served: Served) -> None:
    attention(tab, served.address)
    served.stop()
    connected(tab, yes=False)
    tab.locator(OTHER).click()
    served.start()
    expect(tab).to_have_url(re.compile(r"layer=1&head=1"), timeout=WAIT)


@pytest.mark.thorough
def test_a_place_chosen_while_the_server_is_away_opens(tab: Page, served: Served) -> None:
    attention(tab, served.address)
    served.stop()
    connected(tab, yes=False)
    tab.get_by_role("link", name="Inside").click()
    served.start()
    expect(tab).to_have_url(re.compile("/inside"), timeout=WAIT)
    tab.locator(".answer, .inside").first.wait_for()


@pytest.mark.thorough
def test_a_frozen_tab_counts_its_first_click_after_a_restart(tab: Page, served: Served) -> None:
    attention(tab, served.address)
    tools = tab.context.new_cdp_session(tab)
    tools.send("Page.setWebLifecycleState", {"state": "frozen"})
    served.stop()
    time.sleep(2)
    served.start()
    tools.send("Page.setWebLifecycleState", {"state": "active"})
    a_click_on_a_head_counts(tab)


@pytest.mark.thorough
def test_a_sentence_typed_after_two_minutes_without_network_counts(tab: Page, served: Served) -> None:
    wire = Wire(served.port)
    translate(tab, f"http://127.0.0.1:{wire.port}")
    wire.sever()
    connected(tab, yes=False)
    time.sleep(4)  # the server was told to keep a session one second, in place of two minutes
    wire.cut = False
    connected(tab)
    a_typed_sentence_counts(tab)
    wire.door.close()


@pytest.mark.thorough
def test_nothing_is_asked_twice_where_the_connection_stood(tab: Page, served: Served) -> None:
    sent: list[bytes] = []
    tab.on(
        "websocket",
        lambda line: line.on("framesent", lambda data: sent.append(data if isinstance(data, bytes) else b"")),
    )
    attention(tab, served.address)
    tab.wait_for_timeout(1500)
    before = len(sent)
    a_click_on_a_head_counts(tab)
    tab.wait_for_timeout(1500)
    assert sum(b"picked" in message for message in sent[before:]) == 1
