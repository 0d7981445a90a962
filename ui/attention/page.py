"""The views of the Attention page: every head, or the three kinds of attention together, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.analysis import wording
from core.language import tr
from core.model.hooks import ATTENTION, attention_of
from ui.attention import measures, wall
from ui.attention.measures import shown_contributions
from ui.export import menu
from ui.session import state
from ui.session.selection import MEAN, Measure, Selection
from ui.shared import cards
from ui.shared import maps as view
from ui.shared.cards import pick
from ui.shared.context import DecodeView
from ui.shared.contributions import Measured
from ui.shared.decode import Decode
from ui.shared.map_data import JointData
from ui.shared.mount import View, mount
from ui.style.theme import Kind

if TYPE_CHECKING:
    from ui.export.paper import Figure


JOINT = View("joint", JointData, stepped=int)


def joint(shown: DecodeView, selection: Selection) -> None:
    """Encoder, cross and causal attention of one layer: of one head of each, or the mean of its heads."""
    decode = shown.decode
    trace, measure = decode.trace, selection.measure
    contributions = {
        str(kind): None if measure == "weight" else shown_contributions(shown, kind) for kind in view.PLACES
    }
    if measure != "weight" and not all(contributions.values()):
        with wall.line(), wall.more():
            wall.measure()
        return
    stacks = {str(kind): _stack(decode, kind, contributions[str(kind)]) for kind in view.PLACES}
    length = len(trace.written_ids)
    layers, heads = max(map(len, stacks.values())), min(values.shape[1] for values in stacks.values())
    # A measure of whole layers opens at the last one.
    of_layer = any(each.of_layer for each in contributions.values() if each)
    layer = layers - 1 if of_layer else decode.first_head[0]
    if selection.layer is not None and selection.layer != MEAN:
        layer = min(selection.layer, layers - 1)
    head = MEAN if selection.head is None or selection.head >= heads else selection.head

    def stepped(step: int) -> None:
        state.put(state.selection().at_step(step))

    # A shallower stack shows its last layer.
    at = {kind: min(layer, len(values) - 1) for kind, values in stacks.items()}

    def drawn(kind: str) -> NDArray[np.float32]:
        values = stacks[kind][at[kind]]
        return np.asarray(values.mean(axis=0) if head == MEAN else values[head], dtype=np.float32)

    with wall.line():
        pick("layer", layer, range(layers), tr("layer {}"))
        if not of_layer:
            pick("head", head, range(heads), tr("head {}"), tr("mean of {count} heads", count=heads))
        with wall.more():
            wall.measure()
        figures = {tr("joint view"): lambda width: _figure(shown, layer, head, width)}
        menu.whole(shown, figures if measure == "weight" else None)
    subject = tr("layer {layer}", layer=at["cross"]) if of_layer else _subject(at["cross"], head)
    tops: dict[Kind, float] = {}
    for kind in view.PLACES:
        each = contributions[str(kind)]
        if each and each.unit == "length":
            tops[kind] = each.top
    mount(
        JOINT,
        JointData(
            drawn("encoder"),
            drawn("cross"),
            drawn("causal"),
            trace.tokens.source,
            trace.tokens.target,
            trace.tokens.written,
            subject=subject,
            subtitle=_subtitle(at["encoder"], at["cross"], head, of_layer, measure),
            at=max(1, round(0.65 * length)) if selection.step is None else min(selection.step, length),
            report=True,
            file="joint" if measure == "weight" else f"joint-{measure}",
            measure=measure,
            tops=tops,
            labels={kind: tr(attention_of(trace.config, kind).label) for kind in view.PLACES},
        ),
        key="joint_view",
        stepped=stepped,
    )


def _figure(shown: DecodeView, layer: int, head: int, width: float) -> Figure:
    """The joint view of one head of each kind, or of the mean of a layer's heads."""
    from ui.export.figure import figure

    return figure(shown.decode.trace, "joint", (layer, head), width=width, model=shown.entry.name)


def _stack(decode: Decode, kind: Kind, contributions: Measured | None) -> NDArray[np.floating]:
    """The maps of a kind (L, H, T, S), scaled to 0…1, without the column of the other side."""
    if contributions is None:
        return np.asarray(decode.trace.stacked(*view.PLACES[kind], "weights"))
    values = contributions.values[..., :-1] if contributions.aside else contributions.values
    stacked = values[0][:, None] if contributions.of_layer else values
    return np.asarray(np.clip(stacked / contributions.top, 0.0, 1.0))


