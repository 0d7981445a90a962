"""What all pages share: the selected checkpoint, selection and decode, and the messages shown while a visitor waits."""

from __future__ import annotations

import html
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from core.analysis.readout import how_many
from core.errors import AtlasError
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cards, checkpoints, models
from ui.shared.context import CheckpointView, DecodeView, read_text
from ui.shared.pinned import with_pin
from ui.style import theme

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


_STEADY_S: Final = 1.5
"""Seconds that a number stands, so that it can be read."""


def words(others: int) -> str:
    """“waiting for 3 others …”."""
    return f"waiting for {how_many(others, 'other')} …"


@contextmanager
def loading(name: str, text: str, waits: bool, slot: DeltaGenerator | None = None) -> Iterator[None]:
    """Show an empty page frame with the sentence while a checkpoint is loading (`waits`).

    A `slot` from the caller stays until the browser has drawn its replacement. Otherwise a slot is always created, even
    without a wait: if the following elements moved up by one, Streamlit would draw them again.
    """
    import streamlit as st

    own = slot is None
    slot = slot or st.empty()
    if waits:
        words = f'<p class="atlas-title"><bdi>{html.escape(text)}</bdi></p>'
        subtitle = f'<p class="atlas-subtitle">loading <bdi>{html.escape(name)}</bdi> …</p>'
        kind = "atlas-loading" if own else "atlas-loading stays"
        slot.html(
            f'<div class="{kind}" role="status"><div>{words}{subtitle}</div><div></div><div></div></div>'
        )
    try:
        yield
    except BaseException:
        slot.empty()
        raise
    if waits and own:
        slot.empty()


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


NO_ROOM: Final = "The GPU has no memory left for this model: for ten minutes it runs on the CPU, slower and with the same results."
models.announce_waiting(notice)


def in_force() -> CheckpointView | None:
    """The checkpoint and selection in force, one object for the whole run; None where no checkpoint can be used."""
    return _in_force()[0]


def _in_force() -> tuple[CheckpointView | None, str]:
    """The view, and one sentence where it is another checkpoint's than the link names, or why there is none."""
    selection, device = state.selection(), state.device()

    def view() -> tuple[CheckpointView | None, str]:
        try:
            entry, sentence = checkpoints.find(selection.checkpoint)
        except AtlasError as error:
            return None, str(error)
        return CheckpointView(entry, selection, device), sentence

    return state.once_a_run(("view", selection, device), view)


def current() -> CheckpointView | None:
    """The checkpoint and selection in force, or None after saying in one sentence why there is none."""
    if PagesManager.uses_pages_directory:
        # The first visit of a fresh server went straight to a file of pages/, past app.py, which Streamlit allows
        # until `st.navigation` is called for the first time. Start again at the first page.
        PagesManager.uses_pages_directory = False
        st.rerun()
    shown, sentence = _in_force()
    if shown is None:
        cards.mistake(sentence)
        return None
    models.preload(shown.entry, shown.device)
    if notice := sentence or state.notice():
        cards.notice(notice)
    _say_if_crowded(shown)
    return shown


def _say_if_crowded(shown: CheckpointView) -> None:
    """Say once a run that a GPU is full."""
    if models.crowded(shown.entry):
        state.once_a_run("no room", lambda: cards.notice(NO_ROOM))


def decoded(shown: CheckpointView, say: bool = True, slot: DeltaGenerator | None = None) -> DecodeView | None:
    """The view with the decode to draw; the example if the selection cannot be decoded. `say` shows the error in one sentence.

    The loading frame goes into `slot`, which the caller empties; without one, into a new slot here.
    """
    for asked in (shown, _example(shown)):
        try:
            with loading(shown.entry.name, asked.text, waits=_waits(asked), slot=slot):
                ready = asked.decoded
            if say:
                _say_if_crowded(shown)  # `current` may have checked before the GPU was full
            return replace(ready, selection=with_pin(shown.selection, ready.decode))
        except AtlasError as error:
            if say:
                cards.mistake(str(error))
    return None


def _example(shown: CheckpointView) -> CheckpointView:
    example = Selection(checkpoint=shown.selection.checkpoint)
    return CheckpointView(shown.entry, example, shown.device)


def _waits(shown: CheckpointView) -> bool:
    """Whether the model has to be loaded first."""
    return not shown.is_loaded and shown.stored_example is None


def with_decode(draw: Callable[[DecodeView], None]) -> None:
    """Draw a page from the selection and decode in force; where there is none, a sentence says why."""
    shown = current()
    view = decoded(shown) if shown else None
    if view:
        draw(view)


def without_waiting(shown: CheckpointView) -> DecodeView | None:
    """The view with the decode in force, None while its model is loading."""
    for asked in (shown, _example(shown)):
        if _waits(asked):
            return None
        with suppress(AtlasError):
            ready = asked.decoded
            return replace(ready, selection=with_pin(shown.selection, ready.decode))
    return None


def source_tokens(shown: CheckpointView) -> int | None:
    """How many tokens the sentence in force has, which its tokenizer tells without the model; None where it is not read."""
    try:
        return len(read_text(shown.entry, shown.text).ids)
    except AtlasError:
        return None


def inject_styles() -> None:
    """The page's styles; call before anything is drawn."""
    theme.inject_shell(presenter=state.selection().enlarged)
    cards.inject()
