"""The Positions page's cards."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from core.analysis import positions as analysis
from core.analysis import wording
from core.analysis.readout import how_many, quoted
from core.errors import AtlasError
from core.model.config import ModelConfig
from ui.inside import position_figures as figures
from ui.inside import position_numbers as view
from ui.inside.position_figures import rotation
from ui.session import state
from ui.shared import cards, weights
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.mount import chart, drawn
from ui.shared.pickers import token_picker
from ui.style import theme


def draw(shown: DecodeView) -> None:
    """All cards for the positions this model has."""
    config = shown.entry.config
    if config.positions == "relative_buckets":
        _relative(shown)
        return
    if config.positions == "none":
        with cards.card("none"):
            cards.title("This model has no positions", "neither in its embeddings nor in its scores")
        return
    encoding = view.sinusoids(config, shown.decode, shown.selection)
    if config.positions == "learned":
        _learned(shown, encoding)
        return
    try:
        trace = shown.recorded(view.RECORD)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    _sinusoids(shown, encoding, view.ticks(trace, encoding))


def _sinusoids(shown: CheckpointView, encoding: view.Sinusoids, ticks: view.Ticks) -> None:
    """The table the model adds, its rotation, its waves, and the similarity of its rows."""
    left, right = st.columns([1.25, 1], gap="small")
    with left:
        _table(shown, encoding)
    with right:
        _rotation(shown, encoding, ticks)
    left, right = st.columns([1.25, 1], gap="small")
    with left:
        _waves(shown, encoding)
    with right:
        _similarity(shown, encoding, ticks)
    _comparison(shown.entry.config)


def _learned(shown: CheckpointView, encoding: view.Sinusoids) -> None:
    """The learned table and the similarity of its rows; then, for comparison, the paper's waves."""
    config = shown.entry.config
    length = min(config.max_length, max(view.SHOWN_MOST, len(encoding.labels)))
    learned = weights.position_table(shown.entry, "encoder", length, shown.device).astype(np.float64)
    summary = analysis.position_summary(learned)
    left, right = st.columns([1.25, 1], gap="small")
    with left:
        _learned_table(shown, encoding, learned, summary)
    with right:
        _learned_similarity(shown, encoding, summary)
    _comparison(config)
    left, right = st.columns([1.25, 1], gap="small")
    with left:
        _waves(shown, encoding)
    with right:
        _rotation(shown, encoding, view.Ticks())  # the paper's waves, which this model does not add


def _options(shown: CheckpointView) -> dict[str, Any]:
    return {"mode": theme.current_mode(), "presenter": shown.selection.enlarged}


def _table(shown: CheckpointView, encoding: view.Sinusoids) -> None:
    with cards.card("table"):
        word = encoding.labels[encoding.token]
        cards.title(
            ["Where ", (f"“{word}”", "encoder"), f" stands: row {encoding.token} is added to its embedding"],
            f"{encoding.table.shape[1]} dimensions a row, drawn as sines then cosines, short waves first · the two lines mark "
            f"pair {encoding.pair}",
        )
        token_picker([("s", encoding.labels)], f"s{encoding.token}")
        figure = drawn(
            figures.table,
            encoding.drawn,
            encoding.labels,
            chosen=encoding.token,
            columns=encoding.drawn_columns,
            height=430,
            **_options(shown),
        )
        chart(figure, "position_table")
        length = float(np.linalg.norm(encoding.table[encoding.token]))
        cards.readout(
            [
                "Every row has length ", (f"{length:.2f}", "b"), " = √(d/2); the token embeddings it is added to are "
                + f"{wording.embedding_scale(shown.entry.config)}.",
            ]
        )  # fmt: skip


def _rotation(shown: CheckpointView, encoding: view.Sinusoids, ticks: view.Ticks) -> None:
    with cards.card("rotation"):
        tokens = "one token" if encoding.offset == 1 else how_many(encoding.offset, "token")
        cards.title(
            f"{_paper(shown, 'Moving')} {tokens} on is always the same turn",
            f"dimensions {encoding.columns[0]} and {encoding.columns[1]} as one clock hand a token",
        )
        figure = drawn(
            rotation,
            encoding.angles,
            encoding.labels,
            start=encoding.token,
            offset=encoding.offset,
            per_token=float(encoding.per_token[encoding.pair]),
            height=360,
            **_options(shown),
        )
        chart(figure, "position_rotation")
        left, right = st.columns(2, gap="medium")
        bound = state.bind("pair", shown=encoding.pair)
        left.slider("pair of dimensions", 0, len(encoding.wavelengths) - 1, **bound)
        most = max(2, min(40, len(encoding.table) - 1))
        bound = state.bind("offset", shown=min(encoding.offset, most))
        right.slider("tokens on", 1, most, **bound)
        cards.readout(view.turn_sentence(encoding), ticks.rotation)


def _waves(shown: CheckpointView, encoding: view.Sinusoids) -> None:
    with cards.card("waves"):
        cards.title(
            f"{_paper(shown, 'Each')} pair of dimensions is a wave of its own length",
            "dots are this sentence's tokens; the chosen pair is in colour",
        )
        pairs = view.curve_pairs(encoding)
        curves = {pair: encoding.wave(pair) for pair in pairs}
        figure = drawn(
            figures.waves,
            curves,
            encoding.wavelengths,
            encoding.labels,
            pair=encoding.pair,
            chosen=encoding.token,
            **_options(shown),
        )
        chart(figure, "position_waves")
        short, longest = encoding.wavelengths[0], encoding.wavelengths[-1]
        cards.readout(
            [
                "The waves run from ", (f"{short:.2f}", "b"), " to ", (f"{longest:,.0f}", "b"),
                f" tokens long; pair {encoding.pair} repeats every {encoding.wavelengths[encoding.pair]:,.1f}.",
            ]
        )  # fmt: skip


