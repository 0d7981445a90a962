"""Every cache of the app, all bounded and shared by all sessions.

Checkpoint folders are listed and described without torch; the model of a checkpoint is loaded once, in the
background where possible; a decode is kept by checkpoint, text and options. A page calls one function here
and draws what it gets.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from core.decoding import inputs
from core.errors import AtlasError, CheckpointError, InputError
from core.model.trace import Trace
from core.tokenizer import Reading
from ui.session import state
from ui.session.selection import Selection
from ui.shared import make_decode
from ui.shared.cache import NOBODY, BoundedCache, Notice, Turns, silent
from ui.shared.decode import Decode
from ui.shared.entry import ENGLISH, TOKENIZERS, Entry, first_sentence, folder_stamp, read_entry, unreadable

if TYPE_CHECKING:
    from core.api import Checkpoint
    from core.verify import TrustReport

Kept = TypeVar("Kept")


class HasSize(Protocol):
    """What says of itself how many bytes it takes."""

    @property
    def size(self) -> int: ...


Sized = TypeVar("Sized", bound=HasSize)

FOLDER: Final = Path(__file__).parents[2] / "checkpoints"
TUTORIALS: Final = "tutorials"
"""The folder beside the checkpoints that holds the tutorials' small models; they stand last in every list."""
EXTRA: Final = "ATLAS_CHECKPOINTS"
"""Environment variable naming a folder with further checkpoint folders (or several, as in PATH)."""

_MODELS: Final = 3
_LISTED: Final = 512
"""Folders that are kept as read. Every page lists all of them, so that with one more each would be read again each time."""
_SWITCH_S: Final = 0.0005
_NO_ROOM_S: Final = 600.0
"""Seconds after which a GPU that had no memory left for a model is tried again."""
_log: Final = logging.getLogger(__name__)
_TRACE_BYTES: Final = 512 * 2**20
_TEXT_LIMIT: Final = 20_000  # characters looked at before counting tokens

