"""Models: which there are, what is inside one and how it differs from another, and how to bring one's own."""

from __future__ import annotations

from ui.app import frame
from ui.models import gallery, importing, parameters
from ui.session import state

shown = frame.current()
if shown is not None:
    match state.selection().desk:
        case "inspect":
            parameters.draw_parameters(shown)
        case "import":
            importing.draw_import()
        case _:
            gallery.draw_gallery(shown.entry.name)
