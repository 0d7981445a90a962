"""Computations for all sessions: every cache of the app, the queue, and measurements in the background. No Streamlit."""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from core.errors import AtlasError

if TYPE_CHECKING:
    from core.api import Checkpoint
    from core.learning.lesson import Lesson
    from core.tokenizer import Reading, Tokenizer
    from core.verify.report import TrustReport
    from ui.shared.decode import Decode

Value = TypeVar("Value")
LOOK_S: Final = 0.25
"""Seconds between two checks while waiting for another's computation or for a turn."""


@dataclass(eq=False)
class _Work:
    """A value that is being made, and how many are there for it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    interested: int = 0


class BoundedCache(Generic[Value]):
    """Values by key, at most `entries` of them and at most `capacity` in the unit that `size` measures.

    Thread-safe: threads that ask for the same missing key wait for one computation. A computation that
    raises stores nothing. The newest value always stays, even if it alone exceeds the capacity.
    """

    def __init__(
        self, entries: int, capacity: int | None = None, size: Callable[[Value], int] = lambda value: 1
    ) -> None:
        self._entries, self._capacity, self._size = entries, capacity, size
        self._values: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._lock = threading.Lock()
        self._at_work: dict[Hashable, _Work] = {}

    def get(self, key: Hashable, make: Callable[[], Value], look: Callable[[], None] | None = None) -> Value:
        """The value of `key`, computed by `make` if missing.

        While another thread computes it, `look` is called repeatedly; an exception from `look` ends only this wait.
        """
        value = self.peek(key)
        if value is not None:
            return value
        with self._lock:
            work = self._at_work.setdefault(key, _Work())
            work.interested += 1
        try:
            while not work.lock.acquire(timeout=LOOK_S if look else -1):
                if look:
                    look()
            try:
                value = self.peek(key)
                if value is not None:
                    return value
                value = make()
                self._put(key, value)
                return value
            finally:
                work.lock.release()
        finally:
            with self._lock:
                work.interested -= 1
                if not work.interested:
                    self._at_work.pop(key, None)

    def wanted_by(self, key: Hashable) -> int:
        """How many make `key` or wait for it."""
        with self._lock:
            work = self._at_work.get(key)
            return work.interested if work else 0

    def peek(self, key: Hashable) -> Value | None:
        """The value of `key` if it is there."""
        with self._lock:
            entry = self._values.get(key)
            if entry is None:
                return None
            self._values.move_to_end(key)
            return entry[0]

    def drop(self, wanted: Callable[[Hashable], bool]) -> None:
        """Forget every key for which `wanted` says True."""
        with self._lock:
            for key in [key for key in self._values if wanted(key)]:
                del self._values[key]

    def clear(self) -> None:
        """Forget everything."""
        self.drop(lambda key: True)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def filled(self) -> int:
        """The sizes of all values together."""
        with self._lock:
            return sum(size for _, size in self._values.values())

    def _put(self, key: Hashable, value: Value) -> None:
        with self._lock:
            self._values[key] = (value, self._size(value))
            while len(self._values) > 1 and self._is_over():
                self._values.popitem(last=False)

    def _is_over(self) -> bool:
        total = sum(size for _, size in self._values.values())
        return len(self._values) > self._entries or (self._capacity is not None and total > self._capacity)


def bytes_of(value: Any) -> int:
    """About how many bytes a value takes: its arrays and tables, and a little for everything else."""
    if hasattr(value, "nbytes"):
        return int(value.nbytes)
    if hasattr(value, "memory_usage"):  # a table of pandas'
        return int(value.memory_usage(deep=False).sum())
    if is_dataclass(value) and not isinstance(value, type):
        return 100 + sum(bytes_of(getattr(value, each.name)) for each in fields(value))
    if isinstance(value, Mapping):
        return 100 + sum(map(bytes_of, value.values()))
    if isinstance(value, list | tuple | set | frozenset):
        return 100 + sum(map(bytes_of, value))
    return 100


_BYTES: Final = 256 * 2**20

# What is kept for all sessions. Keys hold a folder's stamp (its files' names, sizes and times) or a model's digest, so that
# what has changed is read again.
ENTRIES: Final[BoundedCache[Any]] = BoundedCache(entries=512)
"""Folders as listed (`Entry`), by stamp. Every page lists all of them, so that with one more each would be read again each time."""
TOKENIZERS: Final[BoundedCache[tuple[Tokenizer, Tokenizer]]] = BoundedCache(entries=24)
"""Of the folders that were looked at last, by stamp. A list of many hundreds of folders keeps no more of them."""
MODELS: Final[BoundedCache[Checkpoint]] = BoundedCache(entries=3)
"""By stamp and device."""
DIGESTS: Final[BoundedCache[str]] = BoundedCache(entries=256)
"""Of what was loaded from a folder, by stamp."""
REPORTS: Final[BoundedCache[TrustReport]] = BoundedCache(entries=64)
"""By digest: a copy is the same model."""
OF_FILES: Final[BoundedCache[Any]] = BoundedCache(entries=24)
"""What was read from a folder's side files (`kept`)."""
REFUSED: Final[BoundedCache[str]] = BoundedCache(entries=256)
"""By stamp and name: why a file cannot be used."""
READINGS: Final[BoundedCache[Reading]] = BoundedCache(entries=64)
"""Sentences as tokens."""
DECODES: Final[BoundedCache[Decode]] = BoundedCache(256, _BYTES, lambda decode: decode.size)
RESULTS: Final[BoundedCache[Any]] = BoundedCache(368, _BYTES, bytes_of)
"""What was computed of a decode (`memo`, `recorded`)."""
DRAWINGS: Final[BoundedCache[Any]] = BoundedCache(entries=128)
"""Figures, by what they are drawn from."""
LESSONS: Final[BoundedCache[Lesson | str]] = BoundedCache(entries=256)
"""A lesson, or why its file cannot be read, by the file's stamp."""
LESSON_WORDS: Final[BoundedCache[Any]] = BoundedCache(entries=64)
"""The words of a lesson's panel, or why their file cannot be read, by the file's stamp."""
_CACHES: Final[tuple[BoundedCache[Any], ...]] = (
    ENTRIES,
    TOKENIZERS,
    MODELS,
    DIGESTS,
    REPORTS,
    OF_FILES,
    REFUSED,
    READINGS,
    DECODES,
    RESULTS,
    DRAWINGS,
    LESSONS,
    LESSON_WORDS,
)


