"""Layer norm: what every norm and sub-layer does to one token's vector, by depth."""

from __future__ import annotations

import streamlit as st

from core.analysis import wording
from ui.app import frame
from ui.inside import norms
from ui.shared import cards
from ui.shared.context import DecodeView
from ui.shared.mount import theme_watch

OUTLIERS = (
    " An outlying gain $\\gamma$ lies more than 3 standard deviations from its norm's mean "
    "(Kovaleva et al. 2021); an outlying dimension of the stream has $|h| \\ge 6$ in at least 25 % of the layers and "
    "6 % of the tokens (Dettmers et al. 2022)."
)


def main(shown: DecodeView) -> None:
    views(shown)
    what, why, formula = wording.norms(shown.entry.config)
    cards.explain(what, why, formula + OUTLIERS)


@st.fragment
def views(shown: DecodeView) -> None:
    """The cards for the token in hand."""
    norms.draw(shown.now())
    theme_watch()


frame.with_decode(main)
