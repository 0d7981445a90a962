"""The Attention page's joint view: the three kinds in one drawing, step by step."""

from __future__ import annotations

import streamlit as st

from ui import attention_view as view
from ui import state
from ui.components.joint_view import joint_view
from ui.decode import Decode
from ui.selection import MEAN, Selection


def joint(decode: Decode, selection: Selection) -> None:
    """The three kinds in one drawing, step by step, as means over the last layer's heads or of one head."""
    trace = decode.trace
    stacks = {str(kind): trace.stacked(*view.PLACES[kind], "weights") for kind in view.PLACES}
    length = len(trace.written_ids)

    def stepped(step: int) -> None:
        state.put(state.selection().at_step(step))

    layer = decode.aligned[0] if selection.layer in (None, MEAN) else int(selection.layer or 0)
    encoder, cross, causal = (
        stacks[kind][min(layer, len(stacks[kind]) - 1)].mean(axis=0)
        for kind in ("encoder", "cross", "causal")
    )
    joint_view(
        encoder,
        cross,
        causal,
        trace.tokens.source,
        trace.tokens.target,
        trace.tokens.written,
        subject=f"the mean of layer {layer}'s heads",
        subtitle=f"layer {layer}, mean of its heads",
        step=max(1, round(0.65 * length)) if selection.step is None else min(selection.step, length),
        report_step=True,
        on_step=stepped,
    )
    with st.container(horizontal=True):
        _pick_layer(layer, len(stacks["cross"]))


def _pick_layer(layer: int, count: int) -> None:
    bound = state.bind("layer")
    st.session_state[bound["key"]] = layer
    st.selectbox(
        "layer", range(count), format_func="layer {}".format, label_visibility="collapsed", width=118, **bound
    )
