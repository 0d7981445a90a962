"""The card of Inspect that compares the options of the checkpoint in use with those of another."""

from __future__ import annotations

import streamlit as st

from core.analysis.readout import isolated
from core.language import tr
from ui.models import model_card
from ui.session import state
from ui.shared import cards, checkpoints
from ui.shared.checkpoints import Entry
from ui.shared.context import CheckpointView


def draw_differences(shown: CheckpointView) -> None:
    """Two checkpoints' options that differ, side by side, and a line of the others; nothing where there is only one."""
    others = [
        entry for entry in checkpoints.entries() if not entry.problem and entry.name != shown.entry.name
    ]
    if not others:
        return
    with cards.card("differ", fill=False):
        other, sentence = checkpoints.partner(shown.selection.other_checkpoint, others)
        if sentence:
            cards.quiet(sentence)
        _table(shown.entry, other, [entry.name for entry in others])


def _table(one: Entry, other: Entry, names: list[str]) -> None:
    rows = model_card.compared(one.config, other.config)
    rows.insert(0, (tr("size"), model_card.size_words(one), model_card.size_words(other)))
    different = [row for row in rows if row[1] != row[2]]
    titles = [model_card.title(each) for each in (one, other)]
    with st.container(horizontal=True, vertical_alignment="center", key="versus"):
        cards.title(
            tr(
                "{first} and {second} differ in {count} of {total} options",
                first=isolated(titles[0]),
                second=isolated(titles[1]),
                count=len(different),
                total=len(rows),
            )
        )
        bound = state.bind("other_checkpoint", shown=other.name)
        cards.listing(tr("compare with"), {name: name for name in names}, bound, 240)
    with st.container(key="versus_stacks"):
        _, left, right = st.columns([0.24, 0.38, 0.38], gap=None)
    for column, entry in ((left, one), (right, other)):
        with column:
            cards.stacks(
                ((each.kind, each.name, each.layers, each.heads) for each in model_card.stacks(entry.config)),
                largest=8,
            )
    if different:
        cards.table(different, (tr("option"), *titles), name="config")
    if same := [f"{name} ({mine})" for name, mine, theirs in rows if mine == theirs]:
        cards.quiet(tr("The same in both: {options}.", options=", ".join(same)))
