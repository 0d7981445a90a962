"""The gallery of the Checkpoints page: one card per model, and an invitation to import one."""

from __future__ import annotations

import streamlit as st

from core.analysis.glossary import QUALITY
from ui.models import model_card
from ui.session import state
from ui.shared import cards, checkpoints, tables
from ui.shared.entry import Entry

TRANSLATE = "pages/translate.py"
_MEANING = {score.label: f"{score.definition} {score.range}" for score in QUALITY.values()}


def draw(opened: str) -> None:
    """Every checkpoint this session can see, in two columns; `opened` names the one in use."""
    listed = checkpoints.entries()
    for row in range(0, len(listed), 2):
        for index, column in enumerate(st.columns(2, gap="small"), start=row):
            with column:
                if index < len(listed):
                    _card(index, listed[index], listed[index].name == opened)
                else:
                    _invitation()
    if len(listed) % 2 == 0:
        _invitation()
    cards.explain(
        "Each model is scored on sentences of its own kind;",
        "scores of different sets do not compare.",
        "\n\n".join(score.markdown for score in QUALITY.values()),
        name="quality",
    )


def _card(index: int, entry: Entry, in_use: bool) -> None:
    with cards.card(f"checkpoint_{index}"):
        if entry.problem:
            cards.title([(entry.name, "b")])
            cards.mistake(entry.problem)
            return
        _head(index, entry, in_use)
        tables.stacks(
            (each.kind, each.name, each.layers, each.heads) for each in model_card.stacks(entry.config)
        )
        tables.grid((name, value, "read") for name, value in model_card.size_facts(entry))
        heads, rows = model_card.scores(entry)
        if rows:
            tables.table(rows, heads, name="scores", tips=_MEANING)
        _buttons(index, entry)


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
                cards.status("in use")
        cards.quiet(model_card.does(entry))
    example = next((pair for pair in model_card.examples(entry) if pair[1]), None)
    if example is not None:
        tables.pair(*example)


def _buttons(index: int, entry: Entry) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"foot_{index}"):
        if st.button(
            "Open", key=f"widget_open_{index}", type="primary", help="Use this model and translate with it"
        ):
            state.update(checkpoint=entry.name)
            st.switch_page(TRANSLATE, query_params=state.link_params())
        st.button("Inspect", key=f"widget_inspect_{index}", on_click=state.look_inside, args=(entry.name,))
        if examples := model_card.examples(entry):
            words = f"{len(examples)} examples" if len(examples) > 1 else "one example"
            with st.popover(words, type="tertiary", width="content"):
                heads, rows = model_card.example_table(entry)
                tables.table(rows, heads, name="pairs")
        if terms := model_card.terms(entry):
            with st.popover("data, terms and limits", type="tertiary", width="content"):
                tables.table(terms)


def _invitation() -> None:
    with (
        cards.card("invitation", fill=False),
        st.container(horizontal=True, vertical_alignment="center", key="invite"),
    ):
        cards.title(
            "A checkpoint you trained opens here too",
            "MarianMT, BART, T5, torch.nn.Transformer, the common tutorials, or anything else with a map of its keys",
        )
        st.button("Bring your own", key="widget_bring", on_click=state.update, kwargs={"desk": "import"})
