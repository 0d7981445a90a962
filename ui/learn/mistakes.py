"""The Pitfalls page: one mistake in words and code, and its maps on the current sentence.

It is computed on the current checkpoint, or on a tutorial's model where that one cannot show it.
"""

from __future__ import annotations

import hashlib
import html
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import streamlit as st

from core.analysis.readout import minus
from core.errors import AtlasError, InputError
from core.learning.mistakes import IDS, PITFALLS, mistake
from ui.app import frame
from ui.export import menu
from ui.export.files import csv_text
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cards, checkpoints, tables
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.entry import Entry
from ui.shared.map_pairs import Pair, Side
from ui.shared.mount import theme_watch
from ui.shared.two_maps import two_maps

if TYPE_CHECKING:
    from core.learning.mistakes import Mistake
    from core.learning.study import Map, Study, Unit


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
def views(shown: DecodeView) -> None:
    """The mistake in words and code, then its two maps; in the quiz, two maps without names."""
    now = shown.now()
    shown = frame.decoded(now, say=False) or now
    st.html(f"<style>{Path(__file__).with_name('learn.css').read_text('utf-8')}</style>")
    name = shown.selection.pitfall or IDS[0]
    try:
        with st.spinner("Computing …", show_time=False):
            comparison = on_sentence(shown, name)
    except AtlasError as error:
        _head(shown, mistake(name))
        cards.mistake(str(error))
        return
    _head(shown, comparison.pitfall)
    if comparison.unfit:
        cards.quiet(f"{comparison.unfit} It is shown on {comparison.shown.entry.name} in its place.")
    if shown.selection.spot:
        _quiz(shown, comparison)
    else:
        _explanation(comparison.pitfall)
        _maps(shown, comparison)
        _facts(shown, comparison)
    theme_watch()


