"""A browser tab without a browser, and a server of the app that logs its state once a second.

A tab is one session over the websocket protocol of the pages, on the loopback only. It sends and keeps the same as
Streamlit's own page: the states of widgets, the address, and received messages, so that the server may refer to one instead
of sending it again. The names are private to the Streamlit version that `requirements.txt` pins.

    python -m benchmarks.tab PORT FILE [--profile FILE] [STREAMLIT OPTION …]

starts the server. Its log has one JSON object per line: memory, threads, files, sessions, caches. With `--profile` a thread
samples every other thread each 10 ms and finally writes the time of script runs by function (own time, and time including
callees).
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
import urllib.parse
import urllib.request
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from numpy.typing import NDArray
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from ui.web.contract import unpack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import FrameType


PATIENCE_S = 120.0
TRIGGER = "$$STREAMLIT_INTERNAL_KEY_{}__events"
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class BrokenError(Exception):
    """The app showed an error, or did not answer."""


@dataclass
class Element:
    """One element of the page: its message, the fragment that drew it, and the run."""

    proto: Any
    fragment: str
    run: str


@dataclass
class Tab:
    """One visitor. `open`, `type`, `choose` and `report` each cause one run and wait until it has ended."""

    host: str
    port: int
    socket: ClientConnection | None = None
    session: str = ""
    page: str = ""
    query: str = ""
    page_hash: str = ""
    received: int = 0
    elements: dict[tuple[int, ...], Element] = field(default_factory=dict)
    popovers: dict[tuple[int, ...], str] = field(default_factory=dict)  # what is written on each button
    kept: dict[str, ForwardMsg] = field(default_factory=dict)
    states: dict[str, WidgetState] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)  # texts of the spinners during the last run

    async def __aenter__(self) -> Self:
        if self.host not in LOOPBACK:
            raise ValueError(f"{self.host} is not this machine")
        address = f"{self.host}:{self.port}"
        self.socket = await connect(
            f"ws://{address}/_stcore/stream",
            subprotocols=[Subprotocol("streamlit")],
            origin=Origin(f"http://{address}"),
            max_size=None,
            open_timeout=PATIENCE_S,
            ping_timeout=None,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.socket is not None:
            await self.socket.close()

    async def load(self, page: str, **params: str) -> float:
        """Load a page as an external link does, in a new session; the old one is left."""
        await self.__aexit__()
        self.elements, self.popovers, self.kept, self.states, self.session = {}, {}, {}, {}, ""
        await self.__aenter__()
        return await self.open(page, **params)

    # -- actions; each returns the seconds until the page has answered completely ----------------------------

    async def open(self, page: str, **params: str) -> float:
        """Go to a page by one of the app's own links."""
        self.page, self.query, self.page_hash = page, urllib.parse.urlencode(params), ""
        return await self._run()

    async def type(self, label: str, text: str) -> float:
        """Type into the box called `label` and press Enter."""
        box = self._widget("text_input", label)
        return await self._run(WidgetState(id=box.id, string_value=text))

    async def choose(self, label: str, option: str) -> float:
        """Choose from the words of a segmented control. Raises `BrokenError` where it does not offer this one."""
        group = self._widget("button_group", label)
        offered = [each.content for each in group.options]
        if option not in offered:
            raise BrokenError(f"{label} offers {offered}, not {option}")
        state = WidgetState(id=group.id)
        state.string_array_value.data.append(option)
        return await self._run(state)

    async def press(self, label: str) -> float:
        """Press the button called `label`."""
        button = self._widget("button", label)
        took = await self._run(WidgetState(id=button.id, trigger_value=True))
        self.states.pop(button.id, None)
        return took

    async def report(self, component: str, event: str, value: Any) -> float:
        """Send an event of a browser view: a head that was clicked, a step that was chosen."""
        path, component_message = self.view(component)
        state = WidgetState(id=TRIGGER.format(component_message.id))
        state.json_trigger_value = json.dumps([{"event": event, "value": value}])
        return await self._run(state, fragment=self.elements[path].fragment)

    # -- contents of the page -----------------------------------------------------------------------------

    def view(self, component: str) -> tuple[tuple[int, ...], Any]:
        """The path and message of a browser view, by the name it is registered with."""
        for path, element in self.elements.items():
            if element.proto.WhichOneof("type") == "bidi_component":
                message = element.proto.bidi_component
                if message.component_name == f"atlas_{component}":
                    return path, message
        raise BrokenError(f"the page has no {component}")

    def data(self, component: str) -> dict[str, Any]:
        """The data of a browser view, with its arrays as numpy arrays."""
        _, message = self.view(component)
        if message.WhichOneof("data") == "json":
            plain: dict[str, Any] = json.loads(message.json)
            return dict(plain["fields"]) if "fields" in plain else plain
        given: dict[str, Any] = json.loads(message.mixed.json)
        packed = {name: self._unpacked(value, message.mixed.arrow_blobs) for name, value in given.items()}
        return unpack(packed) if "arrays" in packed else packed

    def charts(self, name: str) -> dict[str, dict[str, Any]]:
        """The Plotly figures of the page whose key ends with `name`, by their key."""
        figures = {}
        for element in self.elements.values():
            if element.proto.WhichOneof("type") == "plotly_chart":
                chart = element.proto.plotly_chart
                if chart.id.endswith(name):
                    figures[chart.id] = json.loads(chart.spec)
        return figures

    def words(self) -> str:
        """All HTML and Markdown on the page, and the buttons of popovers."""
        texts = [*self.popovers.values()]
        for element in self.elements.values():
            kind = element.proto.WhichOneof("type")
            texts.append(str(getattr(getattr(element.proto, kind), "body", "")) if kind else "")
        return "\n".join(texts)

    # -- the protocol -------------------------------------------------------------------------------------

    async def _run(self, state: WidgetState | None = None, fragment: str = "") -> float:
        message = BackMsg()
        asked = message.rerun_script
        asked.query_string, asked.page_script_hash = self.query, self.page_hash
        asked.page_name = "" if self.page_hash else self.page
        asked.fragment_id = fragment
        asked.cached_message_hashes.extend(self.kept)
        asked.context_info.url = f"http://{self.host}:{self.port}/{self.page}"
        asked.context_info.timezone, asked.context_info.locale = "Europe/Berlin", "en"
        asked.context_info.color_scheme = "light"
        if state is not None:
            self.states[state.id] = state
        asked.widget_states.widgets.extend(self.states.values())
        if state is not None and state.WhichOneof("value") == "json_trigger_value":
            del self.states[state.id]
        assert self.socket is not None
        began = time.perf_counter()
        self.notices = []
        await self.socket.send(message.SerializeToString())
        await asyncio.wait_for(self._until_it_ends(), PATIENCE_S)
        return time.perf_counter() - began

    async def _until_it_ends(self) -> None:
        assert self.socket is not None
        run, fragments = "", frozenset[str]()
        async for raw in self.socket:
            assert isinstance(raw, bytes)
            self.received += len(raw)
            top = ForwardMsg.FromString(raw)
            batch = top.parent_message.messages if top.WhichOneof("type") == "parent_message" else [top]
            for each in batch:
                message = self._resolved(each)
                match message.WhichOneof("type"):
                    case "new_session":
                        session = message.new_session
                        self.session = session.initialize.session_id or self.session
                        identity = message.metadata.run
                        run, fragments = identity.script_run_id, frozenset(identity.fragment_ids)
                        self.page_hash = session.page_script_hash or self.page_hash
                    case "delta":
                        self._take(message, run)
                    case "page_info_changed":
                        self.query = message.page_info_changed.query_string
                    case "navigation":
                        self.page_hash = message.navigation.page_script_hash
                    case "script_finished" if run and message.script_finished in (0, 3):
                        self._drop_stale(run, fragments)
                        return
                    case "script_finished" if run and message.script_finished == 1:
                        raise BrokenError("the script could not be read")
                    case _:
                        pass
        raise BrokenError("the connection was closed")

    def _resolved(self, message: ForwardMsg) -> ForwardMsg:
        """The message itself, where the server only refers to one that was sent before."""
        if message.WhichOneof("type") == "ref_hash":
            kept = self.kept.get(message.ref_hash)
            if kept is None:
                raise BrokenError("the server named a message that was never sent")
            copy = ForwardMsg()
            copy.CopyFrom(kept)
            copy.metadata.CopyFrom(message.metadata)
            return copy
        if message.metadata.cacheable and message.hash:
            self.kept[message.hash] = message
            while len(self.kept) > 200:
                self.kept.pop(next(iter(self.kept)))
        return message

    def _take(self, message: ForwardMsg, run: str) -> None:
        path, delta = tuple(message.metadata.delta_path), message.delta
        kind = delta.WhichOneof("type")
        if kind == "new_element":
            element = delta.new_element
            if element.WhichOneof("type") == "exception":
                raise BrokenError(f"{element.exception.type}: {element.exception.message}")
            self.elements[path] = Element(element, delta.fragment_id, run)
        elif kind == "add_block":
            self.elements.pop(path, None)
            if delta.add_block.WhichOneof("type") == "popover":
                self.popovers[path] = delta.add_block.popover.label
        elif kind == "new_transient":
            for element in delta.new_transient.elements:
                if element.WhichOneof("type") == "spinner":
                    self.notices.append(element.spinner.text)

    def _drop_stale(self, run: str, fragments: frozenset[str]) -> None:
        self.elements = {
            path: element
            for path, element in self.elements.items()
            if element.run == run or (fragments and element.fragment not in fragments)
        }

    def _widget(self, kind: str, label: str) -> Any:
        for element in self.elements.values():
            if element.proto.WhichOneof("type") == kind and getattr(element.proto, kind).label == label:
                return getattr(element.proto, kind)
        raise BrokenError(f"the page has no {label}")

    @staticmethod
    def _unpacked(value: Any, blobs: Any) -> Any:
        if isinstance(value, dict) and len(value) == 1 and (name := next(iter(value))).startswith("__"):
            import pyarrow as pa

            column = pa.ipc.open_stream(blobs[value[name]].data).read_all().column(0)
            array: NDArray[Any] = np.asarray(column.to_numpy())
            return array
        return value


