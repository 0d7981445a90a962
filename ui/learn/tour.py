"""The offer of a three-step tour: shown once per browser in a corner of the front page, after the first sentence is written."""

from __future__ import annotations

from dataclasses import dataclass

from core.learning.lesson import TOUR
from ui.app import frame
from ui.app.places import FRONT
from ui.learn import panel
from ui.learn.shelf import shelf
from ui.session import state
from ui.session.state import to_params
from ui.shared.mount import View, mount


@dataclass(frozen=True)
class OfferData:
    """What is offered, and the two buttons."""

    offer: str
    take: str
    no: str


TOUR_OFFER = View("tour", OfferData, taken=bool)


def offer(page: str) -> None:
    """Offer the tour on the front page if it was opened without a link; the browser knows whether it was offered before."""
    selection = state.selection()
    plain = not set(to_params(selection)) - {"language"}
    if page != FRONT or not plain or state.notice():
        return
    shelved = shelf()
    tour = shelved.find(TOUR, selection.language)
    if tour is None:
        return
    words = shelved.words_in(selection.language)
    taken = mount(TOUR_OFFER, OfferData(words.offer, words.take, words.no), key="tour_offer")("taken")
    if taken:
        panel.go(tour, 0, frame.in_force())
