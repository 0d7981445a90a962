"""Heads in the browser: the wall of all, tiles in named groups, and one in detail or up to eight together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import Annotated, Final, Literal, Protocol, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.maps import hides_later, only_allowed
from core.analysis.readout import subject as subject_of
from core.errors import InputError
from core.language import tr
from ui.shared.map_data import Arranged, Quantity, WallData, head_pictures, to_bytes
from ui.shared.mount import View
from ui.style.theme import Kind
from ui.web.contract import AtMost, Between, axis_labels, derive, file_stem, kind_name, read_labels, shares

Mode = Literal["weights", "scores", "masked", "difference", "contribution", "length"]
Unit = Literal["share", "points", "number", "length"]
UNITS: dict[str, Unit] = {
    "weights": "share",
    "contribution": "share",
    "length": "length",
    "difference": "points",
    "scores": "number",
    "masked": "number",
}
MOST_HEADS = 8
MOST_PINS = 1024
"""Pinned tokens of one side that Python listens to."""
EXACT_NUMBERS = 512 * 512
"""Numbers sent as float32. Heads beyond this many numbers are overlaid from one byte a weight."""


@dataclass(frozen=True)
class HeadMap:
    """One map to draw: `values (T, S)`, −inf or NaN where attending is not allowed.

    `layer` and `head` count from 0; None stands for a mean over them. `name` labels the swatch
    ("2.5" by default) and `subject` the sentence ("head 2.5"). `hidden (T,)` is what each row gave to tokens
    that were taken out; rows of NaN had too little left to draw.
    """

    values: ArrayLike
    layer: int | None = None
    head: int | None = None
    name: str | None = None
    subject: str | None = None
    hidden: ArrayLike | None = None


@dataclass(frozen=True)
class Viewed:
    """How the reader looks at the open map. None leaves it to the view, which goes by the map's size.

    `threshold`: lines from this strength on, in percent. `log`: logarithmic colour. `zoom`: the part drawn,
    (first row, row after the last, first column, column after the last).
    """

    threshold: Annotated[int, Between(0, 50)] | None = None
    log: bool | None = None
    zoom: tuple[int, int, int, int] | None = None


class Mapped(Protocol):
    """Data of a view with a map."""

    @property
    def rows(self) -> Sequence[str]: ...

    @property
    def cols(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class Pins:
    """Pinned tokens: rows and columns of the map."""

    rows: Annotated[tuple[int, ...], AtMost(MOST_PINS)] = ()
    columns: Annotated[tuple[int, ...], AtMost(MOST_PINS)] = ()

    def fitted(self, drawn: Mapped) -> Pins | None:
        """The same, or None where a row or column is not there."""
        there = all(row < len(drawn.rows) for row in self.rows)
        return self if there and all(column < len(drawn.cols) for column in self.columns) else None


NO_PINS: Final = Pins()


@dataclass(frozen=True)
class OpenMap:
    """One map as it is drawn: exact numbers, or a byte a weight where many heads are laid over each other.

    `hidden` is what each row gave to tokens that were taken out.
    """

    name: str
    subject: str
    hidden: tuple[float, ...] | None
    values: NDArray[np.float32] | NDArray[np.uint8]


@dataclass(frozen=True)
class HeadData:
    """One to eight maps over the same tokens. Raises `InputError` for maps that do not fit their mode, labels or each other.

    Rows of the decoder are named by the words they write.
    """

    maps: InitVar[HeadMap | Sequence[HeadMap]]
    rows: Sequence[str]
    cols: Sequence[str]
    _: KW_ONLY
    kind: Kind
    # "weights" and "contribution" are in 0..1, "difference" of two maps in −1..1, "scores" and "masked" before the softmax,
    # "length" from 0 to the top of `quantity`.
    mode: Mode = "weights"
    title: str = ""
    tag: str = ""
    subtitle: str = ""
    total: InitVar[int | None] = None  # rows to draw when the decode has not written them all yet
    current: int | None = None  # the row that the sentence is about when nothing is hovered
    reads: Sequence[str] = ()  # the words that rows of the decoder read
    one_label: bool = False  # rows have one label each, and what they write is not known
    distribution: bool = True  # False: rows do not sum to 1 (a maximum over heads)
    pins: Pins = NO_PINS
    viewed: Viewed = Viewed()  # the reader's threshold, colour scale and part
    # Pins and view are sent to Python (one rerun a change), so that a link can hold them.
    report: bool = False
    file: str = ""
    # All heads by the weight that they give the pinned cell, the largest first: layer, head and the whole percent.
    ranking: Sequence[tuple[int, int, int]] = ()
    bare: bool = False  # the page draws the card around it
    quantity: Quantity | None = None  # what contributions and lengths are
    unit: Unit = field(init=False)
    heads: tuple[OpenMap, ...] = field(init=False)
    pairs: tuple[tuple[int, int], ...] = field(init=False)
    written: int = field(init=False)

    def __post_init__(self, maps: HeadMap | Sequence[HeadMap], total: int | None) -> None:
        chosen = [maps] if isinstance(maps, HeadMap) else list(maps)
        values = _numbers(chosen, self.kind, self.mode, self.quantity is not None and self.quantity.aside)
        queries, keys = values[0].shape
        names = [head.name or _name(head) for head in chosen]
        exact = len(values)
        if UNITS[self.mode] == "share":  # only shares fit a byte
            exact = max(1, min(exact, EXACT_NUMBERS // max(1, queries * keys)))
        blank = max(0, (total or 0) - queries)
        derive(
            self,
            kind=kind_name(self.kind),
            rows=axis_labels(self.rows, queries, "query") + ["·"] * blank,
            cols=axis_labels(self.cols, keys, "key"),
            reads=read_labels(self.reads, queries),
            title=self.title
            or (
                tr("Heads {names}", names=", ".join(names))
                if len(names) > 1
                else tr("Head {name}", name=", ".join(names))
            ),
            current=self.current if self.current is not None and 0 <= self.current < queries else None,
            pins=Pins(
                tuple(int(row) for row in self.pins.rows if 0 <= row < queries),
                tuple(int(column) for column in self.pins.columns if 0 <= column < keys),
            ),
            file=file_stem(self.file or f"{self.kind}-head-{'-'.join(names)}-{self.mode}"),
            unit=UNITS[self.mode],
            heads=tuple(
                OpenMap(
                    name=name,
                    subject=head.subject or subject_of(head.layer, head.head),
                    hidden=shares(head.hidden, queries),
                    values=numbers if k < exact else to_bytes(np.nan_to_num(numbers)),
                )
                for k, (name, head, numbers) in enumerate(zip(names, chosen, values, strict=True))
            ),
            pairs=tuple((head.layer, head.head) for head in chosen) if all(map(_single, chosen)) else (),
            written=queries,
        )


HEAD = View("head", HeadData, pinned=Pins, viewed=Viewed)


def _numbers(
    maps: Sequence[HeadMap], kind: Kind, mode: Mode, aside: bool = False
) -> list[NDArray[np.float32]]:
    """The maps to draw together, checked one by one and against each other."""
    if not 1 <= len(maps) <= MOST_HEADS:
        raise InputError(f"{len(maps)} heads were given; between 1 and {MOST_HEADS} can be drawn together.")
    if mode not in get_args(Mode):
        raise InputError(f"Cannot draw {mode!r}; choose one of {', '.join(get_args(Mode))}.")
    values = [_values(head.values, mode, hides_later(kind, head.values), aside) for head in maps]
    if any(value.shape != values[0].shape for value in values):
        raise InputError("Maps drawn together must have the same tokens; their shapes differ.")
    return values


def _values(values: ArrayLike, mode: str, causal: bool, aside: bool = False) -> NDArray[np.float32]:
    """One map as float32 with NaN where attending is not allowed; checks the range its mode promises. `aside`: the
    last column is no token, and no mask hides it.
    """
    shape = np.shape(values)
    if len(shape) != 2 or shape[1] == 0:
        raise InputError(f"A map has shape {shape}; one head is (queries, keys).")
    full = only_allowed(values, causal, mode).astype(np.float32)
    if aside:
        full[:, -1] = np.asarray(values)[:, -1]
    finite = full[np.isfinite(full)]
    low, high = {"share": (0.0, 1.0), "points": (-1.0, 1.0), "length": (0.0, np.inf)}.get(
        UNITS[mode], (-np.inf, np.inf)
    )
    if finite.size and (finite.min() < low - 1e-3 or finite.max() > high + 1e-3):
        raise InputError(
            f"Numbers drawn as {mode} must lie between {low:.0f} and {high:.0f}, "
            f"these go from {finite.min():.3g} to {finite.max():.3g}; choose the mode that fits them."
        )
    return full


def _name(head: HeadMap) -> str:
    if head.layer is not None and head.head is not None:
        return f"{head.layer}.{head.head}"
    return subject_of(head.layer, head.head).removeprefix("the ")


def _single(head: HeadMap) -> bool:
    return head.layer is not None and head.head is not None


Head = tuple[int, int]
"""Layer and head, counted from 0."""


@dataclass(frozen=True)
class Opened:
    """The heads that stand open, the first and those laid over it; none when the reader closed them."""

    heads: Annotated[tuple[Head, ...], AtMost(MOST_HEADS)]


# Which heads are outlined the wall hears from the open head in the browser, so that opening one sends no wall.
WALL = View("wall", WallData, picked=Opened, arranged=Arranged)


Look = Literal["rows", "large", "small", "heading"]


@dataclass(frozen=True)
class OneHead:
    """A head of the model; layer and head count from 0."""

    kind: Kind
    layer: int
    head: int

    def fitted(self, drawn: TilesData) -> OneHead | None:
        """The same, or None where no such head is drawn."""
        listed = {(tile.kind, tile.layer, tile.head) for group in drawn.groups for tile in group.tiles}
        return self if (self.kind, self.layer, self.head) in listed else None


@dataclass(frozen=True)
class OneGroup:
    """A group, by its number from 0."""

    number: int

    def fitted(self, drawn: TilesData) -> OneGroup | None:
        """The same, or None where there is no such group, or its name is no button."""
        fits = self.number < len(drawn.groups) and drawn.groups[self.number].presses
        return self if fits else None


@dataclass(frozen=True)
class Tile:
    """A head's small map.

    `value` stands beside its name and `share` of 1 is a bar below, marked at `threshold`, with a line from `low` to `high`
    and a notch at `chance`; `n` is the number of sentences. `off`: crossed out; `held`: a lock in place of the cross. `hint` is its whole description, for the pointer and screen readers.
    """

    kind: Kind
    layer: int
    head: int
    hint: str
    value: str = ""
    share: float | None = None
    threshold: float | None = None
    low: float | None = None
    high: float | None = None
    chance: float | None = None
    n: int | None = None
    off: bool = False
    held: bool = False


@dataclass(frozen=True)
class Group:
    """Heads under one name. `presses`: what a click on the name does; without words it is no button. `counts` explains `count`."""

    name: str
    kind: Kind
    tiles: tuple[Tile, ...]
    look: Look = "large"
    means: str = ""
    count: str = ""
    presses: str = ""
    counts: str = ""


@dataclass(frozen=True)
class Option:
    """One of the choices over the tiles; a `hint` says why it is not `enabled`."""

    value: str
    label: str
    enabled: bool = True
    hint: str = ""


@dataclass(frozen=True)
class Choice:
    """The choices over the tiles and the one that is chosen."""

    label: str
    options: tuple[Option, ...]
    chosen: str


@dataclass(frozen=True)
class KindMaps:
    """All maps of one kind, one byte a cell as the wall has them; `marked`: the cell that is outlined."""

    heads: int
    shape: tuple[int, int]
    causal: bool
    marked: tuple[int, int] | None
    levels: NDArray[np.uint8]


def kind_maps(
    weights: ArrayLike,
    kind: Kind,
    marked: tuple[int, int] | None = None,
    open_future: bool = False,
) -> KindMaps:
    """The maps (L, H, T, S) of a kind; a marked cell is where long maps are reduced too."""
    full = np.asarray(weights)
    if full.ndim != 4 or 0 in full.shape:
        raise InputError(f"Weights have shape {full.shape}; tiles need (layers, heads, queries, keys).")
    drawn, (tall, wide) = head_pictures(full)
    cell = None
    if marked is not None and marked[0] < full.shape[2] and marked[1] < full.shape[3]:
        cell = marked[0] // tall, marked[1] // wide
    causal = hides_later(kind, full) and not open_future
    return KindMaps(full.shape[1], (drawn.shape[2], drawn.shape[3]), causal, cell, drawn.ravel())


@dataclass(frozen=True)
class TilesData:
    """Groups of small maps. `switches`: each is pressed or not, else one is open. `maps` holds the kinds that are drawn."""

    groups: Sequence[Group]
    maps: Mapping[str, KindMaps]
    _: KW_ONLY
    title: str
    subtitle: str = ""
    open: OneHead | None = None
    switches: bool = False
    choice: Choice | None = None
    notes: Sequence[str] = ()
    name: InitVar[str] = "heads"
    file: str = field(init=False)

    def __post_init__(self, name: str) -> None:
        kinds = {kind_name(tile.kind) for group in self.groups for tile in group.tiles}
        if missing := kinds - set(self.maps):
            raise InputError(f"The maps of {', '.join(sorted(missing))} are missing; give them too.")
        derive(self, file=file_stem(name))


TILES = View("tiles", TilesData, picked=OneHead, pressed=OneGroup, chosen=str)