def _similarity(shown: CheckpointView, encoding: view.Sinusoids, ticks: view.Ticks) -> None:
    config = shown.entry.config
    with cards.card("similarity"):
        cards.title(
            "How alike two places look, by their distance",
            "cosine of two position vectors, before anything learned; only the distance matters",
        )
        offsets, cosine, marks = view.cosines(config)
        figure = drawn(
            figures.similarity, offsets, cosine, marks=marks, chosen=encoding.offset, **_options(shown)
        )
        chart(figure, "position_similarity")
        cards.readout(view.similarity_sentence(config, encoding), ticks.similarity)


def _paper(shown: CheckpointView, word: str) -> str:
    """The first word of a title; where the model has no sinusoids it says whose they are."""
    return word if view.is_sinusoidal(shown.entry.config) else f"In the paper's sinusoids, {word.lower()}"


def _learned_similarity(
    shown: CheckpointView, encoding: view.Sinusoids, summary: analysis.PositionSummary
) -> None:
    with cards.card("similarity"):
        cards.title(
            "How alike two learned places look, by their distance",
            f"mean cosine over the first {len(summary.cosine)} places; the band is one standard deviation",
        )
        span = min(view.FARTHEST, len(summary.cosine) - 1)
        marks = [mark for mark in figures.PUBLISHED_OFFSETS if mark <= span]
        figure = drawn(
            figures.similarity,
            np.arange(span + 1),
            summary.cosine[: span + 1],
            marks={mark: float(summary.cosine[mark]) for mark in marks},
            spread=summary.cosine_spread[: span + 1],
            chosen=encoding.offset,
            height=430,
            **_options(shown),
        )
        chart(figure, "position_similarity")
        cards.readout(view.learned_sentence(summary, encoding))


def _learned_table(
    shown: CheckpointView, encoding: view.Sinusoids, learned: view.Array, summary: analysis.PositionSummary
) -> None:
    config = shown.entry.config
    rows = learned[: max(view.ROWS, len(encoding.labels) + 3)]
    with cards.card("table"):
        word = encoding.labels[encoding.token]
        cards.title(
            [
                "Learned positions: the vector of place ",
                (f"{encoding.token}", "encoder"),
                f" is added to “{word}”",
            ],
            f"the encoder's own table, {len(rows)} of {config.max_length:,} places",
        )
        token_picker([("s", encoding.labels)], f"s{encoding.token}")
        figure = drawn(
            figures.table, rows, encoding.labels, chosen=encoding.token, height=400, **_options(shown)
        )
        chart(figure, "position_table")
        cards.readout(
            [
                "Distance alone explains ", (f"{100 * summary.shift_invariance:.0f} %", "b"),
                " of how alike two places are, for sinusoids 100 %. The token embeddings they are added to are "
                f"{wording.embedding_scale(config)}.",
            ]
        )  # fmt: skip


def _comparison(config: ModelConfig) -> None:
    """Learned or sinusoidal: which one this model has, and what the other would do."""
    with cards.card("comparison"):
        if view.is_sinusoidal(config):
            kind = (
                "sines and cosines in turn"
                if config.positions == "sinusoidal"
                else "all sines, then all cosines"
            )
            cards.title("Sinusoidal here; learned elsewhere", f"this model's positions are fixed: {kind}")
            cards.quiet(
                "Nothing of these waves is trained, so any position has a vector, and the dot product of two of them "
                "depends on their distance alone. A learned table is free to do better where it has seen enough text, "
                "but it ends at its last row, and nothing makes equal distances alike; the paper found the two nearly equal in quality (its table 3, row E)."
            )
        else:
            cards.title(
                "Learned here; sinusoidal elsewhere",
                "the two cards below show the paper's fixed waves, which this model does not have",
            )
            cards.quiet(
                f"{view.end_sentence(config)} Sinusoids need no training and "
                "have a vector for every position; the paper found the two nearly equal in quality (its table 3, row E)."
            )


def _relative(shown: DecodeView) -> None:
    """T5's relative positions: the bucket of each distance, and each head's bias for it."""
    config = shown.entry.config
    offsets = np.arange(-config.relative_max_distance, config.relative_max_distance + 1)
    buckets = analysis.relative_buckets(offsets, True, config.relative_buckets, config.relative_max_distance)
    bias = weights.relative_bias(shown.entry, "encoder", shown.device)  # (buckets, H)
    labels = shown.decode.trace.tokens.source
    token = view.chosen_token(shown.selection, len(labels))
    left, right = st.columns(2, gap="small")
    with left, cards.card("buckets"):
        cards.title(
            "Near distances have a bucket each, far ones share", "encoder; key position − query position"
        )
        figure = drawn(figures.buckets, offsets, buckets, **_options(shown))
        chart(figure, "position_buckets")
        ahead = int(
            analysis.relative_buckets([1], True, config.relative_buckets, config.relative_max_distance)[0]
        )
        cards.readout(
            f"From {quoted(labels[token])}, the token itself falls into bucket 0 and one after it into bucket {ahead}; "
            f"the token embeddings are {wording.embedding_scale(config)}, and no position is added to them."
        )
    with right, cards.card("bias"):
        cards.title(
            "What each head adds to its scores for a distance",
            "learned, before the softmax, the same in every layer of the encoder",
        )
        figure = drawn(figures.buckets, offsets, buckets, bias=bias[buckets].T, **_options(shown))
        chart(figure, "position_bias")
        cards.readout(
            "A peak at 0 favours near tokens, a slope one side; the decoder has a table of its own."
        )
