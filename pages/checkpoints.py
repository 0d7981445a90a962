"""Checkpoints: which models there are, what is inside them, how two differ, and how to bring one's own."""

from __future__ import annotations

import streamlit as st

from ui.app import frame
from ui.models import gallery, importing, model
from ui.session import state
from ui.shared import cards, tables
from ui.shared.context import CheckpointView

DESKS = {
    "gallery": "gallery",
    "inspect": "inside one",
    "differ": "two side by side",
    "import": "bring your own",
}


def main() -> None:
    shown = frame.current()
    if shown is None:
        return
    tables.inject()
    with st.container(horizontal=True, vertical_alignment="center"):
        cards.title("The models you can look into", "what they do, how well, and what is inside")
        cards.choice("view", DESKS, state.bind("desk"))
    desk(shown)


def desk(shown: CheckpointView) -> None:
    """The view that was chosen."""
    match state.selection().desk:
        case "inspect":
            model.draw(shown)
        case "differ":
            model.differ(shown)
        case "import":
            importing.draw()
        case _:
            gallery.draw(shown.entry.name)


main()
