"""The Attention page's two views and the controls beside them."""

from __future__ import annotations

from typing import cast

import streamlit as st

from ui import attention_view as view
from ui import resources, state
from ui.attention_view import Maps
from ui.components.head_detail import DetailResult, HeadMap, head_detail
from ui.components.head_wall import WallResult, head_wall
from ui.components.joint_view import joint_view
from ui.decode import Decode
from ui.frame import Shown
from ui.state import MEAN, Selection
from ui.theme import Kind

KIND_LABELS = {"encoder": "encoder self", "causal": "causal", "cross": "cross", "joint": "joint"}
DRAW_LABELS = {"weights": "weights", "scores": "scores", "masked": "masked scores"}
WALL_HEIGHT = 610


def kind_pills() -> None:
    """Encoder self, causal, cross or joint."""
    with st.container(key="kinds", width="content"):
        st.segmented_control(
            "kind",
            list(KIND_LABELS),
            format_func=KIND_LABELS.__getitem__,
            required=True,
            label_visibility="collapsed",
            **state.bind("kind"),
        )


def maps_of(shown: Shown, decode: Decode, selection: Selection) -> Maps:
    """All heads of the chosen kind, merged and hidden as the selection says."""
    kind = cast(Kind, selection.kind)
    source, target = shown.entry.tokenizers
    queries, keys = view.axes(decode, kind, selection.words, source.joined, target.joined)
    return view.drawn(decode.trace.stacked(*view.PLACES[kind], "weights"), kind, queries, keys, selection.hide)


def wall(decode: Decode, maps: Maps, selection: Selection) -> None:
    """Every head as a small picture; a click opens it beside."""
    layer, head = view.chosen(selection, maps)

    def picked(result: WallResult) -> None:
        if result.picked is not None:
            state.update(layer=result.picked[0], head=result.picked[1])

    head_wall(
        maps.weights,
        maps.queries.labels,
        maps.keys.labels,
        kind=maps.kind,
        scores=view.scores(maps),
        selected=None if MEAN in (layer, head) else (layer, head),
        title=f"All {maps.shape[0] * maps.shape[1]} heads",
        subtitle="click one to open it",
        tall=WALL_HEIGHT,
        file_name=f"{maps.kind}-heads",
        on_change=picked,
        key=f"wall_{maps.kind}",
    )


def detail(shown: Shown, decode: Decode, maps: Maps, selection: Selection) -> None:
    """The open head with its numbers, and what can be drawn of it."""
    layer, head = view.chosen(selection, maps)
    single = MEAN not in (layer, head)
    subject = view.who(layer, head, selection.how, maps)
    values = view.one_map(maps.weights, layer, head, selection.how)
    row, writing = _pinned(maps, selection), maps.writing
    mode, labels = selection.draw, (maps.queries.labels, maps.keys.labels)
    if mode != "weights":
        trace = resources.recorded(shown.entry, decode, view.score_sites(maps.kind), shown.device)
        raw = view.raw_scores(trace, maps.kind, masked=mode == "masked")
        values = view.one_map(raw, layer, head, selection.how)
        tokens = view.axes(decode, maps.kind, False, str, str)  # scores belong to tokens and are never merged
        labels = (tokens[0].labels, tokens[1].labels)

    def pins(result: DetailResult) -> None:
        if result.pinned_rows is not None:
            pinned = result.pinned_rows[-1:] and maps.queries.groups[result.pinned_rows[-1]][0]
            state.update(token=f"{'s' if maps.kind == 'encoder' else 't'}{pinned}" if result.pinned_rows else "")

    head_detail(
        HeadMap(values, None if layer == MEAN else layer, None if head == MEAN else head, subject=subject),
        *labels,
        kind=maps.kind,
        mode=mode,
        title=None if single else subject[0].upper() + subject[1:],
        subtitle=_subtitle(maps, selection),
        current_row=row if row is not None else _telling(values),
        writing=writing,
        distribution=selection.how == "mean" or single,
        hidden=maps.hidden and mode == "weights",
        pinned_rows=() if row is None else (row,),
        report_pins=mode == "weights",
        on_pins=pins,
        key=f"detail_{maps.kind}",
    )
    controls(maps, layer, head)


def _subtitle(maps: Maps, selection: Selection) -> str:
    if selection.draw == "weights":
        return "special tokens hidden, rows renormalised" if maps.hidden else ""
    return "before the softmax, one token a cell" + (", −∞ where masked" if selection.draw == "masked" else "")


def _pinned(maps: Maps, selection: Selection) -> int | None:
    side = "s" if maps.kind == "encoder" else "t"
    return view.row_of(maps, int(selection.token[1:])) if selection.token.startswith(side) else None


def _telling(values: object) -> int | None:
    """The row that says most: the one with the largest weight."""
    import numpy as np

    full = np.nan_to_num(np.asarray(values), neginf=-1e9)
    return int(full.max(axis=1).argmax()) if full.size else None


def controls(maps: Maps, layer: int, head: int) -> None:
    """Under the open head: what is drawn, which head, words, specials."""
    count_layers, count_heads = maps.shape
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="view_options"):
        st.segmented_control(
            "draw",
            list(DRAW_LABELS),
            format_func=DRAW_LABELS.__getitem__,
            required=True,
            label_visibility="collapsed",
            **state.bind("draw"),
        )
        _pick("layer", layer, count_layers, "layer {}", "all layers")
        _pick("head", head, count_heads, "head {}", "all heads")
        if MEAN in (layer, head):
            st.segmented_control(
                "how", ["mean", "max"], required=True, label_visibility="collapsed", **state.bind("how")
            )
        st.toggle("words", **state.bind("words"))
        st.toggle("hide specials", **state.bind("hide"))


def _pick(field: str, value: int, count: int, one: str, every: str) -> None:
    bound = state.bind(field)
    st.session_state[bound["key"]] = value
    st.selectbox(
        field,
        [MEAN, *range(count)],
        format_func=lambda index: every if index == MEAN else one.format(index),
        label_visibility="collapsed",
        width=118,
        **bound,
    )


def joint(decode: Decode, selection: Selection) -> None:
    """The three kinds in one drawing, step by step, as means over the last layer's heads or of one head."""
    trace = decode.trace
    stacks = {kind: trace.stacked(*view.PLACES[kind], "weights") for kind in view.PLACES}
    length = len(trace.written_ids)

    def stepped(step: int) -> None:
        state.put(state.at_step(state.selection(), step))

    layer = selection.layer if selection.layer not in (None, MEAN) else decode.aligned[0]
    joint_view(
        *(stacks[kind][min(layer, len(stacks[kind]) - 1)].mean(axis=0) for kind in ("encoder", "cross", "causal")),
        trace.tokens.source,
        trace.tokens.target,
        trace.tokens.written,
        subject=f"the mean of layer {layer}'s heads",
        subtitle=f"layer {layer}, mean of its heads",
        step=length if selection.step is None else min(selection.step, length),
        report_step=True,
        on_step=stepped,
    )
    with st.container(horizontal=True):
        _pick_layer(layer, len(stacks["cross"]))


def _pick_layer(layer: int, count: int) -> None:
    bound = state.bind("layer")
    st.session_state[bound["key"]] = layer
    st.selectbox("layer", range(count), format_func="layer {}".format, label_visibility="collapsed", width=118, **bound)
