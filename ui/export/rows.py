"""What the rows and columns of an exported map are called, and the sentence it is of. Nothing here draws."""

from __future__ import annotations

from dataclasses import dataclass

from core.model.trace import Trace
from ui.style.theme import Kind

ONE_COLUMN, TWO_COLUMNS = 85.0, 174.0
"""Widths in millimetres that most journals ask for."""


@dataclass(frozen=True)
class Rows:
    """The labels of a map: what each row reads and writes (the encoder's rows write nothing), and the keys."""

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    keys: tuple[str, ...]

    @property
    def named(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Labels of the rows, and what the rows read if the labels are what they write."""
        return (self.writes, self.reads) if self.writes else (self.reads, ())


def texts_of(trace: Trace) -> tuple[str, str]:
    """Source and translation as their tokens, without the end; of `core.from_maps`, the words that were given."""
    tokens = trace.tokens
    written = tokens.written or (tokens.target if trace.as_given else ())
    source, target = (
        " ".join(row[:-1] if row[-1:] == ("⟨end⟩",) else row) for row in (tokens.source, written)
    )
    return source, target


def rows_of(trace: Trace, kind: Kind) -> Rows:
    """The labels of the maps of a kind."""
    tokens = trace.tokens
    if kind == "encoder":
        return Rows(tokens.source, (), tokens.source)
    return Rows(tokens.target, tokens.written, tokens.target if kind == "causal" else tokens.source)
