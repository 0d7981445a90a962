"""Alignment: which source word each written word comes from, by any head or layer, and how far that is from gold."""

from __future__ import annotations

from ui.alignment.views import views
from ui.data.decode import Decode
from ui.shell import frame, tables
from ui.shell.frame import Shown


def main(shown: Shown, decode: Decode) -> None:
    tables.inject()
    views(shown, decode)


frame.with_decode(main)
