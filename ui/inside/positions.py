"""The Positions page: two words swap positions, and what their vectors are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from core.analysis import positions as analysis
from core.analysis import wording
from core.analysis.readout import quoted
from core.errors import AtlasError
from core.language import tr
from core.model.position_tables import relative_buckets
from core.model.trace import Trace
from ui.inside import position_figures as figures
from ui.inside import position_numbers as view
from ui.inside import swap
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
    if config.positions == "rotary":
        _rotary(shown)
        return
    if config.positions == "none":
        with cards.card("none"):
            cards.title(tr("This model has no positions"), tr("neither in its embeddings nor in its scores"))
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
    swap.card(shown, encoding.drawn)
    _sinusoids(shown, encoding, view.ticks(trace, encoding))


def _sinusoids(shown: CheckpointView, encoding: view.Sinusoids, ticks: view.Ticks) -> None:
    """The table the model adds, the similarity of its rows, its rotation, and its waves."""
    left, right = st.columns([1.25, 1], gap="small")
    with left:
        _table(shown, encoding)
    with right:
        _similarity(shown, encoding, ticks)
    left, right = st.columns([1.25, 1], gap="small")
    with left:
        _waves(shown, encoding)
    with right:
        _rotation(shown, encoding, ticks)


def _learned(shown: DecodeView, encoding: view.Sinusoids) -> None:
    """The learned table and the similarity of its rows; then, for comparison, the paper's waves."""
    config = shown.entry.config
    length = min(config.max_length, max(view.SHOWN_MOST, len(encoding.labels)))
    learned = weights.position_table(shown.entry, "encoder", length, shown.device).astype(np.float64)
    swap.card(shown, learned)
    summary = analysis.position_summary(learned)
    left, right = st.columns([1.25, 1], gap="small")
    with left:
        _learned_table(shown, encoding, learned, summary)
    with right:
        _learned_similarity(shown, encoding, summary)
    left, right = st.columns([1.25, 1], gap="small")
    with left:
        _waves(shown, encoding)
    with right:
        _rotation(shown, encoding, view.Ticks())  # the paper's waves, which this model does not add


def _rotary(shown: DecodeView) -> None:
    """Rotary positions: scores of one word by distance, then the angles that queries and keys are turned by."""
    encoding = view.turns(shown.entry.config, shown.decode, shown.selection)
    if shown.entry.config.encoder_layers:
        try:
            trace = shown.recorded(view.ROTARY_RECORD)
        except AtlasError as error:
            cards.mistake(str(error))
            return
        _turned(shown, encoding, trace)
    left, right = st.columns([1.25, 1], gap="small")
    with left:
        _waves(shown, encoding)
    with right:
        _rotation(shown, encoding, view.Ticks())


def _turned(shown: DecodeView, encoding: view.Sinusoids, trace: Trace) -> None:
    turned = view.turned(trace, encoding.token, max(view.MOVED, len(encoding.labels)))
    with cards.card("turned", fill=False):
        cards.title(
            view.turned_title(turned, encoding.labels[encoding.token]),
            tr(
                "First encoder layer: the score of one word’s query and its own key, if the key stood elsewhere"
            ),
        )
        figure = drawn(
            figures.buckets,
            turned.offsets,
            turned.offsets,
            bias=turned.scores,
            height=400,
            score=tr("score"),
            **_options(shown),
        )
        chart(figure, "position_turned")
        token_picker([("s", encoding.labels)], f"s{encoding.token}")
        cards.readout(view.turned_sentence(turned), view.turned_ticks(turned, trace))


def _options(shown: CheckpointView) -> dict[str, Any]:
    return {"mode": theme.current_mode(), "presenter": shown.selection.enlarged}


def _table(shown: CheckpointView, encoding: view.Sinusoids) -> None:
    with cards.card("table"):
        cards.title(
            view.row_title(encoding.table, encoding),
            tr(
                "Position table: sines, then cosines, short waves first. Two lines mark pair {pair}",
                pair=encoding.pair,
            ),
        )
        figure = drawn(
            figures.table,
            encoding.drawn,
            encoding.labels,
            chosen=encoding.token,
            columns=encoding.drawn_columns,
            height=400,
            **_options(shown),
        )
        chart(figure, "position_table")
        token_picker([("s", encoding.labels)], f"s{encoding.token}")
        length = float(np.linalg.norm(encoding.table[encoding.token]))
        cards.readout(
            tr(
                "The row is added to its embedding, which is {scaled}. Every row has length {length} = √(d/2).",
                scaled=wording.embedding_scale(shown.entry.config),
                length=f"{length:.2f}",
            )
        )


