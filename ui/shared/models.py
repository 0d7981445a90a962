"""Loaded models: each folder's once, its trust report, and the turns in which visitors compute with them.

A model is loaded in the background if possible, and runs on the CPU for a while if a GPU has no memory left for it.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from core.errors import AtlasError
from ui.session import state
from ui.shared import cache
from ui.shared.cache import NOBODY, BoundedCache, Notice, Turns, silent
from ui.shared.checkpoints import Entry

if TYPE_CHECKING:
    from core.api import Checkpoint
    from core.verify.report import TrustReport

Kept = TypeVar("Kept")
_SWITCH_S: Final = 0.0005
_NO_ROOM_S: Final = 600.0
"""Seconds after which a GPU that had no memory left for a model is tried again."""
TURN_S: Final = 0.1
"""Seconds after which work of many steps lets others go first."""
_ENDED: Final[Any] = object()
_log: Final = logging.getLogger(__name__)

_no_room: dict[str, float] = {}  # folder → when a GPU last had no memory left for its model
_unchecked: set[str] = set()  # folder and device whose model could not be checked
_failures: dict[str, str] = {}  # folder and device → why its model could not be loaded
_started: set[str] = set()
_start_lock = threading.Lock()
_turns = Turns()
_notice: list[Notice] = [silent]  # how a visitor sees that others are before them; set by ui/app/frame.py


def forget() -> None:
    """Unload every model, empty every cache, and forget what could not be loaded."""
    cache.forget()
    _failures.clear()
    _unchecked.clear()
    _no_room.clear()
    with _start_lock:
        _started.difference_update({mark for mark in _started if mark != "torch"})


def model(entry: Entry, device: str | None = None) -> Checkpoint:
    """The loaded checkpoint of a folder on a device; loaded once, the least recently used of three leaves.

    On the CPU where the device has no memory left for it (`crowded`).
    """

    def load() -> Checkpoint:
        target = _device(entry, device)
        return cache.MODELS.get((entry.stamp, target), lambda: _load(entry, target))

    return with_room(entry, load)


def crowded(entry: Entry) -> bool:
    """Whether a GPU had no memory left for this model a while ago, so that it runs on the CPU for now."""
    since = _no_room.get(entry.stamp)
    return since is not None and time.monotonic() - since < _NO_ROOM_S


def _device(entry: Entry, device: str | None) -> str | None:
    return "cpu" if crowded(entry) else device


def with_room(entry: Entry, make: Callable[[], Kept]) -> Kept:
    """`make()`, and again on the CPU where a GPU has no memory left for it."""
    try:
        return make()
    except RuntimeError as error:
        # CUDA and MPS word it alike; what the CPU has no memory for is worded otherwise, and is no better there.
        if "out of memory" not in str(error) or crowded(entry):
            raise
        _log.warning("%s runs on the CPU for a while: %s", entry.name, str(error).splitlines()[0])
    _no_room[entry.stamp] = time.monotonic()
    cache.MODELS.drop(lambda key: isinstance(key, tuple) and key[0] == entry.stamp and key[1] != "cpu")
    gc.collect()
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return make()


def _load(entry: Entry, device: str | None) -> Checkpoint:
    import torch

    from core.api import load

    with _start_lock:
        if "torch" not in _started:
            _started.add("torch")
            torch.set_num_threads(max(1, min(8, (os.cpu_count() or 2) // 2)))
            # A decode is thousands of short calls into torch, and after each it asks for Python's lock again; whoever
            # holds it then keeps it for this long. With thirty visitors, Python's own 5 ms make seconds.
            sys.setswitchinterval(_SWITCH_S)
    loaded = load(entry.path, device=device)
    cache.DIGESTS.get(entry.stamp, lambda: loaded.digest)
    # What is alive now stays alive: keep it out of every later garbage collection.
    gc.collect()
    gc.freeze()
    return loaded


def is_loaded(entry: Entry, device: str | None = None) -> bool:
    """Whether `model` would answer at once."""
    return cache.MODELS.peek((entry.stamp, _device(entry, device))) is not None


def preload(entry: Entry, device: str | None = None) -> None:
    """Start loading the model behind the page that is being drawn, unless it is there, on its way, or cannot be loaded.

    Also loads it again after it has left the cache, since a page whose decode is kept asks for the model by nothing
    else; and retries the checks if the first attempt failed.
    """
    mark = f"{entry.stamp}|{device}"
    checked = trust(entry) is not None or mark in _unchecked
    if mark in _failures or (checked and is_loaded(entry, device)):
        return
    with _start_lock:
        if mark in _started:
            return
        _started.add(mark)

    def work() -> None:
        try:
            model(entry, device)
            if cache.ending.is_set():
                return
            _import_charts()
            try:
                run_trust(entry, device)
            except AtlasError:  # no sentence to check on: the facts under each view remain
                _unchecked.add(mark)
            except Exception as error:  # a thread has nobody to raise to, and every page would begin it again
                _log.warning("%s cannot be checked", entry.name, exc_info=error)
                _unchecked.add(mark)
        except AtlasError as error:
            _failures[mark] = str(error)
        finally:
            with _start_lock:
                _started.discard(mark)

    cache.work_behind(work, f"preload-{entry.name}")


def _import_charts() -> None:
    """What the pages with charts import, which takes seconds: the first of them is then as quick as the others."""
    import matplotlib.figure  # noqa: F401
    import pandas  # noqa: F401
    from plotly.subplots import make_subplots

    # The first figure of each kind also loads the tables of what it may hold.
    figure = make_subplots(rows=1, cols=1)
    figure.add_scatter(x=[0], y=[0]).add_bar(x=[0], y=[0]).add_heatmap(z=[[0]]).to_json()


def _report(loaded: Checkpoint) -> TrustReport:
    """One report for all folders that hold the same config, weights and tokenizers, whatever their cards say."""
    from core.verify.checking import verify

    def make() -> TrustReport:
        with turn("trust", heavy=True, owner=NOBODY):
            return verify(loaded)

    return cache.REPORTS.get(loaded.digest, make)


def trust(entry: Entry) -> TrustReport | None:
    """The trust report of a checkpoint; None while it is being made. Never reads the weights to find out."""
    digest = cache.DIGESTS.peek(entry.stamp)
    return cache.REPORTS.peek(digest) if digest is not None else None


def run_trust(entry: Entry, device: str | None = None) -> TrustReport:
    """The trust report, made now if it was not yet. Raises `AtlasError`."""
    return trust(entry) or with_room(entry, lambda: _report(model(entry, device)))


def failure(entry: Entry, device: str | None = None) -> str:
    """Why the model could not be loaded in the background; empty while it may still come."""
    return _failures.get(f"{entry.stamp}|{device}", "")


@dataclass(frozen=True)
class DeviceLine:
    """What computes, for the badge: name, precision, and what else could be chosen."""

    name: str
    precision: str
    choices: tuple[str, ...]


def device_line(entry: Entry, device: str | None = None) -> DeviceLine | None:
    """The device of a loaded model; None while it is loading."""
    loaded = cache.MODELS.peek((entry.stamp, _device(entry, device)))
    if loaded is None:
        return None
    from core.checkpoints.bundle import available_devices

    kind = next(loaded.model.parameters()).dtype
    return DeviceLine(str(loaded.device), str(kind).removeprefix("torch."), tuple(available_devices()))


# -- turns --------------------------------------------------------------------------------------------------


def announce_waiting(notice: Notice) -> None:
    """Set what a waiting visitor sees: `notice` opens for one wait and takes the number of others again and again."""
    _notice[:] = [notice]


@contextlib.contextmanager
def turn(name: Hashable, heavy: bool = False, owner: str | None = None) -> Iterator[None]:
    """Hold this visitor's turn to compute, or `owner`'s. Cancels if the visitor navigated away while waiting."""
    with contextlib.ExitStack() as wait:
        tell = wait.enter_context(_notice[0]())
        with _turns.turn(state.visitor() if owner is None else owner, name, heavy, tell):
            wait.close()  # the wait is over
            yield


def shared(cache: BoundedCache[Any], key: Hashable, make: Callable[[], Kept]) -> Kept:
    """The cached value; reports the queue's length while another visitor's session computes it."""
    known: Kept | None = cache.peek(key)
    if known is not None:
        return known
    with _notice[0]() as tell:
        made: Kept = cache.get(key, make, lambda: tell(_turns.others(state.visitor(), key)))
    return made


def in_turns(steps: Iterable[Kept]) -> list[Kept]:
    """The results of a heavy computation's steps; between decodes of others, none of whom waits longer than TURN_S and a step."""
    results: list[Kept] = []
    rest = iter(steps)
    while True:
        state.give_way()
        with turn(None):
            until = time.monotonic() + TURN_S
            while time.monotonic() < until:
                step = next(rest, _ENDED)
                if step is _ENDED:
                    return results
                results.append(step)
