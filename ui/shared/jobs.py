"""A measurement in the background: its progress, its results so far, and how to stop it. No Streamlit.

A job belongs to the session that started it and ends with it. All jobs of the app take turns, one pass at a time, so that
one reader's long measurement does not block the model for others; a started job holds a batch of texts in memory, so only
a few may start.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Generic, Protocol, TypeVar

from core.errors import AtlasError
from ui.shared.cache import Turns


class _UnwantedError(Exception):
    """The job was stopped, or its visitor has gone."""


class Stage(Protocol):
    """What a measurement has come to after `done` of `total` passes."""

    @property
    def done(self) -> int: ...
    @property
    def total(self) -> int: ...


Value = TypeVar("Value", bound=Stage)
MOST = 8
"""Jobs of all visitors that run at once."""
_turns = Turns(at_once=1)  # who came first goes first: with a plain lock one job takes it again and again
_running: set[int] = set()
_lock = threading.Lock()


class Job(Generic[Value]):
    """Runs an iterator of stages to its end in a thread of its own.

    `latest` is the last stage (None before the first), `finished` true once nothing more will come, `problem` one
    sentence when it ended early by a mistake, or could not begin because MOST others run. `on_done` gets the last stage
    of a run that came to its end. Before each pass `wanted` is asked whether anybody still waits for it.
    """

    def __init__(
        self,
        make: Callable[[], Iterator[Value]],
        on_done: Callable[[Value], None] = lambda value: None,
        wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        self.latest: Value | None = None
        self.problem = ""
        self._stop = threading.Event()
        self._ended = threading.Event()
        with _lock:
            begins = len(_running) < MOST
            if begins:
                _running.add(id(self))
        if not begins:
            self.problem = f"The server makes {MOST} measurements already; try again in a minute."
            self._ended.set()
            return
        threading.Thread(
            target=self._work, args=(make, on_done, wanted), name="measurement", daemon=True
        ).start()

    @property
    def finished(self) -> bool:
        return self._ended.is_set()

    @property
    def cancelled(self) -> bool:
        return self._stop.is_set()

    @property
    def share(self) -> float:
        """How much is done, 0 to 1."""
        return self.latest.done / self.latest.total if self.latest and self.latest.total else 0.0

    def cancel(self) -> None:
        """Stop before the next pass; what was found so far stays."""
        self._stop.set()
        self._leave()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end; whether it has come."""
        return self._ended.wait(seconds)

    def _work(
        self,
        make: Callable[[], Iterator[Value]],
        on_done: Callable[[Value], None],
        wanted: Callable[[], bool],
    ) -> None:
        # What the steps hold goes with this frame: the job itself stays as long as its session.
        try:
            steps = make()
            while True:
                stage = self._next(steps, wanted)
                if stage is None:
                    if self.latest is not None:
                        on_done(self.latest)
                    return
                self.latest = stage
        except _UnwantedError:
            self._stop.set()
        except AtlasError as error:
            self.problem = str(error)
        except Exception:  # a thread has nobody to raise to
            self.problem = "The measurement failed; start it again."
            raise
        finally:
            self._leave()
            self._ended.set()

    def _next(self, steps: Iterator[Value], wanted: Callable[[], bool]) -> Value | None:
        """The next stage, in this job's turn; None at the end. Raises _UnwantedError where nobody waits for more."""

        def look(others: int = 0) -> None:
            if self._stop.is_set() or not wanted():
                raise _UnwantedError

        look()
        with _turns.turn(str(id(self)), tell=look):
            return next(steps, None)

    def _leave(self) -> None:
        with _lock:
            _running.discard(id(self))
