"""Why this word: what the log-odds of two words lose when one head or source word is removed."""

from __future__ import annotations

from ui.app import frame
from ui.shared import tables
from ui.shared.context import DecodeView
from ui.what_if import why


def main(shown: DecodeView) -> None:
    tables.inject()
    why.why(shown)


frame.with_decode(main)