ROOT: Final = Path(__file__).parents[1]
PAGE: Final = os.sysconf("SC_PAGE_SIZE")


def _now() -> dict[str, Any]:
    """Memory in bytes, and counts."""
    from streamlit.runtime import Runtime

    from ui.shared import cache

    sessions = 0
    if Runtime.exists():
        sessions = len(Runtime.instance()._session_mgr.list_sessions())
    caches = [each for each in vars(cache).values() if isinstance(each, cache.BoundedCache)]
    sized = [each.filled for each in caches if each.filled > 10_000]  # in bytes, not in entries
    return {
        "at": time.time(),
        "resident": int(Path("/proc/self/statm").read_text().split()[1]) * PAGE,
        "threads": threading.active_count(),
        "files": len(os.listdir("/proc/self/fd")),
        "sessions": sessions,
        "cached": sum(sized),
        "entries": sum(len(each) for each in caches),
        "processor": sum(os.times()[:2]),
        "load": os.getloadavg()[0],
    }


def watch(file: Path) -> None:
    """Write a line a second, as long as the server runs; a second that cannot be measured says why in the server's log."""
    with file.open("a", encoding="utf-8") as lines:
        while True:
            time.sleep(1)
            try:
                line = json.dumps(_now())
            except Exception:
                traceback.print_exc()
                continue
            lines.write(line + "\n")
            lines.flush()


