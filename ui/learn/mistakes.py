"""The page Mistakes: the game, the list of all mistakes, and each of them beside the correct model.

A mistake is computed on the current checkpoint, or on a tutorial's model where that one cannot show it.
"""

from __future__ import annotations

import html
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import streamlit as st

from core.errors import AtlasError
from core.language import message, plural, tr
from core.learning.mistakes import IDS, PITFALLS, mistake
from ui.app import frame
from ui.export import menu
from ui.export.menu import csv_text
from ui.learn.game import game
from ui.learn.mistake_on_sentence import MistakeOnSentence, map_pair, on_sentence, spoken
from ui.session import state
from ui.shared import cards
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.mount import theme_watch
from ui.shared.two_maps import two_maps

if TYPE_CHECKING:
    from core.learning.mistakes import Mistake

GROUPS: Final = (
    (message("Heads and scores"), 0, 4),
    (message("Cross-attention, embeddings, positions"), 4, 8),
    (message("Masks and padding"), 8, 13),
    (message("Stream and norms"), 13, 15),
    (message("Pictures of attention"), 15, 18),
)
"""The mistakes by topic: what each group is of, and where it begins and ends in `PITFALLS`."""
MORE: Final = message(
    "This project’s model computes both maps, with the same weights and the same tokens. **Correct** is the model as it is. "
    "**As written** is the same model with only the operation replaced that the code shows. A picture of one head shows "
    "the head whose two maps differ most in the mean. The difference is as written minus correct, in percentage points. A "
    "row that is not a number (NaN) is left blank.\n\n"
    "The letters name the public “Transformer from scratch” write-ups that contain the mistake; Tutorials compares them. The "
    "code is this project’s own wording of what was written there."
)


@st.fragment
def views(shown: DecodeView) -> None:
    """A round of the game with the list of all mistakes below; or the one mistake that the link names."""
    now = shown.now()
    state.write_url()
    shown = frame.decoded(now, say=False) or now
    st.html(f"<style>{Path(__file__).with_name('learn.css').read_text('utf-8')}</style>")
    with st.spinner(tr("Computing …"), show_time=False):
        if shown.selection.pitfall:
            _mistake(shown, shown.selection.pitfall)
        else:
            game(shown)
            _all(shown)
    theme_watch()


def _mistake(shown: DecodeView, name: str) -> None:
    """One mistake: its finding and its maps, then the words, the code and the numbers."""
    _head(mistake(name))
    try:
        comparison = on_sentence(shown, name)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    if comparison.unfit:
        model = comparison.shown.entry.name
        cards.quiet(tr("{why} It is shown on {model} instead.", why=comparison.unfit, model=model))
    _maps(shown, comparison)
    _explanation(comparison.pitfall)
    _facts(shown, comparison)


def _head(pitfall: Mistake) -> None:
    """Back to the game, and the choice of a mistake."""
    titles = {each.id: tr(each.title) for each in PITFALLS}
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="pitfall_head"):
        st.button(tr("Play"), key="pitfall_play", on_click=state.update, kwargs={"pitfall": ""})
        st.selectbox(
            tr("Mistake"),
            list(IDS),
            format_func=lambda name: titles[name],
            label_visibility="collapsed",
            width=330,
            **state.bind("pitfall", shown=pitfall.id),
        )
        position = IDS.index(pitfall.id)
        for words, step, key in (("←", -1, "before"), ("→", 1, "after")):
            other = IDS[(position + step) % len(IDS)]
            st.button(
                words,
                key=f"pitfall_{key}",
                help=titles[other],
                on_click=state.update,
                kwargs={"pitfall": other},
            )
        number = tr("{number} of {count}", number=position + 1, count=len(IDS))
        cards.quiet(number, width="content")