def _head(shown: CheckpointView, pitfall: Mistake) -> None:
    """The choice of a mistake, and of explaining it or asking about it."""
    titles = {each.id: each.title for each in PITFALLS}
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="pitfall_head"):
        st.selectbox(
            "pitfall",
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
        cards.quiet(f"{position + 1} of {len(IDS)}", width="content")
        st.segmented_control(
            "how",
            list(MODES),
            format_func=MODES.__getitem__,
            required=True,
            label_visibility="collapsed",
            **state.bind("spot"),
        )


def _explanation(pitfall: Mistake) -> None:
    """What was meant, what was written, and the assertion that catches the mistake."""
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


def _where(pitfall: Mistake) -> str:
    """Where the mistake was found: `found in tutorials B and E`."""
    letters = pitfall.found_in.split(", ")
    if all(len(each) == 1 for each in letters):
        return f"found in tutorial{'s' if len(letters) > 1 else ''} {' and '.join([', '.join(letters[:-1]), letters[-1]] if len(letters) > 1 else letters)}"
    return pitfall.found_in


def _maps(shown: CheckpointView, comparison: MistakeOnSentence) -> None:
    pair = map_pair(comparison)
    _draw(shown, pair, f"pitfall-{comparison.pitfall.id}")
    with cards.explain(
        "The model as it is, the same model with that one operation replaced, and the second minus the first.",
        "Same weights, same tokens: whatever differs is the mistake’s doing.",
        MORE,
        name="pitfall",
    ):
        files = [
            ("CSV of both maps", f"{comparison.pitfall.id}-maps.csv", lambda: menu.pair_csv(pair)),
            ("CSV of the symptom", f"{comparison.pitfall.id}-symptom.csv", lambda: symptom_csv(comparison)),
        ]
        menu.texts(replace(comparison.shown, selection=shown.selection), files)


def _draw(shown: CheckpointView, pair: Pair, stem: str) -> None:
    two_maps(shown.selection, pair, key=f"{stem}-{pair.kind}", file=stem)


def _facts(shown: CheckpointView, comparison: MistakeOnSentence) -> None:
    """The symptom in numbers, and the tensors where the mistake happens."""
    left, right = (
        (st.container(), st.container()) if shown.selection.presenter else st.columns(2, gap="small")
    )
    with left, cards.card("symptom"):
        cards.title("The symptom in numbers", "measured on this sentence")
        tables.table(
            [
                (each.what, spoken(each.right, each.unit), spoken(each.wrong, each.unit))
                for each in comparison.study.numbers
            ],
            ("", "correct", "as written"),
            name="scores",
        )
    with right, cards.card("shapes"):
        cards.title("The tensors at the fault", "axes and sizes")
        tables.table(
            [(each.name, each.right, each.wrong) for each in comparison.study.shapes],
            ("", "correct", "as written"),
            name="shapes",
        )
        if comparison.study.python_says:
            st.html(f'<p class="atlas-said">{html.escape(comparison.study.python_says)}</p>')


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


def symptom_csv(result: MistakeOnSentence) -> str:
    """The numbers of a symptom and the shapes, as a table."""
    numbers = [
        [each.what, f"{each.right:.9g}", f"{each.wrong:.9g}", each.unit] for each in result.study.numbers
    ]
    shapes = [[each.name, each.right, each.wrong, "shape"] for each in result.study.shapes]
    return csv_text(["what", "correct", "as written", "unit"], numbers + shapes)


# -- spot it yourself ---------------------------------------------------------------------------------------


def _quiz(shown: CheckpointView, comparison: MistakeOnSentence) -> None:
    """Two maps of another sentence, one with the mistake; the link keeps the answer."""
    try:
        asked = on_sentence(other_sentence(comparison.shown), comparison.pitfall.id)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    guess, wrong = shown.selection.guess, wrong_side(asked)
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
    _draw(shown, map_pair(asked) if guess else unnamed_pair(asked), f"riddle-{asked.pitfall.id}")
    if guess:
        _facts(shown, asked)


def answer(guess: int, wrong: int) -> str:
    """The reply to a guess."""
    name = "first" if wrong == 1 else "second"
    return (
        f"Yes, it was the {name}. Below they have their names."
        if guess == wrong
        else f"No, it was the {name}. Below they have their names."
    )


STAND_IN: Final = "paper"
"""The tutorial model that can show every pitfall: the paper's own choices."""
NAMES: Final = ("the correct model", "the code as written")
_OPEN_FUTURE: Final = ("no-causal-mask", "mask-leaks")


@dataclass(frozen=True)
class MistakeOnSentence:
    """A mistake, its study, and the checkpoint and decode of it. `unfit`: why the checkpoint in use cannot show it."""

    pitfall: Mistake
    study: Study
    shown: DecodeView
    unfit: str = ""


def on_sentence(shown: DecodeView, name: str) -> MistakeOnSentence:
    """The pitfall `name` on this decode. Raises `AtlasError` where nothing can show it."""
    from core.learning.pitfalls import pitfall

    computed = pitfall(name)
    if unfit := computed.unfit(shown.entry.config):
        entry = stand_in(computed.unfit, unfit)
        shown = CheckpointView(entry, Selection(checkpoint=entry.name), shown.device).decoded

    def make() -> Study:
        from core.learning.study import Sentence

        loaded = shown.load()
        return computed.study(loaded.model, Sentence.of(shown.decode.trace, loaded.target_tokenizer.labels))

    return MistakeOnSentence(mistake(name), shown.memo(("pitfall", name), make, heavy=True), shown, unfit)


def stand_in(unfit: Callable[..., str], why: str) -> Entry:
    """A listed model that can show what the one in use cannot. Raises `InputError` that says why that one cannot."""
    listed = [each for each in checkpoints.entries() if not each.problem]
    listed.sort(key=lambda each: each.name != STAND_IN)
    for each in listed:
        if not unfit(each.config):
            return each
    raise InputError(f"{why} No other checkpoint here can show it either.")


def map_pair(comparison: MistakeOnSentence, names: tuple[str, str] = NAMES) -> Pair:
    """The correct and the wrong map as a pair with these names."""
    study = comparison.study
    kind = study.right.kind
    right, wrong = (
        _side(each, name, comparison.pitfall.id)
        for each, name in zip((study.right, study.wrong), names, strict=True)
    )
    return Pair(
        kind,
        right,
        wrong,
        _upper(study.right.where),
        f"“{comparison.shown.decode.source_text}”",
    )


def _side(drawn: Map, name: str, pitfall: str) -> Side:
    sums = drawn.values.sum(-1)[~np.isnan(drawn.values).any(-1)]
    rows_sum = bool(np.allclose(sums[sums > 0], 1, atol=1e-3))
    return Side(
        drawn.values,
        drawn.rows,
        drawn.columns,
        name,
        distribution=rows_sum,
        open_future=pitfall in _OPEN_FUTURE,
    )


def _upper(words: str) -> str:
    return words[:1].upper() + words[1:]


# -- spot it yourself ---------------------------------------------------------------------------------------


def other_sentence(shown: DecodeView) -> DecodeView:
    """The view of another sentence, so that the answer does not stand above: the card's next example, or the words shifted."""
    entry, source = shown.entry, shown.decode.source_text
    for text in (*entry.examples, _turned(source)):
        if text.strip() and text != source:
            try:
                return CheckpointView(
                    entry, Selection(checkpoint=entry.name, text=text), shown.device
                ).decoded
            except AtlasError:
                continue
    return shown


def _turned(text: str) -> str:
    """The same words, or letters where there is one word, the first of them last."""
    words = text.split(" ")
    return " ".join([*words[1:], words[0]]) if len(words) > 1 else text[1:] + text[:1]


def wrong_side(result: MistakeOnSentence) -> int:
    """Which of the two unlabelled maps is the faulty one, 1 or 2; it depends on pitfall and sentence only, as a link must."""
    text = f"{result.pitfall.id}\n{result.shown.decode.source_text}"
    return 1 + hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=1).digest()[0] % 2


def unnamed_pair(comparison: MistakeOnSentence) -> Pair:
    """The same two maps without their names, ordered so that `wrong_side` is the wrong one."""
    named = map_pair(comparison)
    one, two = named.first, named.second
    if wrong_side(comparison) == 1:
        one, two = two, one
    return replace(
        named, first=replace(one, name="the first map"), second=replace(two, name="the second map")
    )
