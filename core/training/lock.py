"""One run at a time in a work folder."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import TrainingError

LOCK_FILE = "lock"


@contextmanager
def locked(work: Path) -> Iterator[None]:
    """Hold the folder's lock while the block runs; the system lets it go with the process, however that ends.

    Raises TrainingError that says who holds it.
    """
    try:
        import fcntl
    except ImportError:  # Windows has no such locks; two runs there have only their users' care
        yield
        return
    try:
        work.mkdir(parents=True, exist_ok=True)
        stream = (work / LOCK_FILE).open("a+", encoding="utf-8")
    except OSError as error:
        raise TrainingError(
            f"The work folder {str(work)!r} cannot be written ({error.strerror}); give another --work folder."
        ) from None
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            stream.seek(0)
            holder = stream.read(200).strip() or "another process"
            raise TrainingError(
                f"{holder} is training in {str(work)!r}; wait for it, or give another --work folder."
            ) from None
        stream.truncate(0)
        stream.write(f"process {os.getpid()} on {socket.gethostname()}")
        stream.flush()
        yield
