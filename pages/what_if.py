"""What if: heads ablated, masks opened, weights and positions moved, and what the model writes then."""

from __future__ import annotations

from ui.app import frame
from ui.shared.context import DecodeView
from ui.what_if.page import inject, views


def main(shown: DecodeView) -> None:
    inject()
    views(shown)


frame.with_decode(main)
