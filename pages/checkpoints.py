"""Checkpoints: which models there are, what is inside them, how two differ, and how to bring one's own."""

from __future__ import annotations

import streamlit as st

from ui import frame, gallery_panel, import_panel, inside_panel, state
from ui.components import facts, furniture
from ui.frame import Shown

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
    facts.inject()
    with st.container(horizontal=True, vertical_alignment="center"):
        furniture.title("The models you can look into", "what they do, how well, and what is inside")
        furniture.choice("view", DESKS, state.bind("desk"))
    if state.selection().desk != "import":  # the map is of the model in use, not of one that is coming
        frame.strip(shown, None, None)
    desk(shown)


def desk(shown: Shown) -> None:
    """The view that was chosen."""
    match state.selection().desk:
        case "inspect":
            inside_panel.draw(shown)
        case "differ":
            inside_panel.differ(shown)
        case "import":
            import_panel.draw()
        case _:
            gallery_panel.draw(shown.entry.name)


main()
