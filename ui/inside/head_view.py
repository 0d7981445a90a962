"""Inside a head in the browser: the cards as matrices, and the terms of the one number that is asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.learning.card import Card, Why
from ui.shared.checks import file_stem, kind_name
from ui.shared.mount import View
from ui.style.theme import Kind
from ui.web.contract import derive

MOST_ROWS: Final = 64
"""Tokens of one side that are drawn: of a longer text those around the token in hand."""
MOST_TERMS: Final = 4096
"""Terms that are drawn one by one; of more only the largest are listed."""
LARGEST: Final = 12
"""Terms that are listed in words."""

SHORT: Final = {
    **{
        "tokens": "token",
        "positions": "position",
        "embedded": "sum",
        "entering": "stream",
        "memory": "memory",
    },
    **dict.fromkeys(
        ("embedding_norm", "norm", "added_norm", "forward_norm", "forward_added_norm", "final_norm"), "norm"
    ),
    **{
        "q": "Q",
        "k": "K",
        "v": "V",
        "q_head": "Q head",
        "k_head": "K head",
        "v_head": "V head",
        "q_turned": "Q turned",
        "k_turned": "K turned",
    },
    **{"products": "Q Kᵀ", "scaled": "÷ √d", "biased": "+ bias", "masked": "mask", "weights": "softmax"},
    **{"mixed": "× V", "joined": "concat", "output": "W_O", "added": "+ residual", "between": "cross"},
    **{"up": "W₁", "gate": "gate", "hidden": "activation", "down": "W₂", "forward_added": "+ residual"},
    **{"rest": "…", "logits": "logits", "probabilities": "next token"},
}
"""What an operation is called in the line of all of them."""


@dataclass(frozen=True)
class Picked:
    """The open card, and the cell that is asked about (row, column), or None."""

    card: str
    cell: tuple[int, int] | None

    def fitted(self, drawn: InsideData) -> Picked | None:
        """The same; without a cell that its card does not have; None where there is no such card."""
        card = next((each for each in drawn.cards if each.key == self.card), None)
        if card is None or self.cell is None:
            return None if card is None else self
        inside = self.cell[0] < card.of and self.cell[1] < len(card.cols)
        return self if inside else replace(self, cell=None)


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
        part=card.part,
        title=card.title,
        short=SHORT[card.key],
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

    `writes` is what the row of `token` writes, in the decoder. `stamp` says of which numbers the cards are, so that terms
    of others are not taken for theirs. `every`: all cards are shown, not the open one alone.
    """

    cards: tuple[CardData, ...]
    _: KW_ONLY
    kind: Kind
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
