"""The headers of every answer, also of the very first page: no other site may show this app in a frame of its own.

A framed page would let a foreign site move a visitor's clicks, uploads on this machine among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS: Final = (
    (b"content-security-policy", b"frame-ancestors 'self'"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
)


class SafeHeaders:
    """Middleware that adds HEADERS to what has none of the same name."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = list(message.get("headers", ()))
                names = {name.lower() for name, _ in given}
                message = {
                    **message,
                    "headers": [*given, *(each for each in HEADERS if each[0] not in names)],
                }
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)
