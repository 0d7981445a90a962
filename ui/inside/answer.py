"""The answer of One head: which head, row and key, and one attention weight from query and key to the row of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from core.analysis.readout import decimal, exact, isolated
from core.language import numeral, plural, tr
from core.learning.card import Card, Spot
from core.learning.head_row import (
    PRODUCT,
    Decimals,
    HeadRow,
    decimals,
    head_row,
    labelled_products,
    row_sites,
)
from core.learning.inside import cards, sites
from core.model.hooks import Site
from ui.session.selection import MEAN, Selection
from ui.shared import maps as view
from ui.shared.context import DecodeView
from ui.shared.decode import Decode, most_confident_head
from ui.shared.mount import View
from ui.style.theme import Kind
from ui.web.contract import Piece, derive, file_stem, kind_name

_MINUS_INFINITY: Final = "−∞"


@dataclass(frozen=True)
class Picked:
    """The open card, and the cell that is asked about (row, column), or None."""

    card: str
    cell: tuple[int, int] | None

    def fitted(self, drawn: Any) -> Picked | None:
        """The same; without a cell that its card does not have; None where there is no such card.

        The answer's table names cards that it does not hold: they are compared when the card opens.
        """
        if isinstance(drawn, AnswerData):
            return self
        card = next((each for each in drawn.cards if each.key == self.card), None)
        if card is None or self.cell is None:
            return None if card is None else self
        inside = self.cell[0] < card.of and self.cell[1] < len(card.cols)
        return self if inside else replace(self, cell=None)


@dataclass(frozen=True)
class AnswerVector:
    """Query or key: its name, the row's words (small, then bold), its numbers, and how they are written."""

    name: str
    small: str
    word: str
    values: NDArray[np.float32]
    digits: Sequence[str]


@dataclass(frozen=True)
class AnswerStep:
    """A numbered step: its number, title and note."""

    number: int
    title: str
    note: str


@dataclass(frozen=True)
class AnswerColumn:
    """A column of the table: its step (None: it belongs to the step above), what is drawn beside its numbers, the card of
    all operations that holds them, and the line below it.
    """

    step: AnswerStep | None
    name: str
    look: Literal["number", "bar", "weight"]
    card: str
    foot: str


@dataclass(frozen=True)
class AnswerLine:
    """A key of the table (None: several together): its label, and per column how the number is written and its size."""

    key: int | None
    label: str
    cells: Sequence[str]
    sizes: Sequence[float]


@dataclass(frozen=True)
class AnswerData:
    """Why a row of a head looks as much at a key as it does.

    `query` and `key` are the vectors of steps 1; `products` their products, of which `labelled` are written; `total` is the
    sum. `chosen` is the index among `lines` of the key asked about. `row` and `column` are its indices in the head's maps.
    """

    query: AnswerVector
    key: AnswerVector
    products: NDArray[np.float32]
    labelled: Sequence[tuple[int, str]]
    total: str
    steps: Sequence[AnswerStep]
    columns: Sequence[AnswerColumn]
    lines: Sequence[AnswerLine]
    _: KW_ONLY
    kind: Kind
    title: Sequence[Piece]
    subtitle: str
    share: str
    row: int
    column: int
    chosen: int
    file: str = "inside"

    def __post_init__(self) -> None:
        derive(self, kind=kind_name(self.kind), file=file_stem(self.file))


ANSWER = View("answer", AnswerData, asked=Picked, column=int)
"""`asked`: a number was chosen, for its card among all operations; `column`: another key."""


def percent(weight: float) -> str:
    """A weight as a whole percentage."""
    return tr("{share} %", share=numeral(100 * weight, ".0f"))


def answer_data(
    row: HeadRow,
    query: tuple[str, str],
    keys: Sequence[str],
    *,
    kind: Kind,
    head: tuple[int, int],
    divided_by: str,
) -> AnswerData:
    """The answer for a row of `head` (layer, head): `query` is what its row reads and writes ("" in the encoder).

    `divided_by` names what scores are divided by, "√32"; "" where they are not.
    """
    places, size = decimals(row), len(row.q)
    read, written = query
    word, key = isolated(written or read), isolated(keys[row.key])
    columns = _columns(row, places, divided_by)
    plain = not divided_by and row.bias is None
    lines = _lines(row, keys, columns)
    chosen = next(n for n, line in enumerate(lines) if line.key == row.key)
    return AnswerData(
        AnswerVector(
            tr("query"),
            f"{isolated(read)} →" if written else "",
            written or read,
            row.q.astype(np.float32),
            [exact(float(each), places.vector) for each in row.q],
        ),
        AnswerVector(
            tr("key"),
            "",
            keys[row.key],
            row.k.astype(np.float32),
            [exact(float(each), places.vector) for each in row.k],
        ),
        row.products.astype(np.float32),
        [(each, exact(float(row.products[each]), PRODUCT)) for each in labelled_products(row, places)],
        exact(float(row.dots[row.key]), places.dot),
        [
            AnswerStep(
                1,
                tr("Query and key"),
                tr(
                    "{count} numbers each · query: what “{word}” looks for · key: what “{key}” offers",
                    count=size,
                    word=word,
                    key=key,
                ),
            ),
            AnswerStep(
                2,
                tr("Score") if plain else tr("Dot product"),
                tr("multiply each pair, add the {count} products", count=size),
            ),
        ],
        [column.drawn for column in columns],
        lines,
        kind=kind,
        title=_title(row, word, key),
        subtitle=_subtitle(row, word, keys, places, kind),
        share=percent(float(row.weights[row.key])),
        row=row.query,
        column=row.key,
        chosen=chosen,
        file=f"inside-{kind}-{head[0]}.{head[1]}",
    )


