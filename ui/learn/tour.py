"""The offer of a tour in three steps: to a first visitor at the app's own address, once, after the first sentence was written."""

from __future__ import annotations

from core.learning.lesson import TOUR
from ui.components.tour_offer import tour_offer
from ui.learn import panel
from ui.learn.shelf import shelf
from ui.session import state
from ui.session.link import to_params
from ui.shell import frame, navigation


def offer(page: str) -> None:
    """Draw the offer where it may be made: on the front page, opened without a link. The browser knows whether it was."""
    selection = state.selection()
    plain = not set(to_params(selection)) - {"language"}
    if page != navigation.FRONT or not plain or state.notice():
        return
    found = shelf()
    tour = found.find(TOUR, selection.language)
    if tour is None:
        return
    words = found.said(selection.language)
    if tour_offer({"offer": words.offer, "take": words.take, "no": words.no}):
        panel.go(tour, 0, frame.in_force())
