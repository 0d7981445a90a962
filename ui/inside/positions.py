"""The Positions page: two words swap positions, and what their vectors are made of."""

from __future__ import annotations

from typing import Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.analysis import wording
from core.analysis.readout import isolated, quoted, rewriting
from core.errors import AtlasError
from core.experiments.edits import Edits, SwapPositions
from core.language import numeral, tr
from core.model.positions import PositionSummary, position_summary, relative_buckets
from core.model.trace import Trace
from ui.inside import position_figures as figures
from ui.inside import position_numbers as view
from ui.inside.position_figures import Swap, tokens_html
from ui.session import state
from ui.shared import cards, context, what_if
from ui.shared.cards import pick_width, token_picker
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.mount import draw_chart
from ui.style import screen_text, theme

_SWAPS: Final = "position swaps"
_STRIP: Final = 24  # numbers of a position that are drawn above it


def named_partner(shown: DecodeView, token: int) -> int | None:
    """The token that the link or the pin names to swap positions with `token`; None where neither does."""
    selection, count = shown.selection, len(shown.decode.trace.source_ids)
    if selection.swap is not None and selection.swap < count and selection.swap != token:
        return selection.swap
    pin = selection.pin
    if pin is not None and pin.kind == "encoder" and token in pin[1:] and pin.query != pin.key:
        other = pin.key if token == pin.query else pin.query
        if other < count:
            return other
    return None


def partner(shown: DecodeView, token: int) -> int | None:
    """The token that swaps positions with `token`: the named one, else the one whose swap costs most."""
    named = named_partner(shown, token)
    if named is not None:
        return named
    costs = costs_of(shown, token)
    return min(costs, key=costs.__getitem__, default=None)


def costs_of(shown: DecodeView, token: int) -> dict[int, float]:
    """The log-probability of the translation by the token that swaps positions with `token`, kept. Raises `AtlasError`."""
    trace = shown.decode.trace

    def make() -> dict[int, float]:
        from core.experiments.what_if import swap_costs

        return swap_costs(shown.load(), trace.source_ids, trace.written_ids, token)

    return shown.memo((_SWAPS, token), make, heavy=True)


def _waits(shown: DecodeView, token: int) -> bool:
    """Whether the dearest swap is still to be found, which takes a pass for each token."""
    searched = bool(shown.decode.trace.written_ids) and len(shown.decode.trace.source_ids) > 1
    return searched and named_partner(shown, token) is None and shown.known((_SWAPS, token)) is None


def swapped(shown: DecodeView) -> Swap | None:
    """The swap of the view; None where the source has one token or nothing was written. Raises `AtlasError`."""
    trace = shown.decode.trace
    labels = trace.tokens.source
    _, token = view.token_in_hand(shown.selection, len(labels))
    other = partner(shown, token) if trace.written_ids else None
    if other is None:
        return None
    edits = Edits((SwapPositions("source", *sorted((token, other))),))
    outcome = what_if.outcome(shown, edits)
    return Swap(tuple(labels), token, other, rewriting(outcome.unedited, outcome.rewritten), outcome.change)


def find_swap(shown: DecodeView) -> None:
    """Find the swap that the card waits for, and draw the page again; where that cannot be, one sentence says why."""
    _, token = view.token_in_hand(shown.selection, len(shown.decode.trace.source_ids))
    adds = shown.entry.config.positions not in ("relative_buckets", "rotary", "none")
    if not adds or not _waits(shown, token):
        return
    try:
        with st.spinner(tr("Computing …"), show_time=False):
            swapped(shown)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    st.rerun()


