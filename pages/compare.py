"""Compare: two heads, sentences, steps or checkpoints side by side, and what changed between them."""

from __future__ import annotations

import streamlit as st

from ui.compare import pickers
from ui.compare.views import views
from ui.components.architecture_map import Block
from ui.data.decode import Decode
from ui.shell import frame, navigation
from ui.shell.frame import Shown

LIT: dict[str, Block] = {"encoder": "encoder", "causal": "decoder", "cross": "cross"}


def main(shown: Shown, decode: Decode) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        frame.sentence(decode)
        pickers.kind_pills(shown.selection)
    navigation.strip(shown, decode, LIT[pickers.kind_of(shown.selection)])
    views(shown, decode)


frame.with_decode(main)
