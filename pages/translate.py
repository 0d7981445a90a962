"""Translate: type a sentence, step the decoder, see where it looks while it writes each word."""

from __future__ import annotations

from ui.shell import frame
from ui.translate import own, sentence_box
from ui.translate.stage import stage


def main() -> None:
    shown = frame.current()
    if shown is None:
        return
    sentence_box.sentence_box(shown)
    if own.is_empty(shown):
        own.invite(shown)
        return
    decode = frame.decoded(shown)
    if decode is None:
        return
    stage(shown)


main()