def card(shown: DecodeView, table: NDArray[np.float64]) -> None:
    """The words with the positions they get, and the translation before and after. `table` (P, n): what is drawn of them."""
    cards.style(__file__, "swap.css")
    _, token = view.token_in_hand(shown.selection, len(shown.decode.trace.source_ids))
    if _waits(shown, token):
        _card_to_come(shown, token, table)
        return
    try:
        with st.spinner(tr("Computing …"), show_time=False):
            swap = swapped(shown)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    if swap is None:
        return
    with cards.card("swap", fill=False):
        cards.title(swap.title, _what_swaps(shown))
        st.html(tokens_html(swap, table[:, :_STRIP], theme.current_mode()))
        st.html(cards.two_lines(swap.change))
        _controls(shown, swap)


def _card_to_come(shown: DecodeView, token: int, table: NDArray[np.float64]) -> None:
    """The words with their positions and the translation, until the swap is found that changes it most."""
    labels, text = shown.decode.trace.tokens.source, shown.decode.text
    still = Swap(tuple(labels), token, token, rewriting(text, text), 0.0)
    with cards.card("swap", fill=False):
        word = quoted(labels[token])
        cards.title(tr("Which swap with {word} changes the translation most?", word=word), _what_swaps(shown))
        st.html(tokens_html(still, table[:, :_STRIP], theme.current_mode()))
        st.html(cards.two_lines(still.change, after="…"))
        cards.quiet(tr("Computing …"))


def _what_swaps(shown: DecodeView) -> str:
    return tr(
        "Each word keeps its embedding; only the {count} numbers added for its position change places.",
        count=shown.entry.config.d_model,
    )


def _controls(shown: DecodeView, swap: Swap) -> None:
    names = {n: f"{isolated(screen_text.plain(label))}  {n}" for n, label in enumerate(swap.labels)}
    width = pick_width(state.selection(), 150)

    def first(token: int) -> None:
        state.update(token=f"s{token}")

    def second(token: int) -> None:
        state.update(swap=token)

    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="swap_options"):
        cards.listing(tr("Swap"), names, state.hold("swap_first", swap.first, first), width)
        cards.quiet(tr("swaps positions with"), width="content")
        others = {token: name for token, name in names.items() if token != swap.first}
        cards.listing(tr("With"), others, state.hold("swap", swap.second, second), width)
        cards.quiet(swap.sentence)


def draw_positions(shown: DecodeView) -> None:
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
    card(shown, encoding.drawn)
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
    learned = context.position_table(shown.entry, length, shown.device).astype(np.float64)
    card(shown, learned)
    summary = position_summary(learned)
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
            tr("First encoder layer: the score of a word’s query with its own key, moved to other positions"),
        )
        offsets = turned.offsets
        draw_chart(
            "position_turned",
            figures.buckets,
            offsets,
            offsets,
            bias=turned.scores,
            score=tr("score"),
        )
        token_picker([("s", encoding.labels)], f"s{encoding.token}")
        cards.readout(view.turned_sentence(turned), view.turned_ticks(turned, trace))


