"""Scripts and styles as the browser gets them: compressed, and Streamlit's chart module after the first card."""

from __future__ import annotations

import gzip
import re
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ui.web.contract import address, views_script

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

KEPT: Final = "public, max-age=31536000, immutable"
_TYPES: Final = {"js": "text/javascript", "css": "text/css"}
_FILE: Final = re.compile(r".*/static/(js|css)/([\w-][\w.-]*)")
_LATER: Final = """const page = document.documentElement;
await new Promise((done) => {
  const look = () => 'drawn' in page.dataset && requestAnimationFrame(() => setTimeout(done));
  new MutationObserver(look).observe(page, { attributeFilter: ['data-drawn'] });
  look();
  setTimeout(done, 12000);
});
export default (await import('./%s?run')).default;
"""
"""What the browser gets for Streamlit's chart module, which it then asks for under its address and `?run`."""


async def browser_code(request: Request) -> Response:
    """The script of all views. Its address changes with its text, so that a browser may keep it; one of another version of
    the app gets today's script, and keeps nothing.
    """
    from starlette.responses import Response

    is_current = request.url.path.endswith(address())
    headers = {"cache-control": KEPT if is_current else "no-store", "vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["content-encoding"] = "gzip"
        return Response(_compressed_views(), headers=headers, media_type=_TYPES["js"])
    return Response(views_script(), headers=headers, media_type=_TYPES["js"])


@cache
def _compressed_views() -> bytes:
    return gzip.compress(views_script(), mtime=0)


@cache
def streamlit_files() -> Path:
    """The folder of Streamlit's own scripts and styles."""
    import streamlit

    return Path(streamlit.__file__).parent / "static" / "static"


@cache
def chart_code() -> str:
    """The file name of Streamlit's chart module; empty if Streamlit keeps it elsewhere."""
    files = sorted((streamlit_files() / "js").glob("PlotlyChart.*.js"))
    return files[0].name if files else ""


class StreamlitFiles:
    """Middleware that answers for Streamlit's scripts and styles, which it sends as they are: 3 MB a visitor instead of 8.

    Its chart module, which keeps the browser busy for a second, waits until the first card is seen.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.concurrency import run_in_threadpool
        from starlette.responses import Response

        asked = _FILE.fullmatch(scope["path"]) if scope["type"] == "http" else None
        answer: ASGIApp = self._app
        if asked and scope["method"] == "GET":
            folder, name = asked.groups()
            if (folder, name) == ("js", chart_code()) and not scope["query_string"]:
                answer = Response(_LATER % name, media_type=_TYPES["js"])
            elif _takes_gzip(scope) and (code := await run_in_threadpool(_compressed, folder, name)):
                headers = {"cache-control": KEPT, "vary": "accept-encoding", "content-encoding": "gzip"}
                answer = Response(code, headers=headers, media_type=_TYPES[folder])
        await answer(scope, receive, send)


def _takes_gzip(scope: Scope) -> bool:
    headers = dict(scope["headers"])
    return b"gzip" in headers.get(b"accept-encoding", b"") and b"range" not in headers


_files: dict[tuple[str, str], bytes] = {}
_one_at_a_time: Final = threading.Lock()


def _compressed(folder: str, name: str) -> bytes | None:
    """One of Streamlit's files, compressed once for all visitors; None where there is no such script or style."""
    with _one_at_a_time:
        if (folder, name) not in _files:
            file = streamlit_files() / folder / name
            if file.suffix != f".{folder}" or not file.is_file():
                return None
            _files[folder, name] = gzip.compress(file.read_bytes(), 6, mtime=0)
        return _files[folder, name]
