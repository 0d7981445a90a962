"""The stage of the Translate page: lines, next word and map, the beam's tree, and what they mean."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import streamlit as st

from core.analysis import wording
from core.analysis.glossary import MEASURES
from core.language import message, tr
from core.model.hooks import ATTENTION
from ui.app import frame
from ui.export import menu
from ui.session import state
from ui.session.selection import MEAN, Selection
from ui.shared import cards, maps
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.decode import Decode
from ui.shared.make_decode import options
from ui.shared.mount import mount
from ui.translate import own, sentence_box
from ui.translate import trouble as data
from ui.translate.beam_tree import TREE, PickedNode, TreeData
from ui.translate.stage_view import STAGE, TROUBLE, Drawn, Forced, OpensHead, StageData, StageLook, StripData

SAME: Final = message("It opens for every sentence.")
RESTS: Final = message(
    "Small weights are drawn a little stronger so that they stay visible. A new sentence writes itself; Home returns to "
    "its start, to step by hand, and covers the words to come. A link with a step opens at that step; others open the "
    "finished translation."
)


KIND_NAME: Final = message("cross-attention")


@st.fragment
def stage(shown: CheckpointView) -> None:
    """Lines, next word and map; stepping happens in the browser, only a forced word comes back here."""
    view = frame.decoded(shown.now(), say=False)
    if view is None:
        return
    decode, selection = view.decode, view.selection
    own.strip(view)
    search = repr((shown.entry.name, decode.source_text, options(replace(selection, node=None))))
    if decode.tree:
        tree(decode, selection, search)
    sentence_box.notes(view)
    layer, head = sentence_box.stage_view(decode, selection)
    stated = decode.default_heads.get(ATTENTION["cross"].name)
    mount(
        STAGE,
        StageData(
            reads=decode.trace.tokens.target,
            source=decode.trace.tokens.source,
            target=decode.trace.tokens.written,
            full=decode.trace.stacked("decoder", "cross", "weights"),
            distributions=decode.steps,
            position=sentence_box.position(decode, selection),
            layer=layer,
            head=head,
            ended=decode.finished,
            forced=decode.forced,
            kind_name=tr(KIND_NAME),
            notes=[str(fact) for fact in decode.facts],
            id=search,
            writes=selection.step is None and selection.strategy != "given",
            grown=decode.grown,
            remarks=sentence_box.remarks(view),
            opens=OpensHead(stated.layer, stated.head, f"{stated.because} {tr(SAME)}") if stated else None,
            decode=decode.name if data.has_strip(decode) else "",
            measure=drawn(selection, decode),
        ),
        key="decode_stage",
        forced=force,
        view=lambda looked: rest(looked, (layer, head)),
        measured=lambda measure: state.update(measure=measure),
    )
    if data.has_strip(decode):  # after the stage, which need not wait for it
        trouble = data.trouble(view)
        strip = StripData(decode.name, data.lines(view, trouble), data.measures())
        if trouble.source_share is not None:
            strip = replace(strip, shares=np.asarray(data.shares(view), dtype=np.float32))
        mount(TROUBLE, strip, key="trouble_strip")
    what, why, formula = wording.translate(shown.entry.config)
    with cards.explain(what, why, f"{formula} {tr(RESTS)}\n\n{explained()}"):
        open_map(view, layer, head)


def drawn(selection: Selection, decode: Decode) -> Drawn:
    """What the stage draws: of the measures of other pages only ALTI+, which a written word has as a whole."""
    return "alti" if selection.measure == "alti" and data.has_strip(decode) else "weight"


def open_map(shown: DecodeView, layer: int | None, head: int | None) -> None:
    """The files of the map on the stage; layer or head None is the mean over them."""
    decode = shown.decode
    axes = maps.axes(decode, "cross", False, str, str)
    if drawn(shown.selection, decode) == "alti" and data.trouble(shown).source_share:
        menu.buttons(shown, menu.csv_source(data.shares(shown), *axes), "cross-alti")
        return
    weights = decode.trace.stacked("decoder", "cross", "weights")
    values = maps.one_map(
        weights, MEAN if layer is None else layer, MEAN if head is None else head, how="mean"
    )
    name = "-".join("mean" if each is None else str(each) for each in (layer, head))
    csv = menu.csv_source(values, *axes)
    menu.buttons(shown, csv, f"cross-{name}-weights")


def explained() -> str:
    """What the numbers of the stage are, as Markdown."""
    return "\n\n".join(MEASURES[name].markdown for name in ("weight", "probability", "rank"))


def tree(decode: Decode, selection: Selection, search: str) -> None:
    """Every hypothesis of the beam; a click shows the path to that word above."""

    def picked(node: PickedNode) -> None:
        state.put(state.selection().followed(node.id, decode.tree[node.id].step))

    mount(TREE, TreeData(decode.tree, selection.beam, decode.node, id=search), key="beam_tree", picked=picked)


def force(choice: Forced) -> None:
    """Write another word here and let the decoder go on from it."""
    state.put(state.selection().forced(choice.position, choice.id))


def rest(looked: StageLook, shown: tuple[int | None, int | None]) -> None:
    """The reader came to rest: keep the step in the URL, and layer and head once they were chosen by hand."""
    if (looked.layer, looked.head) == shown:
        state.put(state.selection().at_step(looked.position))
    else:
        state.put(state.selection().viewed(looked.position, looked.layer, looked.head))
