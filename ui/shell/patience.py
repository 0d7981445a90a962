"""What a visitor sees while they wait: for a model, the frame of the page to come; for others before them, how many."""

from __future__ import annotations

import html
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final

from core.analysis.readout import how_many
from ui.session import state

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_STEADY_S: Final = 1.5
"""Seconds that a number stands, so that it can be read."""


def words(others: int) -> str:
    """“waiting for 3 others …”."""
    return f"waiting for {how_many(others, 'other')} …"


@contextmanager
def loading(name: str, text: str, waits: bool, place: DeltaGenerator | None = None) -> Iterator[None]:
    """While a checkpoint is loading (`waits`), the frame of the page that is to come stands in its place, with the sentence.

    A `place` of the caller's keeps it until the browser has drawn what comes there. Without one a place is made, where
    nobody waits too: what follows would be drawn again if it moved up by one.
    """
    import streamlit as st

    own = place is None
    place = place or st.empty()
    if waits:
        words = f'<p class="atlas-title"><bdi>{html.escape(text)}</bdi></p>'
        told = f'<p class="atlas-subtitle">loading <bdi>{html.escape(name)}</bdi> …</p>'
        kind = "atlas-loading" if own else "atlas-loading stays"
        place.html(f'<div class="{kind}" role="status"><div>{words}{told}</div><div></div><div></div></div>')
    try:
        yield
    except BaseException:
        place.empty()
        raise
    if waits and own:
        place.empty()


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
