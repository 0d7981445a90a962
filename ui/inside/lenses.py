"""The views of the Lenses page: the logit lens over the decoder's layers, the ladder over the encoder's."""

from __future__ import annotations

from typing import Final

import numpy as np
import streamlit as st

from core.analysis.contribution_glossary import LENSES
from core.errors import AtlasError
from ui.export import menu
from ui.inside import lens_data as lenses
from ui.inside.lens_data import Ladder
from ui.inside.lens_view import LADDER, LENS, LadderData, LensData
from ui.session import state
from ui.shared import cards
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.decode import Decode
from ui.shared.mount import mount, theme_watch

MORE: Final = (
    "\n\nA row is a step, named by the word it wrote; a column is a depth of the decoder, the embedding at the left. The "
    "colour is the probability of the word in the cell, the small number the rank of the word that was written; a bar "
    "marks the depth from which on that word stays first. The last column is the model’s output itself. An early vector was "
    "never trained to be read like that: a poor reading does not prove that the word is not in it."
)
KEYS: Final = {
    "← ↑ → ↓": "from cell to cell",
    "Enter": "pins the cell",
    "Esc": "clears the pin",
    "F": "a card fills the screen",
}
MARKED_DEPTH: Final = "From the marked depth on the word stays first: read like this, it is settled there."
NEEDED: Final = (
    "The decoder was trained on the last layer alone, so a higher layer can lose what a lower one gives."
)
LAYERS: Final = (
    "struck out: in the translation and not here; underlined: here and not in the translation. The encoder’s final norm is applied "
    "where there is one."
)


@st.fragment
def views(shown: DecodeView) -> None:
    """The lens, then the ladder; each is computed once for a decode."""
    shown = shown.now()
    if not shown.is_loaded:
        with st.spinner("Loading the model …", show_time=False):
            ready = _load(shown)
    else:
        ready = True
    if not ready:
        return
    _lens(shown)
    _ladder(shown)
    theme_watch()


def _load(shown: CheckpointView) -> bool:
    """Whether the model is there; a sentence says why it is not."""
    try:
        shown.load()
    except AtlasError as error:
        cards.mistake(str(error))
        return False
    return True


def pinned(text: str) -> tuple[int, int] | None:
    """The cell that a link names: "3.2" is step 3, depth 2, counted from 0."""
    if not text:
        return None
    step, depth = text.split(".")
    return int(step), int(depth)


def _lens(shown: DecodeView) -> None:
    decode = shown.decode
    lens = lenses.lens(shown)

    def picked(cell: tuple[int, int] | None) -> None:
        state.update(lens="" if cell is None else f"{cell[0]}.{cell[1]}")

    mount(
        LENS,
        LensData(
            decode.trace.tokens.written,
            lens.depths,
            lens.labels,
            *(each.astype(np.float32) for each in (lens.top, lens.probability, lens.rank, lens.written)),
            choices=decode.choices,
            normed=lens.normed,
            cell=pinned(shown.selection.lens),
            report=True,
        ),
        key="lens_view",
        picked=picked,
    )
    entry = LENSES["logit_lens"]
    with cards.explain(entry.definition, MARKED_DEPTH, entry.markdown + MORE, name="lens", keys=KEYS):
        menu.whole(shown)


def heading(ladder: Ladder) -> str:
    """The ladder's title: from which depth on the decoder writes the translation, and which later ones lose it again."""
    first = ladder.layers[ladder.first].name
    if ladder.lost:
        who = "The embedding" if ladder.first == 0 else f"Encoder {first}"
        *others, last = (layer.name for layer in ladder.lost)
        names = f"{', '.join(others)} and {last} lose" if others else f"{last} loses"
        return f"{who} already gives the translation; encoder {names} it again"
    if ladder.first == len(ladder.layers) - 1:
        return "Only the encoder’s last layer gives the translation"
    if ladder.first == 0:
        return "The decoder needs no layer of the encoder for this translation"
    return f"From encoder {first} on, the decoder writes the translation"


def notes(ladder: Ladder, decode: Decode) -> str:
    """How to read the ladder, and when its last line differs from the translation or only its beginning was compared."""
    real = ladder.layers[-1].text
    sentences = [LAYERS]
    if real != decode.text.strip():
        sentences.append(
            "The last line is what greedy search writes; the words above the ladder came about otherwise."
        )
    if len(real.split()) > lenses.COMPARED:
        sentences.append(f"The shares are of its first {lenses.COMPARED} words.")
    return " ".join(sentences)


def _ladder(shown: DecodeView) -> None:
    ladder = lenses.ladder(shown)
    mount(
        LADDER,
        LadderData(
            ladder.layers,
            title=heading(ladder),
            subtitle="DecoderLens: the translation decoded from each layer of the encoder",
            note=notes(ladder, shown.decode),
        ),
        key="ladder_view",
    )
    entry = LENSES["decoder_lens"]
    cards.explain(entry.definition, NEEDED, entry.markdown, name="ladder")
