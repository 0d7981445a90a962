"""The heads of a model over a corpus: maps of the three kinds and the table of one; a click opens a head."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict, get_args

import numpy as np
from numpy.typing import NDArray

from core.analysis.corpus_scores import ATLAS_SCORES
from core.analysis.roles import ROLES
from core.model.hooks import ATTENTION
from ui.heads.atlas import COLUMNS, KINDS, Measured
from ui.session.selection import Sort
from ui.session.state import reported
from ui.shared.checks import file_stem, kind_name
from ui.shared.mount import register
from ui.style.theme import Kind

_mount = register("atlas")
_NO_ROLE = "none"


class AtlasData(TypedDict):
    """Words in `meta`; `numbers` are (heads, scores, 7) flattened, as `Measured.numbers`."""

    meta: dict[str, Any]
    numbers: NDArray[np.float32]


@dataclass(frozen=True)
class Listed:
    """How the reader lists the heads: order by `score`, those of one layer or role alone ("none": without a role)."""

    sort: Sort = "model"
    score: str = ""
    layer: int | None = None
    role: str = ""


def atlas_data(
    measured: Measured,
    *,
    kind: Kind,
    opened: tuple[int, int],
    listed: Listed = Listed(),
    title: str,
    subtitle: str = "",
    file_name: str = "heads",
) -> AtlasData:
    """All heads of an atlas; `kind` is the one whose table is shown and `opened` (layer, head) its open head."""
    rows = measured.rows
    present = [each for each in KINDS if any(row.kind == each for row in rows)]
    meta: dict[str, Any] = {
        "kind": kind_name(kind),
        "kinds": [
            {"kind": each, "words": ATTENTION[each].label, "name": ATTENTION[each].name} for each in present
        ],
        "title": title,
        "subtitle": subtitle,
        "heads": [
            {
                "kind": row.kind,
                "layer": row.layer,
                "head": row.head,
                "roles": [role.name for role, _ in row.roles],
                "place": None if row.place is None else [round(value, 6) for value in row.place],
            }
            for row in rows
        ],
        "scores": [
            {
                "name": score.name,
                "label": score.label,
                "units": score.units,
                "low": score.low,
                "high": None if score.name.startswith("distance") else score.high,
                "definition": score.definition,
                "told": [list(line) for line in score.details],
            }
            for score in ATLAS_SCORES.values()
        ],
        "columns": {each: list(names) for each, names in COLUMNS.items()},
        "roles": [role.name for role in ROLES],
        "open": [kind, *opened],
        "sentences": measured.atlas.sentences,
        "arranged": [listed.sort, listed.score, listed.layer, listed.role],
        "file": file_stem(file_name),
    }
    return {"meta": meta, "numbers": measured.numbers.ravel()}


def atlas_view(
    atlas: AtlasData,
    *,
    on_picked: Callable[[Kind, int, int], None],
    on_listed: Callable[[Listed], None],
    key: str = "atlas",
) -> None:
    """Draw maps and table; `on_picked` gets the head that is opened, `on_listed` how the reader lists them."""
    heads = {(row["kind"], row["layer"], row["head"]) for row in atlas["meta"]["heads"]}

    def picked() -> None:
        found = _head(reported(key, "picked"))
        if found is not None and found in heads:
            on_picked(*found)

    def listed() -> None:
        found = _listed(reported(key, "arranged"))
        if found is not None:
            on_listed(found)

    _mount(key=key, data=atlas, on_picked_change=picked, on_arranged_change=listed)


def _head(value: object) -> tuple[Kind, int, int] | None:
    """The browser's head, or None when it is not one."""
    parts = list(value) if isinstance(value, (list, tuple)) else []
    if len(parts) != 3 or parts[0] not in KINDS:
        return None
    if not all(isinstance(part, (int, float)) and 0 <= part < 1e4 for part in parts[1:]):
        return None
    return parts[0], int(parts[1]), int(parts[2])


def _listed(value: object) -> Listed | None:
    """The browser's listing, or None when it is not one."""
    parts = list(value) if isinstance(value, (list, tuple)) else []
    if len(parts) != 4 or parts[0] not in get_args(Sort):
        return None
    sort, score, layer, role = parts
    known: Mapping[str, object] = ATLAS_SCORES
    named = score == "" or (isinstance(score, str) and score in known)
    roled = role in ("", _NO_ROLE, *(each.name for each in ROLES))
    placed = layer is None or (isinstance(layer, (int, float)) and 0 <= layer < 1e4)
    if not (named and roled and placed):
        return None
    return Listed(sort, score, None if layer is None else int(layer), role)