@dataclass(frozen=True)
class _Column:
    """A column with its numbers by key, and how they are written."""

    drawn: AnswerColumn
    numbers: NDArray[np.float64]
    digits: int
    plus: bool = False

    def cell(self, key: int) -> str:
        """The number of a key as it is written."""
        return exact(float(self.numbers[key]), self.digits, plus=self.plus)


def _columns(row: HeadRow, places: Decimals, divided_by: str) -> list[_Column]:
    """q · k, then the steps that this model has: ÷ √d, + bias; last softmax and weight, which all have."""
    at = row.key
    scaled = decimal(float(row.scaled[at]), places.parts)
    plain = not divided_by and row.bias is None
    column = AnswerColumn(None, "q · k", "bar" if plain else "number", "products", "")
    columns = [_Column(column, row.dots, places.dot)]
    number = 3
    if divided_by:
        dot, by = decimal(float(row.dots[at]), places.dot), decimal(row.divisor, places.divisor)
        step = AnswerStep(number, f"÷ {divided_by}", f"{dot} ÷ {by} = {scaled}")
        look: Literal["number", "bar"] = "number" if row.bias is not None else "bar"
        column = AnswerColumn(step, f"÷ {divided_by}", look, "scaled", "")
        columns.append(_Column(column, row.scaled, places.parts))
        number += 1
    if row.bias is not None:
        bias = decimal(float(row.bias[at]), places.parts, plus=True)
        before = scaled if divided_by else decimal(float(row.dots[at]), places.parts)
        score = decimal(float(row.scores[at]), places.score)
        step = AnswerStep(number, tr("+ bias"), tr("learned, for the distance"))
        column = AnswerColumn(step, tr("bias"), "number", "biased", "")
        columns.append(_Column(column, row.bias, places.parts, plus=True))
        column = AnswerColumn(None, tr("score"), "bar", "biased", f"{before} {bias[:1]} {bias[1:]} = {score}")
        columns.append(_Column(column, row.scores, places.score))
        number += 1
    exps = row.exponentials
    whole = decimal(float(exps.sum()), places.total)
    power = tr("e^(score − {largest})", largest=decimal(row.largest, places.score))
    softmax = AnswerStep(number, tr("Softmax"), power)
    column = AnswerColumn(softmax, power, "bar", "weights", tr("sum {total}", total=whole))
    columns.append(_Column(column, exps, places.exponential))
    own = decimal(float(exps[at]), places.exponential)
    weight = decimal(float(row.weights[at]), places.weight)
    division = f"{own} ÷ {whole} = {weight}" if row.open.size else ""
    step = AnswerStep(number + 1, tr("Weight"), tr("share of the sum"))
    column = AnswerColumn(step, tr("weight"), "weight", "weights", division)
    return [*columns, _Column(column, row.weights, places.weight)]


def _lines(row: HeadRow, keys: Sequence[str], columns: Sequence[_Column]) -> list[AnswerLine]:
    """The keys in the order of the sentence, then the sum of the others, then how many the mask hides."""
    last = len(columns) - 3  # the score, which the mask sets

    def line(at: int) -> AnswerLine:
        cells = [column.cell(at) for column in columns]
        sizes = [float(column.numbers[at]) for column in columns]
        if row.hidden[at]:
            cells[last], sizes[last] = f"{cells[last]} → {_MINUS_INFINITY}", 0.0
        return AnswerLine(at, keys[at], cells, sizes)

    lines, ends = [line(at) for at in row.listed], columns[last + 1 :]
    if others := list(row.others):
        together = [float(column.numbers[others].sum()) for column in ends]
        cells = [exact(total, column.digits) for total, column in zip(together, ends, strict=True)]
        label = plural("{count} other, sum", "{count} others, sum", len(others))
        blank = last + 1
        lines.append(AnswerLine(None, label, [*[""] * blank, *cells], [*[0.0] * blank, *together]))
    if masked := int(row.hidden.sum()) - bool(row.hidden[row.key]):
        cells = [*[""] * last, _MINUS_INFINITY, *(exact(0, column.digits) for column in ends)]
        label = plural("{count} masked token", "{count} masked tokens", masked)
        lines.append(AnswerLine(None, label, cells, [0.0] * len(cells)))
    return lines


