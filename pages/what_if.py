"""What if: heads switched off, masks opened, weights and positions moved, and what the model writes then."""

from __future__ import annotations

from ui.data.decode import Decode
from ui.shell import frame, tables
from ui.shell.frame import Shown
from ui.what_if.views import views


def main(shown: Shown, decode: Decode) -> None:
    tables.inject()
    views(shown, decode)


frame.with_decode(main)
