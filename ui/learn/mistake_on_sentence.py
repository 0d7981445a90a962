"""One mistake on one sentence: its study, its finding in words, its two maps, what the model writes with it; a small map; and the game."""

from __future__ import annotations

import html
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from core.analysis.readout import capitalised, minus, row_name
from core.errors import InputError
from core.language import message, numeral, tr
from core.learning.mistakes import mistake
from ui.session.selection import Selection
from ui.shared import checkpoints
from ui.shared.checkpoints import Entry
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.two_maps import Pair, Side
from ui.style.theme import PALETTES, Mode, readable_on

if TYPE_CHECKING:
    from core.learning.mistakes import Mistake
    from core.learning.study import Map, Output, Sentence, Study, Unit


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
    from core.learning import pitfalls

    def make() -> Output:
        return pitfalls.output(name, shown.load().model, _sentence(shown))

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
    raise InputError.tr("{why} No other checkpoint here can show it either.", why=why)


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
        where=capitalised(in_language(study.right.where)),
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
        return (
            f"{numeral(100 * value, '.1f')} %"
            if abs(value) >= 0.001 or value == 0
            else f"{numeral(100 * value, '.1g')} %"
        )
    if unit in ("count", "rows"):
        return numeral(value, ",.0f")
    if unit == "nats":
        return tr("{value} nats", value=numeral(value, ".2f"))
    return minus(f"{value:.3g}")


# -- a map as an HTML table, which grows with a slide ---------------------------------------------------------

GAMMA: Final = 0.6  # keeps small weights visible, as on every map
WRITTEN: Final = 0.095  # weights from here on have their percentage in the cell


def map_html(drawn: Map, mode: Mode, caption: str) -> str:
    """The map with its labels: decoder rows by the word they read and the word they write."""
    palette = PALETTES[mode]
    colour = palette.kind(drawn.kind)
    head = "".join(f"<th scope=col><span>{html.escape(word)}</span></th>" for word in drawn.columns)
    reads = drawn.reads or ("",) * len(drawn.rows)
    rows = []
    for word, read, values in zip(drawn.rows, reads, drawn.values, strict=True):
        before = f"<i>{html.escape(read)} → </i>" if read else ""
        tip = html.escape(row_name(read, word) if read else word)
        cells = "".join(_cell(float(value), colour, palette.panel, palette.ink) for value in values)
        rows.append(f'<tr><th scope=row title="{tip}">{before}<b>{html.escape(word)}</b></th>{cells}</tr>')
    return (
        f'<div class="atlas-map-room"><table class="atlas-map" style="--columns:{len(drawn.columns)};--rows:{len(drawn.rows)}">'
        f"<caption>{html.escape(caption)}</caption>"
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _cell(value: float, colour: str, panel: str, ink: str) -> str:
    """One cell: hatched where it is not a number, with its percentage where the weight is large enough to be read."""
    if not np.isfinite(value):
        return "<td class=nan>NaN</td>"
    share = min(1.0, max(0.0, value)) ** GAMMA
    fill = mixed(colour, panel, share)
    text = numeral(100 * value, ".0f") if value >= WRITTEN else ""
    return f'<td style="background:{fill};color:{readable_on(fill, ink, panel)}">{text}</td>'


def mixed(one: str, other: str, share: float) -> str:
    """`share` of the first colour and the rest of the second."""
    parts = [
        round(share * a + (1 - share) * b) for a, b in zip(_channels(one), _channels(other), strict=True)
    ]
    return "#" + "".join(f"{part:02x}" for part in parts)


def _channels(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return red, green, blue


# -- the game -------------------------------------------------------------------------------------------------

ROUNDS: Final = 10
CHOICES: Final = 4
OTHERS: Final[Mapping[str, tuple[str, ...]]] = {
    "head-split-view": ("scale-by-d-model", "heads-attend-heads", "no-causal-mask", "axes-swapped"),
    "heads-attend-heads": ("head-split-view", "merge-without-transpose", "axes-swapped", "scale-by-d-model"),
    "merge-without-transpose": ("scale-by-d-model", "masked-row-nan", "no-causal-mask", "std-plus-eps"),
    "scale-by-d-model": ("head-split-view", "heads-attend-heads", "masked-row-nan", "no-embedding-scale"),
    "cross-qkv-swapped": ("axes-swapped", "alignment-layer-ignored", "no-causal-mask", "beams-not-reordered"),
    "no-embedding-scale": ("std-plus-eps", "scale-by-d-model", "heads-attend-heads", "no-causal-mask"),
    "pe-exponent-doubled": ("no-embedding-scale", "heads-attend-heads", "head-split-view", "axes-swapped"),
    "no-causal-mask": ("mask-leaks", "target-padding-unmasked", "masked-row-nan", "mask-truth-value"),
    "mask-leaks": ("no-causal-mask", "target-padding-unmasked", "mask-truth-value", "scale-by-d-model"),
    "target-padding-unmasked": ("masked-row-nan", "no-causal-mask", "mask-leaks", "mask-truth-value"),
    "mask-truth-value": ("masked-row-nan", "no-causal-mask", "mask-leaks", "target-padding-unmasked"),
    "masked-row-nan": ("mask-truth-value", "target-padding-unmasked", "no-causal-mask", "heads-attend-heads"),
    "axes-swapped": ("cross-qkv-swapped", "no-causal-mask", "alignment-layer-ignored", "beams-not-reordered"),
}
"""Each mistake that one map and what the model writes give away, and the names that stand beside its own.

The other five cannot be seen in one map: they need a second pass, another width, or training.
"""


@dataclass(frozen=True)
class Round:
    """The mistake of a round, and the names to choose from, which hold it."""

    answer: str
    names: tuple[str, ...]

    @property
    def right(self) -> int:
        """The choice that is right, from 1."""
        return 1 + self.names.index(self.answer)


def deal(number: int, fit: Sequence[str]) -> tuple[Round, ...]:
    """The rounds of a deal from the mistakes that the model can show; fewer than `ROUNDS` where it can show few."""
    chance = random.Random(f"mistakes {number}")
    answers = [name for name in OTHERS if name in fit]
    chance.shuffle(answers)
    rounds = []
    for answer in answers[:ROUNDS]:
        others = [name for name in OTHERS[answer] if name in fit]
        chance.shuffle(others)
        spare = [name for name in fit if name != answer and name not in others]
        names = [answer, *(others + spare)[: CHOICES - 1]]
        chance.shuffle(names)
        rounds.append(Round(answer, tuple(names)))
    return tuple(rounds)


def score(rounds: Sequence[Round], choices: Sequence[int]) -> int:
    """How many of the choices are right."""
    return sum(choice == each.right for each, choice in zip(rounds, choices, strict=False))
