"""The Positions page's cards."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from core.analysis import positions as analysis
from core.analysis.readout import quoted
from core.config import ModelConfig
from core.errors import AtlasError
from ui import positions_view as view
from ui import resources, state, theme, weights
from ui.components import furniture
from ui.components.chart import chart
from ui.components.token_picker import token_picker
from ui.decode import Decode
from ui.figures import positions as figures
from ui.figures.clock import rotation
from ui.frame import Shown


def draw(shown: Shown, decode: Decode) -> None:
    """All cards for the positions this model has."""
    config = shown.entry.config
    if config.positions == "relative_buckets":
        _relative(shown, decode)
        return
    if config.positions == "none":
        with furniture.card("none"):
            furniture.title(
                "This model adds no positions", "whatever it knows of order comes from the causal mask"
            )
        return
    found = view.sinusoids(config, decode, shown.selection)
    try:
        trace = resources.recorded(shown.entry, decode, view.RECORD, shown.device)
    except AtlasError as error:
        furniture.mistake(str(error))
        return
    ticks = view.ticks(trace, found)
    left, right = st.columns([1.25, 1], gap="small")
    with left:
        _table(shown, found) if view.is_sinusoidal(config) else _learned(shown, found)
    with right:
        _rotation(shown, found, ticks)
    left, right = st.columns([1.25, 1], gap="small")
    with left:
        _waves(shown, found)
    with right:
        _similarity(shown, found, ticks)
    _comparison(config)


def _options(shown: Shown) -> dict[str, Any]:
    return {"mode": theme.current_mode(), "presenter": shown.selection.presenter}


def _table(shown: Shown, found: view.Sinusoids) -> None:
    with furniture.card("table"):
        word = found.labels[found.token]
        furniture.title(
            ["Where ", (f"“{word}”", "encoder"), f" stands: row {found.token} is added to its embedding"],
            f"{found.table.shape[1]} dimensions a row, drawn as sines then cosines, short waves first · the two lines mark "
            f"pair {found.pair}",
        )
        token_picker([("s", found.labels)], f"s{found.token}")
        figure = figures.table(
            found.drawn,
            found.labels,
            chosen=found.token,
            columns=found.drawn_columns,
            height=430,
            **_options(shown),
        )
        chart(figure, "position_table")
        length = float(np.linalg.norm(found.table[found.token]))
        furniture.readout(
            [
                "Every row has length ", (f"{length:.2f}", "b"), " = √(d/2); the token embeddings it is added to are "
                + (f"scaled by √d = {found.table.shape[1] ** 0.5:.0f}." if shown.entry.config.embedding_scale else "not scaled."),
            ]
        )  # fmt: skip


def _rotation(shown: Shown, found: view.Sinusoids, ticks: view.Ticks) -> None:
    with furniture.card("rotation"):
        tokens = "one token" if found.offset == 1 else f"{found.offset} tokens"
        furniture.title(
            f"Moving {tokens} on is always the same turn",
            f"dimensions {found.columns[0]} and {found.columns[1]} as one clock hand a token",
        )
        figure = rotation(
            found.angles,
            found.labels,
            start=found.token,
            offset=found.offset,
            per_token=float(found.per_token[found.pair]),
            height=360,
            **_options(shown),
        )
        chart(figure, "position_rotation")
        left, right = st.columns(2, gap="medium")
        bound = state.bind("pair")
        st.session_state[bound["key"]] = found.pair
        left.slider("pair of dimensions", 0, len(found.wavelengths) - 1, **bound)
        bound = state.bind("offset")
        most = max(2, min(40, len(found.table) - 1))
        st.session_state[bound["key"]] = min(found.offset, most)
        right.slider("tokens on", 1, most, **bound)
        furniture.readout(view.turn_sentence(found), ticks.rotation)


def _waves(shown: Shown, found: view.Sinusoids) -> None:
    with furniture.card("waves"):
        furniture.title(
            "Each pair of dimensions is a wave of its own length",
            "dots are this sentence's tokens; the pair in hand in colour",
        )
        pairs = view.curve_pairs(found)
        curves = {pair: np.sin(np.arange(len(found.table)) * found.per_token[pair]) for pair in pairs}
        figure = figures.waves(
            curves, found.wavelengths, found.labels, pair=found.pair, chosen=found.token, **_options(shown)
        )
        chart(figure, "position_waves")
        short, longest = found.wavelengths[0], found.wavelengths[-1]
        furniture.readout(
            [
                "The waves run from ", (f"{short:.2f}", "b"), " to ", (f"{longest:,.0f}", "b"),
                f" tokens long; pair {found.pair} repeats every {found.wavelengths[found.pair]:,.1f}.",
            ]
        )  # fmt: skip


def _similarity(shown: Shown, found: view.Sinusoids, ticks: view.Ticks) -> None:
    config = shown.entry.config
    with furniture.card("similarity"):
        furniture.title(
            "How alike two places look, by their distance",
            "cosine of the two position vectors; only the distance matters",
        )
        offsets, cosine, marks = view.cosines(config, 110)
        figure = figures.similarity(offsets, cosine, marks=marks, chosen=found.offset, **_options(shown))
        chart(figure, "position_similarity")
        furniture.readout(view.similarity_sentence(config, found), ticks.similarity)


def _learned(shown: Shown, found: view.Sinusoids) -> None:
    """The table a model learned in place of waves, and how far the distance alone explains it."""
    config = shown.entry.config
    length = min(config.max_length, max(len(found.table), len(found.labels)))
    learned = weights.position_table(shown.entry, "encoder", length, shown.device).astype(np.float64)
    summary = analysis.position_summary(learned)
    with furniture.card("table"):
        word = found.labels[found.token]
        furniture.title(
            ["Learned positions: row ", (f"{found.token}", "encoder"), f" is added to “{word}”"],
            f"the encoder's own table, {len(learned)} of {config.max_length} positions",
        )
        token_picker([("s", found.labels)], f"s{found.token}")
        figure = figures.table(learned, found.labels, chosen=found.token, height=400, **_options(shown))
        chart(figure, "position_table")
        furniture.readout(
            [
                "Distance alone explains ", (f"{100 * summary.shift_invariance:.0f} %", "b"),
                " of how alike its rows are; for sinusoids it is 100 %.",
            ]
        )  # fmt: skip


def _comparison(config: ModelConfig) -> None:
    """Learned or sinusoidal: which one this model has, and what the other would do."""
    with furniture.card("comparison"):
        if view.is_sinusoidal(config):
            kind = (
                "sines and cosines in turn"
                if config.positions == "sinusoidal"
                else "all sines, then all cosines"
            )
            furniture.title("Sinusoidal here; learned elsewhere", f"this model's positions are fixed: {kind}")
            furniture.quiet(
                "Nothing of these waves is trained, so any position has a vector and equal distances always look alike. "
                "A learned table is free to do better where it has seen enough text, but it ends at its last row, and "
                "nothing makes equal distances look alike; the paper found the two nearly equal in quality (its table 3, row E)."
            )
        else:
            furniture.title(
                "Learned here; sinusoidal elsewhere",
                "the clock, waves and curve show the paper's fixed waves",
            )
            furniture.quiet(
                f"This table has {config.max_length} rows and no vector beyond them. Sinusoids need no training and "
                "have a vector for every position; the paper found the two nearly equal in quality (its table 3, row E)."
            )


def _relative(shown: Shown, decode: Decode) -> None:
    """T5's relative positions: the bucket of each distance and what each head adds for it."""
    config = shown.entry.config
    offsets = np.arange(-config.relative_max_distance, config.relative_max_distance + 1)
    found = analysis.relative_buckets(offsets, True, config.relative_buckets, config.relative_max_distance)
    bias = weights.relative_bias(shown.entry, "encoder", shown.device)  # (buckets, H)
    labels = decode.trace.tokens.source
    token = view.chosen_token(shown.selection, len(labels))
    left, right = st.columns(2, gap="small")
    with left, furniture.card("buckets"):
        furniture.title(
            "Near distances have a bucket each, far ones share", "encoder, key position − query position"
        )
        figure = figures.buckets(offsets, found, **_options(shown))
        chart(figure, "position_buckets")
        ahead = int(
            analysis.relative_buckets([1], True, config.relative_buckets, config.relative_max_distance)[0]
        )
        furniture.readout(
            f"From {quoted(labels[token])}, the next token falls into bucket {ahead}, itself into bucket 0."
        )
    with right, furniture.card("bias"):
        furniture.title(
            "What each head adds to its scores for a distance",
            "learned, before the softmax; nothing is added to embeddings",
        )
        figure = figures.buckets(offsets, found, bias=bias[found].T, **_options(shown))
        chart(figure, "position_bias")
        furniture.readout("A peak at 0 is a head that prefers near words; a slope prefers one side.")
