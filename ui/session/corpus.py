"""A corpus of the reader's own: sentences, each with a translation or without. Pure."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from core.errors import InputError
from core.language import numeral, tr
from ui.session.selection import TEXT_LIMIT

MOST_LINES: Final = 5_000
MOST_CHARACTERS: Final = 1_000_000
LONGEST_LINE: Final = TEXT_LIMIT  # characters: a link must be able to open it


@dataclass(frozen=True)
class Corpus:
    """(sentence, translation) pairs; an empty translation is written by the model."""

    name: str
    pairs: tuple[tuple[str, str], ...]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the sentences, to tell two corpora apart."""
        checksum = hashlib.sha256()
        for pair in self.pairs:
            checksum.update("\t".join(pair).encode("utf-8", "replace") + b"\n")
        return checksum.hexdigest()


def read_corpus(text: str, name: str) -> Corpus:
    """A corpus from text: a sentence a line, its translation after a tab where there is one; empty lines are passed over.

    Raises `InputError` in one sentence for nothing to read, too much of it, or a line with more than one tab.
    """
    if len(text) > MOST_CHARACTERS:
        raise InputError(
            tr(
                "This text has {count} characters; at most {most} are measured here. For more use `python -m core heads`.",
                count=numeral(len(text), ","),
                most=numeral(MOST_CHARACTERS, ","),
            )
        )
    pairs = []
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1):
        cells = [cell.strip() for cell in line.split("\t")]
        if not any(cells):
            continue
        if len(cells) > 2 or not cells[0]:
            raise InputError(
                tr(
                    "Line {number} has {count} columns; give a sentence, or a sentence, a tab and its translation.",
                    number=number,
                    count=len(cells),
                )
            )
        if max(map(len, cells)) > LONGEST_LINE:
            raise InputError(
                tr(
                    "Line {number} has {count} characters; at most {most} are read. Shorten it.",
                    number=number,
                    count=numeral(max(map(len, cells)), ","),
                    most=numeral(LONGEST_LINE, ","),
                )
            )
        pairs.append((cells[0], cells[1] if len(cells) == 2 else ""))
    if not pairs:
        raise InputError(tr("The text holds no sentence; give at least one, one a line."))
    if len(pairs) > MOST_LINES:
        raise InputError(
            tr(
                "The text has {count} sentences; at most {most} are measured here. For more use `python -m core heads`.",
                count=numeral(len(pairs), ","),
                most=numeral(MOST_LINES, ","),
            )
        )
    return Corpus(name, tuple(pairs))


def decoded(content: bytes) -> str:
    """The text of an uploaded file. Raises `InputError` where it is not UTF-8 text."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"The file is not UTF-8 text (byte {error.start}); save it as UTF-8.") from None
    if "\0" in text:
        raise InputError("The file is no text; give sentences, one a line.")
    return text
