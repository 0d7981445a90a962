"""The views of the Heads page, and what they mean."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.analysis.corpus_scores import ATLAS_SCORES
from core.analysis.roles import ROLES
from core.experiments.corpus import SAMPLE
from ui.app import navigation
from ui.heads import corpus
from ui.heads.atlas import UNNAMED, Measured
from ui.heads.atlas_view import ATLAS, AtlasData, AtlasPick, Listed
from ui.heads.open_head import open_head
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cards, models
from ui.shared.context import CheckpointView
from ui.shared.mount import mount, theme_watch
from ui.style.theme import Kind

WHAT = "Every dot and every row is a head; a bar shows how its score spreads over the sentences."
WHY = "One sentence can mislead: what a head does on many of them is what it is for."
ROLES_ARE = "**Roles** are plain words with a threshold on the mean:\n\n| role | the head | score | from |\n|---|---|---|--:|\n"
MORE = (
    "\n\n**Map**: heads of one kind stand near each other where they look at the same places: classical scaling (Torgerson "
    "1952) of the Jensen-Shannon divergence of their rows, averaged over the sentences. One scale for all three; a filled "
    "dot has a role. Only heads of one kind can be compared.\n\n"
    f"**Bars**: thin from 5 to 95 %, thick from 25 to 75 % of the sentences, the line is the median, the number the mean. "
    f"The quantiles are over at most {SAMPLE} sentences, an even draw of a longer corpus; mean and deviation over all.\n\n"
    "**Most typical** is the sentence whose own score is nearest to the head\u2019s mean, **most extreme** the one farthest from "
    "it; the score is that of its first role, or how broadly it looks where it has none.\n\n"
    "**Sinks** are special tokens and punctuation. Much weight there need not mean much: what arrives is the weight times "
    "$\\lVert f(x_j) \\rVert = \\lVert v_j W_O \\rVert$ (Kobayashi et al. 2020). \u201cWords only\u201d takes them out and lets each "
    "row sum to 1 again.\n\n"
)


def more() -> str:
    """What the words on the page mean, the thresholds of the roles in a table."""
    lines = (
        f"| {role.name} | {role.means} | {ATLAS_SCORES[role.metric].label.lower()} | {role.threshold:g} |"
        for role in ROLES
    )
    return ROLES_ARE + "\n".join(lines) + MORE


@st.fragment
def views(shown: CheckpointView) -> None:
    """The corpus picker, the maps and table, and the open head."""
    shown = shown.now()
    kind = cards.kind_of(shown.selection.kind)
    measured, problem = corpus.available(shown)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="heads_options"):
        navigation.kind_pills(shown.selection)
        corpus.choose(shown)
        if corpus.waits(shown):
            args: tuple[Any, ...] = (shown, corpus.in_force(shown))
            st.button("measure", on_click=corpus.measure, args=args, key="measure_corpus")
    corpus.progress(shown)
    if measured is None:
        if problem and not corpus.running(shown):
            with cards.card("no_atlas", fill=False):
                cards.title("No heads to show yet", problem)
        if failure := models.failure(shown.entry, shown.device):
            cards.mistake(failure)
        return
    head = measured.opened(shown.selection, kind, shown.entry.usable.card)
    left, right = st.columns([1, 1] if shown.selection.presenter else [1.2, 1], gap="small")
    with left:
        _plate(shown, measured, kind, head)
        cards.explain(WHAT, WHY, more(), name="heads")
    with right:
        open_head(shown, measured, kind, head)
    theme_watch()


def _plate(shown: CheckpointView, measured: Measured, kind: Kind, head: tuple[int, int]) -> None:
    def picked(one: AtlasPick) -> None:
        state.update(kind=one.kind, layer=one.layer, head=one.head)

    def listed(new: Listed) -> None:
        state.update(sort=new.sort, badge=new.score, only_layer=new.layer, only_role=new.role)

    mount(
        ATLAS,
        AtlasData(
            measured,
            kind=kind,
            opened=AtlasPick(kind, *head),
            listed=_listed(shown.selection),
            title=f"All {len(measured.rows)} heads, {_over(measured)}",
            subtitle="near heads look at the same places · a filled dot has a role",
            file=f"heads-{shown.entry.name}",
        ),
        key="atlas",
        picked=picked,
        arranged=listed,
    )


def _over(measured: Measured) -> str:
    """The sentences the atlas covers, and why some are missing."""
    met, given, name = measured.atlas.sentences, measured.given, measured.name
    if met == given:
        one = "over one sentence" if name == UNNAMED else f"over one of the {name}"
        return f"over {given:,} {name}" if given > 1 else one
    return f"over {met:,} of {given:,} {name} ({'the others cannot be read' if measured.complete else 'stopped'})"


def _listed(selection: Selection) -> Listed:
    """What the link says; names that mean nothing here are passed over."""
    roles = ("", "none", *(role.name for role in ROLES))
    score = selection.badge if selection.badge in ATLAS_SCORES else ""
    role = selection.only_role if selection.only_role in roles else ""
    return Listed(selection.sort if score else "model", score, selection.only_layer, role)
