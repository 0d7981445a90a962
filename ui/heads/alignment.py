"""The Alignment page: controls, downloads, and the aligned pair beside the map that its links come from, with gold marked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import Annotated, Final, Literal

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.analysis.alignment import (
    STEPS,
    Gold,
    Link,
    Measured,
    line_of,
    measure,
    pharaoh,
)
from core.analysis.readout import capitalised, quoted
from core.errors import AtlasError, InputError
from core.language import message, numeral, plural, tr
from ui.export import menu
from ui.heads import alignment_data as data
from ui.heads import alignment_results as results
from ui.heads.alignment_data import AlignedSentence, InForce, Joined, opens
from ui.session import state
from ui.session.selection import GOLD_LIMIT, MEAN
from ui.shared import cards
from ui.shared import maps as view
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.head_views import NO_PINS, Pins
from ui.shared.make_decode import options
from ui.shared.mount import View, mount, theme_watch
from ui.style import screen_text
from ui.style.theme import PRESENTER_SCALE
from ui.web.contract import AtMost, Piece, axis_labels, derive, file_stem, read_labels

Cell = tuple[int, int]
"""Row and column of the map."""


@dataclass(frozen=True)
class Marked:
    """The gold alignment after a click on a cell: (row, column, whether it is sure)."""

    cells: Annotated[tuple[tuple[int, int, bool], ...], AtMost(GOLD_LIMIT)]

    def fitted(self, drawn: AlignmentData) -> Marked | None:
        """The same, or None where a cell is of no word."""
        there = all(row in drawn.target and column in drawn.source for row, column, _ in self.cells)
        return self if there else None

    def gold(self, target: Sequence[int], source: Sequence[int]) -> Gold:
        """The marks as links between words."""
        links = {(source.index(column), target.index(row)): sure for row, column, sure in self.cells}
        return Gold(frozenset(link for link, sure in links.items() if sure), frozenset(links))


@dataclass(frozen=True)
class AlignmentData:
    """One map (rows, columns) of words with its links.

    Raises `InputError` for a map that does not fit its words, and for links beyond them.
    """

    values: NDArray[np.float32]
    rows: Sequence[str]
    cols: Sequence[str]
    _: KW_ONLY
    # The rows and the columns that hold words.
    target: Sequence[int]
    source: Sequence[int]
    linked: InitVar[Collection[Link]]  # (source word, target word), counted among `source` and `target`
    marked: InitVar[Gold | None] = None  # the gold, counted likewise
    by_hand: bool = False  # the gold was marked here and can be cleared
    reads: Sequence[str] = ()  # the words that each row reads and writes, as its file has them
    writes: Sequence[str] = ()
    title: Sequence[Piece]
    subtitle: str = ""
    subject: str
    reading: InitVar[bool] = False  # a row is what was given when the word was read
    what: Literal["weight", "share"] = "weight"  # what a row's numbers are
    summary: Sequence[Piece] = ()  # stands under the map
    pins: Pins = NO_PINS
    pairs: Sequence[tuple[int, int]] = ()  # heads to outline on the wall
    file: str = "alignment"
    links: tuple[Cell, ...] = field(init=False)  # (row, column)
    gold: tuple[tuple[int, int, bool], ...] = field(init=False)  # row, column, and whether it is sure
    verb: Literal["Reading", "Writing"] = field(init=False)

    def __post_init__(self, linked: Collection[Link], marked: Gold | None, reading: bool) -> None:
        full = np.asarray(self.values, dtype=np.float32)
        if full.ndim != 2 or not np.isfinite(full).all():
            raise InputError(
                f"The map has shape {full.shape}; an alignment needs one finite (rows, columns) map."
            )
        sure = self._cells(marked.sure) if marked else set()
        possible = self._cells(marked.possible | marked.sure) if marked else set()
        derive(
            self,
            values=full,
            rows=axis_labels(self.rows, full.shape[0], "written word"),
            cols=axis_labels(self.cols, full.shape[1], "source word"),
            reads=read_labels(self.reads, len(full)),
            writes=axis_labels(self.writes or self.rows, len(full), "written word"),
            file=file_stem(self.file),
            links=tuple(sorted(self._cells(linked))),
            gold=tuple((*cell, cell in sure) for cell in sorted(possible)),
            verb="Reading" if reading else "Writing",
        )

    def _cells(self, links: Collection[Link]) -> set[Cell]:
        """Links as (row, column)."""
        if any(s >= len(self.source) or t >= len(self.target) for s, t in links):
            raise InputError("A link names a word that is not there; count the words of both sides from 0.")
        return {(self.target[t], self.source[s]) for s, t in links}


ALIGNMENT = View("alignment", AlignmentData, pinned=Pins, marked=Marked)


_NAMED = 3


def draw_sentence(shown: DecodeView, plate: AlignedSentence, joined: Joined | None) -> None:
    """One card with both drawings."""
    links = joined.links if joined else plate.links
    words, maps, selection = plate.words, plate.maps, shown.selection

    def pinned(pins: Pins) -> None:
        view.pin(maps.kind, maps.queries, maps.keys, pins.rows, pins.columns)

    def marked(marks: Marked) -> None:
        gold = marks.gold(words.axes.target, words.axes.source)
        state.update(gold=data.marked(gold, words.source, words.target) if gold.possible else "")

    rows, columns = view.pinned(maps.kind, maps.queries, maps.keys, selection)
    reads, writes = read_and_written(plate, shown.decode.trace.tokens.target[0])
    mount(
        ALIGNMENT,
        AlignmentData(
            np.asarray(plate.values, dtype=np.float32),
            words.rows,
            words.columns,
            target=words.axes.target,
            source=words.axes.source,
            linked=links,
            marked=plate.gold,
            by_hand=plate.origin == "hand",
            reads=reads,
            writes=writes,
            title=title(plate, links, joined),
            subtitle=_subtitle(shown, plate),
            subject=plate.subject,
            reading=plate.reading == "reading",
            what="weight" if selection.by == "weight" else "share",
            summary=summary(plate, links),
            pins=Pins(tuple(rows), tuple(columns)),
            pairs=_outlined(plate),
            file=f"alignment-{plate.name}-{plate.reading}-{selection.by}",
        ),
        key="aligned_pair",
        pinned=pinned,
        marked=marked,
    )


def read_and_written(plate: AlignedSentence, start: str) -> tuple[list[str], list[str]]:
    """The words that each row reads and writes.

    The row that predicts a word reads the word before it, the first the `start` token; the row in which a word is fed
    back writes the word after it.
    """
    words = [*plate.words.rows]
    if plate.reading == "reading":
        return words, [*words[1:], ""]
    return [start, *words[:-1]], words


def _outlined(plate: AlignedSentence) -> Sequence[tuple[int, int]]:
    if plate.layer is None:
        return ()
    heads = plate.maps.shape[1]
    if plate.head is not None:
        return ((plate.layer, plate.head),)
    return tuple((plate.layer, head) for head in range(heads)) if heads <= 8 else ()


def title(plate: AlignedSentence, links: frozenset[Link], joined: Joined | None) -> list[Piece]:
    """The result in one line: sure links found with gold, linked words without."""
    who = capitalised(plate.subject)
    if joined:
        who = tr("{head}, joined with {checkpoint},", head=who, checkpoint=joined.checkpoint)
    if plate.gold is not None and plate.gold.sure:
        agreement = measure(links, plate.gold)
        words = plural(
            "{who} finds {found} of {count} sure link",
            "{who} finds {found} of {count} sure links",
            agreement.sure,
            who=who,
            found=numeral(agreement.predicted_sure, ","),
        )
        return [words]
    linked = len({target for _, target in links})
    count = len(plate.words.target)
    return [
        plural(
            "{who} links {linked} of {count} word",
            "{who} links {linked} of {count} words",
            count,
            who=who,
            linked=numeral(linked, ","),
        )
    ]


def _subtitle(shown: CheckpointView, plate: AlignedSentence) -> str:
    by = "weight" if shown.selection.by == "weight" else "contribution"
    words = tr("words split at spaces") if plate.words.spaced else tr("words of the tokenizer")
    parts = [tr(_LARGEST[by, plate.reading]), words, *pinned_gold(shown, plate)]
    return " · ".join(parts)


_LARGEST = {
    ("weight", "writing"): message("Largest weight when the word is predicted"),
    ("weight", "reading"): message("Largest weight when the word is fed back"),
    ("contribution", "writing"): message("Largest contribution when the word is predicted"),
    ("contribution", "reading"): message("Largest contribution when the word is fed back"),
}


def pinned_gold(shown: CheckpointView, plate: AlignedSentence) -> list[str]:
    """Whether the gold links the pinned pair; nothing without gold or without a pin of cross-attention."""
    pin, gold = shown.selection.pin, plate.gold
    if gold is None or pin is None or pin.kind != "cross":
        return []
    target, source = plate.words.axes.target, plate.words.axes.source
    if not (0 <= pin.query < len(target) and 0 <= pin.key < len(source)):
        return []
    link = source[pin.key], target[pin.query]
    if min(link) < 0:
        return []
    names = {"query": quoted(plate.words.target[link[1]]), "key": quoted(plate.words.source[link[0]])}
    if link in gold.sure:
        return [tr("the gold alignment also links {query} to {key}", **names)]
    if link in gold.possible:
        return [tr("{query} – {key} is a possible link in the gold alignment", **names)]
    return [tr("the gold alignment does not link {query} to {key}", **names)]


def summary(plate: AlignedSentence, links: frozenset[Link]) -> list[Piece]:
    """The scores of this sentence and its missed and wrong links; without gold, the words without a link."""
    if plate.gold is None:
        linked = {target for _, target in links}
        bare = [word for index, word in enumerate(plate.words.target) if index not in linked]
        if not bare:
            return [tr("Every written word has a link. Mark gold to count how many are right.")]
        return [
            tr("No link for:"),
            " ",
            *_names([_strong(word) for word in bare]),
            ". ",
            tr("Mark gold to count how many are right."),
        ]
    parts = numbers(measure(links, plate.gold))
    missed = sorted(plate.gold.sure - links, key=lambda link: link[::-1])
    wrong = sorted(links - plate.gold.possible, key=lambda link: link[::-1])
    for words, these in ((tr("Missed:"), missed), (tr("Wrong:"), wrong)):
        if these:
            parts += [f" {words} ", *_names([_link(plate, link) for link in these]), "."]
    return parts


def numbers(agreement: Measured) -> list[Piece]:
    """“AER 0.12, precision 90 %, recall 88 %.”"""
    return [
        "AER ",
        {"strong": data.rate(agreement.aer)},
        tr(
            ", precision {precision}, recall {recall}.",
            precision=data.share(agreement.precision),
            recall=data.share(agreement.recall),
        ),
    ]


def _strong(word: str) -> list[Piece]:
    return [{"strong": quoted(word)}]


def _link(plate: AlignedSentence, link: Link) -> list[Piece]:
    source, target = plate.words.source[link[0]], plate.words.target[link[1]]
    return [{"strong": quoted(target)}, " – ", {"strong": quoted(source)}]


def _names(items: list[list[Piece]]) -> list[Piece]:
    """The first few, and how many more."""
    shown = items[:_NAMED]
    out: list[Piece] = []
    for position, item in enumerate(shown):
        out += [", "] if position else []
        out += item
    return [*out, tr(" and {count} more", count=len(items) - len(shown))] if len(items) > len(shown) else out


def save(shown: DecodeView, plate: AlignedSentence, joined: Joined | None, in_force: InForce) -> None:
    """The menu of files."""
    links = joined.links if joined else plate.links
    name = f"{plate.name}-{plate.reading}-{shown.selection.by}"
    files = [(tr("Links (Pharaoh, from 0)"), f"{name}-links.txt", lambda: f"{pharaoh(links)}\n")]
    if plate.gold is not None:
        gold = plate.gold
        words = plate.words.source, plate.words.target
        files.append((tr("Gold of this sentence (from 1)"), "gold.txt", lambda: f"{line_of(*words, gold)}\n"))
    survey, by = results.survey_of(shown, in_force), shown.selection.by
    tables: list[tuple[str, menu.Make]] = []
    if plate.counts is not None:
        tables.append((tr("this sentence"), results.table(plate.counts)))
    if survey is not None:
        each = survey.sentences.get(by, ())
        tables.append(
            (sentences_words(survey.done), results.table(survey.counts[by], each, survey.baselines))
        )
    for about, make in tables:
        called = about.replace(",", "").replace(" ", "-")
        files.append((tr("CSV of every head, {about}", about=about), f"aer-{called}.csv", make))
    menu.texts(shown, files)


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
    "Joins the links with those of a checkpoint for the other direction (grow-diag)"
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
    names = {MEAN: every} | {index: tr(_ONE[field], number=index) for index in range(count)}
    held = state.hold(f"alignment_{field}", MEAN if value is None else value, take)
    cards.listing(tr(field), names, held, width)


_ONE: Final = {"layer": message("Layer {number}"), "head": message("Head {number}")}
MORE: Final = message(
    "**A link** joins a written word to the source word that its row gives most: the weights of a source "
    "word’s tokens are summed, the rows of a written word’s tokens averaged, and a word whose largest number "
    "lies on ⟨end⟩ has no link. **When predicted** takes the row in which the word is chosen, **when fed "
    "back** the row after it, whose input is that word. Which one aligns depends on the model: in a six-layer "
    "German-English one, AER by layer 1 … 6 was .62 **.28** .46 .90 .93 .94 when fed back and .92 .89 .68 "
    "**.50** .51 .64 when predicted (Ferrando et al. 2022, RWTH gold): early layers align the word they read, "
    "late layers the word they write.\n\n**By contribution** a row is $\\lVert \\alpha f(x_j) \\rVert$ in place of "
    "$\\alpha$, as a share of the row (Kobayashi et al. 2020); for all heads of a layer $\\lVert \\sum_h "
    "\\alpha^h f^h(x_j) \\rVert$. A head that looks mostly at ⟨end⟩ adds little from there.\n\n**Gold** links are "
    "sure ($S$) or possible ($P \\supseteq S$); with the links found $A$: precision $\\frac{|A \\cap P|}{|A|}$, "
    "recall $\\frac{|A \\cap S|}{|S|}$, $\\mathrm{AER} = 1 - \\frac{|A \\cap S| + |A \\cap P|}{|A| + |S|}$ (Och & "
    "Ney 2003). **Joined** is grow-diag (Koehn et al. 2003) with the head of the other direction that agrees "
    "most. Words are separated by spaces, as in gold files; without spaces, the tokenizer’s own words "
    "count.\n\n**Intervals** are 95 % intervals by bootstrap over the sentences (Efron 1979). **The diagonal** "
    "links each word to the one at the same share of the sentence; **IBM model 1** (Brown et al. 1993) learns "
    "which words go together from the gold file’s sentences without their links and, for the shipped files, "
    "from a corpus as well. A head that aligns better than these two lies below their lines."
)
KEYS = {
    "← ↑ → ↓": message("From cell to cell, or from head to head"),
    "Enter": message("Pin the word, or change the gold of the cell"),
    "M": message("Mark gold: choose cells"),
    "Esc": message("Unpin"),
}


@st.fragment
def alignment_page(shown: DecodeView) -> None:
    """The pair above, the wall and the chart below it."""
    drawn, shown = shown.selection, shown.now()
    if options(drawn) != options(shown.selection) or drawn.text != shown.selection.text:
        st.rerun()  # a sentence of the gold file was opened: it has to be decoded
    in_force = data.in_force(shown.entry)
    try:
        plate = data.aligned(shown, in_force.file)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    joined, back = _joined(shown, plate)
    row(shown, plate, joined, in_force, back)
    if plate.problem:
        cards.mistake(plate.problem)
    draw_sentence(shown, plate, joined)
    cards.explain(
        tr(
            "Each written word is linked to the source word to which its row gives the most weight; a word that looks most at ⟨end⟩ has no link."
        ),
        tr("Alignment error rate (AER) compares these links with hand-made ones; lower is better."),
        tr(MORE),
        name="alignment",
        keys={key: tr(what) for key, what in KEYS.items()},
    )
    left, right = st.columns([1.25, 1], gap="small")
    with left:
        results.wall(shown, plate, in_force)
    with right:
        charted = results.chart_and_table(shown, plate, joined, in_force)
    with nullcontext() if charted else right:
        results.draw_results(shown, in_force)
    theme_watch()


def _joined(shown: DecodeView, plate: AlignedSentence) -> tuple[Joined | None, str]:
    """Both directions joined where that is asked for, and what can be said of the other direction."""
    other, why = data.other_direction(shown.entry)
    if other is None or not shown.selection.joined:
        return None, why
    texts = data.texts_of(shown)
    backward = CheckpointView(other, device=shown.device)
    try:
        with cards.loading(backward, tr("Loading {name} …", name=screen_text.label(other.name))):
            return data.joined(backward, plate, texts, shown.selection.by), ""
    except AtlasError as error:
        cards.mistake(str(error))
        return None, ""
