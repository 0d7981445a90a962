"""Inside a checkpoint: its options in words, its parameters, its checks; and two checkpoints' options together."""

from __future__ import annotations

import streamlit as st

from core.errors import AtlasError
from ui import card_view, import_panel, resources, state, theme
from ui.components import facts, furniture
from ui.figures.parameters import histogram
from ui.frame import Shown
from ui.summary import Entry


def draw(shown: Shown) -> None:
    """The checkpoint in use: options and checks beside parameters."""
    left, right = st.columns([1, 1.4], gap="small")
    with left:
        with furniture.card("options"):
            furniture.title([(shown.entry.name, "b"), " in words"], card_view.size_words(shown.entry))
            facts.table(card_view.config_rows(shown.entry.config))
        _trust(shown)
    with right:
        try:
            _parameters(shown)
        except AtlasError as error:
            furniture.mistake(str(error))


def _trust(shown: Shown) -> None:
    with furniture.card("promises"):
        furniture.title("What this model was checked for", "on its own examples; the largest deviation found")
        report = resources.trust(shown.entry)
        if report is None and st.button("Check it now", key="widget_check"):
            try:
                with st.spinner("Checking …"):
                    report = resources.run_trust(shown.entry, shown.device)
            except AtlasError as error:
                furniture.mistake(str(error))
        if report is not None:
            import_panel.draw_report(report)


def _parameters(shown: Shown) -> None:
    lines = resources.parameter_lines(shown.entry)
    with furniture.card("parameters"):
        furniture.title(
            f"{len(lines)} tensors as they are stored",
            "mean, standard deviation and length of each one's numbers",
        )
        rows = [
            (line.name, " × ".join(map(str, line.shape)), line.dtype, f"{line.mean:.4f}", f"{line.std:.4f}", f"{line.norm:.2f}")
            for line in lines
        ]  # fmt: skip
        facts.table(rows, ("name", "shape", "dtype", "mean", "std", "norm"), name="numbers")
    with furniture.card("histogram"):
        names = [line.name for line in lines]
        first = next((place for place, name in enumerate(names) if name.endswith("norm.weight")), 0)
        chosen = st.selectbox(
            "parameter", names, index=first, key="widget_parameter", label_visibility="collapsed"
        )
        line = lines[names.index(chosen)]
        furniture.title(["How the numbers of ", (chosen, "b"), " are spread"], _meaning(chosen))
        values = resources.parameter_values(shown.entry, chosen)
        figure = histogram(values, mode=theme.current_mode(), presenter=shown.selection.presenter)
        st.plotly_chart(figure, theme=None, key="histogram", config={"displayModeBar": False})
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)
        furniture.readout(
            f"{values.size:,} numbers from {low:.3f} to {high:.3f}, mean {line.mean:.4f}, deviation {line.std:.4f}."
        )


def _meaning(name: str) -> str:
    if "norm" in name and name.endswith("weight"):
        return "γ, the gain of a norm: 1 lets a dimension through as it is"
    if "norm" in name and name.endswith("bias"):
        return "β, what a norm adds to each dimension"
    return "a narrow peak about 0 is usual; a second bump or a far tail is worth a look"


def differ(shown: Shown) -> None:
    """Two checkpoints' options side by side, what differs first and in ink."""
    others = [entry for entry in resources.entries() if not entry.problem and entry.name != shown.entry.name]
    with furniture.card("differ"):
        if not others:
            furniture.title("There is only one checkpoint", "bring another to see in what they differ")
            return
        names = [entry.name for entry in others]
        wished = state.selection().other_checkpoint
        if st.session_state.get("widget_against") not in names:
            st.session_state["widget_against"] = wished if wished in names else names[0]
        name = st.selectbox("compare with", names, key="widget_against", on_change=_against)
        _table(shown.entry, others[names.index(name)])


def _against() -> None:
    state.update(other_checkpoint=st.session_state["widget_against"])


def _table(one: Entry, other: Entry) -> None:
    rows = card_view.compared(one.config, other.config)
    rows.insert(0, ("size", card_view.size_words(one), card_view.size_words(other)))
    different = [place for place, (_, mine, theirs) in enumerate(rows) if mine != theirs]
    furniture.title(
        [(one.name, "b"), " and ", (other.name, "b"), f" differ in {len(different)} of {len(rows)} options"]
    )
    facts.table(rows, ("option", one.name, other.name), different, "config")
