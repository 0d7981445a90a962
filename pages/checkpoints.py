"""Models: which there are, what is inside one, how two differ, and how to bring one's own."""

from __future__ import annotations

from ui.app import frame
from ui.models import gallery, importing, model
from ui.session import state
from ui.shared import tables

shown = frame.current()
if shown is not None:
    tables.inject()
    match state.selection().desk:
        case "inspect":
            model.draw(shown)
        case "differ":
            model.differ(shown)
        case "import":
            importing.draw()
        case _:
            gallery.draw(shown.entry.name)
