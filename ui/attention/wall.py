"""The wall of heads, scored by the pinned pair or a number of this sentence, the open head beside it, and the row of controls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.analysis import wording
from core.analysis.contributions import CONTRIBUTIONS, READINGS
from core.analysis.glossary import SCORES
from core.analysis.maps import hides_later, only_allowed
from core.analysis.readout import capitalised, isolated, quoted
from core.experiments.edits import UNEDITED, HeadsStep
from core.language import message, plural, tr
from core.model.config import ModelConfig
from core.model.hooks import attention_of
from ui.app import navigation
from ui.export import menu
from ui.export.rows import Rows
from ui.session import state
from ui.session.selection import MEAN, OVERLAY_LIMIT, Selection
from ui.shared import ablations, cards
from ui.shared import maps as view
from ui.shared.cards import pick, pick_width
from ui.shared.context import DecodeView
from ui.shared.decode import PinnedPair, pinned_pair
from ui.shared.head_views import HEAD, WALL, HeadData, HeadMap, Opened, Pins, Viewed
from ui.shared.map_data import PAIR, AllHeads, Arranged, PinnedCell, wall_data
from ui.shared.maps import Axis, Maps
from ui.shared.mount import mount
from ui.shared.what_if import PIN_HEADS

if TYPE_CHECKING:
    from ui.export.paper import Figure


WALL_HEIGHT = 560
MOSTLY = 0.5
"""A head looks mostly at a token that gets more than this of its weight."""


@dataclass(frozen=True)
class Scored:
    """The scores of a wall by name, (L, H) each, its arrangement, and the pinned pair where there is one in these maps.

    `ranking` are all heads (layer, head) by that pair, the best first.
    """

    scores: Mapping[str, NDArray[np.floating]]
    arranged: Arranged
    title: str
    subtitle: str = ""
    pair: PinnedPair | None = None
    cell: PinnedCell | None = None
    ranking: tuple[tuple[int, int], ...] = ()

    @property
    def printed(self) -> list[tuple[int, int, int]]:
        """The ranking with the weight of the pair as it is printed, in whole percent."""
        return [(*at, round(100 * float(self.scores[PAIR][at]))) for at in self.ranking]


def scored(shown: DecodeView, maps: Maps) -> Scored:
    """How the heads of one kind are scored, sorted and summed up in a title."""
    selection, scores = shown.selection, view.scores(maps)
    rows, columns = view.pinned(maps.kind, maps.queries, maps.keys, selection)
    pair = pinned_pair(shown.decode, selection)
    if pair is None or pair.pin.kind != maps.kind or not (len(rows) == len(columns) == 1):
        arranged = Arranged(
            selection.sort,
            "" if selection.badge == PAIR else selection.badge,
            selection.least,
            selection.tone,
        )
        return Scored(scores, arranged, _focused(maps))
    shares = maps.weights[:, :, rows[0], columns[0]]
    ranking = tuple((layer, head) for _, layer, head in ablations.ranking(shown, maps.kind))
    heads = maps.shape[1]
    name = tr("{query} on {key}", query=isolated(pair.query), key=isolated(pair.key))
    cell = PinnedCell(
        rows[0], columns[0], pair.short, name, tuple(layer * heads + head for layer, head in ranking)
    )
    of_pair = selection.badge in ("", PAIR)
    badge = PAIR if of_pair else selection.badge
    sort = "high" if not selection.badge and selection.sort == "model" else selection.sort
    return Scored(
        {PAIR: shares, **scores},
        Arranged(sort, badge, selection.least, selection.tone),
        linking(maps, pair, shares),
        tr("Sorted by this weight, ties by layer") if of_pair and sort == "high" else "",
        pair,
        cell,
        ranking,
    )


def linking(maps: Maps, pair: PinnedPair, shares: NDArray[np.floating]) -> str:
    """How many heads look mostly at the pinned key in the pinned row: the wall's title."""
    count, total = int((shares > MOSTLY).sum()), shares.size
    words = {"total": total, "key": quoted(pair.key), "query": quoted(pair.query)}
    if maps.kind == "encoder":
        return plural(
            "{count} of {total} heads looks mostly at {key} from {query}",
            "{count} of {total} heads look mostly at {key} from {query}",
            count,
            **words,
        )
    return plural(
        "{count} of {total} heads looks mostly at {key} when it writes {query}",
        "{count} of {total} heads look mostly at {key} when they write {query}",
        count,
        **words,
    )


