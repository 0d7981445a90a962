"""Whether strangers may upload, how much, and the folders their files lie in. Pure; the page draws."""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

SWITCH: Final = "ATLAS_UPLOADS"
LIMIT: Final = "ATLAS_UPLOAD_LIMIT_MB"
_DEFAULT_MB: Final = 500
_PREFIX: Final = "attention-atlas-upload-"
_OLDEST_HOURS: Final = 24
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")


def allowed(address: str | None) -> bool:
    """Whether files may be uploaded to a server that listens on `address`; the operator's switch comes first."""
    switch = os.environ.get(SWITCH, "").strip().lower()
    return switch == "on" if switch in ("on", "off") else address in _LOOPBACK


def limit_mb() -> int:
    """The largest sum of uploaded files, in MB of 10^6 bytes."""
    text = os.environ.get(LIMIT, "").strip()
    return int(text) if re.fullmatch(r"[1-9]\d{0,5}", text, re.ASCII) else _DEFAULT_MB


def new_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder only this process may read. It goes with the object: when the session ends, or the server."""
    sweep()
    return tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True)


def sweep(hours: float = _OLDEST_HOURS) -> None:
    """Remove our own folders that nobody touched for `hours`, such as those of a server that was killed."""
    for folder in Path(tempfile.gettempdir()).glob(_PREFIX + "*"):
        try:
            found = folder.lstat()
        except OSError:
            continue
        ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
        if ours and time.time() - found.st_mtime > hours * 3600:
            shutil.rmtree(folder, ignore_errors=True)


def free_name(wished: str, taken: Iterable[str]) -> str:
    """A name for the list and the URL: letters, digits, dots and hyphens, and not one that is taken."""
    stem = re.sub(r"[^A-Za-z0-9.]+", "-", wished).strip("-.")[:60].strip("-.") or "imported"
    names = set(taken)
    if stem not in names:
        return stem
    return next(name for n in range(2, len(names) + 3) if (name := f"{stem}-{n}") not in names)


def answer_value(text: str) -> object:
    """What was typed as an answer: numbers, true and false as such, anything else as words."""
    words = text.strip()
    if re.fullmatch(r"-?\d{1,9}", words, re.ASCII):
        return int(words)
    if words.lower() in ("true", "false"):
        return words.lower() == "true"
    try:
        return float(words)
    except ValueError:
        return words