def _title(row: HeadRow, word: str, key: str) -> list[Piece]:
    """The question that the card answers."""
    if row.hidden[row.key]:
        return [tr("Why does “{word}” not look at “{key}”?", word=word, key=key)]
    share = percent(float(row.weights[row.key]))
    before, _, after = tr(
        "Why does “{word}” look {share} at “{key}”?", word=word, share="\0", key=key
    ).partition("\0")
    return [before, {"kind": share}, after]


def _subtitle(row: HeadRow, word: str, keys: Sequence[str], places: Decimals, kind: Kind) -> str:
    """The answer in one or two sentences."""
    key, score = isolated(keys[row.key]), decimal(float(row.scores[row.key]), places.score)
    if row.hidden[row.key]:
        if kind == "causal" and row.key > row.query:
            return tr("“{key}” comes later: the causal mask sets its score to −∞ before softmax.", key=key)
        return tr("“{key}” is padding: the mask sets its score to −∞ before softmax.", key=key)
    if row.open.size == 1:
        return tr("“{key}” is the only token that this row may look at, so it gets the full weight.", key=key)
    first, second = (int(each) for each in row.ranked[:2])
    if first != row.key:
        return tr(
            "The key of “{other}” matches its query better: {most} against {score}. Softmax widens that gap.",
            other=isolated(keys[first]),
            most=decimal(float(row.scores[first]), places.score),
            score=score,
        )
    after = decimal(float(row.scores[second]), places.score)
    names = {"key": key, "score": score, "second": isolated(keys[second]), "next": after}
    if row.weights[first] < 2 * row.weights[second]:
        return tr(
            "Its query matches the key of “{key}” best, but “{second}” is close: {score} and {next}. So the attention spreads.",
            **names,
        )
    return tr(
        "Its query matches the key of “{key}” best, with a score of {score}. “{second}” comes second with {next}, and "
        "softmax widens the gap.",
        **names,
    )


def spot(shown: DecodeView, kind: Kind) -> Spot:
    """The head and the row: the link's where they exist, else the head that opens and a word in the middle."""
    decode, selection = shown.decode, shown.selection
    maps = view.maps_of(decode, kind, shown.entry.tokenizers)
    layer, head = view.chosen(selection, maps)
    opens = maps.first or most_confident_head(maps.weights, maps.keys.labels)
    if MEAN in (layer, head):
        layer, head = (own if each == MEAN else each for each, own in zip((layer, head), opens, strict=True))
    return Spot(kind, layer, head, _token(decode, selection, kind))


def _token(decode: Decode, selection: Selection, kind: Kind) -> int:
    """The row of the pinned pair, else the link's token, else that of the step shown, else one in the middle."""
    side = "s" if kind == "encoder" else "t"
    count = len(decode.trace.source_ids if kind == "encoder" else decode.trace.target_ids)
    if selection.pin is not None and selection.pin.kind == kind and selection.pin.query < count:
        return selection.pin.query
    if selection.token.startswith(side) and int(selection.token[1:]) < count:
        return int(selection.token[1:])
    if side == "t" and selection.step:
        return min(selection.step, count) - 1
    return min(count - 1, count // 2)


def answer(shown: DecodeView, where: Spot) -> HeadRow:
    """How the row's attention to the pinned key comes about, or without such a pin that to its strongest key."""
    trace = shown.recorded(row_sites(where.kind, where.layer))
    pin = shown.selection.pin
    key = pin.key if pin is not None and pin.kind == where.kind else None
    return head_row(trace, shown.load().model.state_dict(), where, key)


def labels(decode: Decode, where: Spot) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """What each row reads, what it writes ("" in the encoder), and the keys."""
    tokens = decode.trace.tokens
    if where.kind == "encoder":
        return tokens.source, ("",) * len(tokens.source), tokens.source
    return tokens.target, tokens.written, tokens.target if where.kind == "causal" else tokens.source


def strongest(decode: Decode, where: Spot, row: int) -> int:
    """The key that a row of the head looks at most."""
    weights = decode.trace.array(Site(*where.site, "weights"))
    return int(weights[where.head][row].argmax())


def operations_at(shown: DecodeView, where: Spot) -> tuple[Card, ...]:
    """Every card of a head and token; the model runs once more for a layer that was not opened yet."""
    loaded = shown.load()
    trace = shown.recorded(sites(shown.entry.config, where.kind, where.layer))
    return cards(trace, loaded.model.state_dict(), where, shown.entry.tokenizers[1].label)
