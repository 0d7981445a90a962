"""What a visitor sees while they wait: for a model, the frame of the page to come; for others before them, how many.

What every page stands in: the checkpoint, the selection and the decode in force.
"""

from __future__ import annotations

import html
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from core.analysis.readout import how_many
from core.errors import AtlasError
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cards, resources
from ui.shared.decode import Decode
from ui.shared.entry import Entry
from ui.style import theme

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


NO_ROOM: Final = "The GPU has no memory left for this model: for ten minutes it runs on the CPU, slower and with the same results."
resources.announce_waiting(notice)


@dataclass(frozen=True)
class Shown:
    """What this run shows: checkpoint folder, selection, device asked for, and whether the page says that a GPU is full."""

    entry: Entry
    selection: Selection
    device: str | None
    told: bool = False

    def now(self) -> Shown:
        """The same with the session's selection of this moment, for fragments that run again on their own; the URL
        then says that selection too.
        """
        state.write_url()
        return replace(self, selection=state.selection())

    def decode(self) -> Decode:
        """The decode of the selection; raises `AtlasError` with one sentence."""
        return resources.decode(self.entry, self.selection, self.device)


def in_force() -> Shown | None:
    """The checkpoint and selection in force, None where no checkpoint can be used."""
    try:
        entry, _ = resources.find(state.selection().checkpoint)
    except AtlasError:
        return None
    return Shown(entry, state.selection(), state.device())


def ready() -> Shown | None:
    """The same, where the model is loaded and nobody has to wait for it."""
    shown = in_force()
    return shown if shown and resources.is_loaded(shown.entry, shown.device) else None


def current() -> Shown | None:
    """The checkpoint and selection in force, or None after saying in one sentence why there is none."""
    if PagesManager.uses_pages_directory:
        # The first visit of a fresh server went straight to a file of pages/, past app.py, which Streamlit allows
        # until `st.navigation` is called for the first time. Start again at the first page.
        PagesManager.uses_pages_directory = False
        st.rerun()
    selection = state.selection()
    try:
        entry, sentence = resources.find(selection.checkpoint)
    except AtlasError as error:
        cards.mistake(str(error))
        return None
    device = state.device()
    resources.preload(entry, device)
    if notice := sentence or state.notice():
        cards.notice(notice)
    if told := resources.crowded(entry):
        cards.notice(NO_ROOM)
    return Shown(entry, selection, device, told)


def decoded(shown: Shown, say: bool = True, place: DeltaGenerator | None = None) -> Decode | None:
    """The decode to draw. A mistake is told in one sentence (if `say`) and the example drawn in its place.

    What is told while the model is loading stands in `place`, which the caller empties, else here.
    """
    for asked in (shown, _example(shown)):
        try:
            with loading(*_told(asked), waits=_waits(asked), place=place):
                found = asked.decode()
            if say and not shown.told and resources.crowded(shown.entry):
                cards.notice(NO_ROOM)  # the GPU turned out to be full after `current` had looked
            return found
        except AtlasError as error:
            if say:
                cards.mistake(str(error))
    return None


def _example(shown: Shown) -> Shown:
    return replace(shown, selection=Selection(checkpoint=shown.selection.checkpoint))


def _told(shown: Shown) -> tuple[str, str]:
    return shown.entry.name, resources.asked_text(shown.entry, shown.selection)


def _waits(shown: Shown) -> bool:
    """Whether the model has to be loaded first."""
    loaded = resources.is_loaded(shown.entry, shown.device)
    return not loaded and resources.at_hand(shown.entry, shown.selection, shown.device) is None


def with_decode(draw: Callable[[Shown, Decode], None]) -> None:
    """Draw a page from the selection and decode in force; where there is none, a sentence says why."""
    shown = current()
    decode = decoded(shown) if shown else None
    if shown and decode:
        draw(shown, decode)


def without_waiting(shown: Shown) -> Decode | None:
    """The decode in force, None while its model is loading."""
    for asked in (shown, _example(shown)):
        if _waits(asked):
            return None
        with suppress(AtlasError):
            return asked.decode()
    return None


def source_tokens(shown: Shown) -> int | None:
    """How many tokens the sentence in force has, which its tokenizer tells without the model; None where it is not read."""
    try:
        text = resources.asked_text(shown.entry, shown.selection)
        return len(resources.read_text(shown.entry, text).ids)
    except AtlasError:
        return None


def sentence(source: str, translation: str) -> DeltaGenerator:
    """Source → translation, the same words as everywhere; an empty translation is not there yet. Returns where it stands."""
    words: list[cards.Words] = [(source, "text"), ("→", "i"), (translation or "…", "text")]
    whole = html.escape(f"{source} → {translation or '…'}")  # three lines of a long one are shown
    return st.html(f'<p class="atlas-sentence" title="{whole}">{cards.marked(words)}</p>', width="stretch")


def inject_styles() -> None:
    """The page's styles; call before anything is drawn."""
    theme.inject_shell(presenter=state.selection().presenter)
    cards.inject()
