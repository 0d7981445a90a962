"""Server settings: no outgoing connections, response headers, open-file limit, and freeing memory after closed sessions.

No other site may show this app in a frame, where it could redirect a visitor's clicks, uploads on this machine included,
but those that ATLAS_FRAME_ANCESTORS names.
Streamlit keeps a closed session for `disconnectedSessionTTL` and then only drops its reference: its event loop and uploads
remain until another session closes and a garbage collection runs, so they are freed here. The private names used belong
to the Streamlit version that `requirements.txt` pins.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import errno
import gc
import logging
import os
import re
import threading
import time
from functools import cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


_log: Final = logging.getLogger(__name__)


@cache
def look_nothing_up() -> None:
    """Let Streamlit not ask a public service for this machine's address.

    It does so whenever a page of another site opens a connection, to compare that site with this machine's own name. A
    server that is to be reached under a public name is told it: `--browser.serverAddress`, `--server.corsAllowedOrigins`.
    """
    from streamlit import net_util

    net_util.get_external_ip = _unknown


def _unknown() -> None:
    return None


FRAMES: Final = "ATLAS_FRAME_ANCESTORS"
"""Environment variable: the sites that may show this app in a frame, such as a course's, with spaces between them."""
_SITE: Final = re.compile(r"https?://(\*\.)?[A-Za-z0-9.-]{1,253}(:\d{1,5})?")


def headers(sites: str) -> tuple[tuple[bytes, bytes], ...]:
    """What every answer says. `sites` may frame the app beside itself; what is no origin is left out with a warning."""
    named = sites.split()
    allowed = [site for site in named if _SITE.fullmatch(site)]
    for site in named:
        if site not in allowed:
            _log.warning(
                "%s: %r is no site such as https://course.example.org, and is left out.", FRAMES, site
            )
    ancestors = " ".join(["frame-ancestors 'self'", *allowed])
    # The older header knows no list of sites; where there is one, browsers go by the policy alone.
    older = () if allowed else ((b"x-frame-options", b"SAMEORIGIN"),)
    return (
        (b"content-security-policy", ancestors.encode()),
        *older,
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"same-origin"),
    )


class SafeHeaders:
    """Middleware that adds `headers` to what has none of the same name."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._headers = headers(os.environ.get(FRAMES, ""))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = list(message.get("headers", ()))
                names = {name.lower() for name, _ in given}
                message = {
                    **message,
                    "headers": [*given, *(each for each in self._headers if each[0] not in names)],
                }
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)


_M_ARENA_MAX: Final = -8  # malloc.h
_ARENAS: Final = 2
_NOT_GLIBC: Final = (AttributeError, OSError, TypeError)  # what Windows, macOS and musl answer


def keep_few_arenas() -> None:
    """Have all threads share two parts of memory, as MALLOC_ARENA_MAX=2 does; called before there are threads.

    glibc otherwise gives each thread a part of its own and never takes it back.
    """
    if "MALLOC_ARENA_MAX" not in os.environ:
        with contextlib.suppress(*_NOT_GLIBC):
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _ARENAS)


def trim() -> None:
    """Hand free memory back to the system where the C library can."""
    with contextlib.suppress(*_NOT_GLIBC):
        ctypes.CDLL(None).malloc_trim(0)


_WANTED: Final = 8192
_FEW: Final = 1024
_A_VISITOR: Final = 4  # files that a visitor keeps open; ten while a page loads

FULL: Final = "This server has as many visitors as it can serve; please try again in a few minutes."
_FOR_A_PAGE: Final = 30  # files left below which no page is given to a new visitor
_FOR_A_SESSION: Final = 14  # … and no session begun: those who are in still have to be answered
_NO_PAGES: Final = ("/_stcore/", "/static/", "/media/", "/component/", "/app/static/")


@cache
def raise_limit() -> int | None:
    """Raise this process's limit as far as it may, once; a low one is told in the log → the limit, None where there is none.

    At the limit a server can answer nobody; so who comes shortly before it is told so (`turn_away`).
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return None
    low, high = resource.getrlimit(resource.RLIMIT_NOFILE)
    open_files = _WANTED if high == resource.RLIM_INFINITY else min(_WANTED, high)
    if low == resource.RLIM_INFINITY or low >= open_files:
        open_files = low
    else:
        resource.setrlimit(resource.RLIMIT_NOFILE, (open_files, high))
    if 0 <= open_files < _FEW:
        _log.warning(
            "This server may have %d files open, which is enough for about %d visitors; "
            "start it after `ulimit -n 4096` to let in more.",
            open_files,
            max(1, (open_files - 50) // _A_VISITOR),
        )
    return open_files


@cache
def turn_away() -> None:
    """From now on tell who comes shortly before the limit that the server is full; called once, by the app's first run."""
    limit = raise_limit()
    if limit is not None and limit >= 0:
        _turn_away(limit)


def _turn_away(limit: int) -> None:
    """Answer 503 and one sentence to who comes when fewer than some files are left of `limit`.

    The server is made before the app's first line runs, so the check is put before its class's own answer.
    """
    from starlette.applications import Starlette
    from starlette.responses import HTMLResponse

    answer = Starlette.__call__

    async def checked(app: Starlette, scope: Scope, receive: Receive, send: Send) -> None:
        least = _needed(scope)
        if least and limit - _open() < least:
            can_tell = scope["type"] == "http" or "websocket.http.response" in scope.get("extensions", {})
            if can_tell:
                page = f"<!doctype html><meta charset=utf-8><title>Attention Atlas</title><p>{FULL}</p>"
                await HTMLResponse(page, 503, {"Retry-After": "60", "Connection": "close"})(
                    scope, receive, send
                )
            else:
                await send({"type": "websocket.close", "code": 1013, "reason": FULL})
            return
        await answer(app, scope, receive, send)

    Starlette.__call__ = checked  # type: ignore[method-assign, assignment]


def _needed(scope: Scope) -> int:
    """Files that must be left for this request to be answered; 0 for what those who are in ask for."""
    if scope["type"] == "websocket":
        return _FOR_A_SESSION
    is_page = scope["type"] == "http" and scope["method"] == "GET" and not scope["path"].startswith(_NO_PAGES)
    return _FOR_A_PAGE if is_page and "." not in scope["path"].rpartition("/")[2] else 0


def _open() -> int:
    """Files that this process has open; 0 where the system does not list them."""
    try:
        return len(os.listdir("/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"))
    except OSError as error:  # none is left for the list itself
        return 1 << 30 if error.errno == errno.EMFILE else 0


LOOK_S: Final = 5.0
"""Seconds between two looks."""
COLLECT_S: Final = 30.0
"""Seconds between two collections at least: everybody waits for one, some hundredths of a second."""
TRIM_S: Final = 60.0
"""Seconds after which free memory is handed back although no session has ended: those who stay free some too."""


@cache
def watch() -> None:
    """Look every LOOK_S seconds, in a thread of its own, for as long as the server runs; started once."""
    from streamlit.runtime import Runtime

    if Runtime.exists() and type(Runtime.instance()) is Runtime:  # not where a test runs the script alone
        threading.Thread(target=_work, name="ended-sessions", daemon=True).start()


def _work() -> None:
    owed, collected = 0, -COLLECT_S
    while True:
        time.sleep(LOOK_S)
        try:
            if end_those_away():
                owed = 2  # one at once, and one for what a thread of an ended session still held then
            if owed and time.monotonic() - collected >= COLLECT_S:
                give_back()
                owed, collected = owed - 1, time.monotonic()
            elif time.monotonic() - collected >= TRIM_S:
                trim()
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
    trim()
