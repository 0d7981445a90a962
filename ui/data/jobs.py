"""A measurement that runs behind the page: how far it is, what it has found so far, and the way to stop it.

No Streamlit. A job belongs to the session that started it. All jobs of the app take turns, one pass at a time, so that
one reader's long measurement keeps nobody from the model.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Generic, Protocol, TypeVar

from core.errors import AtlasError


class Stage(Protocol):
    """What a measurement has come to after `done` of `total` passes."""

    @property
    def done(self) -> int: ...
    @property
    def total(self) -> int: ...


Value = TypeVar("Value", bound=Stage)
_TURN = threading.Semaphore(1)


class Job(Generic[Value]):
    """Runs an iterator of stages to its end in a thread of its own.

    `latest` is the last stage (None before the first), `finished` true once nothing more will come, `problem` one
    sentence when it ended early by a mistake. `on_done` gets the last stage of a run that came to its end.
    """

    def __init__(
        self, make: Callable[[], Iterator[Value]], on_done: Callable[[Value], None] = lambda value: None
    ) -> None:
        self.latest: Value | None = None
        self.problem = ""
        self._stop = threading.Event()
        self._ended = threading.Event()
        self._make, self._on_done = make, on_done
        self._thread = threading.Thread(target=self._work, name="measurement", daemon=True)
        self._thread.start()

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

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end; whether it has come."""
        return self._ended.wait(seconds)

    def _work(self) -> None:
        try:
            steps = self._make()
            while not self._stop.is_set():
                with _TURN:
                    stage = next(steps, None)
                if stage is None:
                    if self.latest is not None:
                        self._on_done(self.latest)
                    return
                self.latest = stage
        except AtlasError as error:
            self.problem = str(error)
        except Exception:  # a thread has nobody to raise to
            self.problem = "The measurement failed; start it again."
            raise
        finally:
            self._ended.set()