def _focused(maps: Maps) -> str:
    """How many heads are focused on this sentence: the wall's title without a pinned pair."""
    largest = maps.computed.weights.max(axis=-1).mean(axis=-1)
    return plural(
        "{count} of {total} heads gives one token over half of its weight on average",
        "{count} of {total} heads give one token over half of their weight on average",
        int((largest > MOSTLY).sum()),
        total=largest.size,
    )


def wall(maps: Maps, scored: Scored, selection: Selection, words: str) -> None:
    """Every head as a small picture; a click opens it beside the wall. `words` names their kind."""

    def picked(opened: Opened) -> None:
        (layer, head), *over = opened.heads or ((MEAN, MEAN),)
        state.update(layer=layer, head=head, overlay=tuple(over[:OVERLAY_LIMIT]))

    mount(
        WALL,
        wall_data(
            maps.weights,
            maps.queries.labels,
            maps.keys.labels,
            kind=maps.kind,
            reads=maps.queries.reads,
            scores_of=scored.scores,
            arranged=scored.arranged,
            all_heads=AllHeads(selection.how, view.who(MEAN, MEAN, selection.how, maps)),
            title=scored.title,
            subtitle=scored.subtitle,
            hidden=maps.hidden,
            tall=WALL_HEIGHT,
            file=f"{maps.kind}-heads",
            pair=scored.cell,
            controls=False,
            words=words,
        ),
        key=f"wall_{maps.kind}",
        picked=picked,
    )


@dataclass(frozen=True)
class Open:
    """The map in hand: layer and head (MEAN for all), its numbers (T, S) and labels, and the heads laid over it.

    `hidden (T,)` is what each row gave to hidden tokens.
    """

    layer: int
    head: int
    values: NDArray[np.float64]
    queries: Axis
    keys: Axis
    over: tuple[HeadMap, ...] = ()
    hidden: NDArray[np.float64] | None = None

    @property
    def single(self) -> bool:
        """Whether it is one head."""
        return MEAN not in (self.layer, self.head)

    @property
    def name(self) -> str:
        """Short: 2.5, or mean."""
        return f"{self.layer}.{self.head}" if self.single else "all"


def open_heads_of(shown: DecodeView, maps: Maps, selection: Selection) -> Open:
    """The values of the open head, or the mean or maximum over several heads."""
    layer, head = view.chosen(selection, maps)
    overlaid = view.overlaid(selection, maps)
    if selection.draw == "weights":
        one_map = view.open_head_of(maps, layer, head, selection.how)
        laid = [(view.open_head_of(maps, *pair, "mean"), pair) for pair in overlaid]
        over = tuple(HeadMap(one.values, *pair, hidden=one.hidden) for one, pair in laid)
        return Open(layer, head, one_map.values, maps.queries, maps.keys, over, one_map.hidden)
    trace = shown.recorded(view.score_sites(maps.kind))
    values = view.raw_scores(trace, maps.kind, masked=selection.draw == "masked")
    # Scores belong to tokens: these are never merged into words.
    queries, keys = view.axes(shown.decode, maps.kind, False, str, str)
    over = tuple(HeadMap(values[pair], *pair) for pair in overlaid)
    drawn = view.one_map(values, layer, head, selection.how)
    return Open(layer, head, drawn, queries, keys, over)


def card(shown: DecodeView, open_head: Open, maps: Maps, scored: Scored) -> None:
    """The open head, and for a pinned pair its best heads and where to go on from here."""
    with cards.card("head"):
        detail(shown, open_head, maps, scored)
        if scored.pair is not None and scored.ranking:
            _best(scored)
            _next(shown, open_head, maps, scored)


def _best(scored: Scored) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="best_heads"):
        best = scored.printed[:PIN_HEADS]
        cards.quiet(
            plural("Top head for the pair", "Top {count} heads for the pair", len(best)), width="content"
        )
        for layer, head, share in best:
            opens = {"layer": layer, "head": head, "overlay": ()}
            st.button(
                f"{layer}.{head} · {share} %",
                key=f"best_{layer}_{head}",
                on_click=partial(state.update, **opens),
            )