def _subject(layer: int, head: int) -> str:
    if head == MEAN:
        return tr("on average layer {layer}", layer=layer)
    return tr("head {name}", name=f"{layer}.{head}")


def _subtitle(encoder: int, decoder: int, head: int, of_layer: bool, measure: Measure) -> str:
    """What is drawn: the layer of the encoder and the layer of the decoder, which differ where the depths do."""

    def named(layer: int) -> str:
        if of_layer:
            return tr("layer {layer}", layer=layer)
        if head == MEAN:
            return tr("layer {layer}, mean of its heads", layer=layer)
        return tr("head {name}", name=f"{layer}.{head}")

    if encoder != decoder:
        fields = {"encoder": named(encoder), "decoder": named(decoder)}
        of = tr("encoder: {encoder}; decoder: {decoder}", **fields)
    elif head != MEAN and not of_layer:
        of = tr("{head} of each kind", head=named(encoder))
    else:
        of = named(encoder)
    if measure == "weight":
        return of
    fields = {"measure": wall.measure_labels()[measure], "of": of}
    if measure == "alti":
        return tr("{measure}, {of}; the shares of source and words before sum to 1", **fields)
    return tr("{measure}, {of}", **fields)


def _switches() -> str:
    """What the switches of “More measures” do, as Markdown."""
    return "\n\n" + tr(
        "**Merge pieces into words** sums the columns of a word’s pieces and averages its rows. **Hide special tokens** "
        "removes ⟨start⟩ and ⟨end⟩ and rescales each row to 1, which is not what the model computed. The column “hidden” "
        "shows what each row gave to them; a row with less than 5 % left is empty. Means over heads are taken first. "
        "A score describes one head on this sentence, with no token hidden. Heads are named layer.head, counted from 0."
    )


def keys() -> dict[str, str]:
    """What the keyboard does here."""
    return {
        "← ↑ → ↓": tr(
            "Move between heads, between cells of the open map, or between steps of the joint view"
        ),
        "Enter": tr("Open the head, pin the cell"),
        "Shift + Enter": tr("Overlay a head on the open one, up to eight; on a layer’s name, all its heads"),
        "Esc": tr("Unpin; once more: show the mean of all heads"),
        tr("Space"): tr("Play the joint view"),
    }


def _which_opens(decode: Decode, kind: str, linked: bool) -> str:
    """Why this head is open where none was chosen: `linked`, the pinned pair's, else the checkpoint's own or the most confident."""
    if kind not in ATTENTION:
        return ""
    if linked:
        return " " + tr("With no head chosen, the one with the most weight on the pinned pair opens.")
    stated = decode.default_heads.get(ATTENTION[kind].name)
    if stated is None:
        return " " + tr("With no head chosen, the one most confident about words opens.")
    return f" {stated.because}"


@st.fragment
def attention_page(shown: DecodeView) -> None:
    """The wall and the open head, or the joint view. Opening a head never runs the model again."""
    shown = shown.now()
    selection = shown.selection
    what, why, formula = wording.attention(shown.entry.config, selection.kind)
    pin = selection.pin
    opens = _which_opens(shown.decode, selection.kind, pin is not None and pin.kind == selection.kind)
    explained = (what, why, formula + _switches() + opens)
    if selection.kind == "joint":
        joint(shown, selection)
        of_measure = selection.measure != "weight"
        cards.explain(*(measures.explained(selection.measure) if of_measure else explained), keys=keys())
        return
    kind = cards.kind_of(selection.kind)
    if selection.measure != "weight":
        measures.draw_measured_heads(shown, kind)
        return
    maps = view.maps_of(
        shown.decode, kind, shown.entry.tokenizers, words=selection.words, hide=selection.hide
    )
    opened = wall.open_heads_of(shown, maps, selection)
    scored = wall.scored(shown, maps)
    wall.row(shown, opened, maps, scored)
    if sentence := view.missing(selection, maps):
        cards.quiet(sentence)
    # In presenter mode the open head is the slide and the wall selects the next one.
    left, right = st.columns([0.88, 1] if selection.presenter else [1.32, 1], gap="small")
    with left:
        wall.wall(maps, scored, selection, tr(attention_of(shown.entry.config, maps.kind).title))
        cards.explain(*explained, keys=keys())
    with right:
        wall.card(shown, opened, maps, scored)
