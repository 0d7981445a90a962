"""The gallery of Models: a card per checkpoint, the small ones in groups, and where one's own is dropped."""

from __future__ import annotations

import html
import threading
from collections.abc import Sequence
from functools import partial
from typing import Final

import streamlit as st

from core.analysis.glossary import QUALITY
from core.analysis.readout import capitalised
from core.errors import AtlasError
from core.language import plural, tr
from ui import uploads
from ui.models import importing, model_card
from ui.session import state
from ui.shared import cards, checkpoints, models
from ui.shared.checkpoints import Entry
from ui.web.contract import file_stem

TRANSLATE = "pages/translate.py"


def _meanings() -> dict[str, str]:
    """What each score of the cards means, by its name."""
    return {
        tr(score.label): f"{tr(score.definition)} {capitalised(score.range)}." for score in QUALITY.values()
    }


def draw_gallery(opened: str) -> None:
    """Every checkpoint of this session: large ones beside each other, then an import and one line for the small ones.

    `opened` names the one in use.
    """
    listed = list(enumerate(checkpoints.entries()))
    small = {
        folder: [(n, each) for n, each in listed if each.path.parent.name == folder and not each.problem]
        for folder in (checkpoints.TWINS, checkpoints.TUTORIALS)
    }
    with st.container(horizontal=True, gap="small", key="gallery"):
        for index, entry in listed:
            if not any((index, entry) in group for group in small.values()):
                _card(index, entry, entry.name == opened)
        with st.container(horizontal=True, gap="small", key="gallery_own"):
            _invitation()
            _small(small[checkpoints.TWINS], small[checkpoints.TUTORIALS], opened)
    cards.explain(
        tr("Each model is scored on sentences of its own kind."),
        tr("Scores on different test sets cannot be compared."),
        "\n\n".join(score.markdown for score in QUALITY.values()),
        name="quality",
    )


_Listed = Sequence[tuple[int, Entry]]


def _small(twins: _Listed, tutorials: _Listed, opened: str) -> None:
    """The small models: a list to press for each group."""
    if not twins and not tutorials:
        return
    with cards.card("small"):
        cards.title(
            plural("{count} small model", "{count} small models", len(twins) + len(tutorials)),
            tr("Trained in minutes; they differ in one or a few choices"),
        )
        with st.container(horizontal=True, key="small_models"):
            if twins:
                label = plural("{count} variant of dates", "{count} variants of dates", len(twins))
                _group(
                    label,
                    tr("Trained like dates, but with other positions or without the causal mask"),
                    twins,
                    opened,
                )
            if tutorials:
                label = plural("{count} tutorial model", "{count} tutorial models", len(tutorials))
                _group(
                    label,
                    tr("Each makes the choices of one public tutorial, checked in Learn → Tutorials"),
                    tutorials,
                    opened,
                )


def _group(label: str, subtitle: str, listed: _Listed, opened: str) -> None:
    """Small models, a line each, behind a button."""
    with st.popover(label, width="content"):
        cards.quiet(subtitle)
        for index, entry in listed:
            with st.container(horizontal=True, vertical_alignment="center", key=f"small_{index}"):
                words: list[cards.Words] = [(model_card.title(entry), "b")]
                if entry.name == opened:
                    words.append(("\u2002" + tr("in use"), "muted"))
                cards.title(
                    words, f"{entry.languages} · {entry.size_line}" if entry.languages else entry.size_line
                )
                _open_buttons(index, entry)


def _card(index: int, entry: Entry, in_use: bool) -> None:
    with cards.card(f"checkpoint_{index}"):
        if entry.problem:
            cards.title([(entry.name, "b")])
            cards.mistake(entry.problem)
            return
        _head(index, entry, in_use)
        cards.stacks(
            (each.kind, each.name, each.layers, each.heads) for each in model_card.stacks(entry.config)
        )
        cards.grid((name, value, "read", "") for name, value in model_card.size_facts(entry))
        _scores(entry, every=False)
        _buttons(index, entry)


def _scores(entry: Entry, every: bool) -> None:
    heads, rows = model_card.scores(entry, every)
    if rows:
        cards.table(rows, heads, name="scores", tips=_meanings())


def _head(index: int, entry: Entry, in_use: bool) -> None:
    title = model_card.title(entry)
    words: list[cards.Words] = [(title, "b")]
    if title != entry.name:
        words.append((f"\u2002{entry.name}", "muted"))
    if entry.languages:
        words.append((f"\u2002{entry.languages}", "muted"))
    with st.container(gap=None, key=f"head_{index}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            cards.title(words)
            if in_use:
                cards.status(tr("in use"))
        cards.quiet(model_card.does(entry))
    example = next((pair for pair in model_card.examples(entry) if pair[1]), None)
    if example is not None:
        cards.pair(*example)


def _buttons(index: int, entry: Entry) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"foot_{index}"):
        _open_buttons(index, entry)
        if examples := model_card.examples(entry):
            words = plural("{count} example", "{count} examples", len(examples))
            with st.popover(words, type="tertiary", width="content"):
                heads, rows = model_card.example_table(entry)
                cards.table(rows, heads, name="pairs")
        if terms := model_card.terms(entry):
            with st.popover(tr("Scores, data and limits"), type="tertiary", width="content"):
                _scores(entry, every=True)
                cards.table(terms)
        label = tr("As one page ⤓")
        hint = tr("One HTML file that translates in any browser, without network or installation")
        st.download_button(
            label,
            partial(as_page, entry),
            f"{file_stem(f'atlas-{entry.name}')}.html",
            "text/html",
            on_click="ignore",
            type="tertiary",
            help=hint,
            key=f"widget_page_{index}",
        )


def as_page(entry: Entry) -> bytes:
    """The model as one HTML file that runs; a page of one sentence where it cannot be one. One is made at a time."""
    from ui.export.live.page import live_page

    with _ONE_PAGE:
        try:
            return live_page(models.model(entry, "cpu")).encode()
        except AtlasError as error:
            return f"<!doctype html><meta charset='utf-8'><p>{html.escape(str(error))}</p>".encode()


_ONE_PAGE: Final = threading.Lock()
"""Packing takes some times the memory of the model's weights."""


def _open_buttons(index: int, entry: Entry) -> None:
    with st.container(key=f"open_{index}", width="content"):
        st.page_link(
            TRANSLATE,
            label=tr("Open"),
            query_params=state.params_with(checkpoint=entry.name),
            help=tr("Use this model and translate with it"),
            width="content",
        )
    st.button(tr("Inspect"), key=f"widget_inspect_{index}", on_click=state.look_inside, args=(entry.name,))


def _invitation() -> None:
    """Where one's own checkpoint is dropped; a button where uploads are off, which says why."""
    with cards.card("invitation"):
        with st.container(horizontal=True, vertical_alignment="center", key="invite"):
            cards.title(
                tr("Open a checkpoint that you trained"),
                tr(
                    "MarianMT, BART, T5, torch.nn.Transformer, the common tutorials, or others with rules of your own: "
                    "drop all files together"
                ),
            )
            if not uploads.allowed():
                opens = {"desk": "import"}
                st.button(tr("Bring your own"), key="widget_bring", on_click=state.update, kwargs=opens)
        if uploads.allowed():
            importing.drop()
