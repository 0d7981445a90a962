"""The mistakes people make when they write a Transformer, each beside the correct model on the same weights and input.

A pitfall is the core with one operation replaced: by hooks, by a layer that shares its weights with the model, or by a
mask. A faulty variant lives for one study and has no configuration of its own, so it is never saved and never loaded.

    study = pitfall("scale-by-d-model").study(checkpoint.model, Sentence.of(trace, spell))
    study.right.values, study.wrong.values     # two maps, rows attend to columns
    study.numbers                              # the symptom, right and wrong
"""

from __future__ import annotations

from typing import Final

from core.errors import InputError
from core.learning import heads_pitfalls, mask_pitfalls, position_pitfalls, stream_pitfalls, view_pitfalls
from core.learning.study import IDS, Pitfall

_ROOMS: Final = (heads_pitfalls, position_pitfalls, mask_pitfalls, stream_pitfalls, view_pitfalls)
_FOUND: Final[dict[str, Pitfall]] = {each.id: each for room in _ROOMS for each in room.PITFALLS}


def pitfall(name: str) -> Pitfall:
    """The pitfall of this id. Raises `InputError` that lists those there are."""
    if name not in _FOUND:
        raise InputError(f"There is no pitfall {name!r}; choose one of {', '.join(IDS)}.")
    return _FOUND[name]


def pitfalls() -> tuple[Pitfall, ...]:
    """All of them, in reading order."""
    return tuple(_FOUND[name] for name in IDS)
