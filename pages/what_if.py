"""What if: heads switched off, masks opened, weights and positions moved, and what the model writes then."""

from __future__ import annotations

import streamlit as st

from ui.components.architecture_map import Block
from ui.data.decode import Decode
from ui.shell import cards, frame, navigation, tables
from ui.shell.frame import Shown
from ui.what_if import changes
from ui.what_if.views import views

LIT: dict[str, Block] = {"encoder": "encoder", "causal": "decoder", "cross": "cross"}


def main(shown: Shown, decode: Decode) -> None:
    tables.inject()
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        frame.sentence(decode)
        changes.kinds(shown)
    navigation.strip(shown, decode, LIT[cards.kind_of(shown.selection.kind)])
    views(shown, decode)


frame.with_decode(main)
