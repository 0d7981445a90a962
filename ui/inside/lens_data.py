"""What the Lenses page shows of one decode: the logit lens over its steps, and the ladder of translations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.analysis.readout import WordRun, word_difference
from core.language import tr
from ui.shared import models
from ui.shared.context import DecodeView

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


def lens(shown: DecodeView) -> Lens:
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


def ladder(shown: DecodeView) -> Ladder:
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
