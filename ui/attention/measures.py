"""The Attention page with contributions instead of weights: the switch, the wall, the open map, and the check.

Below the wall: the split of each written word between source and prefix, and rollout's baseline.
"""

from __future__ import annotations

import html
from typing import Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.analysis import readout
from core.analysis.contributions import CONTRIBUTIONS
from core.analysis.maps import ROUNDING
from core.errors import AtlasError
from core.language import message, numeral, tr
from ui.app import navigation
from ui.attention import wall
from ui.export import menu
from ui.session import state
from ui.session.selection import MEAN, Measure, Selection
from ui.shared import cards
from ui.shared import contributions as data
from ui.shared import maps as view
from ui.shared.cards import pick
from ui.shared.context import DecodeView
from ui.shared.contributions import Measured
from ui.shared.decode import Decode
from ui.shared.head_views import HEAD, WALL, HeadData, HeadMap, Opened, Pins
from ui.shared.map_data import Arranged, Quantity, wall_data
from ui.shared.maps import Axis
from ui.shared.mount import mount
from ui.shared.two_maps import COMPARE, CompareData, Side
from ui.style.theme import Kind

Array = NDArray[np.floating]


def split(contributions: Measured, decode: Decode, layer: int) -> None:
    """For each written word, the share of the source and of the words before it."""
    rest = np.asarray(contributions.values[0, layer, :, -1])
    shares = 1.0 - rest if contributions.kind == "cross" else rest
    written = decode.trace.tokens.written
    cells = "".join(
        f'<li><bdi>{html.escape(word)}</bdi><i class="track"><i style="width:{100 * share:.2f}%"></i></i>'
        f"<b>{numeral(100 * share, '.0f')} %</b><span>{numeral(100 - round(100 * share), '.0f')} %</span></li>"
        for word, share in zip(written, shares, strict=True)
    )
    with cards.card("split", fill=False):
        cards.title(
            tr(
                "On average {share} of a written word’s vector comes from the source",
                share=f"{numeral(100 * shares.mean(), '.0f')} %",
            ),
            [
                (tr("source"), "cross"),
                " · ",
                (tr("words before"), "causal"),
                " · ",
                tr("for each word, ALTI+ up to layer {layer}", layer=layer),
            ],
        )
        cards.style(__file__, "split.css")
        st.html(f'<ol class="atlas-split">{cells}</ol>')


def beside_baseline(values: Array, queries: Axis, keys: Axis, layer: int, contributions: Measured) -> None:
    """The baseline of uniform attention, the rollout of a layer, and rollout minus baseline.

    `values` (2, L, T, K) are the rollout and its baseline. The view draws second minus first, so the baseline comes
    first: a token that matters more than in the baseline is positive.
    """
    names = tr("baseline, layer {layer}", layer=layer), tr("rollout, layer {layer}", layer=layer)
    sides = [
        Side(
            np.clip(values[row, layer], 0, 1),
            queries.labels,
            keys.labels,
            name,
            subject=name,
            reads=queries.reads,
        )
        for row, name in ((1, names[0]), (0, names[1]))
    ]
    mount(
        COMPARE,
        CompareData(
            (sides[0], sides[1]),
            kind=contributions.kind,
            title=tr("Rollout of layer {layer}, minus its baseline", layer=layer),
            subtitle=tr("Baseline: uniform attention. Only the difference from it is informative."),
            file=f"{contributions.kind}-rollout-and-baseline-layer-{layer}",
        ),
        key="compare_baseline",
    )


ROWS: Final = (message("rollout"), message("baseline"))


def shown_contributions(shown: DecodeView, kind: Kind) -> Measured | None:
    """The numbers of the selection's measure; None after saying in one sentence why there are none."""
    try:
        with cards.loading(shown):
            return data.contributions_of(shown, shown.selection.measure, kind)
    except AtlasError as error:
        cards.mistake(str(error))
        return None


def quantity_of(contributions: Measured) -> Quantity:
    """The measured quantity as the views need it: label, unit, largest value, names of pictures and rows."""
    layers = contributions.values.shape[1]
    names = (
        tuple(tr("layer {layer}", layer=layer) for layer in range(layers)) if contributions.of_layer else ()
    )
    rows = (
        tuple(map(tr, ROWS))
        if contributions.measure == "rollout"
        else ("",)
        if contributions.of_layer
        else ()
    )
    return Quantity(
        wall.measure_labels()[contributions.measure],
        contributions.unit,
        contributions.top,
        names,
        rows,
        bool(contributions.aside),
    )


