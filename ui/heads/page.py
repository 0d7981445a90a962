"""The Heads page: the measured sentences, heads by role, the open one beside them, and all heads one level down."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from core.analysis.roles import ATLAS_SCORES, ROLES
from core.errors import AtlasError
from core.experiments.corpus import SAMPLE
from core.language import message, numeral, plural, tr
from ui import uploads
from ui.app import navigation
from ui.export import menu
from ui.heads import atlas, roles
from ui.heads.atlas import (
    ATLAS,
    EXAMPLES,
    KINDS,
    LONGEST_LINE,
    MOST_CHARACTERS,
    MOST_LINES,
    UNNAMED,
    AtlasData,
    AtlasPick,
    Corpus,
    Listed,
    Measured,
    decoded,
    read_corpus,
)
from ui.heads.roles import compared, open_head
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cards, models
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.head_views import OneHead
from ui.shared.mount import mount, theme_watch
from ui.style import screen_text
from ui.style.theme import Kind

_TEXT: Final = "corpus_text"
_FILE: Final = "corpus_file"
_MEGABYTES: Final = 4  # of an uploaded file: as many characters as are read, four bytes each


def available(shown: CheckpointView) -> tuple[Measured | None, str]:
    """The atlas to show, and a sentence if there is none. While the reader's sentences are being measured, the stored atlas."""
    own: Corpus | None = state.corpus()
    known = own and (atlas.roles_on(shown.entry, own) or atlas.partial(shown.entry, own))
    if known:
        return known, ""
    try:
        return atlas.stored(shown.entry), ""
    except AtlasError as error:
        examples = atlas.examples(shown.entry)
        known = atlas.roles_on(shown.entry, examples) or atlas.partial(shown.entry, examples)
        return known, "" if known else screen_text.sentence(error, shown.entry.path)


def in_force(shown: CheckpointView) -> Corpus:
    """The corpus that is shown or waits to be measured."""
    own: Corpus | None = state.corpus()
    return own or atlas.examples(shown.entry)


def running(shown: CheckpointView) -> bool:
    """Whether this session measures the corpus in force right now."""
    job = atlas.job(shown.entry, in_force(shown))
    return job is not None and not job.finished


def waits(shown: CheckpointView) -> bool:
    """Whether the selected corpus is neither measured nor being measured in this session."""
    corpus, by_default = in_force(shown), state.corpus() is None
    if running(shown) or atlas.roles_on(shown.entry, corpus) is not None:
        return False
    return not (by_default and shown.entry.usable.has_atlas) or (by_default and available(shown)[0] is None)


def choose(shown: CheckpointView, measured: Measured | None) -> None:
    """Another corpus: pasted, uploaded where that is allowed, or the example sentences again."""
    own: Corpus | None = state.corpus()
    count = len(own.pairs) if own is not None else measured.atlas.sentences if measured else 0
    name = own.name if own is not None else measured.name if measured else EXAMPLES
    if count == 1:
        label = tr("Measured on one sentence")
    else:
        label = tr("Measured on {count} {name}", count=numeral(count, ",") if count else "", name=tr(name))
    # Other sentences make another popover, which is closed.
    with st.popover(label, width="content", key=f"corpus_{own.digest[:12] if own else 'examples'}"):
        cards.quiet(
            tr(
                "One sentence per line; a translation after a tab replaces the model’s own. At most {lines} lines of "
                "{characters} characters; they stay in this session.",
                lines=numeral(MOST_LINES, ","),
                characters=numeral(LONGEST_LINE, ","),
            )
        )
        with st.form("own_corpus", border=False):
            st.text_area(tr("Sentences"), height=160, max_chars=MOST_CHARACTERS, key=_TEXT)
            if uploads.allowed():
                uploads.open_uploads()
                st.file_uploader(
                    tr("Or a file of them (.txt, .tsv)"),
                    type=["txt", "tsv"],
                    key=_FILE,
                    max_upload_size=_MEGABYTES,
                )
            st.form_submit_button(tr("Measure these"), on_click=_take, args=(shown,))
        if problem := state.corpus_problem():
            cards.mistake(problem)
    if own is not None:
        st.button(
            tr("Example sentences again"), on_click=state.set_corpus, args=(None,), key="examples_again"
        )