class Sampler:
    """Samples the stacks of script runs every 10 ms."""

    def __init__(self) -> None:
        self.own: Counter[str] = Counter()
        self.inclusive: Counter[str] = Counter()
        self.samples = 0

    def run(self) -> None:
        while True:
            time.sleep(0.01)
            for frame in sys._current_frames().values():
                self._take(frame)

    def _take(self, frame: FrameType | None) -> None:
        stack = []
        while frame is not None:
            code = frame.f_code
            stack.append(f"{'/'.join(code.co_filename.split('/')[-2:])}:{code.co_name}")
            frame = frame.f_back
        if not any("script_runner.py:_run_script" in name for name in stack):
            return
        self.samples += 1
        self.own[stack[0]] += 1
        for name in set(stack):
            self.inclusive[name] += 1

    def table(self) -> str:
        lines = [f"{self.samples} samples of script runs", "", "with what they call"]
        lines += [
            f"{100 * n / max(1, self.samples):5.1f} % {name}" for name, n in self.inclusive.most_common(90)
        ]
        lines += ["", "own"]
        lines += [f"{100 * n / max(1, self.samples):5.1f} % {name}" for name, n in self.own.most_common(50)]
        return "\n".join(lines) + "\n"


def serve(port: str, file: Path, profile: Path | None, options: list[str]) -> None:
    """Run Streamlit in this process; returns when it is stopped."""
    from streamlit.runtime import Runtime  # noqa: F401  # imported before the server's threads do so concurrently
    from streamlit.web.cli import main

    from ui.shared import cache, context  # noqa: F401  # likewise

    threading.Thread(target=watch, args=(file,), daemon=True).start()
    if profile is not None:
        sampler = Sampler()
        threading.Thread(target=sampler.run, daemon=True).start()
        import atexit

        atexit.register(lambda: profile.write_text(sampler.table(), "utf-8"))
    sys.argv = ["streamlit", "run", str(ROOT / "app.py"), "--server.headless", "true"]
    sys.argv += ["--server.port", port, "--server.address", "127.0.0.1", *options]
    main()


