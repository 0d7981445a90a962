"""The What if page: the translation before and after the edits, the heads as switches, and each word's probability."""

from __future__ import annotations

import html
from dataclasses import replace
from pathlib import Path
from typing import Final

import streamlit as st

from core.analysis.readout import rewriting
from core.errors import AtlasError
from core.experiments.edits import UNEDITED, Edits
from core.language import message, tr
from ui.app import frame
from ui.session import state
from ui.shared import cards, what_if
from ui.shared.context import DecodeView
from ui.shared.mount import chart, drawn, theme_watch
from ui.shared.pinned import pinned_pair
from ui.shared.two_lines import style, two_lines
from ui.shared.what_if import Outcome
from ui.style import theme
from ui.what_if import breaking, changes, figures, finding, heads


def inject() -> None:
    """Put the page's CSS into it."""
    style()
    st.html(f"<style>{Path(__file__).with_name('what_if.css').read_text('utf-8')}</style>")


@st.fragment
def views(shown: DecodeView) -> None:
    """Controls, translation, heads, probabilities, the slider of a pinned pair, and one head before and after."""
    shown = shown.now()
    state.write_url()
    kind = cards.kind_of(shown.selection.kind)
    waiting = _waiting(shown)
    outcome, problem = (waiting, None) if waiting else _outcome(shown)
    if outcome is None:
        return
    layers, each = outcome.maps_before[kind].shape[:2]
    changes.row(shown, kind, (layers, each))
    if waiting:
        verdict_to_come(shown, waiting)
    else:
        verdict(shown, outcome, problem)
    left, right = st.columns([0.46, 0.54], gap="small")
    with left:
        heads.switches(shown, outcome, kind, known=waiting is None)
    with right:
        probabilities(shown, replace(outcome, edits=UNEDITED) if waiting else outcome)
    if waiting:
        theme_watch()
        _compute(shown, waiting.edits)
        return
    breaking.card(shown, kind)
    heads.before_and_after(shown, outcome, kind)
    cards.explain(
        tr("Ablate heads, or change masks and positions, and the model writes again."),
        tr("Attention shows where a head looks. Ablate it to see whether it matters."),
        more(bool(shown.entry.examples)),
        name="what_if",
        keys={key: tr(what) for key, what in KEYS.items()},
    )
    theme_watch()


def verdict(shown: DecodeView, outcome: Outcome, problem: AtlasError | None) -> None:
    """The translation before and after, its differing words marked, and the sentence about them."""
    with cards.card("verdict"):
        cards.title(finding.title(outcome, shown.decode, shown.entry))
        if problem is not None:
            cards.mistake(str(problem))
        changes.made(shown)
        st.html(two_lines(rewriting(outcome.unedited, outcome.rewritten)))
        pair = pinned_pair(shown.decode, shown.selection)
        words = finding.sentence(outcome, shown.decode, pair)
        if outcome.edits and shown.decode.text != outcome.unedited:
            words += " " + tr("Both lines are written by greedy search.")
        st.html(f'<p class="atlas-verdict">{html.escape(words)}</p>')


def verdict_to_come(shown: DecodeView, outcome: Outcome) -> None:
    """The translation before the edits, and room for the one after them, while the model is loading."""
    with cards.card("verdict"):
        cards.title(tr("{given} the model writes …", given=finding.condition(outcome.edits, shown.decode)))
        changes.made(shown)
        st.html(two_lines(rewriting(outcome.unedited, outcome.unedited), after="…"))
        words = tr("Loading {name} …", name=shown.entry.name)
        st.html(f'<p class="atlas-verdict" role="status">{html.escape(words)}</p>')


def probabilities(shown: DecodeView, outcome: Outcome) -> None:
    """Each word's probability before and after, and that of the whole translation."""
    decode = shown.decode
    with cards.card("probabilities"):
        cards.title(
            finding.falls_title(outcome, decode),
            tr("Probability of each word of the translation, in %, given the words before it"),
        )
        pair = pinned_pair(decode, shown.selection)
        pinned = pair.pin.query if pair is not None and pair.pin.kind != "encoder" else None
        figure = drawn(
            figures.next_words,
            decode.trace.tokens.written,
            decode.trace.tokens.target,
            outcome.before,
            outcome.after,
            outcome.chosen,
            pinned=pinned,
            edited=bool(outcome.edits),
            mode=theme.current_mode(),
            presenter=shown.selection.enlarged,
        )
        chart(figure, "what_if_words")
        cards.readout(finding.total_sentence(outcome))


_MORE: Final = message(
    "**Zero**: the head's output is 0. **Mean**: its output averaged over {sentences}, at every position. **Uniform**: the same "
    "weight on everything that it may look at. **Freeze**: it keeps the weights of the run without edits, whatever else "
    "changes.\n\nProbabilities are those of the original translation, each word given the ones before it: "
    "$\\log p(y \\mid x) = \\sum_t \\log p(y_t \\mid y_{{<t}}, x)$. The line “After” is greedy search with the edits in force "
    "at every step. **Zero** and **Mean** change what a head adds, not where it looks: the maps of later layers move, its "
    "own stays. **Uniform** and a moved weight change its own map too. How far a map moved is half the absolute change of a "
    "row, averaged over the rows. Heads are written layer.head, counted from 0. Every edit is in the link."
)
KEYS: Final = {
    "← ↑ → ↓": message("From head to head, from cell to cell"),
    "Enter": message("Ablate or restore the head, pin the cell"),
    "+, −": message("Move the weight of the cell"),
}


def more(named: bool) -> str:
    """What the words and numbers are; `named`: the card names example sentences for a head's mean."""
    return tr(_MORE, sentences=tr("the example sentences") if named else tr("this sentence"))


def _waiting(shown: DecodeView) -> Outcome | None:
    """The outcome before the edits in force, where theirs has to wait for the model; None where it has not."""
    edits, trace = what_if.edits_in_force(shown), shown.decode.trace
    if not edits or shown.is_loaded or not shown.decode.stored:
        return None
    try:
        edits.check(trace.config, len(trace.source_ids), len(trace.written_ids))
    except AtlasError:
        return None
    return replace(what_if.outcome(shown, UNEDITED), edits=edits)


def _compute(shown: DecodeView, edits: Edits) -> None:
    """Compute the outcome of the edits and draw the page again; where that cannot be, one sentence says why."""
    try:
        what_if.outcome(shown, edits)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    st.rerun()


def _outcome(shown: DecodeView) -> tuple[Outcome | None, AtlasError | None]:
    """Before and after; where the edits do not fit, before alone and why."""
    edits = what_if.edits_in_force(shown)
    try:
        if edits and not shown.is_loaded:
            with frame.loading(shown.entry.name, shown.text, waits=True):
                return what_if.outcome(shown, edits), None
        return what_if.outcome(shown, edits), None
    except AtlasError as error:
        try:
            return what_if.outcome(shown, UNEDITED), error
        except AtlasError as other:
            cards.mistake(str(other))
            return None, other
