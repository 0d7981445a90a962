"""Positions: what tells the model where a word stands, drawn for the sentence in hand."""

from __future__ import annotations

import streamlit as st

from ui import frame, positions_panel
from ui.components import furniture
from ui.components.theme_watch import theme_watch
from ui.decode import Decode
from ui.frame import Shown

FORMULA = (
    "$PE_{(p,2i)} = \\sin\\!\\left(p / 10000^{2i/d}\\right)$, $PE_{(p,2i+1)} = \\cos\\!\\left(p / 10000^{2i/d}\\right)$. "
    "Wavelengths run from $2\\pi$ to $2\\pi \\cdot 10000^{(d-2)/d}$ tokens, $\\lVert PE\\rVert^2 = d/2$, and "
    "$PE_p \\cdot PE_q$ depends on $p-q$ alone. Moving $k$ tokens on is one linear map, "
    "$PE_{p+k} = M_k\\,PE_p$, a rotation of every pair. (Vaswani et al. 2017, section 3.5)"
)


def main(shown: Shown, decode: Decode) -> None:
    frame.sentence(decode)
    frame.strip(shown, decode, "source")
    views(shown, decode)
    furniture.explain(
        "Attention alone sees a bag of words; a vector added to each token's embedding says where it stands.",
        "Equal distances look equal to the model, wherever in the sentence they are.",
        FORMULA,
    )


@st.fragment
def views(shown: Shown, decode: Decode) -> None:
    """The cards for this model's kind of positions."""
    positions_panel.draw(shown.now(), decode)
    theme_watch()


frame.with_decode(main)
