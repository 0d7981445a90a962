"""How many files this process may have open: each visitor's connection is one."""

from __future__ import annotations

import errno
import logging
import os
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.types import Receive, Scope, Send

_log = logging.getLogger(__name__)
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
