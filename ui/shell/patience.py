"""What a visitor sees while others are before them: how many, in place of a page that stands still."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

from ui.session import state

_STEADY_S: Final = 1.5
"""Seconds that a number stands, so that it can be read."""


def words(others: int) -> str:
    """“waiting for 3 others …”."""
    return f"waiting for {others} other{'' if others == 1 else 's'} …"


@contextmanager
def notice(clock: Callable[[], float] = time.monotonic) -> Iterator[Callable[[int], None]]:
    """Opens for one wait; what it gives takes the number of others, and ends the run where the visitor has gone on."""
    import streamlit as st

    shown, since = 0, -_STEADY_S
    with ExitStack() as drawn:

        def tell(others: int) -> None:
            nonlocal shown, since
            state.give_way()
            if others == shown or (shown and others and clock() - since < _STEADY_S):
                return
            drawn.close()
            if others:
                # By the emphasis the page's styles know it: it lies over the page and moves nothing.
                drawn.enter_context(st.spinner(f"*{words(others)}*", show_time=False))
            shown, since = others, clock()

        yield tell
