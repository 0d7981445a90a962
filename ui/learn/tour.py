"""The offer of a tour: a line in a corner that a browser shows once.

The offer of a tour in three steps: to a first visitor at the app's own address, once, after the first sentence was written.
"""

from __future__ import annotations

from typing import TypedDict

from core.learning.lesson import TOUR
from ui.app import frame, navigation
from ui.learn import panel
from ui.learn.shelf import shelf
from ui.session import state
from ui.session.link import to_params
from ui.shared.mount import register

_mount = register("tour")


class OfferData(TypedDict):
    """What is offered, and the two buttons."""

    offer: str
    take: str
    no: str


def tour_offer(data: OfferData, key: str = "tour_offer") -> bool:
    """Draw the offer unless this browser has shown it before; True in the run that answers its taking."""
    return _mount(key=key, data=data, on_taken_change=lambda: None).get("taken") is True


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