def _take(shown: CheckpointView) -> None:
    """Measure what was entered: the file where there is one, else what was pasted."""
    file = state.entered(_FILE)
    try:
        if file is not None:
            corpus = read_corpus(decoded(file.getvalue()), message("uploaded sentences"))
        else:
            corpus = read_corpus(state.entered(_TEXT) or "", message("pasted sentences"))
    except AtlasError as error:
        state.set_corpus(state.corpus(), str(error))
        return
    state.set_corpus(corpus)
    measure(shown, corpus)


def measure(shown: CheckpointView, corpus: Corpus) -> None:
    """Start measuring, unless somebody did before."""
    if atlas.roles_on(shown.entry, corpus) is None:
        atlas.start(shown, corpus)


def progress(shown: CheckpointView) -> None:
    """How far the run is, with the way to stop it; runs again by itself while it lasts."""
    was = running(shown)

    @st.fragment(run_every=1.0 if was else None)
    def card() -> None:
        corpus = in_force(shown)
        job = atlas.job(shown.entry, corpus)
        if was != running(shown):
            st.rerun()
        if job is None:
            return
        if job.problem:
            cards.mistake(job.problem)
        if not job.finished:
            done, total = (job.latest.done, job.latest.total) if job.latest else (0, len(corpus.pairs))
            with st.container(horizontal=True, vertical_alignment="center", key="corpus_progress"):
                words = plural(
                    "{done} of {count} sentence",
                    "{done} of {count} sentences",
                    total,
                    done=numeral(done, ","),
                )
                st.progress(job.share, words)
                st.button(tr("Stop"), on_click=job.cancel, key="stop_corpus")

    card()


_TABLE: Final = message("**Roles** have a threshold on the mean of a score:")
_COLUMNS: Final = message("| role | the head | score | threshold |")
_MORE: Final = message(
    "**Strength** is measured on a different scale for each role, so only heads of one role can be compared.\n\n"
    "**Map**: heads of one kind are near each other where they look at the same tokens: classical scaling (Torgerson 1952) of "
    "the Jensen-Shannon divergence of their rows, averaged over the sentences. A filled dot has a role.\n\n"
    "**Bars**: thin from 5 to 95 %, thick from 25 to 75 % of the sentences; the line is the median, the number the mean. "
    "The quantiles are over at most {sample} sentences; mean and deviation are over all.\n\n"
    "**Most typical** is the sentence whose own score is nearest to the head’s mean, **most extreme** the one farthest from "
    "it. The score is that of its first role, or its entropy where it has none.\n\n"
    "**Intervals** are over the sentences: they are drawn again with replacement 1,000 times, and the middle 95 % of the results "
    "is kept (bootstrap, Efron 1979). **Chance** is the score with the rows of each map shuffled; its mark is the score that "
    "only 5 % of such corpora exceed. The method of Benjamini & Hochberg (1995) limits false findings among the heads of a kind "
    "to 5 %.\n\n"
    "**Sinks** are special tokens and punctuation. Much weight there need not mean much: the contribution is the weight times "
    "$\\lVert f(x_j) \\rVert = \\lVert v_j W_O \\rVert$ (Kobayashi et al. 2020). “Words only” leaves them out and lets each row "
    "sum to 1 again.\n\n"
    "**Importance** is the rise of the loss when the head is ablated alone, mean over the example sentences."
)


def more() -> str:
    """What the words on the page mean, the thresholds of the roles in a table."""
    lines = "\n".join(
        f"| {tr(role.name)} | {tr(role.means)} | {tr(ATLAS_SCORES[role.metric].label)} | {numeral(role.threshold, 'g')} |"
        for role in ROLES
    )
    # The formula's braces are its own.
    below = tr(_MORE).replace("{sample}", str(SAMPLE))
    return f"{tr(_TABLE)}\n\n{tr(_COLUMNS)}\n|---|---|---|--:|\n{lines}\n\n{below}"


