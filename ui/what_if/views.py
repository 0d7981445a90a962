"""The views of the What if page, and what they mean."""

from __future__ import annotations

import streamlit as st

from core.errors import AtlasError
from core.experiments.edits import Edits
from ui.components.theme_watch import theme_watch
from ui.data import resources, what_if
from ui.data.decode import Decode
from ui.data.what_if import Outcome
from ui.session import state
from ui.shell import cards
from ui.shell.frame import Shown
from ui.what_if import changes, heads, survey, why
from ui.what_if.verdict import verdict

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
def views(shown: Shown, decode: Decode) -> None:
    """Switches, translation, one head, the heads that matter, and why a word was written."""
    shown = shown.now()
    state.write_url()
    kind = cards.kind_of(shown.selection.kind)
    found, problem = _outcome(shown, decode)
    if found is None:
        return
    layers, each = found.maps_before[kind].shape[:2]
    changes.row(shown, decode, kind, (layers, each))
    # In a lecture hall both are in sight, and what the model writes is the larger.
    left, right = st.columns([0.85, 1] if shown.selection.presenter else [1.25, 1], gap="small")
    with left:
        heads.wall(shown, decode, found, kind)
    with right:
        verdict(shown, decode, found, problem)
    cards.explain(
        "Switch off, freeze or move what a head does, and the model writes again.",
        "Where a head looks is a picture; what is lost without it is a measurement.",
        more(bool(shown.entry.examples)),
        name="what_if",
        keys=KEYS,
    )
    heads.before_and_after(shown, decode, found, kind)
    survey.survey(shown, decode)
    why.why(shown, decode)
    theme_watch()


def _outcome(shown: Shown, decode: Decode) -> tuple[Outcome | None, AtlasError | None]:
    """Before and after; where the edits do not fit, before alone and why."""
    edits = shown.selection.edits
    try:
        if edits and not resources.is_loaded(shown.entry, shown.device):
            with st.spinner("Loading the model …", show_time=False):
                return what_if.outcome(shown.entry, decode, edits, shown.device), None
        return what_if.outcome(shown.entry, decode, edits, shown.device), None
    except AtlasError as error:
        try:
            return what_if.outcome(shown.entry, decode, Edits(), shown.device), error
        except AtlasError as other:
            cards.mistake(str(other))
            return None, other