def draw_measured_heads(shown: DecodeView, kind: Kind) -> None:
    """The wall and the open map of one kind, showing contributions instead of weights."""
    decode, selection = shown.decode, shown.selection
    contributions = shown_contributions(shown, kind)
    if contributions is None:
        with wall.line():
            navigation.kind_pills(selection)
            with wall.more():
                wall.measure()
        return
    values, queries, keys = contributions.axes(decode, shown.entry.tokenizers, selection.words)
    layer, head = chosen(contributions, shown, selection)
    drawn = values_of_head(contributions, values, layer, head, selection)
    with wall.line():
        navigation.kind_pills(selection)
        wall.score_and_order(contributions.readings, _arranged(contributions, selection))
        with wall.more():
            _picks(contributions, layer, head)
        menu.buttons(shown, menu.csv_source(drawn, queries, keys), file_name(contributions, layer, head))
    left, right = st.columns([0.88, 1] if selection.presenter else [1.32, 1], gap="small")
    with left:
        _wall(contributions, values, queries, keys, selection)
        entry = CONTRIBUTIONS[contributions.measure]
        cards.explain(
            f"{tr(entry.definition)} {whose(contributions)}",
            check(contributions),
            f"{entry.markdown}\n\n{tr(_MORE)}",
            name="measure",
        )
        if contributions.measure == "alti" and contributions.kind != "encoder":
            split(contributions, decode, layer)
    with right:
        _detail(contributions, drawn, queries, keys, (layer, head), selection)
    if contributions.measure == "rollout":
        beside_baseline(values, queries, keys, layer, contributions)


def _arranged(contributions: Measured, selection: Selection) -> Arranged:
    """The arrangement of the wall; a score of another measure is none of this one's."""
    badge = selection.badge if selection.badge in contributions.readings else ""
    return Arranged(selection.sort, badge, selection.least, selection.tone)


def _picks(contributions: Measured, layer: int, head: int) -> None:
    wall.measure()
    if contributions.of_layer:
        pick("layer", layer, range(contributions.values.shape[1]), tr("layer {}"))
    else:
        wall.heads(contributions.values.shape[:2], layer, head)
    merged = contributions.unit == "share"
    hint = None if merged else tr(_NOT_MERGED)
    st.toggle(tr("Merge pieces into words"), disabled=not merged, help=hint, **state.bind("words"))
    wall.tones()


_OF_LAYER: Final = message("This measure belongs to a layer, not to a head.")
_NOT_MERGED: Final = message(
    "Lengths cannot be merged into words: the length of a sum is not the sum of the lengths."
)
_MORE: Final = message(
    "Colours run from 0 to the largest number of all maps, so maps can be compared. The column ⟨prefix⟩ (in causal maps "
    "⟨source⟩) is what a row gets from the other side: a written word depends on source words and on the words before it. "
    "Both shares belong to the same row. ALTI+ and rollout of a layer include all layers below it."
)


def explained(measure: Measure) -> tuple[str, str, str]:
    """What the joint view shows of a measure: what it is, to whom it belongs, and the formula."""
    entry = CONTRIBUTIONS[measure]
    layer = tr(_OF_LAYER) if measure in data.OF_LAYER else ""
    return tr(entry.definition), layer, f"{entry.markdown}\n\n{tr(_MORE)}"


def whose(contributions: Measured) -> str:
    """A sentence for measures of a whole layer; empty for measures of a head."""
    return f"{tr(_OF_LAYER)} {tr('Each map shows one layer.')}" if contributions.of_layer else ""


def check(contributions: Measured) -> str:
    """Whether the parts of each attention sub-layer sum to its real activation, with the gap measured on this sentence.

    Feed-forward sub-layers mix no tokens, so they have no parts to check.
    """
    if contributions.measure not in data.SUMMED or contributions.gap is None:
        return ""
    holds = contributions.gap <= ROUNDING
    gap, allowed = (
        readout.minus(f"{value:.0e}".replace("e-0", "e-")) for value in (contributions.gap, ROUNDING)
    )
    return tr(
        "On this sentence, the parts sum to the output of every attention sub-layer, to within {gap} of its "
        "largest number (allowed: {allowed}) {tick}.",
        **{"gap": gap, "allowed": allowed, "tick": "✓" if holds else "✗"},
    )


