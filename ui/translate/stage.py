"""The stage of the Translate page: lines, next word and map, the beam's tree, and what they mean."""

from __future__ import annotations

import streamlit as st

from core.analysis import wording
from ui.components.beam_tree import beam_tree, tree_data
from ui.components.decode_stage import Forced, View, decode_stage, stage_data
from ui.data import maps as view
from ui.data.decode import Decode
from ui.export import menu
from ui.session import state
from ui.session.selection import MEAN, Selection
from ui.shell import cards, frame
from ui.shell.frame import Shown
from ui.translate import sentence_box


@st.fragment
def stage(shown: Shown) -> None:
    """Lines, next word and map; stepping happens in the browser, only a forced word comes back here."""
    shown = shown.now()
    decode = frame.decoded(shown, say=False)
    if decode is None:
        return
    sentence_box.notes(decode, shown.selection)
    selection = shown.selection
    layer, head = sentence_box.stage_view(decode, selection)
    decode_stage(
        stage_data(
            source=decode.trace.tokens.source,
            target=decode.trace.tokens.written,
            weights=decode.trace.stacked("decoder", "cross", "weights"),
            steps=decode.steps,
            position=sentence_box.position(decode, selection),
            layer=layer,
            head=head,
            forced=decode.forced,
            notes=[str(fact) for fact in decode.facts],
        ),
        on_forced=force,
        on_view=lambda reached: rest(reached, (layer, head)),
    )
    if decode.tree:
        tree(decode, selection)
    what, why, formula = wording.translate(shown.entry.config)
    with cards.explain(
        what, why, f"{formula} Small weights are drawn a little stronger so that they can be seen."
    ):
        open_map(shown, decode, layer, head)


def open_map(shown: Shown, decode: Decode, layer: int | None, head: int | None) -> None:
    """The files of the map on the stage; layer or head None is the mean over them."""
    weights = decode.trace.stacked("decoder", "cross", "weights")
    values = view.one_map(
        weights, MEAN if layer is None else layer, MEAN if head is None else head, how="mean"
    )
    name = "-".join("mean" if each is None else str(each) for each in (layer, head))
    csv = menu.csv_source(values, decode.trace.tokens.written, decode.trace.tokens.source)
    menu.buttons(shown, decode, csv, f"cross-{name}-weights")


def tree(decode: Decode, selection: Selection) -> None:
    """Every hypothesis of the beam; a click shows the path to that word above."""

    def picked(node: int) -> None:
        state.put(state.selection().followed(node, decode.tree[node].step))

    beam_tree(tree_data(decode.tree, selection.beam, decode.node), on_picked=picked)


def force(choice: Forced) -> None:
    """Write another word here and let the decoder go on from it."""
    state.put(state.selection().forced(choice.position, choice.id))


def rest(reached: View, shown: tuple[int | None, int | None]) -> None:
    """The reader came to rest: keep the step in the URL, and layer and head once they were chosen by hand."""
    if (reached.layer, reached.head) == shown:
        state.put(state.selection().at_step(reached.position))
    else:
        state.put(state.selection().viewed(reached.position, reached.layer, reached.head))
