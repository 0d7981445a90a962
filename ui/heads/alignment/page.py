"""The Alignment page: controls, downloads, the aligned pair, every head on the wall, AER by layer, and the gold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import streamlit as st

from core.analysis.alignment import RATES, READINGS, STEPS, Counted, line_of, pharaoh
from core.errors import AtlasError
from core.language import message, plural, tr
from ui.export import menu
from ui.export.csv_files import csv_text, number
from ui.heads.alignment import data, gold_card, pair, results
from ui.heads.alignment import data as gold
from ui.heads.alignment import data as reverse
from ui.heads.alignment.data import AlignedSentence, InForce, Joined
from ui.heads.alignment.pair import opens
from ui.heads.alignment.results import measured
from ui.session import state
from ui.session.selection import MEAN
from ui.shared import cards
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.make_decode import options
from ui.shared.mount import theme_watch
from ui.style import screen_text
from ui.style.theme import PRESENTER_SCALE


def save(shown: DecodeView, plate: AlignedSentence, joined: Joined | None, in_force: InForce) -> None:
    """The menu of files."""
    links = joined.links if joined else plate.links
    name = f"{plate.name}-{plate.reading}-{shown.selection.by}"
    files = [(tr("Links (Pharaoh, from 0)"), f"{name}-links.txt", lambda: f"{pharaoh(links)}\n")]
    if plate.gold is not None:
        gold = plate.gold
        words = plate.words.source, plate.words.target
        files.append((tr("Gold of this sentence (from 1)"), "gold.txt", lambda: f"{line_of(*words, gold)}\n"))
    over, sentences = measured(shown, in_force)
    for counts, about in ((plate.counts, tr("this sentence")), (over, sentences_words(sentences))):
        if counts is not None:
            called = about.replace(",", "").replace(" ", "-")
            files.append((tr("CSV of every head, {about}", about=about), f"aer-{called}.csv", _table(counts)))
    menu.texts(shown, files)


def _table(counts: Counted) -> menu.Make:
    """Counts and rates of every head, of every layer ("all" heads) and of all layers, in both readings, as CSV."""

    def make() -> str:
        layers, heads = counts.heads.shape[1:3]
        places: list[tuple[int | None, int | None]] = [
            (layer, head) for layer in range(layers) for head in (*range(heads), None)
        ]
        rows = []
        for layer, head in (*places, (None, None)):
            for reading in READINGS:
                agreement = counts.of(reading, layer, head)
                names = ["all" if index is None else index for index in (layer, head)]
                counted = (
                    agreement.predicted,
                    agreement.sure,
                    agreement.predicted_sure,
                    agreement.predicted_possible,
                )
                rows.append(
                    [*names, reading, *(number(getattr(agreement, rate)) for rate in RATES), *counted]
                )
        head_line = ["layer", "head", "reading", *RATES, "links", "sure", "found_sure", "found_possible"]
        return csv_text(head_line, rows)

    return make


READING_LABELS: Final = {
    "writing": message("When predicted"),
    "reading": message("When fed back"),
}
BY: Final = {"weight": message("Weight"), "contribution": message("Contribution")}
Take = Callable[[int], None]


def row(
    shown: DecodeView, plate: AlignedSentence, joined: Joined | None, in_force: InForce, back: str
) -> None:
    """The row of controls; `back` is the reason why links cannot be joined with the other direction."""
    layers, heads = plate.maps.shape
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="view_options"):
        head = MEAN if plate.head is None else plate.head
        _pick("layer", plate.layer, layers, tr("All layers"), shown, lambda index: opens(index, head))
        if (layer := plate.layer) is not None:
            _pick("head", plate.head, heads, tr("All heads"), shown, lambda index: opens(layer, index))
        cards.choice(
            tr("Reading"),
            {name: tr(words) for name, words in READING_LABELS.items()},
            state.bind("reading", plate.reading),
        )
        cards.choice(tr("Links by"), {name: tr(words) for name, words in BY.items()}, state.bind("by"))
        hint = screen_text.label(back) or tr(_ABOUT_JOINED)
        st.toggle(tr("Both directions"), disabled=bool(back), help=hint, **state.bind("joined"))
        save(shown, plate, joined, in_force)
    if joined is not None:
        cards.quiet(joined_sentence(joined))
    elif back and shown.selection.joined:
        cards.quiet(back)


_ABOUT_JOINED: Final = message(
    "Joins the links with those of the checkpoint that translates back (grow-diag)"
)


def sentences_words(count: int) -> str:
    """“120 sentences”."""
    return plural("{count} sentence", "{count} sentences", count)


def joined_sentence(joined: Joined) -> str:
    """Which head's links were joined, and on how many they agree."""
    layer, head = joined.head
    return tr(
        "Joined with head {head} of {checkpoint} ({step}), which agrees most: on {agreeing} of its {count} links.",
        head=f"{layer}.{head}",
        checkpoint=joined.checkpoint,
        step=tr(STEPS[joined.reading]),
        agreeing=joined.agreeing,
        count=len(joined.backward),
    )


