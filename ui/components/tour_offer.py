"""The offer of a tour: a line in a corner that a browser shows once."""

from __future__ import annotations

from typing import TypedDict

from ui.components.base import register

_mount = register("tour")


class OfferData(TypedDict):
    """What is offered, and the two buttons."""

    offer: str
    take: str
    no: str


def tour_offer(data: OfferData, key: str = "tour_offer") -> bool:
    """Draw the offer unless this browser has shown it before; True in the run that answers its taking."""
    return _mount(key=key, data=data, on_taken_change=lambda: None).get("taken") is True
