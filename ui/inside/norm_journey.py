"""One token's way through norms and sub-layers: its rows of the tables of a decode."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from core.analysis import norms as analysis
from core.model.trace import Trace


@dataclass(frozen=True)
class Journey:
    """One token: which stack, where, its label, and its rows of the tables."""

    stack: str
    token: int
    label: str
    norms: pd.DataFrame
    sublayers: pd.DataFrame
    stream: pd.DataFrame  # all tokens of the stack

    @property
    def name(self) -> str:
        """As the URL writes it: s3 or t2."""
        return f"{'s' if self.stack == 'encoder' else 't'}{self.token}"


@dataclass(frozen=True)
class Tables:
    """What the norms and sub-layers do to every token of a decode; made once, cut to one token at a time."""

    norms: pd.DataFrame
    sublayers: pd.DataFrame
    stream: pd.DataFrame

    @property
    def size(self) -> int:
        """Bytes, the labels not counted."""
        return sum(int(table.memory_usage().sum()) for table in (self.norms, self.sublayers, self.stream))


def tables(trace: Trace) -> Tables:
    """The tables of a trace that has recorded `core.analysis.norms.RECORD`."""
    return Tables(analysis.norm_table(trace), analysis.sublayer_table(trace), analysis.stream_table(trace))


def journey(trace: Trace, stack: str, token: int, made: Tables | None = None) -> Journey:
    """The tables of one token, cut from `made`. The trace must have recorded `core.analysis.norms.RECORD`."""
    made = made or tables(trace)
    labels = trace.tokens.source if stack == "encoder" else trace.tokens.target

    def of(table: pd.DataFrame) -> pd.DataFrame:
        return table[(table["stack"] == stack) & (table["token"] == token)].reset_index(drop=True)

    return Journey(
        stack,
        token,
        labels[token],
        of(made.norms),
        of(made.sublayers),
        made.stream,
    )
