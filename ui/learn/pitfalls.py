"""The Pitfalls page: one mistake, what was written, where it shows, and two maps to tell it by."""

from __future__ import annotations

import html
import math
from pathlib import Path
from typing import TYPE_CHECKING, Final

import streamlit as st

from core.analysis.readout import minus
from core.errors import AtlasError
from core.learning.study import IDS, Unit
from ui.components.theme_watch import theme_watch
from ui.data import pitfalls as data
from ui.data.decode import Decode
from ui.data.pairs import Pair
from ui.export import menu
from ui.export.files import csv_text
from ui.session import state
from ui.shell import cards, frame, tables
from ui.shell.frame import Shown
from ui.shell.two_maps import two_maps

if TYPE_CHECKING:
    from core.learning.study import Pitfall

MODES: Final = {False: "look at it", True: "spot it yourself"}
MORE: Final = (
    "Both maps are computed by this project’s model with the same weights and the same tokens. **Correct** is the model as "
    "it is; **as written** is the same model with the one operation replaced that the sketch shows, and nothing else. Where "
    "a picture is of one head, it is the head whose two maps differ most in the mean. The difference is as written minus "
    "correct, in percentage points. A row that is not a number, NaN, is left blank.\n\n"
    "The letters say in which of five public “Transformer from scratch” write-ups the mistake stands; the Tutorials page "
    "tells them apart. The sketches are this project’s own words for what was written there."
)


@st.fragment
def views(shown: Shown, decode: Decode) -> None:
    """The mistake in words and code, then its maps, or two maps without names."""
    shown = shown.now()
    decode = frame.decoded(shown, say=False) or decode
    st.html(f"<style>{Path(__file__).with_name('learn.css').read_text('utf-8')}</style>")
    name = shown.selection.pitfall or IDS[0]
    try:
        with st.spinner("Computing …", show_time=False):
            found = data.shown(shown.entry, decode, name, shown.device)
    except AtlasError as error:
        _head(shown, _pitfall(name))
        cards.mistake(str(error))
        return
    _head(shown, found.pitfall)
    if found.unfit:
        cards.quiet(f"{found.unfit} It is shown on {found.entry.name} in its place.")
    if shown.selection.spot:
        _riddle(shown, found)
    else:
        _told(found.pitfall)
        _maps(shown, found)
        _facts(shown, found)
    theme_watch()


def _pitfall(name: str) -> Pitfall:
    from core.learning.pitfalls import pitfall

    return pitfall(name)


def _head(shown: Shown, pitfall: Pitfall) -> None:
    """Which mistake, and whether it is told or asked."""
    from core.learning.pitfalls import pitfalls

    titles = {each.id: each.title for each in pitfalls()}
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="pitfall_head"):
        st.selectbox(
            "pitfall",
            list(IDS),
            format_func=lambda name: titles[name],
            label_visibility="collapsed",
            width=330,
            **state.bind("pitfall", shown=pitfall.id),
        )
        place = IDS.index(pitfall.id)
        for words, step, key in (("←", -1, "before"), ("→", 1, "after")):
            other = IDS[(place + step) % len(IDS)]
            st.button(
                words,
                key=f"pitfall_{key}",
                help=titles[other],
                on_click=state.update,
                kwargs={"pitfall": other},
            )
        cards.quiet(f"{place + 1} of {len(IDS)}", width="content")
        st.segmented_control(
            "how",
            list(MODES),
            format_func=MODES.__getitem__,
            required=True,
            label_visibility="collapsed",
            **state.bind("spot"),
        )


def _told(pitfall: Pitfall) -> None:
    """What was meant, what was written, and the line that tells the two apart."""
    with cards.card("pitfall"):
        cards.title(pitfall.title, _where(pitfall))
        left, right = st.columns([1, 1.1], gap="medium")
        with left:
            st.html(
                f'<p class="atlas-prose">{html.escape(pitfall.explanation)}</p>'
                f'<p class="atlas-prose"><b>What you see.</b> {html.escape(pitfall.see)}</p>'
            )
        with right:
            cards.quiet("what was written")
            st.code(pitfall.sketch, language="python", wrap_lines=True)
            cards.quiet("the line that would have caught it")
            st.code(pitfall.test, language="python", wrap_lines=True)


