"""One head of the atlas: its roles, its sinks, and its most typical and most extreme sentence."""

from __future__ import annotations

import math
from contextlib import nullcontext
from typing import TYPE_CHECKING, Final

import streamlit as st

from core.analysis.corpus_scores import ATLAS_SCORES, special_sinks
from core.analysis.readout import decimal, how_many
from core.decoding.inputs import forced_token
from core.errors import AtlasError
from core.experiments.corpus import ScoredSentence as Stands
from core.model.hooks import ATTENTION
from ui.heads import atlas
from ui.heads.atlas import Measured
from ui.session.link import to_params
from ui.shared import cards
from ui.shared import maps as view
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.map_pairs import Side
from ui.shared.mount import mount
from ui.shared.two_maps import COMPARE, CompareData
from ui.style.theme import Kind

if TYPE_CHECKING:
    from ui.shared.entry import Entry

NAMES: Final = ("most typical", "most extreme")
_TALL: Final = 210  # pixels of the design: both sentences of a head in sight, one below the other
_WITHOUT: Final = ("normalised_entropy", "diagonality", "previous_share", "distance")


def open_head(shown: CheckpointView, measured: Measured, kind: Kind, head: tuple[int, int]) -> None:
    """The card of one head, and its most typical and most extreme sentence."""
    layer, number = head
    with cards.card("open_head", fill=False):
        row = next(row for row in measured.rows if (row.kind, row.layer, row.head) == (kind, layer, number))
        roles = " · ".join(f"{role.name}: {role.means}, {value:.2f}" for role, value in row.roles)
        cards.title(
            [f"Head {layer}.{number} of ", (ATTENTION[kind].title, kind)],
            roles or "no role: it reaches none of the thresholds",
        )
        cards.readout(sinks_sentence(measured, kind, head, sinks_named(shown.entry, kind)))
    sentences = measured.atlas.shown(ATTENTION[kind].name, layer, number)
    if sentences is None:
        cards.quiet("No sentence is kept that shows this head.")
        return
    _compared(shown, measured, kind, head, sentences)


def sinks_named(entry: Entry, kind: Kind) -> str:
    """What the sinks among a kind's keys are called; where one special token is there alone, by its name."""
    read, written = entry.tokenizers
    if kind == "causal":
        # The last token is written and never read.
        frame = [entry.config.bos_id, forced_token(entry.config, 0), *written.encode("")[:-1]]
        labels = written.labels([token for token in frame if token is not None])
    else:
        labels = read.labels(read.encode(""))
    special = special_sinks(labels)
    if not special:
        return "punctuation"
    return f"{special[0] if len(special) == 1 else 'special tokens'} and punctuation"


def sinks_sentence(measured: Measured, kind: Kind, head: tuple[int, int], sinks: str) -> list[cards.Words]:
    """The weight on sinks, their share of the head's output, and the scores with and without them."""

    def mean(score: str) -> float:
        return measured.mean(kind, *head, score)

    share, arrives, size = mean("sink_share"), mean("sink_arrives"), mean("sink_norm")
    words: list[cards.Words] = []
    if math.isfinite(share):
        words += [(f"{100 * share:.0f} %", "b"), f" of a row was on {sinks}"]
    if math.isfinite(arrives):
        words += ["; ", (f"{100 * arrives:.0f} %", "b"), " of what the head adds came from there"]
    if math.isfinite(size):
        words += [f", where ‖f(x)‖ is {size:.2f} times that of words"]
    words += [". " if words else "", *_without(measured, kind, head)]
    return words


def _without(measured: Measured, kind: Kind, head: tuple[int, int]) -> list[cards.Words]:
    parts = []
    for score in _WITHOUT:
        whole, plain = (measured.mean(kind, *head, name) for name in (score, f"{score}_plain"))
        if math.isfinite(whole) and math.isfinite(plain):
            parts.append(f"{ATLAS_SCORES[score].label.lower()} {decimal(whole)} → {decimal(plain)}")
    return [("With them and without: " + ", ".join(parts[:3]) + ".", "muted")] if parts else []


def _compared(
    shown: CheckpointView,
    measured: Measured,
    kind: Kind,
    head: tuple[int, int],
    sentences: tuple[Stands, Stands],
) -> None:
    loads = nullcontext() if shown.is_loaded else st.spinner("Loading the model …", show_time=False)
    try:
        with loads:
            views = [atlas.view_of(each, shown, kind, head) for each in sentences]
    except AtlasError as error:
        cards.mistake(str(error))
        return
    label = ATLAS_SCORES[sentences[0].metric].label.lower()
    sides = [
        _side(one, kind, head, f"{name} · {label} {decimal(each.value)}")
        for one, each, name in zip(views, sentences, NAMES, strict=True)
    ]
    mount(
        COMPARE,
        CompareData(
            (sides[0], sides[1]),
            kind=kind,
            title=f"Head {head[0]}.{head[1]} on its most typical and its most extreme sentence",
            subtitle=f"{label} nearest to its mean of {decimal(sentences[0].mean)}, and farthest from it, of "
            f"{how_many(len(measured.atlas.sample), 'sentence')}",
            tall=460 if shown.selection.presenter else _TALL,
            file=f"heads-{kind}-{head[0]}.{head[1]}",
        ),
        key=f"head_sentences_{kind}",
    )
    with st.container(horizontal=True, gap="medium", key="head_links"):
        for each, name in zip(sentences, NAMES, strict=True):
            target = atlas.link_of(each, shown.selection, kind, head)
            st.page_link(
                "pages/attention.py",
                label=f"the {name} one on Attention",
                query_params=to_params(target),
                width="content",
            )


def _side(shown: DecodeView, kind: Kind, head: tuple[int, int], name: str) -> Side:
    maps = view.maps_of(shown.decode, kind, shown.entry.tokenizers)
    one = view.opened(maps, *head, "mean")
    subject, reads = f"head {head[0]}.{head[1]}", maps.queries.reads
    return Side(one.values, maps.queries.labels, maps.keys.labels, name, subject, reads=reads)
