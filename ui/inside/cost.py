"""The card Cost: the maps of growing lengths drawn to one scale, their memory, and times measured when the reader asks."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Final

import streamlit as st

from core.analysis.readout import decimal
from core.errors import AtlasError
from core.language import message, numeral, tr
from core.learning import trials
from core.learning.trials import LENGTHS, Cost, Times
from ui.shared import cards, context
from ui.shared.context import DecodeView

_LABELLED: Final = 24  # per cent of the side from which a square has room for its number
MORE: Final = message(
    "Every query has one weight for each key, so a head has $n^2$ of them. Memory: 4 bytes a weight, {heads} heads in the "
    "encoder, all kept, as they are for the backward pass of training (Vaswani et al. 2017, table 1: $O(n^2 d)$ per layer). "
    "Times: the first encoder layer on random vectors, the fastest of five runs; attention includes its projections. "
    "The n² part needs as many multiplications as the rest of a layer at {even} tokens, yet it takes longer before: a softmax "
    "and the traffic of n² numbers cost time without a multiplication. A fused kernel computes the same output without storing "
    "the weights (Dao et al. 2022, FlashAttention): its memory grows with n, its multiplications still with n²."
)


def draw(shown: DecodeView) -> None:
    """The card and what it means; the button measures the times."""
    cards.style(__file__, "cost.css")
    config = shown.entry.config
    counted = [trials.cost_of(config, tokens) for tokens in LENGTHS]
    own = trials.cost_of(config, len(shown.decode.trace.source_ids))
    measured = context.known_times(shown)
    with cards.card("cost", fill=False):
        with st.container(horizontal=True, vertical_alignment="center"):
            cards.title(*_title(counted, measured))
            label = tr("Measure again") if measured else tr("Measure the times")
            st.button(label, key="measure_times", on_click=_measure, args=(shown,))
        st.html(f'<div class="atlas-cost">{squares(counted)}{_table([own, *counted], measured)}</div>')
        cards.readout(readout(own, counted[-1], trials.break_even(config)))
    heads = config.encoder_layers * config.heads
    cards.explain(
        tr("Each square is the map of one head, drawn to the same scale: its area is its memory."),
        tr("Attention compares every token with every other, so long texts cost most here."),
        tr(MORE, heads=heads, even=numeral(trials.break_even(config), ",")),
        name="cost",
    )


def _measure(shown: DecodeView) -> None:
    """Measure in this process now."""
    try:
        context.measure_times(shown)
    except AtlasError as error:
        st.toast(str(error))


def _title(counted: list[Cost], measured: Mapping[int, Times] | None) -> tuple[str, str]:
    """The finding, and what was compared."""
    if not measured:
        return (
            tr("Twice as many tokens, four times as many weights"),
            tr("Encoder self-attention, counted from the shapes"),
        )
    first, last = (measured[tokens] for tokens in (LENGTHS[0], LENGTHS[-1]))
    return (
        tr(
            "{times} times as many tokens: attention takes {attention} times as long, feed-forward {other} times",
            times=LENGTHS[-1] // LENGTHS[0],
            attention=decimal(last.attention / first.attention, 0),
            other=decimal(last.feed_forward / first.feed_forward, 0),
        ),
        tr(
            "From {few} to {many} tokens, first encoder layer, measured just now on this server",
            few=numeral(LENGTHS[0], ","),
            many=numeral(LENGTHS[-1], ","),
        ),
    )


def squares(counted: list[Cost]) -> str:
    """The maps as nested squares of one scale, each with its length in its corner."""
    side = counted[-1].tokens
    name = tr(
        "One head’s map at {lengths} tokens, to one scale",
        lengths=", ".join(numeral(each.tokens, ",") for each in counted),
    )
    boxes = []
    for each in reversed(counted):
        share = 100 * each.tokens / side
        label = numeral(each.tokens, ",") if share > _LABELLED else ""
        boxes.append(f'<i style="width:{share:.3f}%;height:{share:.3f}%">{label}</i>')
    return f'<div class="atlas-squares" role="img" aria-label="{html.escape(name)}">{"".join(boxes)}</div>'


def _table(counted: list[Cost], measured: Mapping[int, Times] | None) -> str:
    """A row for each length, the open sentence first."""
    rows = []
    for each in counted:
        took = measured.get(each.tokens) if measured else None
        row = [
            numeral(each.tokens, ","),
            numeral(each.weights, ","),
            in_bytes(each.bytes),
            f"{numeral(100 * each.share, '.0f')} %",
        ]
        if measured:
            row += [_ms(took.attention), _ms(took.feed_forward)] if took else ["", ""]
        rows.append(row)
    head = [tr("tokens"), tr("weights of a head"), tr("memory, all heads"), tr("n² share")]
    if measured:
        head += [tr("attention"), tr("feed-forward")]
    tips = {
        head[2]: tr("All encoder heads, 4 bytes a weight, kept for training"),
        head[3]: tr("Share of an encoder layer’s multiplications that grows with n²"),
    }
    return cards.table_html(rows, head, loud=(0,), name="costs", tips=tips)


def readout(own: Cost, longest: Cost, even: int) -> str:
    """What the sentence in use costs beside the longest."""
    return tr(
        "This sentence: {tokens} tokens, {small}. With {many} tokens it is {large}: {times} times as long, {squared} times the "
        "memory. From {even} tokens on, the n² part needs more multiplications than the rest of a layer.",
        tokens=numeral(own.tokens, ","),
        small=in_bytes(own.bytes),
        many=numeral(longest.tokens, ","),
        large=in_bytes(longest.bytes),
        times=numeral(longest.tokens / own.tokens, ",.0f"),
        squared=numeral(longest.bytes / own.bytes, ",.0f"),
        even=numeral(even, ","),
    )


def in_bytes(count: int) -> str:
    """`12.8 kB`, `134 MB`: three digits."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{decimal(count / size, 0 if count >= 99.5 * size else 1)} {unit}"
    return f"{count} B"


def _ms(seconds: float) -> str:
    return f"{decimal(1000 * seconds, 1)} ms"
