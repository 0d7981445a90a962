"""The card that is shown alone, as a slide: `full=CARD` in the link, F on the keyboard."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from ui.session import codec, state
from ui.session.link import refusal
from ui.session.selection import SLIDE_NAME
from ui.shared.mount import View, mount


@dataclass(frozen=True)
class SlideData:
    """The card that is shown alone; empty: the whole page."""

    card: str


@dataclass(frozen=True)
class SlideChange:
    """The card that the reader shows alone, empty for the whole page; `missing`: there is no such card here."""

    card: str
    missing: bool = False


SLIDE = View("slide", SlideData, changed=SlideChange)


def slide(card: str) -> None:
    """Show this card as a slide, empty: the whole page. Call it on every run, so that F can ask for one."""
    if card:
        # The page is hidden before the browser has found the card.
        st.html('<i class="atlas-slide" hidden></i>')
    with st.container(key="slide"):
        mount(SLIDE, SlideData(card), key="slide_view", changed=_changed)


def _changed(change: SlideChange) -> None:
    """Keep the card in the link; a name that no card of the page has is refused like any other part of a link."""
    if change.missing:
        state.notice.set(refusal(("full",)))
    state.update(full="" if change.missing or not _is_name(change.card) else change.card)


def _is_name(card: str) -> bool:
    try:
        codec.matching(SLIDE_NAME).read(card)
    except ValueError:
        return False
    return True
