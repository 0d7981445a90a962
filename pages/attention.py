"""Attention: every head of one kind at a glance, one head in detail."""

from __future__ import annotations

import streamlit as st

from ui.attention import controls
from ui.attention.views import views
from ui.components.architecture_map import Block
from ui.data.decode import Decode
from ui.session import state
from ui.shell import frame, navigation
from ui.shell.frame import Shown

LIT: dict[str, Block] = {"encoder": "encoder", "causal": "decoder", "cross": "cross", "joint": "cross"}


def main(shown: Shown, decode: Decode) -> None:
    """Header, strip and views. The kind changes the strip, so it reruns the page; heads rerun `views` alone."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        frame.sentence(decode)
        controls.kind_pills()
    navigation.strip(shown, decode, LIT[state.selection().kind])
    views(shown, decode)


frame.with_decode(main)
