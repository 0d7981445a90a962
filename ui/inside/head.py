"""The views of Inside a head: which head and token, and the cards of its computation."""

from __future__ import annotations

from typing import Final

import streamlit as st

from core.errors import AtlasError
from core.learning.card import Card, Spot
from ui.export import menu
from ui.inside import head_data
from ui.inside.head_view import (
    INSIDE,
    INSIDE_TERMS,
    InsideData,
    Picked,
    TermsData,
    WhyData,
    card_data,
    why_data,
)
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cards
from ui.shared.context import DecodeView
from ui.shared.decode import Decode
from ui.shared.maps import layers
from ui.shared.mount import mount, theme_watch
from ui.shared.pickers import pick, token_picker

FIRST: Final = "weights"
"""The card that opens where a link names none."""
WHAT: Final = (
    "One head, one token, and every number on the way: a card an operation, in the order of the data."
)
WHY: Final = "Choose a number to see the terms that make it."
MORE: Final = (
    "Each matrix holds the numbers of this very pass, recorded in the model; what the model never keeps (scores before "
    "they are scaled, the feed-forward network before its activation) is computed from those. The row of the token in hand is "
    "framed. In the matrices with all heads side by side, the head’s own columns are framed as well.\n\n"
    "Below a matrix stands why a number is what it is: the products that add up to it, in their order and largest first, the "
    "running sum, and what is done with the sum. The last number is computed again from these terms in double precision; "
    "beside it stands the one the model had."
)
KEYS: Final = {
    "N, P": "the next operation, the one before",
    "← ↑ → ↓": "from number to number",
    "Enter": "asks about the number",
    "Esc": "closes the answer",
    "A": "all operations, or one",
    "F": "a card fills the screen",
}


@st.fragment
def views(shown: DecodeView) -> None:
    """The head and token pickers, the cards, and the terms of the selected number."""
    shown = shown.now()
    decode = shown.decode
    kind = cards.kind_of(shown.selection.kind)
    try:
        where = head_data.spot(shown, kind)
        with st.spinner("Computing …", show_time=False):
            operations = head_data.opened(shown, where)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    _controls(shown, where)
    _cards(shown.selection, decode, where, operations)
    with cards.explain(WHAT, WHY, MORE, name="inside", keys=KEYS):
        menu.whole(shown)
    theme_watch()


def _controls(shown: DecodeView, where: Spot) -> None:
    """Layer, head and token."""
    config = shown.entry.config
    source = where.kind == "encoder"
    side = ("s", shown.decode.trace.tokens.source) if source else ("t", shown.decode.trace.tokens.target)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="view_options"):
        pick("layer", where.layer, range(layers(config, cards.kind_of(where.kind))), "layer {}")
        pick("head", where.head, range(config.heads), "head {}")
        token_picker([side], f"{side[0]}{where.token}")


def chosen(selection: Selection, operations: tuple[Card, ...], where: Spot) -> Picked:
    """The open card and the selected number: the link's if they exist, else the largest weight of the token's row."""
    by_key = {card.key: card for card in operations}
    card = by_key.get(selection.card) or by_key[FIRST]
    if selection.number and selection.card == card.key:
        row, column = (int(part) for part in selection.number.split("."))
        if row < card.values.shape[0] and column < card.values.shape[1]:
            return Picked(card.key, (row, column))
    if selection.card not in by_key:
        return Picked(card.key, (where.token, int(card.values[where.token].argmax())))
    return Picked(card.key, None)


def _cards(selection: Selection, decode: Decode, where: Spot, operations: tuple[Card, ...]) -> None:
    picked = chosen(selection, operations, where)
    stamp = f"{hash(decode.key):x}.{where.kind}.{where.layer}.{where.head}.{where.token}"
    asking = decode.trace.tokens.source if where.kind == "encoder" else decode.trace.tokens.target

    def take(new: Picked) -> None:
        state.update(card=new.card, number="" if new.cell is None else f"{new.cell[0]}.{new.cell[1]}")

    mount(
        INSIDE,
        InsideData(
            tuple(card_data(card) for card in operations),
            kind=cards.kind_of(where.kind),
            layer=where.layer,
            head=where.head,
            token=asking[where.token],
            writes="" if where.kind == "encoder" else decode.trace.tokens.written[where.token],
            stamp=stamp,
            picked=picked,
            every=selection.every,
            report=True,
            file=f"inside-{where.kind}-{where.layer}.{where.head}",
        ),
        key="inside",
        picked=take,
        every=lambda every: state.update(every=every),
    )
    mount(INSIDE_TERMS, TermsData(_terms(operations, picked, stamp)), key="inside_terms")


def _terms(operations: tuple[Card, ...], picked: Picked, stamp: str) -> WhyData | None:
    """The terms of the selected number, None if none is selected."""
    if picked.cell is None:
        return None
    card = next(card for card in operations if card.key == picked.card)
    return why_data(card, *picked.cell, card.why(*picked.cell), stamp)
