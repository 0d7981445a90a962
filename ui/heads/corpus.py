"""The measured sentences (the card's examples or the reader's own) and the background measurement."""

from __future__ import annotations

from typing import Final

import streamlit as st

from core.errors import AtlasError
from core.language import message, plural, tr
from ui.heads import atlas
from ui.heads.atlas import EXAMPLES, Measured
from ui.session import state
from ui.session.corpus import LONGEST_LINE, MOST_CHARACTERS, MOST_LINES, Corpus, decoded, read_corpus
from ui.shared import cards
from ui.shared.context import CheckpointView
from ui.style import screen_text
from ui.uploads import gate

_TEXT: Final = "corpus_text"
_FILE: Final = "corpus_file"
_MEGABYTES: Final = 4  # of an uploaded file: as many characters as are read, four bytes each


def available(shown: CheckpointView) -> tuple[Measured | None, str]:
    """The atlas to show, and a sentence if there is none. While the reader's sentences are being measured, the stored atlas."""
    own = state.corpus()
    known = own and (atlas.measured(shown.entry, own) or atlas.partial(shown.entry, own))
    if known:
        return known, ""
    try:
        return atlas.stored(shown.entry), ""
    except AtlasError as error:
        examples = atlas.examples(shown.entry)
        known = atlas.measured(shown.entry, examples) or atlas.partial(shown.entry, examples)
        return known, "" if known else screen_text.sentence(error, shown.entry.path)


def in_force(shown: CheckpointView) -> Corpus:
    """The corpus that is shown or waits to be measured."""
    return state.corpus() or atlas.examples(shown.entry)


def running(shown: CheckpointView) -> bool:
    """Whether this session measures the corpus in force right now."""
    job = atlas.job(shown.entry, in_force(shown))
    return job is not None and not job.finished


def waits(shown: CheckpointView) -> bool:
    """Whether the selected corpus is neither measured nor being measured in this session."""
    corpus, by_default = in_force(shown), state.corpus() is None
    if running(shown) or atlas.measured(shown.entry, corpus) is not None:
        return False
    return not (by_default and shown.entry.usable.has_atlas) or (by_default and available(shown)[0] is None)


def choose(shown: CheckpointView, measured: Measured | None) -> None:
    """Another corpus: pasted, uploaded where that is allowed, or the example sentences again."""
    own = state.corpus()
    count = "" if measured is None else f"{measured.atlas.sentences:,}"
    if own is not None:
        count = f"{len(own.pairs):,}"
    name = own.name if own is not None else measured.name if measured else EXAMPLES
    label = tr("Measured on {count} {name}", count=count, name=tr(name))
    # Other sentences make another popover, which is closed.
    with st.popover(label, width="content", key=f"corpus_{own.digest[:12] if own else 'examples'}"):
        cards.quiet(
            tr(
                "One sentence a line; a translation after a tab replaces the model’s own. At most {lines} lines of "
                "{characters} characters; they stay in this session.",
                lines=f"{MOST_LINES:,}",
                characters=f"{LONGEST_LINE:,}",
            )
        )
        with st.form("own_corpus", border=False):
            st.text_area(tr("Sentences"), height=160, max_chars=MOST_CHARACTERS, key=_TEXT)
            if gate.allowed():
                gate.open_uploads()
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
    if atlas.measured(shown.entry, corpus) is None:
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
                    "{done} of {count} sentence", "{done} of {count} sentences", total, done=f"{done:,}"
                )
                st.progress(job.share, words)
                st.button(tr("Stop"), on_click=job.cancel, key="stop_corpus")

    card()
