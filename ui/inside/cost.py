"""The card Cost: the maps of growing lengths drawn to one scale, their memory and their multiplications, counted."""

from __future__ import annotations

import html
from typing import Final

import streamlit as st

from core.analysis.readout import decimal
from core.language import message, numeral, tr
from core.learning import trials
from core.learning.trials import LENGTHS, Cost
from ui.shared import cards
from ui.shared.context import DecodeView

_LABELLED: Final = 24  # per cent of the side from which a square has room for its number
MORE: Final = message(
    "Every query has one weight for each key, so a head has $n^2$ of them. Memory: 4 bytes per weight, "
    "{heads} heads in the encoder, all kept, as they are for the backward pass of training (Vaswani et al. "
    "2017, table 1: $O(n^2 d)$ per layer). The n² part, scores and weighted sums, needs as many "
    "multiplications as the rest of a layer at {even} tokens. A fused kernel computes the same output without "
    "storing the weights (Dao et al. 2022, FlashAttention): its memory grows with n, its multiplications "
    "still with n²."
)


def draw_cost(shown: DecodeView) -> None:
    """The card and what it means."""
    cards.style(__file__, "cost.css")
    config = shown.entry.config
    counted = [trials.cost_of(config, tokens) for tokens in LENGTHS]
    own = trials.cost_of(config, len(shown.decode.trace.source_ids))
    with cards.card("cost", fill=False):
        cards.title(
            tr("Twice as many tokens, four times as many weights"),
            tr("Encoder self-attention, counted from the shapes"),
        )
        st.html(f'<div class="atlas-cost">{squares(counted, own)}{_table(own, counted)}</div>')
        cards.readout(readout(own, counted[-1], trials.break_even(config)))
    heads = config.encoder_layers * config.heads
    cards.explain(
        tr("Each square is the map of one head, drawn to the same scale: its area is its memory."),
        tr("Attention compares every token with every other, so its cost grows fastest with long texts."),
        tr(MORE, heads=heads, even=numeral(trials.break_even(config), ",")),
        name="cost",
    )


def squares(counted: list[Cost], own: Cost) -> str:
    """The maps as nested squares of one scale, each with its length in its corner; that of this sentence is filled."""
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
    if own.tokens < side:
        share = 100 * own.tokens / side
        boxes.append(f'<b style="width:{share:.3f}%;height:{share:.3f}%"></b>')
    return f'<div class="atlas-squares" role="img" aria-label="{html.escape(name)}">{"".join(boxes)}</div>'


def _table(own: Cost, counted: list[Cost]) -> str:
    """A row for each length, this sentence's first."""
    rows = [
        (
            tr("this sentence: {tokens}", tokens=numeral(each.tokens, ","))
            if each is own
            else numeral(each.tokens, ","),
            numeral(each.weights, ","),
            in_bytes(each.bytes),
            f"{numeral(100 * each.share, '.0f')} %",
        )
        for each in (own, *counted)
    ]
    head = (tr("tokens"), tr("weights of a head"), tr("memory, all heads"), tr("n² share"))
    tips = {
        head[2]: tr("All encoder heads, 4 bytes per weight, kept for training"),
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
    for unit, size in ((tr("GB"), 1e9), (tr("MB"), 1e6), (tr("kB"), 1e3)):
        if count >= size:
            return f"{decimal(count / size, 0 if count >= 99.5 * size else 1)} {unit}"
    return f"{count} B"