def _next(shown: DecodeView, open_head: Open, maps: Maps, scored: Scored) -> None:
    """To What if with the best heads ablated, and to the computation of this cell inside the open head."""
    best = scored.ranking[:PIN_HEADS]
    edits = UNEDITED
    for layer, head in best:
        edits = edits.then(HeadsStep(maps.kind, layer, (head,)))
    label = plural("Ablate this head", "Ablate these {count} heads", len(best))
    with st.container(horizontal=True, gap="small", key="pair_actions"):
        parameters = state.params_with(edits=edits)
        st.page_link("pages/what_if.py", label=label, query_params=parameters, width="stretch")
        if open_head.single:
            at = state.params_with(layer=open_head.layer, head=open_head.head)
            st.page_link("pages/inside.py", label=tr("How is it computed?"), query_params=at, width="stretch")


def detail(shown: DecodeView, open_head: Open, maps: Maps, scored: Scored) -> None:
    """The open head, with the heads laid over it, and its numbers."""
    selection = shown.selection
    layer, head = open_head.layer, open_head.head
    subject = view.who(layer, head, selection.how, maps)

    def pinned(pins: Pins) -> None:
        state.keep_head(layer, head)
        view.pin(maps.kind, maps.queries, maps.keys, pins.rows, pins.columns)

    whole = None if layer == MEAN else layer, None if head == MEAN else head
    rows, columns = view.pinned(maps.kind, maps.queries, maps.keys, selection)
    mount(
        HEAD,
        HeadData(
            [HeadMap(open_head.values, *whole, subject=subject, hidden=open_head.hidden), *open_head.over],
            open_head.queries.labels,
            open_head.keys.labels,
            kind=maps.kind,
            mode=selection.draw,
            title="" if open_head.single else capitalised(subject),
            subtitle=_subtitle(shown.entry.config, maps, selection),
            reads=open_head.queries.reads,
            distribution=selection.how == "mean" or open_head.single,
            pins=Pins(tuple(rows), tuple(columns)),
            viewed=viewed(selection),
            report=True,
            ranking=scored.printed,
            bare=True,
        ),
        key=f"detail_{maps.kind}",
        pinned=pinned,
        viewed=keep_viewed,
    )


def viewed(selection: Selection) -> Viewed:
    """Threshold, scale and zoom of the open map, from the link."""
    log = None if selection.scale is None else selection.scale == "log"
    return Viewed(selection.threshold, log, selection.zoom)


def keep_viewed(settings: Viewed) -> None:
    """Put them into the link."""
    scale = None if settings.log is None else "log" if settings.log else "weight"
    state.update(threshold=settings.threshold, scale=scale, zoom=settings.zoom)


def _subtitle(config: ModelConfig, maps: Maps, selection: Selection) -> str:
    if selection.draw == "weights":
        name = tr(attention_of(config, maps.kind).phrase)
        drawn = capitalised(tr("{kind} weights, in % of a row", kind=name))
        hiding = view.hiding(maps, *view.chosen(selection, maps), selection.how)
        return " · ".join(filter(None, (drawn, hiding)))
    formula = wording.scores(config, maps.kind)
    if selection.draw == "masked":
        return tr("{formula}, before the softmax, one token per cell, −∞ where masked", formula=formula)
    return tr("{formula}, before the softmax, one token per cell", formula=formula)


# -- the row of controls ---------------------------------------------------------------------------------------

_DRAWN = {
    "weights": message("Attention weights"),
    "scores": message("Scores"),
    "masked": message("Masked scores"),
}
_ORDERS = {"high": message("highest first"), "low": message("lowest first"), "model": message("by layer")}
_TONES = {"weight": message("linear"), "log": message("logarithmic"), "each": message("per head")}


def measure_labels() -> dict[str, str]:
    """What maps can hold: weights and the contributions, by name."""
    return {
        name: tr("Attention weight") if name == "weight" else tr(entry.label)
        for name, entry in CONTRIBUTIONS.items()
    }


def line() -> AbstractContextManager[object]:
    """The container of the row."""
    return st.container(horizontal=True, vertical_alignment="center", gap="small", key="view_options")