def _maps(shown: CheckpointView, comparison: MistakeOnSentence) -> None:
    """Both maps and their difference, titled with the finding."""
    pair, name = map_pair(comparison), comparison.pitfall.id
    two_maps(shown.selection, pair, key=f"pitfall-{name}-{pair.kind}", file=f"pitfall-{name}")
    with cards.explain(
        tr("The model as it is, the same model with one operation replaced, and the second minus the first."),
        tr("Same weights, same tokens: every difference comes from the mistake."),
        tr(MORE),
        name="pitfall",
    ):
        files = [
            (tr("CSV of both maps"), f"{name}-maps.csv", lambda: menu.pair_csv(pair)),
            (tr("CSV of the symptom"), f"{name}-symptom.csv", lambda: symptom_csv(comparison)),
        ]
        menu.texts(replace(comparison.shown, selection=shown.selection), files)


def _explanation(pitfall: Mistake) -> None:
    """What was meant, what was written, and the assertion that catches the mistake."""
    with cards.card("pitfall"):
        cards.title(tr(pitfall.title), _where(pitfall))
        left, right = st.columns([1, 1.1], gap="medium")
        with left:
            see = f"<b>{html.escape(tr('What you see.'))}</b> {html.escape(tr(pitfall.see))}"
            st.html(
                f'<p class="atlas-prose">{html.escape(tr(pitfall.explanation))}</p><p class="atlas-prose">{see}</p>'
            )
        with right:
            cards.quiet(tr("The code as written"))
            st.code(pitfall.sketch, language="python", wrap_lines=True)
            cards.quiet(tr("The assertion that catches it"))
            st.code(pitfall.test, language="python", wrap_lines=True)


def _where(pitfall: Mistake) -> str:
    """Where the mistake was found: `Found in write-ups B and E`."""
    letters = pitfall.found_in.split(", ")
    if any(len(each) > 1 for each in letters):
        return tr(pitfall.found_in)
    listed = (
        tr("{first} and {second}", first=letters[0], second=letters[1]) if len(letters) > 1 else letters[0]
    )
    return plural("Found in write-up {letters}", "Found in write-ups {letters}", len(letters), letters=listed)


def _facts(shown: CheckpointView, comparison: MistakeOnSentence) -> None:
    """The symptom in numbers, and the tensors where the mistake happens."""
    from core.learning.study import in_language

    study, sides = comparison.study, ("", tr("correct"), tr("as written"))
    left, right = (
        (st.container(), st.container()) if shown.selection.presenter else st.columns(2, gap="small")
    )
    with left, cards.card("symptom"):
        cards.title(tr("The symptom in numbers"), tr("Measured on this sentence"))
        rows = [
            (in_language(each.what), spoken(each.right, each.unit), spoken(each.wrong, each.unit))
            for each in study.numbers
        ]
        cards.table(rows, sides, name="scores")
    with right, cards.card("shapes"):
        cards.title(tr("The tensors at the mistake"), tr("Axes and sizes"))
        shapes = [
            tuple(in_language(words) for words in (each.name, each.right, each.wrong))
            for each in study.shapes
        ]
        cards.table(shapes, sides, name="shapes")
        if study.python_says:
            st.html(f'<p class="atlas-said">{html.escape(in_language(study.python_says))}</p>')


def symptom_csv(comparison: MistakeOnSentence) -> str:
    """The numbers of a symptom and the shapes, as a table."""
    from core.learning.study import in_language

    numbers = [
        [in_language(each.what), f"{each.right:.9g}", f"{each.wrong:.9g}", each.unit]
        for each in comparison.study.numbers
    ]
    shapes = [
        [*(in_language(words) for words in (each.name, each.right, each.wrong)), "shape"]
        for each in comparison.study.shapes
    ]
    return csv_text(["what", "correct", "as written", "unit"], numbers + shapes)


def _all(shown: DecodeView) -> None:
    """All mistakes by topic, each a way to its page."""
    with cards.card("all_mistakes", fill=False):
        cards.title(
            plural("All {count} mistake", "All {count} mistakes", len(PITFALLS)),
            tr("Open one to see it beside the correct model, with its code and its numbers"),
        )
        for group, (words, first, end) in enumerate(GROUPS):
            with st.container(
                horizontal=True, vertical_alignment="center", gap="small", key=f"group_{group}"
            ):
                cards.quiet(tr(words), width="content")
                for each in PITFALLS[first:end]:
                    st.button(
                        tr(each.title),
                        key=f"open_{each.id}",
                        on_click=state.update,
                        kwargs={"pitfall": each.id},
                    )
