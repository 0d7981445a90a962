"""What the write-ups say, recomputed: each claim with its numbers, right or a mistake.

The words are this project's own, in the `.toml` beside each module; numbers that a write-up prints are quoted as numbers. A
function of a module builds the same thing as the write-up in PyTorch and computes the fields of one claim's sentences.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from core.learning.claims import a, b, c, d, e, paper, shared
from core.learning.claims.claim import Claim, Outcome

_MODULES: Final = (paper, a, b, c, d, e, shared)
_TEXTS: Final[tuple[Mapping[str, Any], ...]] = tuple(
    text
    for module in _MODULES
    for text in tomllib.loads(Path(module.__file__ or "").with_suffix(".toml").read_text("utf-8"))["claims"]
)
_OUTCOMES: Final[Mapping[str, Callable[[], Outcome]]] = {
    name: made for module in (paper, a, b, c, d, e) for name, made in module.OUTCOMES.items()
}


@cache
def claims(name: str) -> tuple[Claim, ...]:
    """The claims of a write-up, "paper" or "t5"; mistakes first. Computed once in a process."""
    made = [_claim(text, _computed(text["id"], name)) for text in _TEXTS if name in text["of"]]
    return tuple(sorted(made, key=lambda claim: claim.holds is not False))


def _computed(of: str, name: str) -> Outcome:
    made = partial(shared.OUTCOMES[of], name) if of in shared.OUTCOMES else _OUTCOMES[of]
    return made()


def _claim(text: Mapping[str, Any], computed: Outcome) -> Claim:
    fields, templates = computed.fields, text["rows"]
    of_rows = computed.rows or [fields] * len(templates)
    rows = tuple(
        ((row["what"], own), row["theirs"].format(**own), row["ours"].format(**own))
        for row, own in zip(templates * (len(of_rows) // len(templates)), of_rows, strict=True)
    )
    label, _, address = text.get("source", "").partition(" <")
    return Claim(
        text["id"],
        (text["finding"], fields),
        (text["says"], fields),
        rows,
        computed.holds,
        about="wrong" if computed.holds is False else text.get("about", "builds"),
        pitfall=text.get("pitfall", ""),
        source=(label, address.rstrip(">")),
        beyond=text.get("beyond", ""),
        grids=computed.grids,
    )
