"""Heads as small maps in named groups: a click answers the head; a row of choices can stand over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.maps import hides_later
from core.errors import InputError
from ui.shared.checks import file_stem, kind_name
from ui.shared.mount import View
from ui.shared.wall_data import head_pictures
from ui.style.theme import Kind
from ui.web.contract import derive

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

    `value` stands beside its name and `share` of 1 is a bar below, marked at `threshold`. `off`: crossed out; `held`: a
    lock in place of the cross. `hint` is its whole description, for the pointer and screen readers.
    """

    kind: Kind
    layer: int
    head: int
    hint: str
    value: str = ""
    share: float | None = None
    threshold: float | None = None
    off: bool = False
    held: bool = False


@dataclass(frozen=True)
class Group:
    """Heads under one name. `presses`: what a click on the name does; without words it is no button."""

    name: str
    kind: Kind
    tiles: tuple[Tile, ...]
    look: Look = "large"
    means: str = ""
    count: str = ""
    presses: str = ""


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
