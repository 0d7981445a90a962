"""A server of the app that logs its state once a second: memory, threads, files, sessions, caches.

    python -m benchmarks.watched PORT FILE [--profile FILE] [STREAMLIT OPTION …]

The log has one JSON object per line. With `--profile` a thread samples every other thread each 10 ms and finally writes
the time of script runs by function (own time, and time including callees).
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = os.sysconf("SC_PAGE_SIZE")


def _now() -> dict[str, Any]:
    """Memory in bytes, and counts."""
    from streamlit.runtime import Runtime

    from ui.shared import resources
    from ui.shared.cache import BoundedCache

    sessions = 0
    if Runtime.exists():
        sessions = len(Runtime.instance()._session_mgr.list_sessions())
    caches = [each for each in vars(resources).values() if isinstance(each, BoundedCache)]
    sized = [cache.filled for cache in caches if cache.filled > 10_000]  # in bytes, not in entries
    return {
        "at": time.time(),
        "resident": int(Path("/proc/self/statm").read_text().split()[1]) * PAGE,
        "threads": threading.active_count(),
        "files": len(os.listdir("/proc/self/fd")),
        "sessions": sessions,
        "cached": sum(sized),
        "entries": sum(len(cache) for cache in caches),
        "objects": len(gc.get_objects()) if os.environ.get("ATLAS_COUNT_OBJECTS") else 0,
        "processor": sum(os.times()[:2]),
        "load": os.getloadavg()[0],
    }


def watch(file: Path) -> None:
    """Write a line a second, as long as the server runs."""
    with file.open("a", encoding="utf-8") as lines:
        while True:
            time.sleep(1)
            lines.write(json.dumps(_now()) + "\n")
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
    from streamlit.web.cli import main

    from ui.shared import resources  # noqa: F401  # imported before the server's threads do so concurrently

    threading.Thread(target=watch, args=(file,), daemon=True).start()
    if profile is not None:
        sampler = Sampler()
        threading.Thread(target=sampler.run, daemon=True).start()
        import atexit

        atexit.register(lambda: profile.write_text(sampler.table(), "utf-8"))
    sys.argv = ["streamlit", "run", str(ROOT / "app.py"), "--server.headless", "true"]
    sys.argv += ["--server.port", port, "--server.address", "127.0.0.1", *options]
    main()


@contextmanager
def watched(
    file: Path, options: tuple[str, ...] = (), profile: Path | None = None
) -> Iterator[tuple[int, int]]:
    """A watched server on a free port of the loopback → its port and process id."""
    import socket
    import subprocess
    import urllib.request

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    asked = [] if profile is None else ["--profile", str(profile)]
    log = file.with_suffix(".log")
    with log.open("w") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.watched", str(port), str(file), *asked, *options],
            cwd=ROOT,
            stdout=stream,
            stderr=stream,
        )
    try:
        for _ in range(300):
            if process.poll() is not None:
                raise RuntimeError(f"the server stopped: {log.read_text()[-2000:]}")
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2).close()
                break
            except OSError:
                time.sleep(0.2)
        yield port, process.pid
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()


def read(file: Path) -> list[dict[str, Any]]:
    """The log of a watched server."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.endswith("}")]


if __name__ == "__main__":
    wanted, where, *rest = sys.argv[1:]
    profiled = Path(rest[1]) if rest[:1] == ["--profile"] else None
    serve(wanted, Path(where), profiled, rest[2:] if profiled else rest)
