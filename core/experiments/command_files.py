"""The files that the commands over a corpus read and write."""

from __future__ import annotations

import argparse
import csv
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.analysis.gold_file import SIGN
from core.analysis.readout import how_many
from core.atomic_file import replacing
from core.errors import InputError


def add_corpus_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare --checkpoint, --device, --corpus, --target and --limit."""
    place = "one a line, or FILE:COLUMN of a tab-separated file (columns from 0); .gz is read too"
    parser.add_argument("--checkpoint", required=True, metavar="DIR", help="the checkpoint's folder")
    parser.add_argument(
        "--device", default="auto", metavar="NAME", help="cpu, cuda or mps (default: the first there is)"
    )
    parser.add_argument("--corpus", required=True, metavar="FILE", help=f"sentences, {place}")
    parser.add_argument(
        "--target", metavar="FILE", help="their translations, likewise (default: what the model writes)"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="the first N sentences alone")


def corpus_pairs(corpus: str, target: str | None, limit: int | None) -> list[tuple[str, str]]:
    """The pairs of the files; a target that is not given is empty and written by the model."""
    from core.training.evaluate import read_side

    check_limit(limit)
    sources = read_side(corpus)
    targets = read_side(target) if target else [""] * len(sources)
    if len(sources) != len(targets):
        raise InputError(
            f"{corpus} has {len(sources):,} lines and {target} {len(targets):,}; give one translation a sentence."
        )
    return list(zip(sources, targets, strict=True))[:limit]


def joined_pairs(place: str, limit: int | None) -> tuple[list[tuple[str, str]], list[str] | None]:
    """The pairs of lines `sentence ||| translation`, and the gold lines where each has one as a third part.

    Raises `InputError` naming the line that has neither two nor three parts, or another number than the first.
    """
    from core.training.data import read_lines

    check_limit(limit)
    rows = [[part.strip() for part in line.split(SIGN)] for line in read_lines(place)[:limit]]
    for number, row in enumerate(rows, start=1):
        if len(row) not in (2, 3) or len(row) != len(rows[0]):
            raise InputError(
                f"Line {number} of {place} has {how_many(len(row), 'part')}; write: sentence {SIGN} translation, in every "
                f"line, or sentence {SIGN} translation {SIGN} 1-1 2p3; or give the translations with --target."
            )
    gold = [row[2] for row in rows] if rows and len(rows[0]) == 3 else None
    return [(row[0], row[1]) for row in rows], gold


def check_limit(limit: int | None) -> None:
    """Raise `InputError` for a number of sentences below 1."""
    if limit is not None and limit < 1:
        raise InputError(f"--limit is {limit}; give a whole number from 1 on.")


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """A table as CSV, whole or not at all; a number that is not known is empty. Raises `InputError` where it cannot be written."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    with replacing(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        writer = csv.writer(text)
        writer.writerow(names)
        for row in rows:
            writer.writerow([_cell(row.get(name, "")) for name in names])
        text.flush()
        text.detach()


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:.9g}" if math.isfinite(value) else ""
    return value
