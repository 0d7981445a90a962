"""The Lenses page: the logit lens over the decoder's layers, and the ladder of translations over the encoder's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.analysis.contributions import LENSES
from core.analysis.readout import WordRun, word_difference
from core.errors import AtlasError, InputError
from core.language import message, tr
from ui.export import menu
from ui.session import state
from ui.shared import cards, models
from ui.shared.context import DecodeView
from ui.shared.decode import Decode
from ui.shared.mount import View, mount, theme_watch
from ui.web.contract import axis_labels, derive, file_stem

TOP: Final = 10
"""Words that are listed of each cell."""
LONGEST: Final = 600
"""Characters that are shown of a layer: from the lowest layers a decoder may write one word over and over."""
COMPARED: Final = 300
"""Words of a text that are held against another's: one word over and over takes long to compare."""


@dataclass(frozen=True)
class Lens:
    """The logit lens: `top` and `probability` (L + 1, T, k), `rank` and `written` (L + 1, T), row 0 the embedding.

    `top` holds places in `labels`. `normed`: the model has a final norm, through which it is read.
    """

    labels: tuple[str, ...]
    top: NDArray[np.integer]
    probability: NDArray[np.floating]
    rank: NDArray[np.integer]
    written: NDArray[np.floating]
    normed: bool

    @property
    def depths(self) -> tuple[str, ...]:
        """Names of the rows of the numbers, the lowest first."""
        last = len(self.rank) - 2
        return (
            tr("embedding"),
            *(tr("layer {number}", number=layer) for layer in range(last)),
            tr("layer {number}, output", number=last),
        )

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(each.nbytes for each in (self.top, self.probability, self.rank, self.written))


@dataclass(frozen=True)
class LayerText:
    """A translation from one layer of the encoder, its difference from that of the last, and the share of the last one's
    words that it has.

    `text` is whole; `difference` ends where `LONGEST` characters are shown. Difference and share are of the first
    `COMPARED` words of both.
    """

    name: str
    text: str
    difference: tuple[WordRun, ...]
    shared: float


@dataclass(frozen=True)
class Ladder:
    """What the decoder writes from each layer of the encoder, starting with the embedding; the last is the translation."""

    layers: tuple[LayerText, ...]

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(4 * len(layer.text) for layer in self.layers)

    @property
    def first(self) -> int:
        """The lowest layer from which the decoder writes the full translation."""
        return next(index for index, layer in enumerate(self.layers) if layer.text == self.layers[-1].text)

    @property
    def lost(self) -> tuple[LayerText, ...]:
        """The layers above it that do not: the decoder was trained on the last one alone."""
        return tuple(layer for layer in self.layers[self.first :] if layer.text != self.layers[-1].text)


def lens_of(shown: DecodeView) -> Lens:
    """The logit lens on the tokens of a decode, however they were chosen."""

    def make() -> Lens:
        from core.experiments.lenses import logit_lens

        loaded, trace = shown.load(), shown.decode.trace
        ids = trace.source_ids, trace.written_ids
        (readings,) = models.in_turns(logit_lens(loaded, *ids, k=TOP) for _ in range(1))
        known, places = np.unique(readings.top, return_inverse=True)
        labels = tuple(shown.entry.tokenizers[1].label(int(each)) for each in known)
        return Lens(
            labels,
            places.reshape(readings.top.shape),
            readings.probability,
            readings.rank,
            readings.written,
            loaded.model.decoder_norm is not None,
        )

    return shown.memo(("logit lens",), make)


def ladder_of(shown: DecodeView) -> Ladder:
    """Greedy translations of a decode's source from each layer of the encoder."""
    source = shown.decode.trace.source_ids

    def make() -> Ladder:
        from core.experiments.lenses import decoder_lens

        loaded = shown.load()
        (decodings,) = models.in_turns(decoder_lens(loaded, source) for _ in range(1))
        texts = [shown.entry.tokenizers[1].decode(ids).strip() for ids in decodings]
        last = len(texts) - 1
        names = (tr("the embedding"), *(tr("layer {number}", number=layer) for layer in range(last)))
        return Ladder(
            tuple(_layer_text(name, text, texts[-1]) for name, text in zip(names, texts, strict=True))
        )

    return shown.checkpoint.memo(("decoder lens", source), make)


