"""Which words two texts share, and which only one of them has."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Literal

Part = tuple[Literal["same", "missing", "extra"], str]


def word_difference(before: str, after: str) -> list[Part]:
    """Runs of words, cut at spaces: the same, missing (only in `before`) and extra (only in `after`)."""
    wanted, found = before.split(), after.split()
    parts: list[Part] = []
    for kind, a, b, c, d in SequenceMatcher(None, wanted, found, autojunk=False).get_opcodes():
        if kind == "equal":
            parts.append(("same", " ".join(wanted[a:b])))
            continue
        parts += [("missing", " ".join(wanted[a:b]))] if a < b else []
        parts += [("extra", " ".join(found[c:d]))] if c < d else []
    return parts