def heads_page(shown: DecodeView) -> None:
    """The page; opening a head runs only its cards again."""
    cards.style(__file__, "heads.css")
    _views(shown)


@st.fragment
def _views(shown: DecodeView) -> None:
    """The controls, the heads by role, the open head, and one level down all scores."""
    shown = shown.now()
    measured, problem = available(shown)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="heads_options"):
        _kinds(shown.selection)
        choose(shown, measured)
        if waits(shown):
            args: tuple[Any, ...] = (shown, in_force(shown))
            st.button(tr("Measure"), on_click=measure, args=args, key="measure_corpus")
        if measured is not None:
            st.toggle(tr("All scores"), **state.bind("every", shown=_lists_all(shown.selection)))
        menu.whole(shown)
    progress(shown)
    if measured is None:
        if problem and not running(shown):
            with cards.card("no_atlas", fill=False):
                cards.title(tr("No heads to show yet"), problem)
        if failure := models.failure(shown.entry, shown.device):
            cards.mistake(failure)
        return
    listed: tuple[Kind, ...] = tuple(kind for kind in KINDS if shown.selection.only_kind in ("", kind))
    kind = opened_kind(shown.selection)
    head = measured.opened(shown.selection, kind, shown.entry.usable.card)
    left, right = st.columns([1.6, 1], gap="small")
    with left:
        roles.wall(shown, measured, listed, OneHead(kind, *head))
    with right:
        open_head(shown, measured, kind, head)
    cards.explain(
        tr("Choose a head to open it."),
        tr("A role is measured over many sentences: one sentence can mislead."),
        more(),
        name="heads",
    )
    if _lists_all(shown.selection):
        _atlas(shown, measured, kind, head)
        compared(shown, measured, kind, head)
    theme_watch()


def opened_kind(selection: Selection) -> Kind:
    """The kind of the open head: the one that is shown alone, else the link's."""
    if selection.only_kind and (selection.layer is None or selection.kind != selection.only_kind):
        return selection.only_kind
    return cards.kind_of(selection.kind)


def _kinds(selection: Selection) -> None:
    """All kinds, or one alone."""
    labels = {"": tr("All kinds"), **navigation.kind_labels()}
    with st.container(key="all_kinds", width="content"):
        cards.choice(tr("kind of attention"), labels, state.bind("only_kind"))


def _lists_all(selection: Selection) -> bool:
    """Whether the map and the table of all heads are shown: asked for, or a link says how to list them."""
    listed = (
        selection.sort != "model"
        or selection.badge
        or selection.only_role
        or selection.only_layer is not None
    )
    return bool(selection.every or listed)


def _atlas(shown: DecodeView, measured: Measured, kind: Kind, head: tuple[int, int]) -> None:
    """The map and the table of all heads."""

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
            title=tr(
                "All {count} heads over {sentences}", count=len(measured.rows), sentences=over(measured)
            ),
            subtitle=tr("Near heads look at the same tokens · a filled dot has a role"),
            file=f"heads-{shown.entry.name}",
        ),
        key="atlas",
        picked=picked,
        arranged=listed,
    )


def over(measured: Measured) -> str:
    """The sentences the atlas covers, and why some are missing."""
    met, given, name = measured.atlas.sentences, measured.given, tr(measured.name)
    if met == given:
        if given == 1:
            return (
                plural("one sentence", "{count} sentences", 1)
                if measured.name == UNNAMED
                else tr("one of the {name}", name=name)
            )
        return tr("{count} {name}", count=numeral(given, ","), name=name)
    parts = {"met": numeral(met, ","), "given": numeral(given, ","), "name": name}
    if measured.complete:
        return tr("{met} of {given} {name} (the others cannot be read)", **parts)
    return tr("{met} of {given} {name} (stopped)", **parts)


def _listed(selection: Selection) -> Listed:
    """What the link says; names that mean nothing here are passed over."""
    known = ("", "none", *(role.name for role in ROLES))
    score = selection.badge if selection.badge in ATLAS_SCORES else ""
    role = selection.only_role if selection.only_role in known else ""
    return Listed(selection.sort if score else "model", score, selection.only_layer, role)
