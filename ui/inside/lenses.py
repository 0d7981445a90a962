"""The views of the Lenses page: the logit lens over the decoder's layers, the ladder over the encoder's."""

from __future__ import annotations

from typing import Final

import numpy as np
import streamlit as st

from core.analysis.contributions import LENSES
from core.errors import AtlasError
from core.language import message, tr
from ui.export import menu
from ui.inside import lens_data as lenses
from ui.inside.lens_data import Ladder
from ui.inside.lens_view import LADDER, LENS, LadderData, LensData
from ui.session import state
from ui.shared import cards
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.decode import Decode
from ui.shared.mount import mount, theme_watch

MORE: Final = message(
    "A row is a step, named by the word it wrote; a column is a depth of the decoder, the embedding at the left. The word "
    "in a cell is the most probable one there. The colour is the probability of the word that was written, and the small "
    "number is its rank; a bar marks the depth from which it stays first. The last column is the model’s output. Early "
    "vectors were not trained to be read like this: a poor reading does not prove that the word is missing."
)
KEYS: Final = {
    "← ↑ → ↓": message("Move from cell to cell"),
    "Enter": message("Pin the cell"),
    "Esc": message("Clear the pin"),
    "F": message("Fill the screen with a card"),
}
MARKED_DEPTH: Final = message("The bar marks the layer from which the word stays on top.")
NEEDED: Final = message(
    "The decoder was trained on the last layer alone, so a higher layer can lose what a lower one gives."
)
LAYERS: Final = message(
    "Struck out: only in the translation. Underlined: only here. The encoder’s final norm is applied where there is one."
)


@st.fragment
def views(shown: DecodeView) -> None:
    """The lens, then the ladder; each is computed once for a decode."""
    shown = shown.now()
    if not shown.is_loaded:
        with st.spinner(tr("Loading the model …"), show_time=False):
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
    entry, keys = LENSES["logit_lens"], {key: tr(what) for key, what in KEYS.items()}
    with cards.explain(
        tr(entry.definition), tr(MARKED_DEPTH), f"{entry.markdown}\n\n{tr(MORE)}", name="lens", keys=keys
    ):
        menu.whole(shown)


def heading(ladder: Ladder) -> str:
    """The ladder's title: from which depth on the decoder writes the translation, and which later ones lose it again."""
    first = ladder.layers[ladder.first].name
    if ladder.lost:
        lost = ", ".join(layer.name for layer in ladder.lost)
        return tr(
            "The translation is complete from {first}; it changes again at {lost}", first=first, lost=lost
        )
    if ladder.first == len(ladder.layers) - 1:
        return tr("Only the last encoder layer gives the full translation")
    if ladder.first == 0:
        return tr("Without any encoder layer the translation stays the same")
    return tr("Encoder {first} is the first layer that gives the full translation", first=first)


def notes(ladder: Ladder, decode: Decode) -> str:
    """How to read the ladder, and when its last line differs from the translation or only its beginning was compared."""
    real = ladder.layers[-1].text
    sentences = [tr(LAYERS)]
    if real != decode.text.strip():
        sentences.append(
            tr("The last line is what greedy search writes; the translation above was made otherwise.")
        )
    if len(real.split()) > lenses.COMPARED:
        sentences.append(tr("The shares are of its first {count} words.", count=lenses.COMPARED))
    return " ".join(sentences)


def _ladder(shown: DecodeView) -> None:
    ladder = lenses.ladder(shown)
    mount(
        LADDER,
        LadderData(
            ladder.layers,
            title=heading(ladder),
            subtitle=tr("DecoderLens: the translation decoded from each encoder layer"),
            note=notes(ladder, shown.decode),
        ),
        key="ladder_view",
    )
    entry = LENSES["decoder_lens"]
    cards.explain(tr(entry.definition), tr(NEEDED), entry.markdown, name="ladder")