def free_port() -> int:
    """A port of the loopback that nothing listens to."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def started(command: Sequence[str], port: int, log: Path) -> Iterator[int]:
    """Run Python with `command` until the block ends; wait for its server at `port` → process id."""
    with log.open("w") as stream:
        process = subprocess.Popen([sys.executable, *command], cwd=ROOT, stdout=stream, stderr=stream)
    try:
        for _ in range(300):
            if process.poll() is not None:
                raise RuntimeError(f"the server stopped: {log.read_text()[-2000:]}")
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2).close()
                break
            except OSError:
                time.sleep(0.2)
        yield process.pid
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()


@contextmanager
def watched(
    file: Path, options: tuple[str, ...] = (), profile: Path | None = None
) -> Iterator[tuple[int, int]]:
    """A watched server on a free port of the loopback → its port and process id."""
    port, asked = free_port(), [] if profile is None else ["--profile", str(profile)]
    command = ["-m", "benchmarks.tab", str(port), str(file), *asked, *options]
    with started(command, port, file.with_suffix(".log")) as process:
        yield port, process


HAPROXY: Final = ROOT / "deploy" / "haproxy.cfg"
SHIPPED: Final = {"one": 8501, "two": 8502}
"""The servers of `haproxy.cfg` by name, and the port of each."""


@contextmanager
def proxied(folder: Path, options: tuple[str, ...] = ()) -> Iterator[tuple[int, dict[str, tuple[int, Path]]]]:
    """HAProxy as shipped on a free port, before two watched servers → its port, and each server's process id and log."""
    with ExitStack() as stack:
        text, servers = HAPROXY.read_text("utf-8"), {}
        for name, shipped in SHIPPED.items():
            log = folder / f"{name}.jsonl"
            port, process = stack.enter_context(watched(log, options))
            text = text.replace(f"127.0.0.1:{shipped}", f"127.0.0.1:{port}")
            servers[name] = (process, log)
        front = free_port()
        file = folder / "haproxy.cfg"
        file.write_text(text.replace("127.0.0.1:8500", f"127.0.0.1:{front}"), "utf-8")
        proxy = subprocess.Popen(["haproxy", "-db", "-f", str(file)])
        stack.callback(proxy.wait)
        stack.callback(proxy.terminate)
        for _ in range(100):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{front}/_stcore/health", timeout=2).close()
                break
            except OSError:
                time.sleep(0.1)
        yield front, servers


def read(file: Path) -> list[dict[str, Any]]:
    """The log of a watched server."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.endswith("}")]


if __name__ == "__main__":
    wanted, where, *rest = sys.argv[1:]
    profiled = Path(rest[1]) if rest[:1] == ["--profile"] else None
    serve(wanted, Path(where), profiled, rest[2:] if profiled else rest)