def row(shown: DecodeView, open_head: Open, maps: Maps, scored: Scored) -> None:
    """Kind, score, order, more measures, files."""
    selection = shown.selection
    with line():
        navigation.kind_pills(selection)
        score_and_order(scored.scores, scored.arranged, scored.cell.score if scored.cell else "")
        with more():
            measure()
            cards.choice(
                tr("Numbers"), {name: tr(label) for name, label in _DRAWN.items()}, state.bind("draw")
            )
            heads(maps.shape, open_head.layer, open_head.head)
            st.toggle(tr("Merge pieces into words"), **state.bind("words"))
            st.toggle(tr("Hide special tokens"), **state.bind("hide"))
            tones()
        cells = only_allowed(open_head.values, hides_later(maps.kind, open_head.values), selection.draw)
        csv = menu.csv_source(cells, open_head.queries, open_head.keys)
        figures = _figures(shown, open_head, maps) if selection.draw == "weights" else None
        menu.buttons(shown, csv, f"{maps.kind}-{open_head.name}-{selection.draw}", figures)


def _figures(shown: DecodeView, open_head: Open, maps: Maps) -> menu.Drawn:
    """The open map as it is shown, and the wall of every head."""
    kind, decode = maps.kind, shown.decode
    subject = tr("head {name}", name=open_head.name) if open_head.single else tr("the mean of all heads")
    queries = open_head.queries
    rows = Rows(
        queries.reads or queries.labels, queries.labels if queries.reads else (), open_head.keys.labels
    )
    cells = only_allowed(open_head.values, hides_later(kind, open_head.values), "weights")

    def opened(width: float) -> Figure:
        from ui.export.figure import of_map

        sentence = (decode.source_text, decode.text)
        return of_map(
            cells,
            rows,
            kind,
            subject=subject,
            sentence=sentence,
            model=shown.entry.name,
            config=shown.entry.config,
            width=width,
        )

    def every(width: float) -> Figure:
        from ui.export.figure import figure

        return figure(decode.trace, kind, width=width, model=shown.entry.name)

    return {subject: opened, tr("all heads"): every}


def score_and_order(names: Iterable[str], arranged: Arranged, pair: str = "") -> None:
    """The score under the heads, and the order of the wall; `pair` names the score by the pinned pair."""
    listed = list(names)
    if not listed:
        return
    presenter = state.selection()
    badge = arranged.badge if arranged.badge in listed else listed[0]

    def label(name: str) -> str:
        entry = SCORES.get(name) or READINGS.get(name)
        words = pair if name == PAIR else tr(entry.label) if entry else name.replace("_", " ")
        return tr("Score: {name}", name=words)

    scores = {name: label(name) for name in listed}
    held = state.hold("badge", badge, lambda name: state.update(badge=name, sort=arranged.sort))
    cards.listing(tr("Score under each head"), scores, held, pick_width(presenter, 218))
    orders = {name: tr("Sort: {order}", order=tr(words)) for name, words in _ORDERS.items()}
    held = state.hold("sort", arranged.sort, lambda name: state.update(sort=name, badge=badge))
    cards.listing(tr("Order of the heads"), orders, held, pick_width(presenter, 168))


def more() -> AbstractContextManager[object]:
    """What few need, one level down."""
    return st.popover(tr("More measures"), width="content")


def measure() -> None:
    """What the maps hold."""
    cards.choice(tr("What the maps show"), measure_labels(), state.bind("measure"))


def heads(shape: tuple[int, int], layer: int, head: int) -> None:
    """Which head is open: one, or the mean or maximum of several."""
    with st.container(horizontal=True, gap="small"):
        pick("layer", layer, range(shape[0]), tr("layer {}"), tr("all layers"))
        pick("head", head, range(shape[1]), tr("head {}"), tr("all heads"))
        if MEAN in (layer, head):
            cards.choice(
                tr("Draw several heads as"), {"mean": tr("mean"), "max": tr("maximum")}, state.bind("how")
            )


def tones() -> None:
    """How the wall's colours are scaled."""
    tone = state.selection().tone or "weight"
    cards.choice(
        tr("Colour scale of the maps"),
        {name: tr(label) for name, label in _TONES.items()},
        state.bind("tone", shown=tone),
    )
