"""The form of a claim: what a write-up says, what comes out, and whether both agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import torch
from torch import Tensor

from core.analysis.readout import exact
from core.learning.study import Filled, Words

SEED: Final = 1
About = Literal["builds", "differs", "wrong"]
"""The columns of the Tutorials page: what a write-up builds, what it chooses otherwise than the paper, what is wrong."""


class Grid(NamedTuple):
    """A small picture of numbers in 0..1: rows of cells, with the labels of rows and columns."""

    title: Words
    values: tuple[tuple[float, ...], ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]


def grid(title: Words, values: Tensor, rows: str = "", columns: str = "") -> Grid:
    """A matrix as a picture; the letters before the numbers of its rows and columns are `rows` and `columns`."""
    height, width = values.shape
    cells = tuple(tuple(float(each) for each in row) for row in values)
    return Grid(
        title,
        cells,
        tuple(f"{rows}{n}" for n in range(1, height + 1)),
        tuple(f"{columns}{n}" for n in range(1, width + 1)),
    )


@dataclass(frozen=True)
class Claim:
    """A claim and what comes out. `finding` says it in one sentence, `says` what the write-up says.

    `rows`: (what, its number, the number computed here). `holds`: whether the write-up is right; None where no number
    decides it. `about`: the column of the page. `pitfall`: the mistake that shows it on a sentence. `source`: (label,
    address) of what else the verdict rests on. `beyond`: what cannot be computed.
    """

    id: str
    finding: Filled
    says: Filled
    rows: tuple[tuple[Filled, str, str], ...]
    holds: bool | None
    about: About = "builds"
    pitfall: str = ""
    source: tuple[str, str] = ("", "")
    beyond: str = ""
    grids: tuple[Grid, ...] = ()


class Outcome(NamedTuple):
    """What comes out of a claim: whether it holds, the fields of its sentences, and of each row where they differ."""

    holds: bool | None
    fields: Mapping[str, str]
    rows: Sequence[Mapping[str, str]] = ()
    grids: tuple[Grid, ...] = ()

    def with_grids(self, *grids: Grid) -> Outcome:
        """The same with small pictures."""
        return self._replace(grids=grids)


def outcome(holds: bool | None, *rows: Mapping[str, object], **fields: object) -> Outcome:
    """An outcome from any values, as text."""
    in_rows = [{name: str(value) for name, value in row.items()} for row in rows]
    return Outcome(holds, {name: str(value) for name, value in fields.items()}, in_rows)


def seeded() -> torch.Generator:
    """The same random numbers each time."""
    return torch.Generator().manual_seed(SEED)


def small(error: float) -> str:
    """A rounding error as one digit and a power: 3 · 10⁻⁶; zero as 0."""
    if error == 0:
        return "0"
    digit, _, power = f"{error:.0e}".partition("e")
    raised = str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{digit} · 10{raised}"


def percent(share: float) -> str:
    """A share as whole percents, without the sign."""
    return exact(100 * share, 0)


def raised(run: Callable[[], object]) -> str:
    """The name of the exception that `run` raises; a tick where it runs."""
    try:
        run()
    except Exception as error:  # whatever the construction of a write-up raises is its result
        return type(error).__name__
    return "✓"