_entries: BoundedCache[Entry] = BoundedCache(entries=_LISTED)
_models: BoundedCache[Checkpoint] = BoundedCache(entries=_MODELS)
_decodes: BoundedCache[Decode] = BoundedCache(256, _TRACE_BYTES // 2, lambda decode: decode.size)
_readings: BoundedCache[Reading] = BoundedCache(entries=64)
_traces: BoundedCache[Trace] = BoundedCache(
    64, _TRACE_BYTES // 2, lambda trace: sum(array.nbytes for array in trace.records.values())
)
_refused: BoundedCache[str] = BoundedCache(
    entries=256
)  # stamp and name → why something of a folder cannot be used
_weights: BoundedCache[Any] = BoundedCache(entries=16)
_experiments: BoundedCache[Any] = BoundedCache(entries=48)
_reached: BoundedCache[Any] = BoundedCache(256, _TRACE_BYTES // 4, lambda found: int(found.size))
_drawings: BoundedCache[Any] = BoundedCache(entries=128)  # figures, by what they are drawn from
_turns = Turns()
_notice: list[Notice] = [silent]  # how who waits is told; the shell says it
_started: set[str] = set()
_digests: BoundedCache[str] = BoundedCache(entries=256)  # folder's stamp → digest of what was loaded from it
_reports: BoundedCache[TrustReport] = BoundedCache(entries=64)  # by digest: a copy is the same model
_no_room: dict[str, float] = {}  # folder → when a GPU last had no memory left for its model
_unchecked: set[str] = set()  # folder and device whose model could not be checked
_failures: dict[str, str] = {}  # folder and device → why its model could not be loaded
_start_lock = threading.Lock()


def forget() -> None:
    """Empty every cache."""
    for cache in (
        _entries,
        TOKENIZERS,
        _models,
        _decodes,
        _readings,
        _traces,
        _refused,
        _weights,
        _experiments,
        _reached,
        _drawings,
        _digests,
        _reports,
    ):
        cache.drop(lambda key: True)
    _failures.clear()
    _unchecked.clear()
    _no_room.clear()
    with _start_lock:
        _started.difference_update({mark for mark in _started if mark != "torch"})


# -- checkpoints --------------------------------------------------------------------------------------------


def entries() -> tuple[Entry, ...]:
    """Every checkpoint folder, usable ones first; read again when a file changes."""
    found: list[Entry] = []
    for root in _roots():
        try:
            folders = _folders(Path(root).expanduser())
        except (OSError, RuntimeError, ValueError) as error:
            found.append(unreadable(root, error))
            continue
        found += [_entries.get(folder_stamp(path), partial(read_entry, path)) for path in folders]
    for name, path in state.imported():
        found.append(replace(_entries.get(folder_stamp(path), partial(read_entry, path)), name=name))
    return tuple(sorted(found, key=lambda entry: (bool(entry.problem), _rank(entry), entry.name)))


def _rank(entry: Entry) -> int:
    """Where an entry stands in the list: the first model to show, all others, the tutorials'."""
    return 2 if is_tutorial(entry) else int(entry.name != "en-fr")


def is_tutorial(entry: Entry) -> bool:
    """Whether this is one of the small models that the Tutorials page is about."""
    return entry.path.parent == FOLDER / TUTORIALS


def _roots() -> Iterable[str]:
    yield str(FOLDER)
    yield str(FOLDER / TUTORIALS)
    yield from (folder for folder in os.environ.get(EXTRA, "").split(os.pathsep) if folder.strip())


def _folders(root: Path) -> list[Path]:
    """The checkpoint folders in `root`, none if there is no such folder. Raises OSError if it cannot be read."""
    if not root.is_dir():
        return []
    with os.scandir(root) as inside:
        names = [each.name for each in inside if not each.name.startswith(".") and _is_folder(each)]
    return sorted(root / name for name in names if root / name != FOLDER / TUTORIALS)


def _is_folder(each: os.DirEntry[str]) -> bool:
    try:
        return each.is_dir()
    except OSError:  # a link that leads to itself
        return False


def find(name: str) -> tuple[Entry, str]:
    """The entry called `name`, or the first usable one and a sentence saying so.

    Raises `CheckpointError` when there is none to show.
    """
    listed = entries()
    chosen = next((entry for entry in listed if entry.name == name), None)
    if chosen and not chosen.problem:
        return chosen, ""
    usable = next((entry for entry in listed if not entry.problem), None)
    if usable is None:
        reason = (
            listed[0].problem if listed else f"{FOLDER} holds no checkpoint; train one or copy one there."
        )
        raise CheckpointError(reason)
    if chosen:
        return usable, f"{chosen.problem} {usable.name} is shown instead."
    return usable, f"There is no checkpoint called {name}; {usable.name} is shown instead." if name else ""


def partner(name: str, others: Sequence[Entry]) -> tuple[Entry, str]:
    """Of `others`, usable and not empty, the one called `name`, or the first and why it is not that one."""
    chosen = next((entry for entry in others if entry.name == name), None)
    if chosen or not name:
        return chosen or others[0], ""
    listed = next((entry for entry in entries() if entry.name == name), None)
    if listed is None:
        reason = f"There is no checkpoint called {name};"
    elif listed.problem:
        reason = listed.problem
    else:
        reason = f"{name} is the checkpoint in use;"
    return others[0], f"{reason} {others[0].name} is compared."


# -- models -------------------------------------------------------------------------------------------------


def model(entry: Entry, device: str | None = None) -> Checkpoint:
    """The loaded checkpoint of a folder on a device; loaded once, the least recently used of three leaves.

    On the CPU where the device has no memory left for it (`crowded`).
    """

    def load() -> Checkpoint:
        place = _place(entry, device)
        return _models.get((entry.stamp, place), lambda: _load(entry, place))

    return _with_room(entry, load)


def crowded(entry: Entry) -> bool:
    """Whether a GPU had no memory left for this model a while ago, so that it runs on the CPU for now."""
    since = _no_room.get(entry.stamp)
    return since is not None and time.monotonic() - since < _NO_ROOM_S


def _place(entry: Entry, device: str | None) -> str | None:
    return "cpu" if crowded(entry) else device


def _with_room(entry: Entry, make: Callable[[], Kept]) -> Kept:
    """`make()`, and again on the CPU where a GPU has no memory left for it."""
    try:
        return make()
    except RuntimeError as error:
        # CUDA and MPS word it alike; what the CPU has no memory for is worded otherwise, and is no better there.
        if "out of memory" not in str(error) or crowded(entry):
            raise
        _log.warning("%s runs on the CPU for a while: %s", entry.name, str(error).splitlines()[0])
    _no_room[entry.stamp] = time.monotonic()
    _models.drop(lambda key: isinstance(key, tuple) and key[0] == entry.stamp and key[1] != "cpu")
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
    _digests.get(entry.stamp, lambda: loaded.digest)
    # What is alive now stays alive: keep it out of every later garbage collection.
    gc.collect()
    gc.freeze()
    return loaded


def is_loaded(entry: Entry, device: str | None = None) -> bool:
    """Whether `model` would answer at once."""
    return _models.peek((entry.stamp, _place(entry, device))) is not None


def preload(entry: Entry, device: str | None = None) -> None:
    """Start loading the model behind the page that is being drawn, unless it is there, on its way, or cannot be loaded.

    Again after it has left: a page whose decode is still kept asks for the model by nothing else. Again, too, where its
    checks are missing, whatever became of whoever began them.
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

    threading.Thread(target=work, name=f"preload-{entry.name}", daemon=True).start()


def _import_charts() -> None:
    """What the pages with charts import, which takes seconds: the first of them is then as quick as the others."""
    import pandas  # noqa: F401
    from plotly.subplots import make_subplots

    # The first figure of each kind also loads the tables of what it may hold.
    figure = make_subplots(rows=1, cols=1)
    figure.add_scatter(x=[0], y=[0]).add_bar(x=[0], y=[0]).add_heatmap(z=[[0]]).to_json()


def _report(loaded: Checkpoint) -> TrustReport:
    """One report for all folders that hold the same config, weights and tokenizers, whatever their cards say."""
    from core.verify import verify

    def make() -> TrustReport:
        with _turn("trust", heavy=True, owner=NOBODY):
            return verify(loaded)

    return _reports.get(loaded.digest, make)


def trust(entry: Entry) -> TrustReport | None:
    """The trust report of a checkpoint; None while it is being made. Never reads the weights to find out."""
    digest = _digests.peek(entry.stamp)
    return _reports.peek(digest) if digest is not None else None


def run_trust(entry: Entry, device: str | None = None) -> TrustReport:
    """The trust report, made now if it was not yet. Raises `AtlasError`."""
    return trust(entry) or _with_room(entry, lambda: _report(model(entry, device)))


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
    loaded = _models.peek((entry.stamp, _place(entry, device)))
    if loaded is None:
        return None
    from core.checkpoints.bundle import available_devices

    kind = next(loaded.model.parameters()).dtype
    return DeviceLine(str(loaded.device), str(kind).removeprefix("torch."), tuple(available_devices()))


# -- decodes ------------------------------------------------------------------------------------------------


def example_text(entry: Entry) -> str:
    """The sentence that is shown when none was typed."""
    example = _example(entry)
    if example is not None:
        return example.source_text
    if entry.examples:
        return entry.examples[0]
    language = entry.usable.card.get("source_language")
    try:
        return kept(
            entry,
            "first sentence",
            lambda: first_sentence(entry.tokenizers[0], language if isinstance(language, str) else ""),
        )
    except AtlasError:  # without a tokenizer no sentence is read; the page says why
        return ENGLISH


def _example(entry: Entry) -> Decode | None:
    if not entry.usable.has_example:
        return None
    key = (entry.stamp, None, "example")

    def make() -> Decode:
        tokenizers, read, card = entry.tokenizers, partial(read_text, entry), entry.usable.card
        return make_decode.stored_example(entry.path, key, entry.config, tokenizers, read, card)

    try:
        return _unless_refused(entry, "example", lambda: _decodes.get(key, make))
    except AtlasError:  # an unreadable example is not worth a word: the model draws it again
        return None


def asked_text(entry: Entry, selection: Selection) -> str:
    """The sentence that a selection is about: the example's where it names none."""
    return example_text(entry) if selection.text is None else selection.text


def at_hand(entry: Entry, selection: Selection, device: str | None = None) -> Decode | None:
    """The stored example, where a selection asks for it while the model is loading."""
    if is_loaded(entry, device) or make_decode.options(selection) != ("greedy", ()):
        return None
    example = _example(entry)
    return example if example is not None and example.source_text == asked_text(entry, selection) else None


def decode(entry: Entry, selection: Selection, device: str | None = None) -> Decode:
    """The decode a selection asks for: the stored example while the model is loading, else the model's own.

    Raises `AtlasError` with the sentence for whatever cannot be decoded.
    """
    if (example := at_hand(entry, selection, device)) is not None:
        return example
    text = asked_text(entry, selection)
    key = (entry.stamp, device, text, *make_decode.options(selection))
    return _shared(_decodes, key, lambda: _run(entry, selection, text, key, device))


def _run(entry: Entry, selection: Selection, text: str, key: tuple[Any, ...], device: str | None) -> Decode:
    source = read_text(entry, text)
    model(entry, device)  # loaded before the turn is asked for

    def look() -> None:
        # Where others wait for the same decode it is finished, also for a visitor who has gone on.
        if _decodes.wanted_by(key) < 2:
            state.give_way()

    with _turn(key, heavy=make_decode.is_heavy(source, selection)):
        return _with_room(entry, lambda: make_decode.run(model(entry, device), source, selection, key, look))


def announce_waiting(notice: Notice) -> None:
    """Tell everybody who waits by `notice`: it opens for a wait and takes the number of others again and again."""
    _notice[:] = [notice]


@contextlib.contextmanager
def _turn(name: Hashable, heavy: bool = False, owner: str | None = None) -> Iterator[None]:
    """A turn of this visitor's to compute, or of `owner`'s. Raises what ends a run that was superseded while it waited."""
    with contextlib.ExitStack() as wait:
        tell = wait.enter_context(_notice[0]())
        with _turns.turn(state.visitor() if owner is None else owner, name, heavy, tell):
            wait.close()  # the wait is over
            yield


def _shared(cache: BoundedCache[Any], key: Hashable, make: Callable[[], Kept]) -> Kept:
    """From a cache; who waits for what another visitor makes is told of those before it."""
    found: Kept | None = cache.peek(key)
    if found is not None:
        return found
    with _notice[0]() as tell:
        made: Kept = cache.get(key, make, lambda: tell(_turns.others(state.visitor(), key)))
    return made


def recorded(entry: Entry, shown: Decode, record: tuple[str, ...], device: str | None = None) -> Trace:
    """More of a decode than its maps: a full pass over the same tokens that records `record` as well."""

    def make() -> Trace:
        model(entry, device)
        with _turn((shown.key, record)):
            return _with_room(
                entry, lambda: make_decode.trace_again(model(entry, device), shown.trace, record)
            )

    if all(any(True for site in shown.trace.sites() if _fits(site, name)) for name in record):
        return shown.trace
    return _shared(_traces, (shown.key, record), make)


def _fits(site: object, pattern: str) -> bool:
    from fnmatch import fnmatchcase

    return fnmatchcase(str(site), pattern)


def kept(entry: Entry, name: str, make: Callable[[], Kept]) -> Kept:
    """Something of a checkpoint's files alone (ui/shared/weights.py), kept by name."""
    found: Kept = _unless_refused(entry, name, lambda: _weights.get((entry.stamp, name), make))
    return found


def _unless_refused(entry: Entry, name: str, make: Callable[[], Kept]) -> Kept:
    """`make()`; what it refuses is refused at once until a file of the folder changes: a damaged one is read once."""
    key = (entry.stamp, name)
    if (sentence := _refused.peek(key)) is not None:
        raise CheckpointError(sentence)
    try:
        return make()
    except AtlasError as error:
        sentence = str(error)
        _refused.get(key, lambda: sentence)
        raise


def experiment(entry: Entry, name: tuple[Any, ...], make: Callable[[], Kept]) -> Kept:
    """What an experiment on a checkpoint came to, kept by a name that says all it depends on."""

    def made() -> Kept:
        with _turn((entry.stamp, *name), heavy=True):
            return _with_room(entry, make)

    return _shared(_experiments, (entry.stamp, *name), made)


def measured(entry: Entry, name: tuple[Any, ...]) -> Any:
    """What `experiment` keeps under this name; None when it was not made yet."""
    return _experiments.peek((entry.stamp, *name))


def reached(entry: Entry, name: tuple[Any, ...], make: Callable[[], Sized]) -> Sized:
    """What a measure or a lens makes of a decode, kept by a name that says all it depends on, up to a number of bytes."""
    return _shared(_reached, (entry.stamp, *name), lambda: _with_room(entry, make))


def drawing(name: bytes, make: Callable[[], Kept]) -> Kept:
    """A figure, kept by a digest of everything it is drawn from."""
    found: Kept = _drawings.get(name, make)
    return found


def in_turns(steps: Iterable[Kept]) -> list[Kept]:
    """The steps of something heavy, some in each turn among the decodes, so that nobody waits longer than for TURN_S and a step."""
    found: list[Kept] = []
    rest = iter(steps)
    while True:
        state.give_way()
        with _turn(None):
            until = time.monotonic() + TURN_S
            while time.monotonic() < until:
                step = next(rest, _ENDED)
                if step is _ENDED:
                    return found
                found.append(step)


TURN_S: Final = 0.1
"""Seconds after which work of many steps lets others go first."""
_ENDED: Final[Any] = object()


def read_text(entry: Entry, text: str) -> Reading:
    """A text as this checkpoint's model reads it, cut once. Raises `InputError`, one sentence, where it cannot."""
    limit = entry.config.max_length
    if len(text) > _TEXT_LIMIT:
        raise InputError(
            f"This text has {len(text.split()):,} words; the model reads at most {limit} tokens. Shorten it."
        )
    return _readings.get((entry.stamp, text), lambda: inputs.read(entry.tokenizers[0], text, limit))
