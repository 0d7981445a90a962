"""The views of One head: why a token gets its weight, and one level down every operation as a card."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import streamlit as st

from core.errors import AtlasError
from core.language import message, tr
from core.learning.card import Card, Spot
from core.learning.head_row import HeadRow
from ui.app import navigation
from ui.export import menu
from ui.inside import head_data
from ui.inside.answer_view import ANSWER, answer_data
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
from ui.session.codec import Pin
from ui.session.selection import Selection
from ui.shared import cards
from ui.shared.context import DecodeView
from ui.shared.decode import Decode
from ui.shared.maps import layers
from ui.shared.mount import mount, theme_watch
from ui.shared.pickers import distinct, pick_width
from ui.style import screen_text

FIRST: Final = "weights"
"""The operation that opens where a link names none."""
ANSWER_WHAT: Final = message("Each number follows from the printed digits before it.")
ANSWER_WHY: Final = message("Choose a word to ask about it, or a number to see how it is computed.")
WHAT: Final = message("Every operation of one head, in the order of the data.")
WHY: Final = message("Choose a number to see the terms that make it.")
MORE: Final = message(
    "Each matrix holds the numbers of this pass, as the model computed them. The model does not keep scores before "
    "scaling, nor the feed-forward network before its activation: these are computed from the recorded numbers. "
    "The row of the token is framed, and so are the head’s own columns where all heads are side by side.\n\n"
    "Below a matrix you see how a number is made: its products in order and largest first, their running sum, and what "
    "is done with the sum. The last number is computed from these terms in double precision. Beside it is the one "
    "that the model had."
)
KEYS: Final = {
    "N, P": message("Next operation, previous operation"),
    "← ↑ → ↓": message("Move from number to number"),
    "Enter": message("Show the terms of the number"),
    "Esc": message("Close the terms"),
    "A": message("Show all operations, or one"),
    "F": message("Fill the screen with a card"),
}


def views(shown: DecodeView) -> None:
    """The control row; below it the answer, or the operations where one of them is open."""
    selection = shown.selection
    try:
        where = head_data.spot(shown, cards.kind_of(selection.kind))
        row = None
        if not (selection.card or selection.number or selection.every):
            with st.spinner(tr("Computing …"), show_time=False):
                row = head_data.answer(shown, where)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    _controls(shown, where, None if row is None else row.key)
    if row is None:
        _operations(shown)
    else:
        _answer(shown, where, row)


def _pin(where: Spot, row: int, key: int) -> None:
    state.update(pin=Pin(cards.kind_of(where.kind), row, key))


def _answer(shown: DecodeView, where: Spot, row: HeadRow) -> None:
    """Why the row looks as much at the key as it does."""
    read, written, keys = head_data.labels(shown.decode, where)
    config = shown.entry.config
    by = {"head": f"√{config.d_head}", "model": f"√{config.d_model}"}.get(config.score_scale, "")

    def ask(picked: Picked) -> None:
        cell = picked.cell
        state.update(card=picked.card, number="" if cell is None else f"{cell[0]}.{cell[1]}")

    def column(key: int) -> None:
        if key < len(keys):
            _pin(where, where.token, key)

    mount(
        ANSWER,
        answer_data(
            row,
            (read[where.token], written[where.token]),
            keys,
            kind=cards.kind_of(where.kind),
            head=(where.layer, where.head),
            divided_by=by,
        ),
        key="answer",
        asked=ask,
        column=column,
    )
    cards.explain(tr(ANSWER_WHAT), tr(ANSWER_WHY), name="inside")
    theme_watch()


def _controls(shown: DecodeView, where: Spot, key: int | None) -> None:
    """The one row of controls: kind, head, row, column, all operations, files. No `key`: the operations are open."""
    decode, config, kind = shown.decode, shown.entry.config, cards.kind_of(where.kind)
    read, written, keys = head_data.labels(decode, where)

    def take_head(name: str) -> None:
        layer, head = name.split(".")
        state.update(layer=int(layer), head=int(head))

    def take_row(name: str) -> None:
        _pin(where, int(name), head_data.strongest(decode, where, int(name)))

    def take_column(name: str) -> None:
        _pin(where, where.token, int(name))

    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="view_options"):
        navigation.kind_pills(shown.selection)
        heads = [f"{layer}.{head}" for layer in range(layers(config, kind)) for head in range(config.heads)]
        names = {each: tr("Head {name}", name=each) for each in heads}
        _list(tr("Head"), "head", names, f"{where.layer}.{where.head}", take_head, 104)
        rows = (f"{one} → {other}" if other else one for one, other in zip(read, written, strict=True))
        names = {str(n): tr("Row {words}", words=screen_text.plain(words)) for n, words in enumerate(rows)}
        _list(tr("Row"), "row", names, str(where.token), take_row, 160)
        if key is not None:
            names = {str(n): tr("Column {word}", word=screen_text.plain(word)) for n, word in enumerate(keys)}
            _list(tr("Column"), "column", names, str(key), take_column, 132)
        st.space("stretch")
        label = tr("All operations")
        opened: dict[str, str | bool] = {"card": FIRST, "number": f"{where.token}.{key}"}
        if key is None:
            label, opened = tr("← Answer"), {"card": "", "number": "", "every": False}
        st.button(label, key="widget_operations", on_click=state.update, kwargs=opened)
        menu.whole(shown)


def _list(
    label: str, name: str, names: dict[str, str], chosen: str, take: Callable[[str], None], width: int
) -> None:
    """A list whose choice is not a field of the selection by itself."""
    names = dict(zip(names, distinct(list(names.values())), strict=True))
    st.selectbox(
        label,
        list(names),
        format_func=names.__getitem__,
        label_visibility="collapsed",
        width=pick_width(state.selection(), width),
        **state.hold(name, chosen, take),
    )


@st.fragment
def _operations(shown: DecodeView) -> None:
    """Every operation as a card, and the terms of the selected number."""
    shown = shown.now()
    try:
        where = head_data.spot(shown, cards.kind_of(shown.selection.kind))
        with st.spinner(tr("Computing …"), show_time=False):
            operations = head_data.opened(shown, where)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    _cards(shown.selection, shown.decode, where, operations)
    keys = {key: tr(what) for key, what in KEYS.items()}
    cards.explain(tr(WHAT), tr(WHY), tr(MORE), name="inside", keys=keys)
    theme_watch()


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
