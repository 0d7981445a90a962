"""A gold file: sentences, their translations and hand-made alignments. Untrusted text, bounded."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from core.analysis.alignment import Gold, gold_line, read_gold
from core.errors import InputError

MOST_BYTES: Final = 2_000_000
MOST_SENTENCES: Final = 2000
LONGEST_LINE: Final = 2000
"""Characters of a sentence."""
SIGN: Final = "|||"


@dataclass(frozen=True)
class GoldFile:
    """Pairs (source, translation) with the gold alignment of each. Words are separated by spaces."""

    name: str
    pairs: tuple[tuple[str, str], ...]
    gold: tuple[Gold, ...]

    @property
    def digest(self) -> str:
        """A hash of all sentences and links."""
        digest = hashlib.sha256()
        for (source, target), gold in zip(self.pairs, self.gold, strict=True):
            digest.update(f"{source}\n{target}\n{gold_line(gold)}\n".encode("utf-8", "replace"))
        return digest.hexdigest()[:20]

    def of(self, source: str, target: str) -> Gold | None:
        """The gold alignment of a pair, None where the file does not have the pair."""
        wanted = (source.strip(), target.strip())
        return next((gold for pair, gold in zip(self.pairs, self.gold, strict=True) if pair == wanted), None)


def from_texts(name: str, source: str, target: str, links: str, first: int = 1) -> GoldFile:
    """A gold file from three texts with a line per sentence; links count from `first`. Raises `InputError` for a misfit."""
    sides = [_lines(text) for text in (source, target, links)]
    counts = [len(lines) for lines in sides]
    if len(set(counts)) > 1:
        raise InputError(
            f"The files have {counts[0]:,} sentences, {counts[1]:,} translations and {counts[2]:,} lines of links; "
            "give one of each a sentence."
        )
    return _checked(name, list(zip(sides[0], sides[1], strict=True)), sides[2], first)


def from_lines(name: str, text: str, first: int = 1) -> GoldFile:
    """A gold file from lines `sentence ||| translation ||| 1-1 2p3`. Raises `InputError` naming the line that is wrong."""
    rows = []
    for number, line in enumerate(_lines(text), start=1):
        parts = line.split(SIGN)
        if len(parts) != 3:
            raise InputError(
                f"Line {number} has {len(parts)} parts; write: sentence {SIGN} translation {SIGN} 1-1 2p3."
            )
        rows.append(parts)
    return _checked(name, [(row[0], row[1]) for row in rows], [row[2] for row in rows], first)


def line_of(source: Sequence[str], target: Sequence[str], gold: Gold) -> str:
    """One line of such a file, from words and their alignment."""
    return f"{' '.join(source)} {SIGN} {' '.join(target)} {SIGN} {gold_line(gold)}"


def _lines(text: str) -> list[str]:
    if len(text) > MOST_BYTES:
        raise InputError(f"The gold file has {len(text):,} characters; at most {MOST_BYTES:,} are read.")
    lines = text.removeprefix("\ufeff").split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _checked(name: str, pairs: list[tuple[str, str]], links: list[str], first: int) -> GoldFile:
    if not pairs:
        raise InputError("The gold file is empty; give at least one sentence with its translation and links.")
    if len(pairs) > MOST_SENTENCES:
        raise InputError(f"The gold file has {len(pairs):,} sentences; at most {MOST_SENTENCES:,} are read.")
    kept, golds = [], read_gold(links, first)
    for number, ((source, target), gold) in enumerate(zip(pairs, golds, strict=True), start=1):
        sides = (("sentence", source.strip()), ("translation", target.strip()))
        for which, text in sides:
            if not text or len(text) > LONGEST_LINE:
                raise InputError(
                    f"Line {number}: the {which} has {len(text):,} characters; give 1 to {LONGEST_LINE:,}."
                )
        for side, (which, text) in enumerate(sides):
            words, last = len(text.split()), max((link[side] for link in gold.possible), default=-1)
            if last >= words:
                raise InputError(
                    f"Line {number} links word {last + first} of a {which} with {words} words between spaces; "
                    f"words count from {first}, the {'sentence' if side == 0 else 'translation'} "
                    f"{'before' if side == 0 else 'after'} the hyphen."
                )
        kept.append((sides[0][1], sides[1][1]))
    return GoldFile(name, tuple(kept), tuple(golds))
