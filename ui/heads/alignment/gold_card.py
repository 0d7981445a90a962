"""The card of the gold file: upload, progress of its measurement, and its sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import streamlit as st

from core.analysis import alignment
from core.analysis.alignment import SIGN, GoldFile
from core.errors import AtlasError, InputError
from core.language import message, plural, tr
from ui.heads.alignment import data as gold
from ui.heads.alignment.data import InForce
from ui.session import state
from ui.shared import cards
from ui.shared.context import CheckpointView
from ui.style import screen_text
from ui.uploads import gate

_FROM: Final = {1: message("Links count from 1"), 0: message("From 0")}
_EXAMPLE: Final = f"the white dog {SIGN} le chien blanc {SIGN} 1-1 2-3 3p2"
_SIDES: Final = (
    ("source", message("Sentences, one a line")),
    ("target", message("Their translations")),
    ("links", message("Their links")),
)
_LIMIT_MB: Final = 2


def draw(shown: CheckpointView, in_force: InForce) -> None:
    """The card; while it measures, it looks again by itself."""
    if _running(shown, in_force):
        st.fragment(_watched, run_every=1.0)(shown, in_force)
    else:
        _card(shown, in_force)


def _watched(shown: CheckpointView, in_force: InForce) -> None:
    if not _running(shown, in_force):
        st.rerun()
    _card(shown, in_force)


def _card(shown: CheckpointView, in_force: InForce) -> None:
    with cards.card("gold", fill=False):
        _draw(shown, in_force)


def _running(shown: CheckpointView, in_force: InForce) -> bool:
    job = gold.job(shown, in_force.file) if in_force.file else None
    return job is not None and not job.finished


def _draw(shown: CheckpointView, in_force: InForce) -> None:
    file = in_force.file
    if file is None:
        cards.title(tr("Gold"), tr("Mark this sentence’s links in the map above, or choose a file of them"))
        if in_force.problem:
            cards.mistake(in_force.problem)
    else:
        words = plural("Gold file: {count} sentence", "Gold file: {count} sentences", len(file.pairs))
        cards.title(words, screen_text.plain(file.name, 80))
        _measurement(shown, file)
        _sentences(shown, file)
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="gold_options"):
        with st.popover(tr("Choose a gold file") if file is None else tr("Another file")):
            _give()
        if in_force.own:
            st.button(tr("Remove it"), on_click=state.gold_file.set, args=(None,), key="forget_gold")


def _measurement(shown: CheckpointView, file: GoldFile) -> None:
    """Progress of measuring every head against the gold file, and which lines were left out."""
    try:
        survey = gold.surveyed(shown, file)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    job = gold.job(shown, file)
    if job is not None and job.problem:
        cards.mistake(job.problem)
    elif job is not None and not job.finished:
        st.progress(job.share, tr("{share}: every head against the gold", share=f"{100 * job.share:.0f} %"))
        st.button(tr("Stop"), on_click=job.cancel, key="stop_gold")
    elif survey is None and len(file.pairs) > gold.SOON:
        if job is not None and job.latest is not None:
            words = plural(
                "Stopped after {done} of {count} sentence.",
                "Stopped after {done} of {count} sentences.",
                job.latest.total,
                done=f"{job.latest.done:,}",
            )
            cards.quiet(words)
        args = (shown.entry, file, shown.device)
        st.button(tr("Measure every head"), on_click=gold.start, args=args, key="start_gold")
    elif survey is None:
        cards.quiet(tr("Measured as soon as the model is loaded."))
    stage = survey or (job.latest if job is not None else None)
    if stage is not None and stage.left_out:
        line, why = stage.left_out[0]
        many = len(stage.left_out)
        cards.warning(
            plural(
                "{count} sentence was left out. Line {line}: {why}",
                "{count} sentences were left out. Line {line}: {why}",
                many,
                line=line,
                why=why,
            )
        )


def _sentences(shown: CheckpointView, file: GoldFile) -> None:
    """A list of the file's sentences; the chosen one is opened with its translation."""

    def take(number: Any) -> None:
        if isinstance(number, int) and 0 <= number < len(file.pairs):
            source, target = file.pairs[number]
            state.update(text=source, strategy="given", target=target)

    now = (shown.selection.text, shown.selection.target)
    st.selectbox(
        tr("A sentence of the gold file"),
        range(len(file.pairs)),
        format_func=lambda number: f"{number + 1}  {screen_text.plain(file.pairs[number][0], 80)}",
        placeholder=tr("Open one of its sentences"),
        label_visibility="collapsed",
        **state.hold("gold_sentence", file.pairs.index(now) if now in file.pairs else None, take),
    )


def _give() -> None:
    """Three files, or lines typed or pasted."""
    uploads = gate.allowed()
    if uploads:
        gate.open_uploads()
    else:
        cards.quiet(tr("Uploads are off for your browser; lines can be pasted."))
    with st.form("gold_form", border=False):
        files = [
            st.file_uploader(tr(words), key=f"widget_gold_{name}", max_upload_size=_LIMIT_MB)
            for name, words in _SIDES
            if uploads
        ]
        lines = st.text_area(
            tr("Or lines of: sentence {sign} translation {sign} links", sign=SIGN),
            key="widget_gold_lines",
            placeholder=_EXAMPLE,
            max_chars=200_000,
            height=110,
        )
        first = st.segmented_control(
            tr("Links count from"),
            list(_FROM),
            format_func=lambda number: tr(_FROM[number]),
            default=1,
            required=True,
            label_visibility="collapsed",
            key="widget_gold_first",
        )
        if st.form_submit_button(tr("Use it")):
            try:
                state.gold_file.set(read(files, lines, int(first)))
            except AtlasError as error:
                cards.mistake(screen_text.sentence(error))
            else:
                st.rerun()
    cards.quiet(
        tr("3-4 is a sure link of the third source word and the fourth written one, 3p4 a possible one.")
    )


def read(files: Sequence[Any], lines: str, first: int) -> GoldFile:
    """The gold file of three uploads, or of lines. Raises `AtlasError` with one sentence for what cannot be used."""
    given = [file for file in files if file is not None]
    if not given:
        return alignment.from_lines("as typed", lines, first)
    if len(given) < len(_SIDES):
        raise InputError(tr("Choose all three files: sentences, translations and links."))
    source, target, links = (_text(file) for file in given)
    return alignment.from_texts(given[2].name, source, target, links, first)


def _text(file: Any) -> str:
    data = file.getvalue()
    if len(data) > alignment.MOST_BYTES:
        most = f"{alignment.MOST_BYTES:,}"
        raise InputError(
            tr(
                "{name} has {size} bytes; at most {most} are read.",
                name=file.name,
                size=f"{len(data):,}",
                most=most,
            )
        )
    try:
        return str(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise InputError(tr("{name} is no UTF-8 text; save it as UTF-8.", name=file.name)) from None
