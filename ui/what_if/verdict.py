"""What the model writes now, and what it thinks of what it wrote before."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from core.analysis.readout import decimal, how_many, quoted
from core.errors import AtlasError
from ui.components.chart import chart
from ui.data.decode import Decode
from ui.data.what_if import Outcome
from ui.figures import what_if as figures
from ui.shell import cards, tables
from ui.shell.frame import Shown
from ui.style import theme
from ui.what_if import changes

_TITLE: Final = 90  # characters of a translation in the title


def verdict(shown: Shown, decode: Decode, found: Outcome, problem: AtlasError | None) -> None:
    """The translation before and after, and the probability of each of its words."""
    with cards.card("verdict"):
        cards.title(*heading(found))
        if problem is not None:
            cards.mistake(str(problem))
        changes.made(shown, decode)
        if found.rewritten != found.unedited:
            tables.difference(found.difference, ("before", "after"))
        if found.edits and decode.text != found.unedited:
            cards.quiet(
                "Before and after are what greedy search writes; the words below are this page’s own."
            )
        figure = figures.next_words(
            decode.trace.tokens.written,
            found.before,
            found.after,
            found.chosen,
            mode=theme.current_mode(),
            presenter=shown.selection.presenter,
        )
        chart(figure, "what_if_words")
        cards.readout(sentence(found, decode))


def heading(found: Outcome) -> tuple[list[cards.Words], str]:
    """The card's title and the line below it."""
    below = "each word of the translation: its probability before (hollow) and after (filled)"
    if not found.edits:
        return ["Switch heads off and see what the model writes instead"], below
    if found.rewritten == found.unedited:
        return ["With this change the translation stays the same"], below
    return ["Now the model writes ", (f"“{_cut(found.rewritten)}”", "b")], below


def _cut(text: str) -> str:
    """A translation that fits a title; the whole of it stands below."""
    return text if 0 < len(text) <= _TITLE else f"{text[:_TITLE].rstrip()}…"


def sentence(found: Outcome, decode: Decode) -> list[cards.Words]:
    """How much less, or more, probable the original translation has become, and which of its words most."""
    before = float(np.log(found.before).sum())
    if not found.edits:
        return [
            "The translation has log p = ",
            (decimal(before), "b"),
            f" nats, its {how_many(len(found.choices), 'token')} together. Choose a head on the wall to switch it off.",
        ]
    words: list[cards.Words] = [
        "log p of the translation: ",
        (f"{decimal(before)} → {decimal(before + found.change)} nats", "b"),
        f" ({times(found.change)}).",
    ]
    hard = found.hardest
    fall = math.log(found.after[hard]) - math.log(found.before[hard])
    if fall < -0.01:
        words += [
            " Hardest hit: ",
            (quoted(decode.trace.tokens.written[hard]), "b"),
            f", {_percent(found.before[hard])} → {_percent(found.after[hard])}.",
        ]
    return words


def times(change: float) -> str:
    """A change of log-probability as a factor: “12 times less probable”."""
    if abs(change) < 0.005:
        return "as probable as before"
    factor = math.exp(min(abs(change), 700.0))
    if factor < 2:
        return (
            f"{_percent(factor - 1)} more probable"
            if change > 0
            else f"{_percent(1 - 1 / factor)} less probable"
        )
    shown = f"{factor:,.0f}" if factor < 1e6 else f"10^{math.log10(factor):.0f}"
    return f"{shown} times {'more' if change > 0 else 'less'} probable"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.2g} %"
