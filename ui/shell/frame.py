"""What every page stands in: the checkpoint, the selection and the decode in force."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from core.errors import AtlasError
from ui.data import resources
from ui.data.decode import Decode
from ui.data.entry import Entry
from ui.session import state
from ui.session.selection import Selection
from ui.shell import cards, patience
from ui.style import theme

NO_ROOM: Final = "The GPU has no memory left for this model: for ten minutes it runs on the CPU, slower and with the same results."
resources.announce_waiting(patience.notice)


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


def decoded(shown: Shown, say: bool = True) -> Decode | None:
    """The decode to draw. A mistake is told in one sentence (if `say`) and the example drawn in its place."""
    try:
        return _with_patience(shown, say)
    except AtlasError as error:
        if say:
            cards.mistake(str(error))
    fallback = replace(shown, selection=Selection(checkpoint=shown.selection.checkpoint))
    try:
        return _with_patience(fallback, say)
    except AtlasError as error:
        if say:
            cards.mistake(str(error))
        return None


def with_decode(draw: Callable[[Shown, Decode], None]) -> None:
    """Draw a page from the selection and decode in force; where there is none, a sentence says why."""
    shown = current()
    decode = decoded(shown) if shown else None
    if shown and decode:
        draw(shown, decode)


def _with_patience(shown: Shown, say: bool) -> Decode:
    if resources.is_loaded(shown.entry, shown.device):
        found = shown.decode()
    else:
        with st.spinner("Loading the model …", show_time=False):
            found = shown.decode()
    if say and not shown.told and resources.crowded(shown.entry):
        cards.notice(NO_ROOM)  # the GPU turned out to be full after `current` had looked
    return found


def sentence(decode: Decode) -> None:
    """Source → translation, the same words as everywhere."""
    words: list[cards.Words] = [(decode.source_text, "text"), ("→", "i"), (decode.text or "…", "text")]
    st.html(f'<p class="atlas-sentence">{cards.marked(words)}</p>', width="stretch")


def inject_styles() -> None:
    """The page's styles; call before anything is drawn."""
    theme.inject_shell(presenter=state.selection().presenter)
    cards.inject()