def _layer_text(name: str, text: str, real: str) -> LayerText:
    wanted, written = (each.split()[:COMPARED] for each in (real, text))
    parts = word_difference(" ".join(wanted), " ".join(written))
    same = sum(len(words_of.split()) for kind, words_of in parts if kind == "same")
    return LayerText(name, text, _shown(parts), same / len(wanted) if wanted else float(text == real))


def _shown(parts: Sequence[WordRun]) -> tuple[WordRun, ...]:
    """The parts up to `LONGEST` characters; what is cut ends in “…”."""
    kept: list[WordRun] = []
    room = LONGEST
    for kind, words in parts:
        if len(words) > room:
            return (*kept, (kind, f"{words[:room].rstrip()}…"))
        kept.append((kind, words))
        room -= len(words)
    return tuple(kept)


LensCell = tuple[int, int]
"""Step and depth, counted from 0."""


@dataclass(frozen=True)
class LensData:
    """`tops` and `shares` (depths, steps, k), `ranks` and `finals` (depths, steps); `tops` are indices of `labels`.

    `shares` are the probabilities of the words `tops`, `ranks` and `finals` rank and probability of the word written.
    `choices`: the steps at which the model had a choice. The pinned `cell` is left out where it does not exist. Raises
    `InputError` for numbers that do not fit the words.
    """

    steps: Sequence[str]
    depths: Sequence[str]
    labels: Sequence[str]
    tops: NDArray[np.float32]
    shares: NDArray[np.float32]
    ranks: NDArray[np.float32]
    finals: NDArray[np.float32]
    _: KW_ONLY
    choices: Sequence[int]
    normed: bool
    cell: LensCell | None = None
    report: bool = False
    file: str = "logit-lens"
    k: int = field(init=False)

    def __post_init__(self) -> None:
        tops, shares, ranks, finals = (
            np.asarray(each, dtype=np.float32) for each in (self.tops, self.shares, self.ranks, self.finals)
        )
        if tops.ndim != 3 or tops.shape != shares.shape:
            raise InputError(
                f"The lens has words {tops.shape} and probabilities {shares.shape}; give (depths, steps, k) twice."
            )
        rows, columns, count = tops.shape
        if ranks.shape != (rows, columns) or finals.shape != (rows, columns):
            raise InputError(f"Ranks and probabilities of the words written must be {(rows, columns)}.")
        exists = self.cell is not None and self.cell[0] < columns and self.cell[1] < rows
        derive(
            self,
            steps=axis_labels(self.steps, columns, "step"),
            depths=axis_labels(self.depths, rows, "depth"),
            tops=tops,
            shares=shares,
            ranks=ranks,
            finals=finals,
            cell=self.cell if exists else None,
            file=file_stem(self.file),
            k=count,
        )


@dataclass(frozen=True)
class LadderData:
    """The text of each layer, the lowest first, and the words around them."""

    layers: Sequence[LayerText]
    _: KW_ONLY
    title: str
    subtitle: str = ""
    note: str = ""
    file: str = "decoder-lens"


LENS = View("lens", LensData, picked=LensCell | None)
LADDER = View("ladder", LadderData)


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
def lenses_page(shown: DecodeView) -> None:
    """The lens, then the ladder; each is computed once for a decode."""
    shown = shown.now()
    try:
        with cards.loading(shown):
            shown.load()
    except AtlasError as error:
        cards.mistake(str(error))
        return
    _lens(shown)
    _ladder(shown)
    theme_watch()


def pinned(text: str) -> tuple[int, int] | None:
    """The cell that a link names: "3.2" is step 3, depth 2, counted from 0."""
    if not text:
        return None
    step, depth = text.split(".")
    return int(step), int(depth)


def _lens(shown: DecodeView) -> None:
    decode = shown.decode
    lens = lens_of(shown)

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
        sentences.append(tr("The last line is greedy search; the translation above was made another way."))
    if len(real.split()) > COMPARED:
        sentences.append(tr("The shares are of its first {count} words.", count=COMPARED))
    return " ".join(sentences)


def _ladder(shown: DecodeView) -> None:
    ladder = ladder_of(shown)
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
