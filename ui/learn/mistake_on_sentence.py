"""One mistake on one sentence: its study, its finding in words, its two maps, and what the model writes with it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from core.analysis.readout import minus
from core.errors import InputError
from core.language import message, tr
from core.learning.mistakes import mistake
from ui.session.selection import Selection
from ui.shared import checkpoints
from ui.shared.checkpoints import Entry
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.two_maps import Pair, Side

if TYPE_CHECKING:
    from core.learning.faulty_output import Output
    from core.learning.mistakes import Mistake
    from core.learning.study import Map, Sentence, Study, Unit

STAND_IN: Final = "paper"
"""The tutorial model that can show every mistake: the paper's own choices."""
NAMES: Final = (message("the correct model"), message("the code as written"))
_OPEN_FUTURE: Final = ("no-causal-mask", "mask-leaks")


@dataclass(frozen=True)
class MistakeOnSentence:
    """A mistake, its study, and the checkpoint and decode of it. `unfit`: why the checkpoint in use cannot show it."""

    pitfall: Mistake
    study: Study
    shown: DecodeView
    unfit: str = ""

    @property
    def finding(self) -> str:
        """The symptom in one sentence, with its number beside the correct model's."""
        number = self.study.numbers[self.pitfall.number]
        values = {"right": number.right, "wrong": number.wrong}
        return tr(
            self.pitfall.finding, **{name: spoken(value, number.unit) for name, value in values.items()}
        )


def on_sentence(shown: DecodeView, name: str) -> MistakeOnSentence:
    """The mistake `name` on this decode. Raises `AtlasError` where nothing can show it."""
    from core.learning.pitfalls import pitfall

    computed = pitfall(name)
    if unfit := computed.unfit(shown.entry.config):
        entry = stand_in(computed.unfit, unfit)
        shown = CheckpointView(entry, Selection(checkpoint=entry.name), shown.device).decoded

    def make() -> Study:
        return computed.study(shown.load().model, _sentence(shown))

    return MistakeOnSentence(mistake(name), shown.memo(("pitfall", name), make, heavy=True), shown, unfit)


def _sentence(shown: DecodeView) -> Sentence:
    from core.learning.study import Sentence

    return Sentence.of(shown.decode.trace, shown.load().target_tokenizer.labels)


def output(shown: DecodeView, name: str) -> Output:
    """What the model of this decode writes for its sentence with the mistake `name` in it."""
    from core.learning import faulty_output

    def make() -> Output:
        return faulty_output.output(name, shown.load().model, _sentence(shown))

    return shown.memo(("faulty output", name), make, heavy=True)


def text_of(shown: DecodeView, written: Output) -> str:
    """The text of an output; empty where nothing is written."""
    return shown.decode.text if written.same else shown.load().target_tokenizer.decode(list(written.ids))


def stand_in(unfit: Callable[..., str], why: str) -> Entry:
    """A listed model that can show what the one in use cannot. Raises `InputError` that says why that one cannot."""
    listed = [each for each in checkpoints.entries() if not each.problem]
    listed.sort(key=lambda each: each.name != STAND_IN)
    for each in listed:
        if not unfit(each.config):
            return each
    raise InputError(tr("{why} No other checkpoint here can show it either.", why=why))


def map_pair(comparison: MistakeOnSentence) -> Pair:
    """The correct and the wrong map, titled with the finding."""
    from core.learning.study import in_language

    study = comparison.study
    names = tuple(tr(name) for name in NAMES)
    right, wrong = (
        _side(each, name, comparison.pitfall.id)
        for each, name in zip((study.right, study.wrong), names, strict=True)
    )
    where = tr(
        "{where}, on “{sentence}”",
        where=in_language(study.right.where),
        sentence=comparison.shown.decode.source_text,
    )
    return Pair(study.right.kind, right, wrong, comparison.finding, where)


def _side(drawn: Map, name: str, pitfall: str) -> Side:
    sums = drawn.values.sum(-1)[~np.isnan(drawn.values).any(-1)]
    rows_sum = bool(np.allclose(sums[sums > 0], 1, atol=1e-3))
    return Side(
        drawn.values,
        drawn.rows,
        drawn.columns,
        name,
        distribution=rows_sum,
        open_future=pitfall in _OPEN_FUTURE,
        reads=drawn.reads,
    )


def spoken(value: float, unit: Unit) -> str:
    """A number of a symptom as it is shown; a dash where there is none."""
    if math.isnan(value):
        return "—"
    if unit == "share":
        return f"{100 * value:.1f} %" if abs(value) >= 0.001 or value == 0 else f"{100 * value:.1g} %"
    if unit in ("count", "rows"):
        return f"{value:,.0f}"
    if unit == "nats":
        return f"{value:.2f} nats"
    return minus(f"{value:.3g}")
