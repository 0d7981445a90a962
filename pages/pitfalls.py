"""Pitfalls: the mistakes people make when they write a Transformer, each beside the correct model on the same weights."""

from __future__ import annotations

from ui.app import frame
from ui.app.frame import Shown
from ui.learn.mistakes import views
from ui.shared import tables
from ui.shared.decode import Decode


def main(shown: Shown, decode: Decode) -> None:
    tables.inject()
    views(shown, decode)


frame.with_decode(main)