def _rotation(shown: CheckpointView, encoding: view.Sinusoids, ticks: view.Ticks) -> None:
    with cards.card("rotation"):
        first, second = encoding.columns
        cards.title(
            _paper(shown, view.turn_title(encoding)),
            tr(
                "Dimensions {first} and {second}, drawn as one clock hand per token",
                first=first,
                second=second,
            ),
        )
        figure = drawn(
            rotation,
            encoding.angles,
            encoding.labels,
            start=encoding.token,
            offset=encoding.offset,
            per_token=float(encoding.per_token[encoding.pair]),
            height=330,
            **_options(shown),
        )
        chart(figure, "position_rotation")
        left, right = st.columns(2, gap="medium")
        bound = state.bind("pair", shown=encoding.pair)
        left.slider(tr("pair of dimensions"), 0, len(encoding.wavelengths) - 1, **bound)
        most = max(2, min(40, len(encoding.table) - 1))
        bound = state.bind("offset", shown=min(encoding.offset, most))
        right.slider(tr("tokens on"), 1, most, **bound)
        cards.readout(view.turn_sentence(encoding), ticks.rotation)


def _waves(shown: CheckpointView, encoding: view.Sinusoids) -> None:
    with cards.card("waves"):
        cards.title(
            _paper(shown, view.waves_title(encoding)),
            tr("Dots are this sentence's tokens; the chosen pair is in colour"),
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
            height=420,
            **_options(shown),
        )
        chart(figure, "position_waves")
        cards.readout(
            tr(
                "Pair {pair} repeats every {length} tokens. Short waves tell neighbours apart, long ones distant tokens.",
                pair=encoding.pair,
                length=f"{encoding.wavelengths[encoding.pair]:,.1f}",
            )
        )


def _similarity(shown: CheckpointView, encoding: view.Sinusoids, ticks: view.Ticks) -> None:
    config = shown.entry.config
    with cards.card("similarity"):
        offsets, cosine, marks = view.cosines(config)
        cards.title(
            view.similarity_title(float(cosine[min(encoding.offset, len(cosine) - 1)]), encoding.offset),
            tr("Cosine of two position vectors by their distance, before anything is learned"),
        )
        figure = drawn(
            figures.similarity,
            offsets,
            cosine,
            marks=marks,
            chosen=encoding.offset,
            height=430,
            **_options(shown),
        )
        chart(figure, "position_similarity")
        cards.readout(view.similarity_sentence(config, encoding), ticks.similarity)


def _paper(shown: CheckpointView, claim: str) -> str:
    """A title; where the model has no sinusoids it says whose they are."""
    return (
        claim
        if view.is_sinusoidal(shown.entry.config) or shown.entry.config.positions == "rotary"
        else tr("In the paper's sinusoids: {claim}", claim=claim)
    )


def _learned_similarity(
    shown: CheckpointView, encoding: view.Sinusoids, summary: analysis.PositionSummary
) -> None:
    with cards.card("similarity"):
        cards.title(
            view.learned_title(summary, encoding.offset),
            tr(
                "Mean cosine over the first {count} positions by distance; the band is one standard deviation",
                count=len(summary.cosine),
            ),
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
        cards.title(
            view.row_title(learned, encoding),
            tr(
                "Learned positions: the encoder's own table, {count} of {total} rows",
                count=len(rows),
                total=f"{config.max_length:,}",
            ),
        )
        figure = drawn(
            figures.table, rows, encoding.labels, chosen=encoding.token, height=400, **_options(shown)
        )
        chart(figure, "position_table")
        token_picker([("s", encoding.labels)], f"s{encoding.token}")
        cards.readout(
            tr(
                "Distance alone explains {share} % of how alike two positions are, for sinusoids 100 %. The token embeddings "
                "are {scaled}.",
                share=f"{100 * summary.shift_invariance:.0f}",
                scaled=wording.embedding_scale(config),
            )
        )


def _relative(shown: DecodeView) -> None:
    """T5's relative positions: each head's bias for a distance, and the bucket of each distance."""
    config = shown.entry.config
    offsets = np.arange(-config.relative_max_distance, config.relative_max_distance + 1)
    buckets = relative_buckets(offsets, True, config.relative_buckets, config.relative_max_distance)
    bias = weights.relative_bias(shown.entry, "encoder", shown.device)  # (buckets, H)
    by_offset = bias[buckets].T
    labels = shown.decode.trace.tokens.source
    token = view.chosen_token(shown.selection, len(labels))
    with cards.card("bias", fill=False):
        cards.title(
            view.favourite_title(*view.favourite(by_offset, offsets, max(1, len(labels) - 1))),
            tr(
                "What each head adds to its scores for a distance: learned, before the softmax, the same in every layer of "
                "the encoder"
            ),
        )
        figure = drawn(figures.buckets, offsets, buckets, bias=by_offset, height=400, **_options(shown))
        chart(figure, "position_bias")
        cards.readout(
            tr("A peak at 0 favours near tokens, a slope one side; the decoder has a table of its own.")
        )
    with cards.card("buckets", fill=False):
        cards.title(
            tr("Near distances have a bucket each, far ones share"),
            tr("Encoder; key position − query position"),
        )
        figure = drawn(figures.buckets, offsets, buckets, **_options(shown))
        chart(figure, "position_buckets")
        ahead = int(relative_buckets([1], True, config.relative_buckets, config.relative_max_distance)[0])
        cards.readout(
            tr(
                "From {word}, the token itself falls into bucket 0 and the next one into bucket {bucket}. The token "
                "embeddings are {scaled}, and no position is added to them.",
                word=quoted(labels[token]),
                bucket=ahead,
                scaled=wording.embedding_scale(config),
            )
        )
