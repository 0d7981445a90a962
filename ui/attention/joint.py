"""The Attention page's joint view: the three kinds in one drawing, step by step."""

from __future__ import annotations

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from ui.attention.controls import pick
from ui.components.joint_view import joint_data, joint_view
from ui.data import maps as view
from ui.data.decode import Decode
from ui.export import menu
from ui.session import state
from ui.session.selection import MEAN, Selection
from ui.shell.frame import Shown


def joint(shown: Shown, decode: Decode, selection: Selection) -> None:
    """Encoder, cross and causal attention of one layer: of one head of each, or the mean of its heads."""
    trace = decode.trace
    stacks = {str(kind): trace.stacked(*view.PLACES[kind], "weights") for kind in view.PLACES}
    length = len(trace.written_ids)
    layers, heads = max(map(len, stacks.values())), stacks["cross"].shape[1]
    layer = (
        decode.first_head[0]
        if selection.layer in (None, MEAN)
        else min(int(selection.layer or 0), layers - 1)
    )
    head = MEAN if selection.head is None or selection.head >= heads else selection.head

    def stepped(step: int) -> None:
        state.put(state.selection().at_step(step))

    def drawn(kind: str) -> NDArray[np.floating]:
        values = stacks[kind][min(layer, len(stacks[kind]) - 1)]
        return np.asarray(values.mean(axis=0) if head == MEAN else values[head])

    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="view_options"):
        pick("layer", layer, range(layers), "layer {}")
        pick("head", head, range(heads), "head {}", "all heads")
        menu.whole(shown, decode)
    joint_view(
        joint_data(
            drawn("encoder"),
            drawn("cross"),
            drawn("causal"),
            trace.tokens.source,
            trace.tokens.target,
            trace.tokens.written,
            subject=f"the mean of layer {layer}'s heads" if head == MEAN else f"head {layer}.{head}",
            subtitle=f"layer {layer}, mean of its heads"
            if head == MEAN
            else f"head {layer}.{head} of each kind",
            step=max(1, round(0.65 * length)) if selection.step is None else min(selection.step, length),
            report_step=True,
        ),
        on_step=stepped,
    )
