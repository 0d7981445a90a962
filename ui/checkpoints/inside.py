"""Inside a checkpoint: its options in words, its parameters, its checks; and two checkpoints' options together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import AtlasError
from ui.checkpoints import model_card, parameters
from ui.components.chart import chart
from ui.data import resources, weights
from ui.data.entry import Entry
from ui.figures.parameters import histogram
from ui.importing import wizard
from ui.session import state
from ui.shell import cards, tables
from ui.shell.frame import Shown
from ui.style import theme

if TYPE_CHECKING:
    from core.analysis.parameters import ParameterLine


def draw(shown: Shown) -> None:
    """The checkpoint in use: its options and checks beside its parameters."""
    left, right = st.columns([1, 1.25], gap="small")
    try:
        lines = parameters.in_order(weights.parameter_lines(shown.entry))
    except AtlasError as error:
        lines = []
        cards.mistake(str(error))
    with left:
        with cards.card("options", fill=False):
            cards.title(
                [(model_card.title(shown.entry), "b"), " in words"], model_card.size_words(shown.entry)
            )
            tables.table(model_card.config_rows(shown.entry.config))
        _trust(shown)
    if lines:
        with right:
            _shares(lines)
            _parameters(lines)
            _spread(shown, lines)


def _shares(lines: Sequence[ParameterLine]) -> None:
    with cards.card("shares", fill=False):
        parts = parameters.shares(lines)
        total = sum(part.parameters for part in parts)
        cards.title(f"Where its {total:,} numbers are", "every number the model learned, once")
        tables.bar((part.kind, part.name, f"{part.parameters:,}", part.fraction) for part in parts)


def _trust(shown: Shown) -> None:
    with cards.card("checks", fill=False):
        cards.title("What this model was checked for", "on its own examples; the largest deviation found")
        report = resources.trust(shown.entry)
        if report is None and resources.device_line(shown.entry, shown.device) is None:
            cards.quiet("The model is loading; its checks follow.")
        elif report is None and st.button("Check it now", key="widget_check"):
            try:
                with st.spinner("Checking …"):
                    report = resources.run_trust(shown.entry, shown.device)
            except AtlasError as error:
                cards.mistake(str(error))
        if report is not None:
            wizard.draw_report(report)
            cards.quiet(report.meaning)


def _parameters(lines: Sequence[ParameterLine]) -> None:
    dtypes = list(dict.fromkeys(line.dtype for line in lines))
    kinds = f"all {dtypes[0]}" if len(dtypes) == 1 else ", ".join(dtypes)
    with cards.card("parameters", fill=False):
        cards.title(
            f"{len(lines)} tensors as they are stored",
            f"{kinds}; mean, standard deviation and length (√ of the sum of squares) of each one's numbers",
        )
        rows = [
            (line.name, " × ".join(map(str, line.shape)), f"{line.mean:.4f}", f"{line.std:.4f}", f"{line.norm:.2f}")
            for line in lines
        ]  # fmt: skip
        tables.table(rows, ("name", "shape", "mean", "deviation", "length"), name="numbers")


def _spread(shown: Shown, lines: Sequence[ParameterLine]) -> None:
    with cards.card("histogram", fill=False):
        names = [line.name for line in lines]
        scale = theme.PRESENTER_SCALE if shown.selection.presenter else 1
        first = next((place for place, name in enumerate(names) if name.endswith("norm.weight")), 0)
        with st.container(horizontal=True, vertical_alignment="center"):
            cards.title("Spread of the numbers in")
            chosen = st.selectbox(
                "parameter",
                names,
                index=first,
                key="widget_parameter",
                label_visibility="collapsed",
                width=round(380 * scale),
            )
        line = lines[names.index(chosen)]
        cards.quiet(parameters.meaning(chosen))
        values = weights.parameter_values(shown.entry, chosen)
        figure = histogram(
            values,
            mode=theme.current_mode(),
            hue=parameters.hue(chosen),
            presenter=shown.selection.presenter,
        )
        chart(figure, "histogram")
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)
        cards.readout(
            f"{values.size:,} numbers from {low:.3f} to {high:.3f}, mean {line.mean:.4f}, deviation {line.std:.4f}."
        )


def differ(shown: Shown) -> None:
    """Two checkpoints' options side by side, what differs first and in ink."""
    others = [entry for entry in resources.entries() if not entry.problem and entry.name != shown.entry.name]
    with cards.card("differ", fill=False):
        if not others:
            cards.title("There is only one checkpoint", "bring another to see in what they differ")
            return
        other, sentence = resources.partner(shown.selection.other_checkpoint, others)
        if sentence:
            cards.quiet(sentence)
        _table(shown.entry, other, [entry.name for entry in others])


def _table(one: Entry, other: Entry, names: list[str]) -> None:
    rows = model_card.compared(one.config, other.config)
    rows.insert(0, ("size", model_card.size_words(one), model_card.size_words(other)))
    different = [place for place, (_, mine, theirs) in enumerate(rows) if mine != theirs]
    titles = [model_card.title(each) for each in (one, other)]
    with st.container(horizontal=True, vertical_alignment="center", key="versus"):
        cards.title(
            [
                (titles[0], "b"),
                " and ",
                (titles[1], "b"),
                f" differ in {len(different)} of {len(rows)} options",
            ],
            "what differs stands first",
        )
        bound = state.bind("other_checkpoint", shown=other.name)
        st.selectbox("compare with", names, label_visibility="collapsed", width=240, **bound)
    with st.container(key="versus_stacks"):
        _, left, right = st.columns([0.24, 0.38, 0.38], gap=None)
    for column, entry in ((left, one), (right, other)):
        with column:
            tables.stacks(
                ((each.kind, each.name, each.layers, each.heads) for each in model_card.stacks(entry.config)),
                largest=8,
            )
    tables.table(rows, ("option", *titles), different, "config")
