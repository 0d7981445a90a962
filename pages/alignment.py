"""Alignment: which source word each written word comes from, by any head or layer, and how far that is from gold."""

from __future__ import annotations

from ui.app import frame
from ui.app.frame import Shown
from ui.heads.alignment.page import views
from ui.shared import tables
from ui.shared.decode import Decode


def main(shown: Shown, decode: Decode) -> None:
    tables.inject()
    views(shown, decode)


frame.with_decode(main)
