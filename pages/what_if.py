"""What if: heads switched off, masks opened, weights and positions moved, and what the model writes then."""

from __future__ import annotations

from ui.app import frame
from ui.app.frame import Shown
from ui.shared import tables
from ui.shared.decode import Decode
from ui.what_if.page import views


def main(shown: Shown, decode: Decode) -> None:
    tables.inject()
    views(shown, decode)


frame.with_decode(main)
