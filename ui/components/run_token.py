"""Lets a browser tab remember its training, so that a reload finds it again. Draws nothing."""

from __future__ import annotations

from collections.abc import Callable

from ui.components.base import register
from ui.session.state import reported

_mount = register("run_token")


def run_token(
    token: str, *, gone: bool = False, on_claimed: Callable[[object], object], key: str = "run_token"
) -> None:
    """Have the tab keep `token`, or forget what it keeps when it is `gone`. `on_claimed` gets what a tab kept that this
    session knows nothing of; it is untrusted.
    """

    def claimed() -> None:
        on_claimed(reported(key, "claimed"))

    _mount(
        key=key,
        data={"token": token, "gone": gone},
        on_claimed_change=claimed,
    )
