"""Translate: type a sentence, step the decoder, see where it looks while it writes each word."""

from __future__ import annotations

import streamlit as st

from ui.app import frame
from ui.translate import sentence_box
from ui.translate.stage import stage


def main() -> None:
    shown = frame.current()
    if shown is None:
        return
    sentence_box.sentence_box(shown)
    if shown.selection.strategy == "given" and not shown.selection.target:
        sentence_box.invite_own(shown)
        return
    slot = st.empty()
    if frame.decoded(shown, slot=slot) is None:
        return
    stage(shown)
    slot.empty()  # the browser empties it when it draws a new stage, not when the stage was already there


main()