def forget() -> None:
    """Empty every cache."""
    for each in _CACHES:
        each.clear()


AT_ONCE: Final = 2
"""Jobs that share the processor; more only slow each other down."""
MOST_WAITING: Final = 120
"""Jobs that may wait; who comes then is told so in place of waiting."""
NOBODY: Final = ""
"""The owner of work that is done for all and that no visitor asked for; nobody is told to wait for them."""
Tell = Callable[[int], None]
"""Takes the number of others who are before a visitor; what it raises ends the wait."""


class BusyError(AtlasError):
    """Too many are waiting."""


@dataclass(eq=False)
class Ticket:
    """A job in the queue: whose it is, what it makes, its lane, and the thread that works on it."""

    owner: str
    name: Hashable
    heavy: bool
    thread: int
    called: threading.Event = field(default_factory=threading.Event)


class Turns:
    """The queue. Safe for threads."""

    def __init__(self, at_once: int = AT_ONCE, most: int = MOST_WAITING) -> None:
        self._at_once, self._most = at_once, most
        self._waiting: list[Ticket] = []
        self._running: list[Ticket] = []
        self._changed = threading.Lock()

    @contextmanager
    def turn(
        self, owner: str, name: Hashable = None, heavy: bool = False, tell: Tell | None = None
    ) -> Iterator[None]:
        """Wait for a turn and hold it; who holds one already goes on at once.

        Raises `BusyError`, one sentence, when too many are waiting, and what `tell` raises.
        """
        ticket = Ticket(owner, name, heavy, threading.get_ident())
        with self._changed:
            inside = any(each.thread == ticket.thread for each in self._running)
        if inside:
            yield
            return
        with self._changed:
            if len(self._waiting) >= self._most:
                raise BusyError(f"{self._most} others are already waiting; try again in a moment.")
            self._waiting.append(ticket)
        try:
            self._wait(ticket, tell or (lambda others: None))
            yield
        finally:
            with self._changed:
                for line in (self._waiting, self._running):
                    if ticket in line:
                        line.remove(ticket)
                self._call()

    def others(self, owner: str, name: Hashable) -> int:
        """The number of other visitors ahead of one who waits for this job: its owner and the owners before it in the queue."""
        with self._changed:
            job = next((each for each in (*self._running, *self._waiting) if each.name == name), None)
            if job is None:
                return 0
            before = {each.owner for each in self._before(job)} if job in self._waiting else set()
            return len((before | {job.owner}) - {owner, NOBODY})

    def _wait(self, ticket: Ticket, tell: Tell) -> None:
        while True:
            with self._changed:
                if self._may_start(ticket):
                    self._waiting.remove(ticket)
                    self._running.append(ticket)
                    return
                others = len({each.owner for each in self._before(ticket)} - {ticket.owner, NOBODY})
            if not ticket.called.wait(LOOK_S):
                tell(others)  # outside of the lock: it may take long, or end the wait
            ticket.called.clear()

    def _call(self) -> None:
        """Wake those whose turn it is, and nobody else: thirty who wake to look take more time than the work."""
        for each in self._waiting:
            if self._may_start(each):
                each.called.set()

    def _before(self, ticket: Ticket) -> list[Ticket]:
        """Those at work and those of the same lane that came before."""
        lane = [each for each in self._waiting if each.heavy == ticket.heavy]
        return [*self._running, *lane[: lane.index(ticket)]]

    def _may_start(self, ticket: Ticket) -> bool:
        """Whether one of the free places is this ticket's: who came first, but one heavy job at a time."""
        free, heavy = self._at_once - len(self._running), any(each.heavy for each in self._running)
        for each in self._waiting:
            if free <= 0:
                return False
            if each.heavy and heavy:
                continue  # what is short passes it by
            if each is ticket:
                return True
            free, heavy = free - 1, heavy or each.heavy
        return False


