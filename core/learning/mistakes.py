"""Every mistake that this project knows: its name, the code, its symptom, the assertion that catches it.

The page Mistakes shows each of `PITFALLS` on a model, by its study (`core.learning.study`). `core.check` names them, and
the mistakes that have no page, in a `Verdict` (`core.learning.calling`). All are in mistakes.toml. Imports no torch.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from core.errors import InputError
from core.schema import build


@dataclass(frozen=True)
class Mistake:
    """A mistake with a page. `found_in`: the letters of the tutorials that make it, or words.

    `finding` is the symptom in one sentence, with the numbers {right} and {wrong} of `Study.numbers[number]`. `sketch` is
    what was written, in our own words of Python; `test` is the line that would have caught it. `verdicts` are
    the sentences of `core.check` by the way in which the mistake shows, none where a check cannot see it.
    """

    id: str
    title: str
    found_in: str
    explanation: str
    see: str
    finding: str
    number: int
    sketch: str
    test: str
    verdicts: Mapping[str, str] = field(default_factory=dict)


_FILE: Final[Mapping[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
PITFALLS: Final[tuple[Mistake, ...]] = tuple(build(Mistake, each, "a mistake") for each in _FILE["mistakes"])
IDS: Final = tuple(each.id for each in PITFALLS)
VERDICTS: Final[Mapping[str, str]] = {
    **{f"{each.id}.{way}".rstrip("."): words for each in PITFALLS for way, words in each.verdicts.items()},
    **_FILE["verdicts"],
}
"""The sentences by mistake and by the way in which it shows; the last ones have no page."""


def mistake(name: str) -> Mistake:
    """The mistake of this id. Raises `InputError` that lists those with a page."""
    if name not in IDS:
        raise InputError(f"There is no pitfall {name!r}; choose one of {', '.join(IDS)}.")
    return PITFALLS[IDS.index(name)]
