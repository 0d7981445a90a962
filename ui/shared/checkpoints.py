"""The list of checkpoints: the folders that are there, and the one that a link names. No torch."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from core.checkpoints.files import checkpoint_folders
from core.errors import CheckpointError
from ui.session import state
from ui.shared.cache import BoundedCache
from ui.shared.entry import TOKENIZERS, Entry, folder_stamp, read_entry, unreadable

FOLDER: Final = Path(__file__).parents[2] / "checkpoints"
TUTORIALS: Final = "tutorials"
"""The folder beside the checkpoints that holds the tutorials' small models; they stand last in every list."""
TWINS: Final = "twins"
"""The folder with the small models that differ from another in one choice; they stand before the tutorials'."""
EXTRA: Final = "ATLAS_CHECKPOINTS"
"""Environment variable naming a folder with further checkpoint folders, the hub's cache or one model's folder (or several, as in PATH)."""
_LISTED: Final = 512
"""Folders that are kept as read. Every page lists all of them, so that with one more each would be read again each time."""

_entries: BoundedCache[Entry] = BoundedCache(entries=_LISTED)


def entries() -> tuple[Entry, ...]:
    """Every checkpoint folder, usable ones first; the server's are looked through once a run, this session's each time."""
    own = [replace(_read(path), name=name) for name, path in state.imported()]
    listed = [*state.once_a_run("checkpoint folders", _of_server), *own]
    return tuple(sorted(listed, key=lambda entry: (bool(entry.problem), _rank(entry), entry.name)))


def _of_server() -> tuple[Entry, ...]:
    listed: list[Entry] = []
    for root in _roots():
        try:
            listed += [
                _read(path)
                for path in checkpoint_folders(Path(root).expanduser())
                if path not in (FOLDER / TUTORIALS, FOLDER / TWINS)
            ]
        except (OSError, RuntimeError, ValueError) as error:
            listed.append(unreadable(root, error))
    return tuple(listed)


def _read(path: Path) -> Entry:
    """The entry of a folder, read again when one of its files changes."""
    stamp = folder_stamp(path)
    return _entries.get(stamp, lambda: read_entry(path, stamp))


def forget() -> None:
    """Empty the list, so that each folder is read again."""
    _entries.clear()
    TOKENIZERS.clear()


def _rank(entry: Entry) -> int:
    """Where an entry stands in the list: the first model to show, all others, the twins, the tutorials'."""
    if is_tutorial(entry):
        return 3
    return 2 if entry.path.parent == FOLDER / TWINS else int(entry.name != "en-fr")


def is_tutorial(entry: Entry) -> bool:
    """Whether this is one of the small models that the Tutorials page is about."""
    return entry.path.parent == FOLDER / TUTORIALS


def _roots() -> Iterable[str]:
    yield str(FOLDER)
    yield str(FOLDER / TWINS)
    yield str(FOLDER / TUTORIALS)
    yield from (folder for folder in os.environ.get(EXTRA, "").split(os.pathsep) if folder.strip())


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
