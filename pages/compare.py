"""Compare: two heads, sentences, steps or checkpoints side by side, and what changed between them."""

from __future__ import annotations

import streamlit as st

from ui import comparison_panel as panel
from ui import comparison_pickers as pickers
from ui import frame, takeaway
from ui.components import furniture
from ui.components.architecture_map import Block
from ui.decode import Decode
from ui.frame import Shown

LIT: dict[str, Block] = {"encoder": "encoder", "causal": "decoder", "cross": "cross"}
EXPLAINED = {
    "head": (
        "Two heads over the same words, and the second minus the first.",
        "Heads of one layer read the same vectors; where they differ is what each one specialises in.",
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
        "The same head number in two models, both reading the first one’s translation where they can.",
        "Only checkpoints of one training run have heads that correspond; elsewhere compare the means.",
    ),
}
FORMULA = (
    "The difference is $A_2 - A_1$ in percentage points, blue where the first gives more and red where the second "
    "does; its scale is centred on 0 and reaches to the largest difference of this pair. Rows of a head or a mean sum "
    "to 1, so rows of their difference sum to 0. Maps over different words are shown without a difference. "
    "How sure a head is: the largest weight of a row, averaged over the rows that have a choice."
)


def main(shown: Shown, decode: Decode) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        frame.sentence(decode)
        pickers.kind_pills(shown.selection)
    frame.strip(shown, decode, LIT[pickers.kind_of(shown.selection)])
    views(shown, decode)


@st.fragment
def views(shown: Shown, decode: Decode) -> None:
    """Pickers and the two maps; a new head or step runs no model."""
    shown = shown.now()
    decode = frame.decoded(shown, say=False) or decode
    pickers.versus_pills()
    pair = panel.compared(shown, decode)
    with furniture.explain(*EXPLAINED[shown.selection.versus], FORMULA, name="compare"):
        if pair is not None:
            takeaway.comparison(shown, decode, pair, f"{shown.selection.versus}-{pair.kind}")


frame.with_decode(main)