def _pick(field: str, value: int | None, count: int, every: str, shown: CheckpointView, take: Take) -> None:
    # In presenter mode the row is one line down to 1280 pixels.
    width = round(100 * PRESENTER_SCALE) if shown.selection.presenter else 118
    st.selectbox(
        field,
        [MEAN, *range(count)],
        format_func=lambda index: every if index == MEAN else tr(_ONE[field], number=index),
        label_visibility="collapsed",
        width=width,
        **state.hold(f"alignment_{field}", MEAN if value is None else value, take),
    )


_ONE: Final = {"layer": message("Layer {number}"), "head": message("Head {number}")}
MORE: Final = message(
    "**A link** joins a written word to the source word that its row gives most: the weights of a source word's tokens are "
    "summed, the rows of a written word's tokens averaged, and a word whose largest number lies on ⟨end⟩ has no link. "
    "**When predicted** takes the row in which the word is chosen, **when fed back** the row after it, whose input the "
    "word is. Which one aligns depends on the model: in a six-layer German-English one, AER by layer "
    "1 … 6 was .62 **.28** .46 .90 .93 .94 reading and .92 .89 .68 **.50** .51 .64 writing (Ferrando et al. 2022, RWTH "
    "gold): early layers read, late layers write.\n\n"
    "**By contribution** a row is $\\lVert \\alpha f(x_j) \\rVert$ in place of $\\alpha$, as a share of the row (Kobayashi "
    "et al. 2020); for all heads of a layer $\\lVert \\sum_h \\alpha^h f^h(x_j) \\rVert$. A head that rests on ⟨end⟩ "
    "contributes little from there.\n\n"
    "**Gold** links are sure ($S$) or possible ($P \\supseteq S$); with the links found $A$: precision "
    "$\\frac{|A \\cap P|}{|A|}$, recall $\\frac{|A \\cap S|}{|S|}$, "
    "$\\mathrm{AER} = 1 - \\frac{|A \\cap S| + |A \\cap P|}{|A| + |S|}$ (Och & Ney 2003). **Joined** is grow-diag (Koehn et "
    "al. 2003) with the head of the other direction that agrees most. Words are what stands between spaces, as gold files "
    "count them; where there are none, the tokenizer's own."
)
KEYS = {
    "← ↑ → ↓": message("From cell to cell, from head to head on the wall"),
    "Enter": message("Pin the word, or change the gold of the cell"),
    "M": message("Mark gold: choose cells"),
    "Esc": message("Unpin"),
}


@st.fragment
def views(shown: DecodeView) -> None:
    """The pair above, the wall and the chart below it."""
    drawn, shown = shown.selection, shown.now()
    if options(drawn) != options(shown.selection) or drawn.text != shown.selection.text:
        st.rerun()  # a sentence of the gold file was opened: it has to be decoded
    in_force = gold.in_force(shown.entry)
    try:
        plate = data.aligned(shown, in_force.file)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    joined, back = _joined(shown, plate)
    row(shown, plate, joined, in_force, back)
    if plate.problem:
        cards.mistake(plate.problem)
    pair.draw(shown, plate, joined)
    cards.explain(
        tr("Each written word is linked to the source word that its row gives most."),
        tr("Alignment error rate (AER) compares with hand-made links; lower is better."),
        tr(MORE),
        name="alignment",
        keys={key: tr(what) for key, what in KEYS.items()},
    )
    left, right = st.columns([1.25, 1], gap="small")
    with left:
        results.wall(shown, plate, in_force)
    with right:
        results.chart_and_table(shown, plate, joined, in_force)
        gold_card.draw(shown, in_force)
    theme_watch()


def _joined(shown: DecodeView, plate: AlignedSentence) -> tuple[Joined | None, str]:
    """Both directions joined where that is asked for, and what can be said of the other direction."""
    other, why = reverse.other_direction(shown.entry)
    if other is None or not shown.selection.joined:
        return None, why
    texts = data.texts_of(shown)
    backward = CheckpointView(other, device=shown.device)
    try:
        if not backward.is_loaded:
            with st.spinner(tr("Loading {name} …", name=screen_text.label(other.name)), show_time=False):
                return reverse.joined(backward, plate, texts, shown.selection.by), ""
        return reverse.joined(backward, plate, texts, shown.selection.by), ""
    except AtlasError as error:
        cards.mistake(str(error))
        return None, ""
