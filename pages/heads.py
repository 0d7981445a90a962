"""Heads: what every head is for, by role over a corpus."""

from __future__ import annotations

from ui.app import frame
from ui.heads.page import inject, views
from ui.shared.context import DecodeView


def main(shown: DecodeView) -> None:
    inject()
    views(shown)


frame.with_decode(main)
