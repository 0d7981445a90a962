"""What a step's measures are for the model and sentence in force, and the link that a step opens with them filled in."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from core.analysis.norms import RECORD
from core.errors import AtlasError
from core.learning.lesson import Step, Value
from core.learning.lesson_file import filled
from core.learning.measures import Scene, measure, written
from ui.data import maps, resources, weights, what_if
from ui.data.decode import Decode
from ui.session import link
from ui.session.selection import MEAN, Selection
from ui.shell import cards
from ui.shell.frame import Shown

_KEPT: Final = ("answers", "language", "presenter")  # what stays the reader's own from step to step


@dataclass(frozen=True)
class Numbers:
    """The measures of one step. `shown.selection` is the step's own view: not what the reader made of it since."""

    shown: Shown

    def value(self, name: str) -> Value:
        """Raises `AtlasError` where this model, or this sentence, has no such number."""
        return measure(name, self.scene)

    def written(self, name: str, decimal: str = ".") -> str:
        """The same for a reader; “–” where there is none."""
        try:
            return written(name, self.value(name), decimal)
        except (AtlasError, IndexError):
            return "–"

    @cached_property
    def decode(self) -> Decode:
        return self.shown.decode()

    @cached_property
    def scene(self) -> Scene:
        """What the step shows, as the page that it opens shows it."""
        shown, decode, selection = self.shown, self.decode, self.shown.selection
        kind = cards.kind_of(selection.kind)
        every = maps.maps_of(decode, kind, shown.entry.tokenizers)
        layer, head = maps.chosen(selection, every)
        if MEAN in (layer, head):
            layer, head = every.first or (0, 0)
        return Scene(
            trace=decode.trace,
            translation=decode.text,
            kind=kind,
            head=(layer, head),
            row=_row(selection, every),
            token=_token(selection, decode),
            stream=lambda: resources.recorded(shown.entry, decode, RECORD, shown.device),
            table=lambda length: weights.position_table(
                shown.entry, "encoder", min(length, shown.entry.config.max_length), shown.device
            ),
            edited=lambda: what_if.outcome(shown.entry, decode, selection.edits, shown.device),
            zeroed=lambda: what_if.outcome(shown.entry, decode, selection.edits.zeroed(), shown.device),
        )


def _row(selection: Selection, every: maps.Maps) -> int:
    """The row a step speaks of: the pinned one, or that of its token, or of its last written word, or the last."""
    rows, _ = maps.pinned(every, selection)
    last = len(every.queries.labels) - 1
    if rows:
        return min(rows[0], last)
    if every.kind != "encoder" and selection.step:
        return min(selection.step - 1, last)
    return last


def _token(selection: Selection, decode: Decode) -> int:
    """The source token a step speaks of; the first word where it names none."""
    last = len(decode.trace.source_ids) - 1
    return min(int(selection.token[1:]), last) if selection.token.startswith("s") else 0


def opened(step: Step, name: str, now: Selection, shown: Shown) -> Selection:
    """The selection of a step's own view. `name` is the step's in links, "attention.3".

    A step that names no checkpoint keeps the one in use. Measures in its link are those of its model and sentence; where
    they cannot be found, or make no sense there, the page chooses.
    """
    return _opened(step, name, now, shown, {"checkpoint": now.checkpoint, **step.link})


def of_step(step: Step, name: str, now: Selection, shown: Shown) -> Numbers:
    """The measures of a step's own view, but of the model and the sentence that are in use now."""
    used = {"checkpoint": now.checkpoint} | ({} if now.text is None else {"text": now.text})
    own = {key: value for key, value in step.link.items() if key != "text"}
    return Numbers(Shown(shown.entry, _opened(step, name, now, shown, {**own, **used}), shown.device))


def _opened(step: Step, name: str, now: Selection, shown: Shown, params: Mapping[str, str]) -> Selection:
    kept = {field: getattr(now, field) for field in _KEPT}
    plain = {key: value for key, value in params.items() if "{" not in value}
    selection = dataclasses.replace(link.parse(plain)[0], lesson=name, **kept)
    if len(plain) == len(params):
        return selection
    entry, _ = resources.find(selection.checkpoint)
    whole = filled(params, Numbers(Shown(entry, selection, shown.device)).written)
    return dataclasses.replace(link.parse(whole)[0], lesson=name, **kept)
