"""What the browser has before the first run of a script: the app's name, and boxes where the cards will be."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ui.web.contract import address

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


_SCRIPT: Final = b"""<script>
(() => {
  const { insertRule } = CSSStyleSheet.prototype;
  CSSStyleSheet.prototype.insertRule = function (rule, index = 0) {
    return rule.includes("[data-step=") && rule.includes(":has(+") ? index : insertRule.call(this, rule, index);
  };
})();
</script>"""
_EARLY: Final = b'<link rel="modulepreload" href="./%b">\n<style>\n%b</style>\n%b' % (
    address().encode(),
    Path(__file__).with_name("early.css").read_bytes(),
    _SCRIPT,
)
"""Before Streamlit draws, the page has the app's name and a box; then the sidebar, the strip and boxes like the cards to come
(`frame.skeleton`) until the first card stands (ui/app/slide.ts), after twelve seconds in any case. Below it each part is seen
once those above have their room: nothing that is seen is pushed aside while a link opens.

The script leaves out Streamlit's rule for the line between expanders of type "step", of which the app has none: it asks every
element below a block what follows it, and the browser would style the whole page anew at every mark of a chart (25 ms)."""
_PAGE: Final = re.compile(r"(/[\w-]*)*")


class EarlyStyles:
    """Middleware that gives Streamlit's own page the styles which cannot wait for the first run of a script."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = [(name, value) for name, value in scope.get("headers", ()) if name != b"accept-encoding"]
        if (
            scope["type"] != "http"
            or scope["method"] != "GET"
            or any(name == b"range" for name, _ in asked)
            or not _PAGE.fullmatch(scope["path"])
        ):
            await self._app(scope, receive, send)
            return
        start: Message = {}

        async def with_styles(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                return
            given = list(start.pop("headers", ())) if start else []
            body = message.get("body", b"")
            head = body.find(b"</head>")
            if start:
                page = any(value.startswith(b"text/html") for name, value in given if name == b"content-type")
                if page and head >= 0:
                    message = {**message, "body": body[:head] + _EARLY + body[head:]}
                    given = [
                        (name, str(int(value) + len(_EARLY)).encode())
                        if name == b"content-length"
                        else (name, value)
                        for name, value in given
                    ]
                await send({**start, "headers": given})
                start = {}
            await send(message)

        # The page is 8 kB: it is read as it is, not compressed.
        await self._app({**scope, "headers": asked}, receive, with_styles)
