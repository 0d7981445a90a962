"""The Pitfalls page: one mistake, what was written, where it shows, and two maps to tell it by.

A pitfall on the sentence in hand: the checkpoint's own where it can show it, a tutorial's model where it cannot.
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
from core.learning.study import IDS, Map, Sentence, Unit
from ui.app import frame
from ui.app.frame import Shown
from ui.export import menu
from ui.export.files import csv_text
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cards, resources, tables
from ui.shared.decode import Decode
from ui.shared.entry import Entry
from ui.shared.map_pairs import Pair, Side
from ui.shared.mount import theme_watch
from ui.shared.two_maps import two_maps

if TYPE_CHECKING:
    from core.learning.study import Pitfall, Study


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
            found = on_sentence(shown.entry, decode, name, shown.device)
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


def _maps(shown: Shown, found: MistakeOnSentence) -> None:
    pair = map_pair(found)
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
    two_maps(shown.selection, pair, key=f"{stem}-{pair.kind}", file=stem)


def _facts(shown: Shown, found: MistakeOnSentence) -> None:
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


def symptom_csv(found: MistakeOnSentence) -> str:
    """The numbers of a symptom and the shapes, as a table."""
    numbers = [
        [each.what, f"{each.right:.9g}", f"{each.wrong:.9g}", each.unit] for each in found.study.numbers
    ]
    shapes = [[each.name, each.right, each.wrong, "shape"] for each in found.study.shapes]
    return csv_text(["what", "correct", "as written", "unit"], numbers + shapes)


# -- spot it yourself ---------------------------------------------------------------------------------------


def _riddle(shown: Shown, found: MistakeOnSentence) -> None:
    """Two maps of another sentence, one of them faulty; the answer stands in the link."""
    other = other_sentence(found.entry, found.decode, shown.device)
    try:
        asked = on_sentence(found.entry, other, found.pitfall.id, shown.device)
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
    _draw(shown, map_pair(asked) if guess else riddle(asked), f"riddle-{asked.pitfall.id}")
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


STAND_IN: Final = "paper"
"""The tutorial model that can show every pitfall: the paper's own choices."""
NAMES: Final = ("the correct model", "the code as written")
_OPEN_FUTURE: Final = ("no-causal-mask", "mask-leaks")


@dataclass(frozen=True)
class MistakeOnSentence:
    """A pitfall, what it comes to, and on what. `unfit`: why another model than the one in use stands in."""

    pitfall: Pitfall
    study: Study
    entry: Entry
    decode: Decode
    unfit: str = ""


def on_sentence(entry: Entry, decode: Decode, name: str, device: str | None = None) -> MistakeOnSentence:
    """The pitfall `name` on this decode. Raises `AtlasError` where nothing can show it."""
    from core.learning.pitfalls import pitfall

    found = pitfall(name)
    unfit = found.unfit(entry.config)
    if unfit:
        entry = stand_in(found.unfit, unfit)
        decode = resources.decode(entry, Selection(checkpoint=entry.name), device)
    return MistakeOnSentence(found, _study(found, entry, decode, device), entry, decode, unfit)


def stand_in(unfit: Callable[..., str], why: str) -> Entry:
    """A listed model that can show what the one in use cannot. Raises `InputError` that says why that one cannot."""
    listed = [each for each in resources.entries() if not each.problem]
    listed.sort(key=lambda each: each.name != STAND_IN)
    for each in listed:
        if not unfit(each.config):
            return each
    raise InputError(f"{why} No other checkpoint here can show it either.")


def _study(pitfall: Pitfall, entry: Entry, decode: Decode, device: str | None) -> Study:
    def make() -> Study:
        loaded = resources.model(entry, device)
        sentence = Sentence.of(decode.trace, loaded.target_tokenizer.labels)
        return pitfall.study(loaded.model, sentence)

    name = ("pitfall", pitfall.id, decode.trace.source_ids, decode.trace.target_ids, device)
    return resources.experiment(entry, name, make)


def map_pair(found: MistakeOnSentence, names: tuple[str, str] = NAMES) -> Pair:
    """Both maps of a pitfall under these names, and what they are of."""
    study = found.study
    kind = study.right.kind
    right, wrong = (
        _side(each, name, found.pitfall.id)
        for each, name in zip((study.right, study.wrong), names, strict=True)
    )
    return Pair(
        kind, right, wrong, _upper(study.right.where), kind != "encoder", f"“{found.decode.source_text}”"
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


def other_sentence(entry: Entry, decode: Decode, device: str | None = None) -> Decode:
    """A decode of another sentence, so that the answer does not stand above: the card's next example, or the words shifted."""
    for text in (*entry.examples, _turned(decode.source_text)):
        if text.strip() and text != decode.source_text:
            try:
                return resources.decode(entry, Selection(checkpoint=entry.name, text=text), device)
            except AtlasError:
                continue
    return decode


def _turned(text: str) -> str:
    """The same words, or letters where there is one word, the first of them last."""
    words = text.split(" ")
    return " ".join([*words[1:], words[0]]) if len(words) > 1 else text[1:] + text[:1]


def wrong_side(found: MistakeOnSentence) -> int:
    """Which of the two unlabelled maps is the faulty one, 1 or 2: settled by pitfall and sentence, so that a link asks the same."""
    text = f"{found.pitfall.id}\n{found.decode.source_text}"
    return 1 + hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=1).digest()[0] % 2


def riddle(found: MistakeOnSentence) -> Pair:
    """The same two maps without their names, in the order of `wrong_side`."""
    named = map_pair(found)
    one, two = named.first, named.second
    if wrong_side(found) == 1:
        one, two = two, one
    return replace(
        named, first=replace(one, name="the first map"), second=replace(two, name="the second map")
    )