def chosen(contributions: Measured, shown: DecodeView, selection: Selection) -> tuple[int, int]:
    """The open layer and head (MEAN: all of them), chosen as for weights; for a measure of layers, the last layer by default."""
    if contributions.of_layer:
        last = contributions.values.shape[1] - 1
        layer = selection.layer
        return (last if layer is None or layer == MEAN or layer > last else layer), 0
    if head := selection.head_of(*contributions.values.shape[:2]):
        return head
    return view.chosen(selection, view.maps_of(shown.decode, contributions.kind, shown.entry.tokenizers))


def values_of_head(
    contributions: Measured, values: Array, layer: int, head: int, selection: Selection
) -> Array:
    """The numbers of the open picture (T, K)."""
    if contributions.of_layer:
        return np.asarray(values[0, layer])
    return view.one_map(values, layer, head, selection.how)


def subject_of(contributions: Measured, layer: int, head: int, selection: Selection) -> str:
    """The subject of the open picture: “layer 3”, “head 2.5”, “the mean of 8 heads in layer 2”."""
    if contributions.of_layer:
        return tr("layer {layer}", layer=layer)
    one, two = (None if each == MEAN else each for each in (layer, head))
    return readout.subject(
        one, two, selection.how, contributions.values.shape[1], contributions.values.shape[0]
    )


def file_name(contributions: Measured, layer: int, head: int) -> str:
    """A file name for the open picture that states the measure."""
    if contributions.of_layer:
        return f"{contributions.kind}-layer-{layer}-{contributions.measure}"
    return f"{contributions.kind}-{'all' if MEAN in (layer, head) else f'{layer}.{head}'}-{contributions.measure}"


def _wall(contributions: Measured, values: Array, queries: Axis, keys: Axis, selection: Selection) -> None:
    label = wall.measure_labels()[contributions.measure]

    def picked(opened: Opened) -> None:
        if opened.heads:
            row, column = opened.heads[0]
            if contributions.of_layer:
                state.update(layer=column)
            else:
                state.update(layer=row, head=column, overlay=())
        elif not contributions.of_layer:
            state.update(layer=MEAN, head=MEAN, overlay=())

    count = contributions.values.shape[0] * contributions.values.shape[1]
    title = (
        tr("Every layer: {measure}", measure=label)
        if contributions.of_layer
        else tr("All {count} heads: {measure}", count=count, measure=label)
    )
    mount(
        WALL,
        wall_data(
            np.clip(values, 0.0, None),
            queries.labels,
            keys.labels,
            kind=contributions.kind,
            reads=queries.reads,
            scores_of=contributions.readings,
            arranged=_arranged(contributions, selection),
            title=title,
            tall=wall.WALL_HEIGHT,
            file=f"{contributions.kind}-{'layers' if contributions.of_layer else 'heads'}-{contributions.measure}",
            quantity=quantity_of(contributions),
            controls=False,
        ),
        key=f"wall_{contributions.kind}",
        picked=picked,
    )


def _detail(
    contributions: Measured,
    drawn: Array,
    queries: Axis,
    keys: Axis,
    at: tuple[int, int],
    selection: Selection,
) -> None:
    layer, head = at
    subject = subject_of(contributions, layer, head, selection)
    pair = (0, layer) if contributions.of_layer else at
    row, column = (None if each == MEAN else each for each in pair)

    def pinned(pins: Pins) -> None:
        state.keep_head(layer, head)
        view.pin(contributions.kind, queries, keys, pins.rows, pins.columns)

    title = readout.capitalised(subject)
    mount(
        HEAD,
        HeadData(
            HeadMap(
                np.clip(drawn, 0.0, None), row, column, name=title.removeprefix("Head "), subject=subject
            ),
            queries.labels,
            keys.labels,
            kind=contributions.kind,
            mode="length" if contributions.unit == "length" else "contribution",
            title=title,
            tag=wall.measure_labels()[contributions.measure],
            subtitle="",
            reads=queries.reads,
            pins=Pins(*map(tuple, view.pinned(contributions.kind, queries, keys, selection))),
            viewed=wall.viewed(selection),
            report=True,
            file=file_name(contributions, layer, head),
            quantity=quantity_of(contributions),
        ),
        key=f"detail_{contributions.kind}",
        pinned=pinned,
        viewed=wall.keep_viewed,
    )