def _table(shown: CheckpointView, encoding: view.Sinusoids) -> None:
    with cards.card("table"):
        cards.title(
            view.row_title(encoding.table, encoding),
            tr(
                "Position table: sines, then cosines, short waves first. Two lines mark pair {pair}",
                pair=encoding.pair,
            ),
        )
        draw_chart(
            "position_table",
            figures.table,
            encoding.drawn,
            encoding.labels,
            chosen=encoding.token,
            columns=encoding.drawn_columns,
        )
        token_picker([("s", encoding.labels)], f"s{encoding.token}")
        length = float(np.linalg.norm(encoding.table[encoding.token]))
        cards.readout(
            tr(
                "The row is added to the embedding of the word, which is {scaled}. Every row has length {length} = √(d/2).",
                scaled=wording.embedding_scale(shown.entry.config),
                length=numeral(length, ".2f"),
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
        draw_chart(
            "position_rotation",
            figures.rotation,
            encoding.angles,
            encoding.labels,
            start=encoding.token,
            offset=encoding.offset,
            per_token=float(encoding.per_token[encoding.pair]),
        )
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
            tr("Dots are this sentence’s tokens; the chosen pair is in colour"),
        )
        draw_chart(
            "position_waves",
            figures.waves,
            {pair: encoding.wave(pair) for pair in view.curve_pairs(encoding)},
            encoding.wavelengths,
            encoding.labels,
            pair=encoding.pair,
            chosen=encoding.token,
        )
        cards.readout(
            tr(
                "Pair {pair} repeats every {length} tokens. Short waves tell neighbours apart, long ones distant tokens.",
                pair=encoding.pair,
                length=numeral(encoding.wavelengths[encoding.pair], ",.1f"),
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
        draw_chart(
            "position_similarity",
            figures.similarity,
            offsets,
            cosine,
            marks=marks,
            chosen=encoding.offset,
            fills=True,
        )
        cards.readout(view.similarity_sentence(config, encoding), ticks.similarity)


def _paper(shown: CheckpointView, claim: str) -> str:
    """A title; where the model has no sinusoids it says whose they are."""
    return (
        claim
        if view.is_sinusoidal(shown.entry.config) or shown.entry.config.positions == "rotary"
        else tr("In the paper’s sinusoids: {claim}", claim=claim)
    )


def _learned_similarity(shown: CheckpointView, encoding: view.Sinusoids, summary: PositionSummary) -> None:
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
        draw_chart(
            "position_similarity",
            figures.similarity,
            np.arange(span + 1),
            summary.cosine[: span + 1],
            marks={mark: float(summary.cosine[mark]) for mark in marks},
            spread=summary.cosine_spread[: span + 1],
            chosen=encoding.offset,
            fills=True,
        )
        cards.readout(view.learned_sentence(summary, encoding))


def _learned_table(
    shown: CheckpointView, encoding: view.Sinusoids, learned: view.Array, summary: PositionSummary
) -> None:
    config = shown.entry.config
    rows = learned[: max(view.ROWS, len(encoding.labels) + 3)]
    with cards.card("table"):
        cards.title(
            view.row_title(learned, encoding),
            tr(
                "Learned positions: the encoder’s own table, {count} of {total} rows",
                count=len(rows),
                total=numeral(config.max_length, ","),
            ),
        )
        draw_chart("position_table", figures.table, rows, encoding.labels, chosen=encoding.token)
        token_picker([("s", encoding.labels)], f"s{encoding.token}")
        cards.readout(
            tr(
                "Distance alone explains {share} % of how alike two positions are, for sinusoids 100 %. The token embeddings "
                "are {scaled}.",
                share=numeral(100 * summary.shift_invariance, ".0f"),
                scaled=wording.embedding_scale(config),
            )
        )


def _relative(shown: DecodeView) -> None:
    """T5's relative positions: each head's bias for a distance, and the bucket of each distance."""
    config = shown.entry.config
    offsets = np.arange(-config.relative_max_distance, config.relative_max_distance + 1)
    buckets = relative_buckets(offsets, True, config.relative_buckets, config.relative_max_distance)
    bias = context.relative_bias(shown.entry, "encoder", shown.device)  # (buckets, H)
    by_offset = bias[buckets].T
    labels = shown.decode.trace.tokens.source
    _, token = view.token_in_hand(shown.selection, len(labels))
    with cards.card("bias", fill=False):
        cards.title(
            view.favourite_title(*view.favourite(by_offset, offsets, max(1, len(labels) - 1))),
            tr(
                "What each head adds to its scores for a distance: learned, before the softmax, the same in every layer of "
                "the encoder"
            ),
        )
        draw_chart("position_bias", figures.buckets, offsets, buckets, bias=by_offset)
        cards.readout(
            tr("A peak at 0 favours near tokens, a slope one side; the decoder has a table of its own.")
        )
    with cards.card("buckets", fill=False):
        cards.title(
            tr("Near distances have a bucket each, far ones share"),
            tr("Encoder; key position − query position"),
        )
        draw_chart("position_buckets", figures.buckets, offsets, buckets)
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
