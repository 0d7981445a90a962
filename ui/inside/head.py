"""One head: why a token gets its weight, and one level down every operation as a card, as matrices in the browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.analysis.readout import isolated
from core.errors import AtlasError, InputError
from core.language import message, tr
from core.learning.card import Card, Spot, Why
from core.learning.head_row import HeadRow
from core.model.hooks import ATTENTION, attention_of
from ui.app import navigation
from ui.export import menu
from ui.inside import answer
from ui.inside.answer import ANSWER, Picked, answer_data
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cards
from ui.shared.cards import pick_width
from ui.shared.context import DecodeView
from ui.shared.decode import Decode
from ui.shared.mount import View, mount, theme_watch
from ui.style import screen_text
from ui.style.theme import Kind
from ui.web.contract import derive, file_stem, kind_name

MOST_ROWS: Final = 64
"""Tokens of one side that are drawn: of a longer text those around the token in hand."""
MOST_TERMS: Final = 4096
"""Terms that are drawn one by one; of more only the largest are listed."""
LARGEST: Final = 12
"""Terms that are listed in words."""

SHORT: Final = {
    "tokens": message("token"),
    "positions": message("position"),
    "embedded": message("sum"),
    "entering": message("stream"),
    "memory": message("encoder"),
    "q": "Q",
    "k": "K",
    "v": "V",
    "q_head": message("Q head"),
    "k_head": message("K head"),
    "v_head": message("V head"),
    "q_turned": message("Q turned"),
    "k_turned": message("K turned"),
    "products": "Q Kᵀ",
    "scaled": "÷ √d",
    "biased": message("+ bias"),
    "masked": message("mask"),
    "weights": "softmax",
    "mixed": "× V",
    "joined": "concat",
    "output": "W_O",
    "added": message("+ residual"),
    "between": message("cross"),
    "up": "W₁",
    "gate": message("gate"),
    "hidden": message("activation"),
    "down": "W₂",
    "forward_added": message("+ residual"),
    "rest": "…",
    "logits": "logits",
    "probabilities": message("next token"),
    **dict.fromkeys(
        ("embedding_norm", "norm", "added_norm", "forward_norm", "forward_added_norm", "final_norm"),
        message("norm"),
    ),
}
"""What an operation is called in the line of all of them."""


@dataclass(frozen=True)
class CardData:
    """One operation. `first` is the first row that is drawn of `of`; `reads` are the operations that it is computed from."""

    key: str
    part: str
    title: str
    short: str
    formula: str
    says: str
    shape: str
    rows: Sequence[str]
    cols: Sequence[str]
    row_axis: str
    col_axis: str
    first: int
    of: int
    focus: int | None
    band: tuple[int, int] | None
    look: str
    reads: tuple[str, ...]
    values: NDArray[np.float32]


def card_data(card: Card) -> CardData:
    """A card as it is drawn: of a long text the rows around the one in hand. Raises `InputError` for labels that do not
    fit the numbers.
    """
    if card.values.shape != (len(card.rows.labels), len(card.columns.labels)):
        raise InputError(
            f"The card “{card.title}” has {card.values.shape} numbers for {len(card.rows.labels)} rows and "
            f"{len(card.columns.labels)} columns; give a label to each."
        )
    first, last = _window(len(card.values), card.focus)
    return CardData(
        key=card.key,
        part=tr(card.part),
        title=card.title,
        short=tr(SHORT[card.key]),
        formula=card.formula,
        says=card.says,
        shape=card.shape,
        rows=[str(label) for label in card.rows.labels[first:last]],
        cols=[str(label) for label in card.columns.labels],
        row_axis=card.rows.name,
        col_axis=card.columns.name,
        first=first,
        of=len(card.values),
        focus=card.focus,
        band=card.band,
        look=card.look,
        reads=tuple(card.reads),
        values=np.asarray(card.values[first:last], dtype=np.float32),
    )


Finite = float | str | None
"""A number as JSON holds it: what is masked goes as its sign."""


@dataclass(frozen=True)
class Term:
    """One of the largest terms of a number: its index, its name, its value, and the factors it is the product of."""

    index: int
    name: str
    value: float
    a: float | None = None
    b: float | None = None


@dataclass(frozen=True)
class WhyData:
    """The terms that make the number in a cell of a card; `stamp` says of which numbers that card is.

    `largest` are told in words, `others` is the sum of the rest; `terms` are drawn one by one, with their factors `a` and
    `b`, where there are not too many. `steps` (operation, name, number, result) make the `value` of the `total`.
    """

    stamp: str
    card: str
    row: int
    column: int
    formula: str
    count: int
    largest: tuple[Term, ...]
    others: float
    total: float
    steps: tuple[tuple[str, str, Finite, Finite], ...]
    value: Finite
    shown: Finite
    a_name: str
    b_name: str
    what: str
    a: NDArray[np.float32]
    b: NDArray[np.float32]
    terms: NDArray[np.float32]


@dataclass(frozen=True)
class TermsData:
    """The terms of the number that is asked about, None where none is."""

    why: WhyData | None


@dataclass(frozen=True)
class InsideData:
    """The cards of a head at one token.

    `attention` names the kind; `writes` is what the row of `token` writes, in the decoder. `stamp` says of which numbers the cards are, so that terms
    of others are not taken for theirs. `every`: all cards are shown, not the open one alone.
    """

    cards: tuple[CardData, ...]
    _: KW_ONLY
    kind: Kind
    attention: str
    layer: int
    head: int
    token: str
    writes: str = ""
    stamp: str
    picked: Picked
    every: bool = False
    why: WhyData | None = None
    report: bool = False
    file: str = "inside-a-head"

    def __post_init__(self) -> None:
        derive(self, kind=kind_name(self.kind), file=file_stem(self.file))


INSIDE = View("inside", InsideData, picked=Picked, every=bool)
INSIDE_TERMS = View("inside_terms", TermsData)
"""A piece of its own, so that a click sends no matrix again."""


def _window(count: int, focus: int | None) -> tuple[int, int]:
    """First row and the row after the last that are drawn."""
    first = max(0, min((focus or 0) - MOST_ROWS // 2, count - MOST_ROWS))
    return first, min(count, first + MOST_ROWS)


def why_data(card: Card, row: int, column: int, why: Why, stamp: str) -> WhyData:
    """The terms of one cell."""
    count = len(why.terms)
    order = np.argsort(-np.abs(why.terms), kind="stable")[:LARGEST]
    drawn = count if count <= MOST_TERMS else 0
    both = why.a is not None and why.b is not None

    def flat(values: NDArray[np.float64] | None) -> NDArray[np.float32]:
        return np.zeros(0, np.float32) if values is None else values[:drawn].astype(np.float32)

    return WhyData(
        stamp=stamp,
        card=card.key,
        row=row,
        column=column,
        formula=why.formula,
        count=count,
        largest=tuple(
            Term(
                index,
                why.name(index),
                float(why.terms[index]),
                float(why.a[index]) if both and why.a is not None else None,
                float(why.b[index]) if both and why.b is not None else None,
            )
            for index in map(int, order)
        ),
        others=float(why.terms.sum() - why.terms[order].sum()),
        total=why.total,
        steps=tuple((step.op, step.name, _finite(step.number), _finite(step.value)) for step in why.steps),
        value=_finite(why.value),
        shown=_finite(float(card.values[row, column])),
        a_name=why.a_name,
        b_name=why.b_name,
        what=why.what,
        a=flat(why.a),
        b=flat(why.b),
        terms=flat(why.terms),
    )


def _finite(number: float | None) -> Finite:
    """A number as JSON holds it: what is masked goes as its sign."""
    return "−∞" if number is not None and not np.isfinite(number) else number


FIRST: Final = "weights"
"""The operation that opens where a link names none."""
ANSWER_WHAT: Final = message(
    "You can compute each number of the framed row from the digits printed before it."
)
ANSWER_WHY: Final = message("Choose a word to ask about it, or a number to see how it is computed.")
WHAT: Final = message("Every operation of one head, in the order of the data.")
WHY: Final = message("Choose a number to see the terms that make it.")
MORE: Final = message(
    "Each matrix holds the numbers of this pass, as the model computed them. The model does not keep scores before "
    "scaling, nor the feed-forward values before the activation: these are computed from the recorded numbers. "
    "The row of the token is framed, and so are the head’s own columns where all heads are side by side.\n\n"
    "Below a matrix you see how a number is made: its products, in order and again by size, their running sum, and what "
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


def inside_page(shown: DecodeView) -> None:
    """The control row; below it the answer, or the operations where one of them is open."""
    selection = shown.selection
    try:
        where = answer.spot(shown, cards.kind_of(selection.kind))
        row = None
        if not (selection.card or selection.number or selection.every):
            with st.spinner(tr("Computing …"), show_time=False):
                row = answer.answer(shown, where)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    _controls(shown, where, None if row is None else row.key)
    if row is None:
        _operations(shown)
    else:
        _answer(shown, where, row)


def _pin(where: Spot, row: int, key: int) -> None:
    state.keep_head(where.layer, where.head)
    state.pin(cards.kind_of(where.kind), [row], [key])


def _answer(shown: DecodeView, where: Spot, row: HeadRow) -> None:
    """Why the row looks as much at the key as it does."""
    read, written, keys = answer.labels(shown.decode, where)
    config = shown.entry.config.of(ATTENTION[where.kind].stack)
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
    read, written, keys = answer.labels(decode, where)

    def take_head(name: str) -> None:
        layer, head = name.split(".")
        state.update(layer=int(layer), head=int(head))

    def take_row(name: str) -> None:
        _pin(where, int(name), answer.strongest(decode, where, int(name)))

    def take_column(name: str) -> None:
        _pin(where, where.token, int(name))

    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="view_options"):
        navigation.kind_pills(shown.selection)
        count, each = config.shape(ATTENTION[kind].stack)
        heads = [f"{layer}.{head}" for layer in range(count) for head in range(each)]
        names = {each: tr("Head {name}", name=each) for each in heads}
        held = state.hold("head", f"{where.layer}.{where.head}", take_head)
        cards.listing(tr("Head"), names, held, pick_width(shown.selection, 104))
        rows = (
            f"{isolated(one)} → {isolated(other)}" if other else isolated(one)
            for one, other in zip(read, written, strict=True)
        )
        names = {str(n): tr("Row {words}", words=screen_text.plain(words)) for n, words in enumerate(rows)}
        held = state.hold("row", str(where.token), take_row)
        cards.listing(tr("Row"), names, held, pick_width(shown.selection, 160))
        if key is not None:
            names = {
                str(n): tr("Column {word}", word=isolated(screen_text.plain(word)))
                for n, word in enumerate(keys)
            }
            held = state.hold("column", str(key), take_column)
            cards.listing(tr("Column"), names, held, pick_width(shown.selection, 132))
        st.space("stretch")
        label = tr("All operations")
        opened: dict[str, str | bool] = {"card": FIRST, "number": f"{where.token}.{key}"}
        if key is None:
            label, opened = tr("← Answer"), {"card": "", "number": "", "every": False}
        st.button(label, key="widget_operations", on_click=state.update, kwargs=opened)
        menu.whole(shown)


@st.fragment
def _operations(shown: DecodeView) -> None:
    """Every operation as a card, and the terms of the selected number."""
    shown = shown.now()
    try:
        where = answer.spot(shown, cards.kind_of(shown.selection.kind))
        with st.spinner(tr("Computing …"), show_time=False):
            operations = answer.operations_at(shown, where)
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
            attention=tr(attention_of(decode.trace.config, where.kind).phrase),
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
