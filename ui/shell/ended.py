"""What a visitor who has gone leaves behind is given back: files, uploads, memory.

Streamlit keeps a session whose tab has gone for `disconnectedSessionTTL`, and then only forgets to look for it: what it
held, its event loop and its uploads among it, stays until another tab goes and a garbage collection finds it. On an evening when
nobody comes any more that is never. The names are private to the Streamlit version that `requirements.txt` pins.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
import time
from functools import cache
from typing import Any, Final

from ui.shell import memory

LOOK_S: Final = 5.0
"""Seconds between two looks."""
COLLECT_S: Final = 30.0
"""Seconds between two collections at least: everybody waits for one, some hundredths of a second."""
TRIM_S: Final = 60.0
"""Seconds after which free memory is handed back although no session has ended: those who stay free some too."""
_log: Final = logging.getLogger(__name__)


@cache
def watch() -> None:
    """Look every LOOK_S seconds, in a thread of its own, for as long as the server runs; started once."""
    from streamlit.runtime import Runtime

    if Runtime.exists() and type(Runtime.instance()) is Runtime:  # not where a test runs the script alone
        threading.Thread(target=_work, name="ended-sessions", daemon=True).start()


def _work() -> None:
    ended, collected = 0, -COLLECT_S
    while True:
        time.sleep(LOOK_S)
        try:
            ended += end_those_away()
            if ended and time.monotonic() - collected >= COLLECT_S:
                give_back()
                ended, collected = 0, time.monotonic()
            elif time.monotonic() - collected >= TRIM_S:
                memory.trim()
                collected = time.monotonic()
        except Exception:  # a look that fails is no reason never to look again
            _log.exception("What ended sessions hold could not be given back.")


def end_those_away() -> int:
    """End the sessions that no browser can come back to → how many."""
    from streamlit import runtime

    server: Any = runtime.get_instance()
    manager = server._session_mgr

    async def end() -> int:
        with manager._storage_lock:
            away = manager._session_storage._cache.expire()
        for _, each in away:
            each.session.shutdown()
        return len(away)

    # Sessions belong to the server's own loop, which alone adds and takes them.
    return asyncio.run_coroutine_threadsafe(end(), server._get_async_objs().eventloop).result(60)


def give_back() -> None:
    """Collect what is no longer reachable, and hand free memory back to the system where the C library can."""
    gc.collect()
    memory.trim()
