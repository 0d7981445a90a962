"""The heads of a model over a corpus: maps of the three kinds and the table of one; a click opens a head."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from core.analysis.roles import ATLAS_SCORES, ROLES
from core.language import tr
from core.model.hooks import ATTENTION
from ui.heads.atlas import COLUMNS, KINDS, Measured
from ui.session.selection import Sort
from ui.shared.checks import file_stem, kind_name
from ui.shared.mount import View
from ui.style.theme import Kind
from ui.web.contract import Between, derive

_NO_ROLE = "none"


@dataclass(frozen=True)
class AtlasPick:
    """A head of the model; layer and head count from 0."""

    kind: Kind
    layer: int
    head: int

    def fitted(self, drawn: AtlasData) -> AtlasPick | None:
        """The same, or None where the model has no such head."""
        of_model = {(each.kind, each.layer, each.head) for each in drawn.heads}
        return self if (self.kind, self.layer, self.head) in of_model else None


@dataclass(frozen=True)
class Listed:
    """How the reader lists the heads: order by `score`, those of one layer or role alone ("none": without a role)."""

    sort: Sort = "model"
    score: str = ""
    layer: Annotated[int, Between(0, 9999)] | None = None
    role: str = ""

    def fitted(self, drawn: AtlasData) -> Listed | None:
        """The same, or None where there is no such score or role."""
        named = self.score in ("", *ATLAS_SCORES)
        return self if named and self.role in ("", _NO_ROLE, *drawn.roles) else None


@dataclass(frozen=True)
class AtlasKind:
    """A kind of attention that the atlas has, and its names."""

    kind: Kind
    words: str
    name: str


@dataclass(frozen=True)
class AtlasHead:
    """A head with its roles, and where its dot stands on the map, None where it has none."""

    kind: Kind
    layer: int
    head: int
    roles: tuple[str, ...]
    position: tuple[float, ...] | None


@dataclass(frozen=True)
class AtlasScore:
    """A score of the atlas; `explained` are lines of (word, what it means)."""

    name: str
    label: str
    units: str
    low: float
    high: float | None
    definition: str
    explained: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class AtlasData:
    """All heads of an atlas; `kind` selects the table and `opened` is the open head.

    `numbers` are (heads, scores, 7), as `Measured.numbers`.
    """

    measured: InitVar[Measured]
    _: KW_ONLY
    kind: Kind
    opened: AtlasPick
    listed: Listed = Listed()
    title: str
    subtitle: str = ""
    file: str = "heads"
    kinds: tuple[AtlasKind, ...] = field(init=False)
    heads: tuple[AtlasHead, ...] = field(init=False)
    scores: tuple[AtlasScore, ...] = field(init=False)
    columns: Mapping[Kind, tuple[str, ...]] = field(init=False)
    roles: tuple[str, ...] = field(init=False)
    sentences: int = field(init=False)
    numbers: NDArray[np.float32] = field(init=False)

    def __post_init__(self, measured: Measured) -> None:
        present = [kind for kind in KINDS if any(row.kind == kind for row in measured.rows)]
        derive(
            self,
            kind=kind_name(self.kind),
            file=file_stem(self.file),
            kinds=tuple(AtlasKind(kind, ATTENTION[kind].label, ATTENTION[kind].name) for kind in present),
            heads=tuple(
                AtlasHead(
                    row.kind,
                    row.layer,
                    row.head,
                    roles=tuple(role.name for role, _ in row.roles),
                    position=None if row.point is None else tuple(round(float(one), 6) for one in row.point),
                )
                for row in measured.rows
            ),
            scores=tuple(
                AtlasScore(
                    score.name,
                    tr(score.label),
                    tr(score.units),
                    score.low,
                    None if score.name.startswith("distance") else score.high,
                    tr(score.definition),
                    tuple((word, means) for word, means in score.details),
                )
                for score in ATLAS_SCORES.values()
            ),
            columns={kind: tuple(names) for kind, names in COLUMNS.items()},
            roles=tuple(role.name for role in ROLES),
            sentences=measured.atlas.sentences,
            numbers=measured.numbers,
        )


ATLAS = View("atlas", AtlasData, picked=AtlasPick, arranged=Listed)
