"""Run untrusted input in a child process limited in time and memory.

A tokenizer's pattern, for example, runs inside a library that holds Python's lock, so a slow one stops every thread of
a server and cannot be interrupted from within the process. The child answers questions one at a time over its pipes, as
lines of JSON. A child that exceeds a limit is ended, and replaced at the next question.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import subprocess
import sys
import threading
import weakref
from collections import OrderedDict
from pathlib import Path
from typing import IO, Any, Final

MOST_CHILDREN: Final = 6
"""Children alive at once; starting another one ends the least recently asked, which restarts when it is asked again."""
START_S: Final = 60.0
MEGABYTES: Final = 2048
MOST_ANSWER: Final = 2**28
"""Bytes of one answer: a bound on the memory of the process that asks."""
_CPU_S: Final = 3600
_ROOT: Final = str(Path(__file__).resolve().parents[1])
_living: OrderedDict[int, weakref.ref[Child]] = OrderedDict()
_living_lock = threading.Lock()


class ChildError(Exception):
    """The child could not do what it was asked; `kind` is the name of the exception in it."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


class ChildStoppedError(ChildError):
    """The child exceeded its time or memory, or crashed."""


class Child:
    """Answers `ask` with what `factory(setup)` of a module returns for the same arguments. Thread-safe.

    `factory` is "module:name" and is called in the child; arguments and answers are JSON. The process starts at the first question.
    """

    def __init__(self, factory: str, setup: Any, megabytes: int = MEGABYTES) -> None:
        self._start = {"factory": factory, "setup": setup, "megabytes": megabytes}
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def ask(self, *question: Any, seconds: float) -> Any:
        """The child's answer. Raises ChildError for its exceptions, ChildStoppedError when it was ended by the question."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._begin()
            answer = self._exchange(question, seconds)
        _remember(self)
        return answer

    def close(self) -> None:
        """End the process, unless it is answering."""
        if self._lock.acquire(blocking=False):
            try:
                self._end()
            finally:
                self._lock.release()

    def _begin(self) -> None:
        paths = [_ROOT, *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TOKENIZERS_PARALLELISM": "false"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "core.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a library writes its panics there
            env=environment,
        )
        try:
            self._exchange(self._start, START_S)
        except ChildError:
            self._end()
            raise

    def _exchange(self, message: Any, seconds: float) -> Any:
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        timer = threading.Timer(seconds, process.kill)
        timer.start()
        try:
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline(MOST_ANSWER)
        except OSError:
            line = b""
        finally:
            timer.cancel()
        if not line.endswith(b"\n"):
            self._end()
            raise ChildStoppedError(
                "stopped", f"stopped within {seconds:g} seconds and {self._start['megabytes']} MB"
            )
        answer = json.loads(line)
        if "error" in answer:
            kind, reason = answer["error"]
            raise (ChildStoppedError if kind in ("MemoryError", "PanicException") else ChildError)(
                kind, reason
            )
        return answer["answer"]

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()

    def __del__(self) -> None:
        self._end()


def _remember(child: Child) -> None:
    """Record that `child` was asked, and end the least recently asked one beyond MOST_CHILDREN."""
    with _living_lock:
        _living[id(child)] = weakref.ref(child)
        _living.move_to_end(id(child))
        for key in [key for key, kept in _living.items() if kept() is None]:
            del _living[key]
        last = _living.popitem(last=False)[1]() if len(_living) > MOST_CHILDREN else None
    if last is not None:
        last.close()


# -- in the child -------------------------------------------------------------------------------------------


def limit(megabytes: int) -> None:
    """Limit the memory and the processor time of this process, where the system supports it.

    The memory is counted from what the process has mapped by now: PyTorch with CUDA maps 3 GB when it is imported.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limits; only the time limit applies
        return
    for name, most in (("RLIMIT_AS", _mapped() + megabytes * 2**20), ("RLIMIT_CPU", _CPU_S)):
        # Some systems do not know a limit, or know it but refuse to set it.
        with contextlib.suppress(AttributeError, OSError, ValueError):
            kind = getattr(resource, name)
            hard = resource.getrlimit(kind)[1]
            resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _mapped() -> int:
    """Bytes of address space in use; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def _serve(questions: IO[bytes], answers: IO[bytes]) -> None:
    start = json.loads(questions.readline())
    limit(start["megabytes"])
    module, name = start["factory"].split(":")
    work = None
    line: bytes | None = None
    reply: dict[str, Any]
    while line != b"":
        try:
            if work is None:
                work = getattr(importlib.import_module(module), name)(start["setup"])
                answer = None
            else:
                answer = work(*json.loads(line or b""))
            reply = {"answer": answer}
        except BaseException as error:  # a panic of a Rust library is no Exception
            reply = {"error": [type(error).__name__, str(error)[:2000]]}
        answers.write(json.dumps(reply).encode() + b"\n")
        answers.flush()
        line = questions.readline() if work is not None else b""


if __name__ == "__main__":
    _serve(sys.stdin.buffer, os.fdopen(os.dup(1), "wb"))
