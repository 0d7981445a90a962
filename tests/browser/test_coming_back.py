"""The first action after the connection was gone counts: a typed sentence, a click on a head, in a tab that was frozen too."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import WAIT
from tests.serving import Server, free_port, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Start = Callable[[], AbstractContextManager[Server]]


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
def start(tmp_path: Path) -> Start:
    """Starts a server, always at the same port."""
    port = free_port()
    own = ("--server.address", "127.0.0.1", "--server.disconnectedSessionTTL", "1")
    return lambda: served(tmp_path, *own, port=port, env={"OMP_NUM_THREADS": "1"})


@pytest.fixture
def tabs(chromium: Browser) -> Iterator[list[Page]]:
    pages = [chromium.new_page(viewport={"width": 1440, "height": 1010}) for _ in range(4)]
    for page in pages:
        page.set_default_timeout(WAIT)
    yield pages
    for page in pages:
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


def test_the_first_action_after_a_restart_counts(tabs: list[Page], start: Start) -> None:
    """One restart for four tabs: typed in, clicked, clicked while the server was away, frozen meanwhile."""
    typed, clicked, early, frozen = tabs
    with start() as server:
        translate(typed, server.address)
        for tab in (clicked, early, frozen):
            attention(tab, server.address)
        tools = frozen.context.new_cdp_session(frozen)
        tools.send("Page.setWebLifecycleState", {"state": "frozen"})
        server.process.kill()
    for tab in (typed, clicked, early):
        connected(tab, yes=False)
    early.locator(OTHER).click()
    with start():
        expect(early).to_have_url(re.compile(r"layer=1&head=1"), timeout=WAIT)
        connected(typed)
        a_typed_sentence_counts(typed)
        connected(clicked)
        a_click_on_a_head_counts(clicked)
        tools.send("Page.setWebLifecycleState", {"state": "active"})
        a_click_on_a_head_counts(frozen)


def test_without_network_the_first_action_counts_and_with_it_nothing_is_asked_twice(
    tabs: list[Page], start: Start
) -> None:
    cut_off, steady, *_ = tabs
    sent: list[bytes] = []
    steady.on(
        "websocket",
        lambda line: line.on("framesent", lambda data: sent.append(data if isinstance(data, bytes) else b"")),
    )
    with start() as server:
        wire = Wire(server.port)
        translate(cut_off, f"http://127.0.0.1:{wire.port}")
        wire.sever()
        connected(cut_off, yes=False)
        time.sleep(4)  # the server was told to keep a session one second, in place of two minutes
        wire.cut = False
        connected(cut_off)
        a_typed_sentence_counts(cut_off)
        attention(steady, server.address)
        steady.wait_for_timeout(1500)
        before = len(sent)
        a_click_on_a_head_counts(steady)
        steady.wait_for_timeout(1500)
        assert sum(b"picked" in message for message in sent[before:]) == 1
        wire.door.close()
