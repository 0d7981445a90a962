"""Layer norm: what every norm and sub-layer does to one token's vector, by depth."""

from __future__ import annotations

from typing import Final

import streamlit as st

from core.analysis import wording
from core.language import message, tr
from ui.app import frame
from ui.inside import norms
from ui.shared import cards
from ui.shared.context import DecodeView
from ui.shared.mount import theme_watch

OUTLIERS: Final = message(
    "A gain {gain} is an outlier if it is more than 3 standard deviations from its norm’s mean (Kovaleva et al. 2021). A "
    "dimension of the stream stands out if {size} in at least 25 % of the layers and 6 % of the tokens (Dettmers et al. "
    "2022); if more than a tenth of them do, none dominates."
)
WITHOUT: Final = message(
    "Without norms, every norm passes its input on unchanged, without its {parameters}. The tokens are the same."
)


def main(shown: DecodeView) -> None:
    norms_page(shown)
    what, why, formula = wording.norms(shown.entry.config)
    more = (
        formula,
        tr(WITHOUT, parameters=wording.norm_parameters(shown.entry.config)),
        tr(OUTLIERS, gain=r"$\gamma$", size=r"$|h| \ge 6$"),
    )
    cards.explain(what, why, " ".join(more))


@st.fragment
def norms_page(shown: DecodeView) -> None:
    """The cards for the token in hand."""
    norms.draw_norms(shown.now())
    theme_watch()


frame.with_decode(main)