def _where(pitfall: Pitfall) -> str:
    """Where it was found: `in tutorials B and E`."""
    letters = pitfall.found_in.split(", ")
    if all(len(each) == 1 for each in letters):
        return f"found in tutorial{'s' if len(letters) > 1 else ''} {' and '.join([', '.join(letters[:-1]), letters[-1]] if len(letters) > 1 else letters)}"
    return pitfall.found_in


def _maps(shown: Shown, found: data.Shown) -> None:
    pair = data.pair(found)
    _draw(shown, pair, f"pitfall-{found.pitfall.id}")
    with cards.explain(
        "The model as it is, the same model with that one operation replaced, and the second minus the first.",
        "Same weights, same tokens: whatever differs is the mistake’s doing.",
        MORE,
        name="pitfall",
    ):
        files = [
            ("CSV of both maps", f"{found.pitfall.id}-maps.csv", lambda: menu.pair_csv(pair)),
            ("CSV of the symptom", f"{found.pitfall.id}-symptom.csv", lambda: symptom_csv(found)),
        ]
        menu.texts(shown, found.decode, files)


def _draw(shown: Shown, pair: Pair, stem: str) -> None:
    two_maps(shown.selection, pair, key=f"{stem}-{pair.kind}", file_name=stem)


def _facts(shown: Shown, found: data.Shown) -> None:
    """The symptom in numbers, and the tensors at the fault."""
    left, right = (
        (st.container(), st.container()) if shown.selection.presenter else st.columns(2, gap="small")
    )
    with left, cards.card("symptom"):
        cards.title("The symptom in numbers", "measured on this sentence")
        tables.table(
            [
                (each.what, spoken(each.right, each.unit), spoken(each.wrong, each.unit))
                for each in found.study.numbers
            ],
            ("", "correct", "as written"),
            name="scores",
        )
    with right, cards.card("shapes"):
        cards.title("The tensors at the fault", "axes and sizes")
        tables.table(
            [(each.name, each.right, each.wrong) for each in found.study.shapes],
            ("", "correct", "as written"),
            name="shapes",
        )
        if found.study.said:
            st.html(f'<p class="atlas-said">{html.escape(found.study.said)}</p>')


def spoken(value: float, unit: Unit) -> str:
    """A number of a symptom as it is shown; a dash where there is none."""
    if math.isnan(value):
        return "—"
    if unit == "share":
        return f"{100 * value:.1f} %" if abs(value) >= 0.001 or value == 0 else f"{100 * value:.1g} %"
    if unit in ("count", "rows"):
        return f"{value:,.0f}"
    if unit == "nats":
        return f"{value:.2f} nats"
    return minus(f"{value:.3g}")


def symptom_csv(found: data.Shown) -> str:
    """The numbers of a symptom and the shapes, as a table."""
    numbers = [
        [each.what, f"{each.right:.9g}", f"{each.wrong:.9g}", each.unit] for each in found.study.numbers
    ]
    shapes = [[each.name, each.right, each.wrong, "shape"] for each in found.study.shapes]
    return csv_text(["what", "correct", "as written", "unit"], numbers + shapes)


# -- spot it yourself ---------------------------------------------------------------------------------------


def _riddle(shown: Shown, found: data.Shown) -> None:
    """Two maps of another sentence, one of them faulty; the answer stands in the link."""
    other = data.other_sentence(found.entry, found.decode, shown.device)
    try:
        asked = data.shown(found.entry, other, found.pitfall.id, shown.device)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    guess, wrong = shown.selection.guess, data.wrong_side(asked)
    with cards.card("riddle"):
        cards.title(
            [
                ("Which of these two maps was made with this mistake: ", "muted"),
                (asked.pitfall.title, "b"),
                "?",
            ],
            asked.pitfall.see if guess else "Look first, then answer. The symptom is told after that.",
        )
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="riddle_answers"):
            for side, words in ((1, "the first"), (2, "the second")):
                st.button(
                    words,
                    key=f"guess_{side}",
                    type="primary" if guess == side else "secondary",
                    on_click=state.update,
                    kwargs={"guess": side},
                )
            if guess:
                cards.quiet(answer(guess, wrong), width="content")
    _draw(shown, data.pair(asked) if guess else data.riddle(asked), f"riddle-{asked.pitfall.id}")
    if guess:
        _facts(shown, asked)


def answer(guess: int, wrong: int) -> str:
    """What is said to a guess."""
    name = "first" if wrong == 1 else "second"
    return (
        f"Yes, it was the {name}. Below they have their names."
        if guess == wrong
        else f"No, it was the {name}. Below they have their names."
    )
