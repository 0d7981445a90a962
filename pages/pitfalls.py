"""Pitfalls: the mistakes people make when they write a Transformer, each beside the correct model on the same weights."""

from __future__ import annotations

from ui.data.decode import Decode
from ui.learn.pitfalls import views
from ui.shell import frame, tables
from ui.shell.frame import Shown


def main(shown: Shown, decode: Decode) -> None:
    tables.inject()
    views(shown, decode)


frame.with_decode(main)