Notice = Callable[[], AbstractContextManager[Tell]]


@contextmanager
def silent() -> Iterator[Tell]:
    """Tells nobody."""
    yield lambda others: None


class _UnwantedError(Exception):
    """The job was stopped, or its visitor has gone."""


class Stage(Protocol):
    """What a measurement has come to after `done` of `total` passes."""

    @property
    def done(self) -> int: ...
    @property
    def total(self) -> int: ...


Made = TypeVar("Made", bound=Stage)
MOST_JOBS = 8
"""Jobs of all visitors that run at once."""
_turns = Turns(at_once=1)  # who came first goes first: with a plain lock one job takes it again and again
_running: set[int] = set()
_lock = threading.Lock()


ending: Final = threading.Event()
"""Set when the process ends: work behind pages stops before its next part."""
_LAST_S: Final = 20.0
_behind: weakref.WeakSet[threading.Thread] = weakref.WeakSet()


def work_behind(work: Callable[[], None], name: str) -> None:
    """Run `work` in a thread that the end of the process waits for, a few seconds at most.

    A thread inside of PyTorch while the interpreter is taken down aborts the process.
    """
    thread = threading.Thread(target=work, name=name, daemon=True)
    _behind.add(thread)
    thread.start()


@atexit.register
def _wait_for_work() -> None:
    ending.set()
    until = time.monotonic() + _LAST_S
    for thread in list(_behind):
        thread.join(max(0.0, until - time.monotonic()))


class Job(Generic[Made]):
    """Runs an iterator of stages to its end in a thread of its own.

    `latest` is the last stage (None before the first), `finished` true once nothing more will come, `problem` one
    sentence when it ended early by a mistake, or could not begin because MOST others run. `on_done` gets the last stage
    of a run that came to its end. Before each pass `wanted` is asked whether anybody still waits for it.
    """

    def __init__(
        self,
        make: Callable[[], Iterator[Made]],
        on_done: Callable[[Made], None] = lambda value: None,
        wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        self.latest: Made | None = None
        self.problem = ""
        self._stop = threading.Event()
        self._ended = threading.Event()
        with _lock:
            begins = len(_running) < MOST_JOBS
            if begins:
                _running.add(id(self))
        if not begins:
            self.problem = f"The server makes {MOST_JOBS} measurements already; try again in a minute."
            self._ended.set()
            return
        work_behind(lambda: self._work(make, on_done, wanted), "measurement")

    @property
    def finished(self) -> bool:
        return self._ended.is_set()

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
        make: Callable[[], Iterator[Made]],
        on_done: Callable[[Made], None],
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

    def _next(self, steps: Iterator[Made], wanted: Callable[[], bool]) -> Made | None:
        """The next stage, in this job's turn; None at the end. Raises _UnwantedError where nobody waits for more."""

        def look(others: int = 0) -> None:
            if self._stop.is_set() or ending.is_set() or not wanted():
                raise _UnwantedError

        look()
        with _turns.turn(str(id(self)), tell=look):
            return next(steps, None)

    def _leave(self) -> None:
        with _lock:
            _running.discard(id(self))
