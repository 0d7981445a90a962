"""Two attention maps side by side, their difference where the words are the same, and the sentence about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, field, replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from core.analysis.glossary import MEASURES
from core.analysis.maps import Change, distances, largest_change, only_allowed, sureness
from core.analysis.readout import capitalised, how_many, key_names, quoted, subject
from core.analysis.scores import AxisTokens
from core.errors import InputError
from core.language import plural, tr
from ui.session import state
from ui.session.selection import MEAN, Cell, How, Selection
from ui.shared import maps as view
from ui.shared.decode import Decode
from ui.shared.maps import Maps
from ui.shared.mount import View, mount
from ui.style.theme import Kind
from ui.web.contract import Between, axis_labels, derive, file_stem, kind_name, read_labels, shares

_SHORT = 34  # characters of a sentence that name it


@dataclass(frozen=True)
class Side:
    """One of two maps: `values (T, S)`, its words, its name over the picture and its name in a sentence.

    Rows of the decoder are named by the words they write; `reads` are those they read. Where the rows are heads, such as "2.5", `word` is the word that was being written, `reads` the one that was read by each, and
    `position` the decoder's at that step, counted from 0. `hidden (T,)` is what each row gave to tokens that were taken out; rows of NaN had
    too little left to draw. `distribution` False: rows do not sum to 1 (a maximum over heads). `open_future`: a causal map
    without its mask, drawn whole.
    """

    values: NDArray[np.floating]
    queries: Sequence[str]
    keys: Sequence[str]
    name: str
    subject: str = ""  # the name, where there is none
    word: str = ""
    hidden: NDArray[np.floating] | None = None
    distribution: bool = True
    position: int = 0
    open_future: bool = False
    reads: Sequence[str] = ()

    def cells(self, kind: Kind) -> NDArray[np.float64]:
        """The values as they are drawn and exported: NaN where attending is forbidden."""
        positions = [self.position] * len(self.queries) if self.word else None
        return only_allowed(self.values, kind == "causal" and not self.open_future, positions=positions)


@dataclass(frozen=True)
class Pair:
    """Two sides, and the sentence that says what differs most."""

    kind: Kind
    first: Side
    second: Side
    title: str
    subtitle: str = ""

    @property
    def comparable(self) -> bool:
        """Whether both maps have the same words, so that there is a difference."""
        return (self.first.queries, self.first.keys) == (self.second.queries, self.second.keys)

    @property
    def of_heads(self) -> bool:
        """Whether a row is a head instead of a token."""
        return bool(self.first.word)


def heads(maps: Maps, first: tuple[int, int], second: tuple[int, int]) -> Pair:
    """Two heads (layer, head) on one sentence."""
    one, two = (
        _side(maps, head, "mean", name, name)
        for head, name in ((pair, subject(*pair)) for pair in (first, second))
    )
    change = _change(maps.kind, one, two)
    if change is None:
        same = tr(
            "{first} and {second} look the same on this sentence",
            first=capitalised(one.name),
            second=two.name,
        )
        return _pair(maps, one, two, same)
    words = {
        "second": capitalised(two.name),
        "first": one.name,
        **_at(one, change),
    }  # as the difference is drawn
    title = (
        tr("{second} gives {key} {points} than {first} from {query}", **words)
        if maps.kind == "encoder"
        else tr("{second} gives {key} {points} than {first} when it writes {query}", **words)
    )
    return _pair(maps, one, two, title)


def other_head(maps: Maps, first: tuple[int, int]) -> tuple[int, int]:
    """The head that looks least like the first one; the first itself where there is no other."""
    layer, head = np.unravel_index(int(distances(maps.computed.weights, first).argmax()), maps.shape)
    return int(layer), int(head)


def sentences(
    ours: Maps, theirs: Maps, head: tuple[int, int], how: How, texts: tuple[str, str], who: str
) -> Pair:
    """One head, or a mean, on two sentences; `who` names it."""
    names = (_named(texts[0]), _named(texts[1]))
    if names[0] == names[1]:  # the same, or alike up to the cut
        names = (tr("first, {sentence}", sentence=names[0]), tr("second, {sentence}", sentence=names[1]))
    first, second = _sides(ours, theirs, head, how, names, (who, who))
    change = _change(ours.kind, first, second)
    if change is None and first.queries == second.queries and first.keys == second.keys:
        same = tr("{subject} does the same on both sentences", subject=capitalised(who))
        return _pair(ours, first, second, same, head, how)
    where = tr("on the first sentence"), tr("on the second sentence")
    title = _surer(ours.kind, first, second, who, where)
    return _pair(ours, first, second, title, head, how)


def checkpoints(
    ours: Maps, theirs: Maps, head: tuple[int, int], how: How, names: tuple[str, str], who: str
) -> Pair:
    """One head, or a mean, of two models on one sentence."""
    subjects = (
        tr("{subject} of {model}", subject=who, model=names[0]),
        tr("{subject} of {model}", subject=who, model=names[1]),
    )
    first, second = _sides(ours, theirs, head, how, names, subjects)
    if (first.queries, first.keys) != (second.queries, second.keys):
        where = tr("in {model}", model=names[0]), tr("in {model}", model=names[1])
        return _pair(ours, first, second, _surer(ours.kind, first, second, who, where), head, how)
    change = _change(ours.kind, first, second)
    if change is None:
        title = tr(
            "{subject} is the same in {first} and {second}",
            subject=capitalised(who),
            first=names[0],
            second=names[1],
        )
        return _pair(ours, first, second, title, head, how)
    words = {"first": first.name, "second": second.name, "subject": who, **_at(first, change)}
    title = (
        tr("In {second}, {subject} gives {key} {points} than in {first} from {query}", **words)
        if ours.kind == "encoder"
        else tr("In {second}, {subject} gives {key} {points} than in {first} when it writes {query}", **words)
    )
    return _pair(ours, first, second, title, head, how)


def steps(decode: Decode, kind: Kind, layer: int, steps_shown: tuple[int, int]) -> Pair:
    """Every head of a layer (MEAN: of all layers) as a row, at two steps, counted from 1."""
    weights = decode.trace.stacked(*view.PLACES[kind], "weights")
    chosen = range(len(weights)) if layer == MEAN else [layer]
    names = tuple(f"{each}.{head}" for each in chosen for head in range(weights.shape[1]))
    written = decode.trace.tokens.written
    open_future = not decode.trace.config.causal
    reach = None if open_future else max(steps_shown)
    keys = tuple(decode.trace.tokens.source if kind == "cross" else decode.trace.tokens.target[:reach])
    sides = []
    for step in steps_shown:
        values = weights[list(chosen), :, step - 1, : len(keys)].reshape(len(names), -1)
        read = (decode.trace.tokens.target[step - 1],) * len(names)
        word = written[step - 1]
        name = tr("step {step}, writes {word}", step=step, word=quoted(word))
        full = np.asarray(values, float)
        sides.append(
            Side(
                full,
                names,
                keys,
                name,
                word=word,
                position=step - 1,
                open_future=open_future,
                reads=read,
            )
        )
    first, second = sides
    change = _change(kind, first, second)
    before, after = (
        tr("{word} (step {step})", word=quoted(side.word), step=step)
        for side, step in zip(sides, steps_shown, strict=True)
    )
    if change is None:
        title = tr(
            "Every head looks the same way when it writes {before} and {after}", before=before, after=after
        )
    else:
        more, less = (before, after) if change.points < 0 else (after, before)
        title = tr(
            "Head {name} gives {key} {points} more when it writes {more} than when it writes {less}",
            name=names[change.query],
            key=key_names(first.keys)[change.key],
            points=how_many(abs(change.points), "point"),
            more=more,
            less=less,
        )
    return Pair(kind, first, second, title)


def other_step(decode: Decode, kind: Kind, layer: int, step: int | None) -> tuple[int, int]:
    """Two steps to start with: the given one and the next, or the neighbours between which heads move most."""
    length = len(decode.trace.written_ids)
    if length < 2:
        return 1, 1
    if step is not None:
        first = max(1, min(step, length))
        return (first, first + 1) if first < length else (first, first - 1)
    weights = decode.trace.stacked(*view.PLACES[kind], "weights")
    some = weights if layer == MEAN else weights[layer : layer + 1]
    keys = decode.trace.tokens.source if kind == "cross" else decode.trace.tokens.target
    plain = ~AxisTokens.from_labels(keys).special
    moved = np.abs(np.diff(some[..., plain], axis=2)).sum(axis=-1).mean(axis=(0, 1))  # (T - 1,)
    ends = AxisTokens.from_labels(decode.trace.tokens.written).special
    moved = np.where(ends[1:], -1.0, moved)
    first = int(moved.argmax()) + 1
    return first, first + 1


# -- words --------------------------------------------------------------------------------------------------


def _sides(
    ours: Maps,
    theirs: Maps,
    head: tuple[int, int],
    how: How,
    names: tuple[str, str],
    subjects: tuple[str, str],
) -> tuple[Side, Side]:
    first, second = (
        _side(maps, head, how, name, who)
        for maps, name, who in zip((ours, theirs), names, subjects, strict=True)
    )
    return first, second


def _side(maps: Maps, head: tuple[int, int], how: How, name: str, who: str) -> Side:
    one_map = view.open_head_of(maps, *head, how)
    labels = (maps.queries.labels, maps.keys.labels)
    is_maximum = how == "max" and MEAN in head
    return Side(
        one_map.values,
        *labels,
        name,
        who,
        hidden=one_map.hidden,
        distribution=not is_maximum,
        open_future=maps.open_future,
        reads=maps.queries.reads,
    )


def _pair(
    maps: Maps, first: Side, second: Side, title: str, head: tuple[int, int] = (0, 0), how: How = "mean"
) -> Pair:
    return Pair(maps.kind, first, second, title, view.hiding(maps, *head, how))


def _change(kind: Kind, first: Side, second: Side) -> Change | None:
    """What differs most; where one of the two could not look there is no difference."""
    if (first.queries, first.keys) != (second.queries, second.keys):
        return None
    return largest_change(first.cells(kind), second.cells(kind), first.queries, first.keys)


def _surer(kind: Kind, first: Side, second: Side, who: str, where: tuple[str, str]) -> str:
    """Which of two maps with different words commits more to one token; `where` names them."""
    sure = [
        round(100 * sureness(side.values, kind == "causal" and not side.open_future))
        for side in (first, second)
    ]
    if sure[0] == sure[1]:
        return tr(
            "{subject} is equally focused {first} and {second}: {share} % on its largest token",
            subject=capitalised(who),
            first=where[0],
            second=where[1],
            share=sure[0],
        )
    more, less = (0, 1) if sure[0] > sure[1] else (1, 0)
    return tr(
        "{subject} is more focused {more}: {share} % on its largest token, against {other} % {less}",
        subject=capitalised(who),
        more=where[more],
        less=where[less],
        share=sure[more],
        other=sure[less],
    )


def _at(side: Side, change: Change) -> dict[str, str]:
    """Where a change is, and how much more or less the second one gives: the fields of a title."""
    count = abs(change.points)
    more = plural("{count} point more", "{count} points more", count)
    less = plural("{count} point less", "{count} points less", count)
    return {
        "key": key_names(side.keys)[change.key],
        "query": key_names(side.queries)[change.query],
        "points": more if change.points > 0 else less,
    }


def _named(text: str) -> str:
    return quoted(text if len(text) <= _SHORT else text[: _SHORT - 1].rstrip() + "…")


_TIPS = ("weight", "weight", "difference", "sureness")
"""What explains the numbers of the two maps, of their difference, and of a title about maps that have none."""


@dataclass(frozen=True)
class Moved:
    """A weight that the reader gave to a cell of the second map."""

    row: int
    column: int
    thousandths: Annotated[int, Between(0, 1000)]

    def fitted(self, drawn: CompareData) -> Moved | None:
        """The same, or None for a cell that is not there or may not be moved."""
        return self if self.row < len(drawn.rows[1]) and self.column in drawn.moves else None


@dataclass(frozen=True)
class PairLook:
    """The pinned cell, and whether colours are logarithmic."""

    cell: Cell | None = None
    log: bool = False

    def fitted(self, drawn: CompareData) -> PairLook | None:
        """The same, or None where the cell names no map, or neither row nor column."""
        fits = self.cell is None or (self.cell[0] <= 2 and self.cell[1:] != (None, None))
        return self if fits else None


@dataclass(frozen=True)
class CompareData:
    """Two sides, and second − first where their words are the same (two sentences have their own).

    In the browser names, rows and so on are of both sides. Raises `InputError` for maps that are no weights of shape
    (queries, keys) or do not fit their labels.
    """

    sides: InitVar[tuple[Side, Side]]
    _: KW_ONLY
    kind: Kind
    title: str
    subtitle: str = ""
    looked: PairLook = PairLook()  # its cell is left out where it does not exist
    report: bool = False  # the reader's own cell and colours are sent to Python
    tall: int = 460  # pixels of the design that one map may take
    file: str = "compare"
    moves: Sequence[int] = ()  # columns of the second map whose weights the reader may move
    names: tuple[str, str] = field(init=False)
    subjects: tuple[str, str] = field(init=False)
    heads: tuple[str, str] | None = field(init=False)  # the words written, where the rows are heads
    positions: tuple[int, int] = field(init=False)  # the decoder's at those steps
    distribution: tuple[bool, bool] = field(init=False)
    hidden: tuple[tuple[float, ...] | None, tuple[float, ...] | None] = field(init=False)
    reads: tuple[Sequence[str], Sequence[str]] = field(init=False)
    rows: tuple[Sequence[str], Sequence[str]] = field(init=False)
    cols: tuple[Sequence[str], Sequence[str]] = field(init=False)
    comparable: bool = field(init=False)
    tips: tuple[str, ...] = field(init=False)  # what the numbers are
    # Row and column of the largest difference, and whether special tokens with a larger one were passed over.
    largest: tuple[int, int, bool] | None = field(init=False)
    first: NDArray[np.float32] = field(init=False)
    second: NDArray[np.float32] = field(init=False)

    def __post_init__(self, sides: tuple[Side, Side]) -> None:
        first, second = maps = [_map(side, self.kind) for side in sides]
        rows = [axis_labels(side.queries, len(full), "query") for side, full in zip(sides, maps, strict=True)]
        cols = [axis_labels(side.keys, full.shape[1], "key") for side, full in zip(sides, maps, strict=True)]
        comparable = rows[0] == rows[1] and cols[0] == cols[1]
        cell = self.looked.cell
        derive(
            self,
            kind=kind_name(self.kind),
            looked=replace(self.looked, cell=cell if cell and _exists(cell, maps, comparable) else None),
            file=file_stem(self.file),
            moves=[column for column in self.moves if column < len(cols[1])],
            names=tuple(side.name for side in sides),
            subjects=tuple(side.subject or side.name for side in sides),
            heads=tuple(side.word for side in sides) if sides[0].word else None,
            positions=tuple(side.position for side in sides),
            distribution=tuple(side.distribution for side in sides),
            hidden=tuple(shares(side.hidden, len(full)) for side, full in zip(sides, maps, strict=True)),
            reads=tuple(read_labels(side.reads, len(full)) for side, full in zip(sides, maps, strict=True)),
            rows=tuple(rows),
            cols=tuple(cols),
            comparable=comparable,
            tips=tuple(MEASURES[name].tip for name in _TIPS),
            largest=_largest(first, second, rows[0], cols[0]) if comparable else None,
            first=first,
            second=second,
        )


COMPARE = View("compare", CompareData, viewed=PairLook, moved=Moved)


def _largest(
    first: NDArray[np.float32], second: NDArray[np.float32], queries: Sequence[str], keys: Sequence[str]
) -> tuple[int, int, bool] | None:
    """Row and column of the largest difference of what is drawn, and whether special tokens with a larger one were passed over."""
    change = largest_change(first, second, queries, keys)
    if change is None:
        return None
    further = np.nan_to_num(np.abs(second - first)).max()
    return change.query, change.key, bool(further > abs(change.second - change.first))


def _exists(cell: Cell, maps: Sequence[NDArray[np.float32]], comparable: bool) -> bool:
    pane, row, column = cell
    if pane == 2 and not comparable:  # maps over different words have no difference
        return False
    rows, columns = maps[min(pane, 1)].shape
    return (row is None or row < rows) and (column is None or column < columns)


def _map(side: Side, kind: Kind) -> NDArray[np.float32]:
    full = np.asarray(side.values, dtype=np.float32)
    if full.ndim != 2 or 0 in full.shape:
        raise InputError(
            f"A map has shape {full.shape}; a comparison takes one (queries, keys) map per side."
        )
    drawn = full[~np.isnan(full).all(axis=1)]
    if not np.isfinite(drawn).all() or drawn.min(initial=0) < -1e-3 or drawn.max(initial=0) > 1 + 1e-3:
        raise InputError("Maps to compare must hold weights from 0 to 1; pass them after the softmax.")
    return side.cells(kind).astype(np.float32)


def two_maps(selection: Selection, pair: Pair, *, key: str, file: str) -> None:
    """Draw a pair, with the cell and the colours of the link; both follow the reader."""
    data = CompareData(
        (pair.first, pair.second),
        kind=pair.kind,
        title=pair.title,
        subtitle=pair.subtitle,
        looked=looked_at(selection),
        report=True,
        file=file,
    )
    mount(COMPARE, data, key=key, viewed=keep)


def looked_at(selection: Selection) -> PairLook:
    """The cell and the colours of the link."""
    return PairLook(selection.cell, selection.scale == "log")


def keep(looked: PairLook) -> None:
    """Keep which cell the reader pinned, and whether the colours are logarithmic."""
    state.update(cell=looked.cell, scale="log" if looked.log else "weight")
