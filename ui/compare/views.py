"""The views of the Compare page, and what they mean."""

from __future__ import annotations

import streamlit as st

from core.analysis.glossary import MEASURES
from ui.compare import comparisons as panel
from ui.compare import pickers
from ui.data.decode import Decode
from ui.export import menu
from ui.shell import cards, frame
from ui.shell.frame import Shown

EXPLAINED = {
    "head": (
        "Two heads over the same words, and the second minus the first.",
        "Heads of one layer read the same vectors; where they differ, they look at different words in this sentence.",
    ),
    "sentence": (
        "The same head over two sentences.",
        "A head that keeps its pattern on other words follows a rule; one that does not was reading these words.",
    ),
    "step": (
        "Each row is a head, each column a token it could look at, at two moments of writing.",
        "Heads that move with the word follow the sentence; heads that stay look at a fixed place.",
    ),
    "checkpoint": (
        "The same head number in two models, over one sentence where both can read it.",
        "Only checkpoints of one training run have heads that correspond; elsewhere compare the means.",
    ),
}
FORMULA = (
    "The difference is $A_2 - A_1$ in percentage points, blue where the first gives more and red where the second "
    "does; its scale is centred on 0 and reaches to the largest difference of this pair. Rows of a head or a mean sum "
    "to 1, so rows of their difference sum to 0. Maps over different words are shown without a difference.\n\n"
) + "\n\n".join(MEASURES[name].markdown for name in ("weight", "difference", "sureness"))


@st.fragment
def views(shown: Shown, decode: Decode) -> None:
    """Pickers and the two maps; a new head or step runs no model."""
    shown = shown.now()
    decode = frame.decoded(shown, say=False) or decode
    if not shown.selection.presenter:
        pickers.versus_pills()
    pair = panel.compared(shown, decode)
    with cards.explain(*EXPLAINED[shown.selection.versus], FORMULA, name="compare"):
        if pair is not None:
            menu.comparison(shown, decode, pair, f"{shown.selection.versus}-{pair.kind}")
