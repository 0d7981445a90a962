"""The What if page: the translation after the edits, the probability of the original one, and the page's views."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import streamlit as st

from core.analysis.readout import decimal, how_many, quoted
from core.errors import AtlasError
from core.experiments.edits import Edits
from ui.session import state
from ui.shared import cards, tables, what_if
from ui.shared.context import DecodeView
from ui.shared.decode import Decode
from ui.shared.mount import chart, drawn, theme_watch
from ui.shared.what_if import Outcome
from ui.style import theme
from ui.what_if import changes, figures, heads

_TITLE: Final = 90  # characters of a translation in the title


def verdict(shown: DecodeView, outcome: Outcome, problem: AtlasError | None) -> None:
    """The translation before and after, and the probability of each of its words."""
    decode = shown.decode
    with cards.card("verdict"):
        cards.title(*heading(outcome))
        if problem is not None:
            cards.mistake(str(problem))
        changes.made(shown)
        if outcome.rewritten != outcome.unedited:
            tables.difference(outcome.difference, ("before", "after"))
        if outcome.edits and decode.text != outcome.unedited:
            cards.quiet(
                "Before and after are what greedy search writes; the words below are this page’s own."
            )
        figure = drawn(
            figures.next_words,
            decode.trace.tokens.written,
            outcome.before,
            outcome.after,
            outcome.chosen,
            mode=theme.current_mode(),
            presenter=shown.selection.enlarged,
        )
        chart(figure, "what_if_words")
        cards.readout(sentence(outcome, decode))


def heading(outcome: Outcome) -> tuple[list[cards.Words], str]:
    """The card's title and subtitle."""
    below = "each word of the translation: its probability before (hollow) and after (filled)"
    if not outcome.edits:
        return ["Switch heads off and see what the model writes instead"], below
    if outcome.rewritten == outcome.unedited:
        return ["With this change the translation stays the same"], below
    return ["Now the model writes ", (f"“{_cut(outcome.rewritten)}”", "b")], below


def _cut(text: str) -> str:
    """A translation that fits a title; the whole of it stands below."""
    return text if 0 < len(text) <= _TITLE else f"{text[:_TITLE].rstrip()}…"


def sentence(outcome: Outcome, decode: Decode) -> list[cards.Words]:
    """How much the probability of the original translation changed, and which word lost most."""
    before = float(np.log(outcome.before).sum())
    if not outcome.edits:
        return [
            "The translation has log p = ",
            (decimal(before), "b"),
            f" nats, its {how_many(len(outcome.choices), 'token')} together. Choose a head on the wall to switch it off.",
        ]
    words: list[cards.Words] = [
        "log p of the translation: ",
        (f"{decimal(before)} → {decimal(before + outcome.change)} nats", "b"),
        f" ({times(outcome.change)}).",
    ]
    hard = outcome.hardest
    fall = math.log(outcome.after[hard]) - math.log(outcome.before[hard])
    if fall < -0.01:
        words += [
            " Hardest hit: ",
            (quoted(decode.trace.tokens.written[hard]), "b"),
            f", {_percent(outcome.before[hard])} → {_percent(outcome.after[hard])}.",
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


_MORE = (
    "**Zero**: the head's output is 0. **Its mean**: at every position its mean output over {sentences}, "
    "so that what it always says stays and what it says of {this} goes. **Even**: it gives the same "
    "weight to everything it may look at. **Frozen**: it keeps the pattern of the unchanged run, whatever else changes. "
    "\n\nProbabilities are those of the original translation, each word given the ones before it: "
    "$\\log p(y \\mid x) = \\sum_t \\log p(y_t \\mid y_{<t}, x)$. What the model writes instead is greedy search with the "
    "changes in force at every step. **Zero** and **its mean** change what a head adds and not where it looks: the maps "
    "above it move, and its own stays. **Even** and a moved weight change its own map too; **frozen** holds it. The "
    "number under a picture is half the absolute change of a row, averaged over the rows. Heads are written layer.head, "
    "counted from 0. Every change is in the link."
)
KEYS = {
    "← ↑ → ↓": "from head to head, from cell to cell",
    "Enter": "switches the head, pins the cell",
    "+, −": "moves the weight of the cell",
}


def more(named: bool) -> str:
    """What the words and numbers are; `named`: the card names example sentences for a head's mean."""
    means = (
        ("the checkpoint's example sentences", "this sentence")
        if named
        else ("this sentence, since the card names no examples", "each position")
    )
    # Formulas have braces of their own.
    return _MORE.replace("{sentences}", means[0]).replace("{this}", means[1])


@st.fragment
def views(shown: DecodeView) -> None:
    """Controls, translation, and one head before and after."""
    shown = shown.now()
    state.write_url()
    kind = cards.kind_of(shown.selection.kind)
    outcome, problem = _outcome(shown)
    if outcome is None:
        return
    layers, each = outcome.maps_before[kind].shape[:2]
    changes.row(shown, kind, (layers, each))
    # In presenter mode both fit on screen and the translation is the larger.
    left, right = st.columns([0.85, 1] if shown.selection.presenter else [1.25, 1], gap="small")
    with left:
        heads.wall(shown, outcome, kind)
    with right:
        verdict(shown, outcome, problem)
    cards.explain(
        "Switch off, freeze or move what a head does, and the model writes again.",
        "Where a head looks is a picture; what is lost without it is a measurement.",
        more(bool(shown.entry.examples)),
        name="what_if",
        keys=KEYS,
    )
    heads.before_and_after(shown, outcome, kind)
    theme_watch()


def _outcome(shown: DecodeView) -> tuple[Outcome | None, AtlasError | None]:
    """Before and after; where the edits do not fit, before alone and why."""
    edits = shown.selection.edits
    try:
        if edits and not shown.is_loaded:
            with st.spinner("Loading the model …", show_time=False):
                return what_if.outcome(shown, edits), None
        return what_if.outcome(shown, edits), None
    except AtlasError as error:
        try:
            return what_if.outcome(shown, Edits()), error
        except AtlasError as other:
            cards.mistake(str(other))
            return None, other
