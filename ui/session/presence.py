"""Whether a session's visitor is still connected, so that no work is done for closed pages."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

AWAY_S: Final = 15.0
"""Seconds without a connection after which work for a session ends; a reload or a short loss of the network takes fewer."""


def is_open(session: str) -> bool:
    """Whether a browser is connected to a session now."""
    from streamlit import runtime

    # Without a server (a test that runs the script alone) nobody leaves.
    return not runtime.exists() or runtime.get_instance().get_client(session) is not None


def stays(
    session: str,
    away_s: float = AWAY_S,
    connected: Callable[[str], bool] = is_open,
    clock: Callable[[], float] = time.monotonic,
) -> Callable[[], bool]:
    """A question to ask again and again: False from when it has found the session away for `away_s`."""
    away_since: float | None = None

    def asked() -> bool:
        nonlocal away_since
        if connected(session):
            away_since = None
        elif away_since is None:
            away_since = clock()
        return away_since is None or clock() - away_since < away_s

    return asked
