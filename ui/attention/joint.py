"""The Attention page's joint view: the three kinds of attention in one drawing, step by step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.language import tr
from ui.attention import controls
from ui.attention.measures import measured
from ui.export import menu
from ui.export.figure import Figure, figure
from ui.session import state
from ui.session.selection import MEAN, Measure, Selection
from ui.shared import maps as view
from ui.shared.context import DecodeView
from ui.shared.contributions import Measured
from ui.shared.decode import Decode
from ui.shared.joint_data import JointData
from ui.shared.mount import View, mount
from ui.shared.pickers import pick
from ui.style.theme import Kind

JOINT = View("joint", JointData, stepped=int)


def joint(shown: DecodeView, selection: Selection) -> None:
    """Encoder, cross and causal attention of one layer: of one head of each, or the mean of its heads."""
    decode = shown.decode
    trace, measure = decode.trace, selection.measure
    contributions = {
        str(kind): None if measure == "weight" else measured(shown, kind) for kind in view.PLACES
    }
    if measure != "weight" and not all(contributions.values()):
        with controls.line(), controls.more():
            controls.measure()
        return
    stacks = {str(kind): _stack(decode, kind, contributions[str(kind)]) for kind in view.PLACES}
    length = len(trace.written_ids)
    layers, heads = max(map(len, stacks.values())), stacks["cross"].shape[1]
    layer = (
        decode.first_head[0]
        if selection.layer in (None, MEAN)
        else min(int(selection.layer or 0), layers - 1)
    )
    head = MEAN if selection.head is None or selection.head >= heads else selection.head
    of_layer = any(each.of_layer for each in contributions.values() if each)
    if of_layer and selection.layer in (None, MEAN):
        layer = layers - 1

    def stepped(step: int) -> None:
        state.put(state.selection().at_step(step))

    # A shallower stack shows its last layer.
    at = {kind: min(layer, len(values) - 1) for kind, values in stacks.items()}

    def drawn(kind: str) -> NDArray[np.float32]:
        values = stacks[kind][at[kind]]
        return np.asarray(values.mean(axis=0) if head == MEAN else values[head], dtype=np.float32)

    with controls.line():
        pick("layer", layer, range(layers), tr("layer {}"))
        if not of_layer:
            pick("head", head, range(heads), tr("head {}"), tr("all heads"))
        with controls.more():
            controls.measure()
        menu.whole(
            shown,
            None
            if measure != "weight"
            else {tr("joint view"): lambda width: _figure(shown, layer, head, width)},
        )
    subject = tr("layer {layer}", layer=at["cross"]) if of_layer else _subject(at["cross"], head)
    tops: dict[Kind, float] = {
        kind: each.top
        for kind, each in ((kind, contributions[str(kind)]) for kind in view.PLACES)
        if each and each.unit == "length"
    }
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
        ),
        key="joint_view",
        stepped=stepped,
    )


def _figure(shown: DecodeView, layer: int, head: int, width: float) -> Figure:
    """The joint view of one head of each kind, or of the mean of a layer's heads."""
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
        return tr("the mean of the heads in layer {layer}", layer=layer)
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
    fields = {"measure": controls.measure_labels()[measure], "of": of}
    if measure == "alti":
        return tr("{measure}, {of}; the shares of source and words before sum to 1", **fields)
    return tr("{measure}, {of}", **fields)
