"""The views of the Alignment page: the aligned pair, every head on the wall, AER by layer, and the gold."""

from __future__ import annotations

import streamlit as st

from core.errors import AtlasError
from ui.alignment import controls, gold_card, pair, results
from ui.components.theme_watch import theme_watch
from ui.data import alignment as data
from ui.data import gold, resources, reverse
from ui.data.alignment import Plate
from ui.data.decode import Decode
from ui.data.make_decode import options
from ui.data.reverse import Joined
from ui.shell import cards
from ui.shell.frame import Shown
from ui.style import screen_text

MORE = (
    "**A link** joins a written word to the source word that its row gives most: the weights of a source word's tokens are "
    "summed, the rows of a written word's tokens averaged, and a word whose largest number lies on ⟨end⟩ has no link. "
    "**At the step that writes** takes the row in which the word is chosen, **at the step that reads** the row after it, "
    "whose input the word is. Which one aligns is a matter of the model: in a six-layer German-English one, AER by layer "
    "1 … 6 was .62 **.28** .46 .90 .93 .94 reading and .92 .89 .68 **.50** .51 .64 writing (Ferrando et al. 2022, RWTH "
    "gold): early layers read, late layers write.\n\n"
    "**By contribution** a row is $\\lVert \\alpha f(x_j) \\rVert$ in place of $\\alpha$, as a share of the row (Kobayashi "
    "et al. 2020); for all heads of a layer $\\lVert \\sum_h \\alpha^h f^h(x_j) \\rVert$. A head that rests on ⟨end⟩ hardly "
    "says anything of it.\n\n"
    "**Gold** links are sure ($S$) or possible ($P \\supseteq S$); with the links found $A$: precision "
    "$\\frac{|A \\cap P|}{|A|}$, recall $\\frac{|A \\cap S|}{|S|}$, "
    "$\\mathrm{AER} = 1 - \\frac{|A \\cap S| + |A \\cap P|}{|A| + |S|}$ (Och & Ney 2003). **Joined** is grow-diag (Koehn et "
    "al. 2003) with the head of the other direction that agrees most. Words are what stands between spaces, as gold files "
    "count them; where there are none, the tokenizer's own."
)
KEYS = {
    "← ↑ → ↓": "from cell to cell, from head to head on the wall",
    "Enter": "pins the word, or turns the cell's gold",
    "M": "marks gold: choose cells",
    "Esc": "lets go",
}


@st.fragment
def views(shown: Shown, decode: Decode) -> None:
    """The pair above, the wall and the chart below it."""
    drawn, shown = shown.selection, shown.now()
    if options(drawn) != options(shown.selection) or drawn.text != shown.selection.text:
        st.rerun()  # a sentence of the gold file was opened: it has to be decoded
    in_force = gold.in_force(shown.entry)
    try:
        plate = data.plate(shown.entry, decode, shown.selection, shown.device, in_force.file)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    joined, back = _joined(shown, decode, plate)
    controls.row(shown, decode, plate, joined, in_force, back)
    if plate.problem:
        cards.mistake(plate.problem)
    pair.draw(shown, plate, joined)
    cards.explain(
        "Each written word is joined to the source word that its row gives most.",
        "Whether attention aligns is not a matter of taste: AER counts it against links made by hand.",
        MORE,
        name="alignment",
        keys=KEYS,
    )
    left, right = st.columns([1.25, 1], gap="small")
    with left:
        results.wall(shown, plate, in_force)
    with right:
        results.chart_and_table(shown, plate, joined, in_force)
        gold_card.draw(shown, in_force)
    theme_watch()


def _joined(shown: Shown, decode: Decode, plate: Plate) -> tuple[Joined | None, str]:
    """Both directions joined where that is asked for, and what can be said of the other direction."""
    other, why = reverse.other_direction(shown.entry)
    if other is None or not shown.selection.joined:
        return None, why
    texts = data.texts_of(decode, shown.selection)
    try:
        if not resources.is_loaded(other, shown.device):
            with st.spinner(f"Loading {screen_text.label(other.name)} …", show_time=False):
                return reverse.joined(other, plate, texts, shown.selection.by, shown.device), ""
        return reverse.joined(other, plate, texts, shown.selection.by, shown.device), ""
    except AtlasError as error:
        cards.mistake(str(error))
        return None, ""
