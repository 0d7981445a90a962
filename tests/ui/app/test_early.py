"""The styles that cannot wait, which the server puts into Streamlit's own page."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from ui.app.early import EarlyStyles

PAGE = b"<html><head><title>x</title></head><body></body></html>"


def _asked(
    path: str,
    kind: bytes = b"text/html; charset=utf-8",
    body: bytes = PAGE,
) -> tuple[dict[bytes, bytes], bytes, list[bytes]]:
    """What a browser gets for a path, and the names of the headers that the app below was asked with."""
    seen: list[bytes] = []
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.extend(name for name, _ in scope["headers"])
        headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def receive() -> Any:
        return {"type": "http.request"}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "headers": [(b"accept-encoding", b"gzip"), (b"host", b"x")],
    }
    with ThreadPoolExecutor(
        1
    ) as apart:  # Playwright, where a test used it before, has a loop running in this thread
        apart.submit(lambda: asyncio.run(EarlyStyles(app)(scope, receive, send))).result()
    return dict(sent[0]["headers"]), b"".join(each.get("body", b"") for each in sent[1:]), seen


@pytest.mark.parametrize("path", ["/", "/lessons", "/~/lessons", "/static/js/index.js"])
def test_only_a_page_has_the_early_styles(path: str) -> None:
    said, body, asked = _asked(path)
    page = path in ("/", "/lessons")
    assert (b"stSidebar" in body.partition(b"</head>")[0]) == page
    assert int(said[b"content-length"]) == len(body)
    assert (b"accept-encoding" in asked) != page


def test_what_is_no_page_is_left_as_it_is() -> None:
    said, body, _ = _asked("/data", b"application/json")
    assert body == PAGE and int(said[b"content-length"]) == len(PAGE)
