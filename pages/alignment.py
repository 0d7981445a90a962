"""Alignment: which source word each written word comes from, by any head or layer, and how far that is from gold."""

from __future__ import annotations

from ui.app import frame
from ui.heads.alignment import views
from ui.shared.context import DecodeView


def main(shown: DecodeView) -> None:
    views(shown)


frame.with_decode(main)
