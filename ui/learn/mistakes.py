"""The page Mistakes: the game, the list of all mistakes, and each of them beside the correct model.

A mistake is computed on the current checkpoint, or on a tutorial's model where that one cannot show it. In the game a faulty
map stands beside what its model writes, with four names. Nothing of the answer is in the page before the choice: neither
names nor keys of elements depend on it.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Final

import streamlit as st

from core.analysis.readout import Word, capitalised, rewriting
from core.errors import AtlasError
from core.language import localised, message, plural, tr
from core.learning.mistakes import IDS, PITFALLS, mistake
from ui.app import frame
from ui.export import menu
from ui.export.files import csv_text
from ui.learn import mistake_on_sentence as shown_mistake
from ui.learn.mistake_on_sentence import (
    ROUNDS,
    MistakeOnSentence,
    Round,
    deal,
    map_html,
    map_pair,
    on_sentence,
    score,
    spoken,
)
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cards, checkpoints
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.mount import theme_watch
from ui.shared.two_maps import two_maps
from ui.style import theme

if TYPE_CHECKING:
    from core.learning.mistakes import Mistake


# -- the game -------------------------------------------------------------------------------------------------

_LETTERS: Final = "ABCD"
BESIDE: Final = "de-en"
"""The model that shows some of the rounds where the reader has chosen none."""
LONGEST: Final = 8
"""Words of an example that a round shows: its map has to be read from afar."""


def dealt(shown: DecodeView) -> tuple[Round, ...]:
    """The rounds of the game in force, on what the model in use can show."""
    from core.learning.pitfalls import pitfall

    fit = [name for name in IDS if not pitfall(name).unfit(shown.entry.config)]
    return deal(shown.selection.deal, fit)


def choices(shown: DecodeView) -> tuple[int, ...]:
    """The choices made so far."""
    return tuple(int(each) for each in shown.selection.game)


def view_of(shown: DecodeView, number: int) -> DecodeView:
    """The sentence and model of a round: the reader's, else a short example, and every third time of the model beside it.

    Raises `AtlasError` where it cannot be decoded.
    """
    selection = shown.selection
    if selection.text is not None:
        return shown
    entry = shown.entry
    if not selection.checkpoint and number % 3 == 0:
        entry = next(
            (each for each in checkpoints.entries() if each.name == BESIDE and not each.problem), entry
        )
    short = [text for text in entry.examples if len(text.split()) <= LONGEST] or [shown.text]
    text = short[(ROUNDS * selection.deal + number - 1) % len(short)]
    return CheckpointView(entry, Selection(checkpoint=entry.name, text=text), shown.device).decoded


def game(shown: DecodeView) -> None:
    """The open round, or the result after the last one."""
    played, made = dealt(shown), choices(shown)
    made = made[: len(played)]
    number = min(shown.selection.round or len(made) + 1, len(made) + 1)
    if number > len(played):
        _outcome(shown, played, made)
    else:
        _round(shown, played, made, number)


def _round(shown: DecodeView, played: tuple[Round, ...], made: tuple[int, ...], number: int) -> None:
    """A faulty map, what its model writes, and the four names or, once one is chosen, what each would show."""
    this = played[number - 1]
    choice = made[number - 1] if number <= len(made) else None
    try:
        with _computing():
            view = view_of(shown, number)
            asked = shown_mistake.on_sentence(view, this.answer)
            written = _lines(view, this.answer)
            reasons = [] if choice is None else [_reason(view, name, this) for name in this.names]
    except AtlasError as error:
        with cards.card("question"):
            cards.mistake(str(error))
        return
    with cards.card("question"):
        title = tr("What is wrong with this model?")
        if choice is not None:
            name = tr(mistake(this.answer).title)
            title = (
                tr("Yes: {name}", name=name) if choice == this.right else tr("No: it is “{name}”", name=name)
            )
        right = score(played, made)
        cards.title(
            title,
            [
                tr("Round {number} of {count}.", number=number, count=len(played)),
                " " + tr("Right so far: {right} of {made}.", right=right, made=len(made)) if made else "",
                "" if choice is None else " " + tr("Each answer says what it does to this sentence."),
            ],
        )
        left, beside = st.columns([1.12, 1], gap="medium")
        with left:
            _picture(asked)
        with beside:
            st.html(written)
            if choice is None:
                _names(shown, this, number)
            else:
                st.html(_answers(this, choice, reasons, asked.pitfall.see))
                _onward(this, played, number)
    if choice is not None:
        pair = shown_mistake.map_pair(asked)
        two_maps(shown.selection, pair, key=f"answer-{pair.kind}", file=f"mistake-{this.answer}")


def _picture(asked: shown_mistake.MistakeOnSentence) -> None:
    """The faulty map alone."""
    from core.learning.study import in_language

    wrong = asked.study.wrong
    st.html(
        map_html(
            wrong,
            theme.current_mode(),
            f"{capitalised(in_language(wrong.where))}{tr('; ')}{tr('weights in %')}",
        )
    )


def _lines(shown: DecodeView, name: str) -> str:
    """The sentence, what the correct model writes and what this one does, as HTML: words that only this one has are marked."""
    written = shown_mistake.output(shown, name)
    change = rewriting(shown.decode.text, shown_mistake.text_of(shown, written))
    rows = [(tr("Source"), html.escape(shown.decode.source_text))]
    rows.append((tr("Correct model"), _words(change.before)))
    here = html.escape(tr(written.problem)) if written.problem else _words(change.after, "ins")
    rows.append((tr("This model"), here or html.escape(tr("no word at all"))))
    body = "".join(f'<dt>{html.escape(title)}</dt><dd dir="auto">{words}</dd>' for title, words in rows)
    return f'<dl class="atlas-outputs">{body}</dl>'


def _words(words: Sequence[Word], mark: str = "") -> str:
    """The words as a line, each run of words that differ in one `mark`."""
    line = ""
    for same, run in groupby(words, lambda word: word.same or not mark):
        text = html.escape("".join((" " if word.spaced else "") + word.text for word in run))
        line += text if same else f"{text[: len(text) - len(text.lstrip())]}<{mark}>{text.lstrip()}</{mark}>"
    return line


def _names(shown: DecodeView, this: Round, number: int) -> None:
    """Four buttons; a choice joins those of the link."""
    made = shown.selection.game[: number - 1]
    with st.container(key="names", gap="small"):
        for position, name in enumerate(this.names, start=1):
            st.button(
                f"{_LETTERS[position - 1]}  {tr(mistake(name).title)}",
                key=f"name_{position}",
                width="stretch",
                on_click=state.update,
                kwargs={"game": f"{made}{position}", "round": number},
            )


def _reason(shown: DecodeView, name: str, this: Round) -> str:
    """What a mistake shows on this sentence: its number, and, of a wrong answer, what the model writes with it."""
    finding = shown_mistake.on_sentence(shown, name).finding
    if name == this.answer:
        return finding
    written = shown_mistake.output(shown, name)
    if written.problem:
        return f"{finding} {tr(written.problem)}"
    text = shown_mistake.text_of(shown, written)
    if text == shown.decode.text:
        return f"{finding} {tr('The translation stays the same.')}"
    return f"{finding} {tr('The model writes “{sentence}”.', sentence=text)}"


def _answers(this: Round, choice: int, reasons: list[str], see: str) -> str:
    """The four names with their verdict: what the right one shows, what each of the others would have shown."""
    lines = []
    for position, (name, reason) in enumerate(zip(this.names, reasons, strict=True), start=1):
        right = position == this.right
        words = f"{tr(see)} {reason}" if right else reason
        kind = "right" if right else "chosen" if position == choice else ""
        mark = "✓" if right else "✗" if position == choice else _LETTERS[position - 1]
        lines.append(
            f'<li class="{kind}"><i>{mark}</i><div><b>{html.escape(tr(mistake(name).title))}</b>'
            f'<p dir="auto">{html.escape(words)}</p></div></li>'
        )
    return f'<ol class="atlas-answers">{"".join(lines)}</ol>'


def _onward(this: Round, played: tuple[Round, ...], number: int) -> None:
    """On to the next round, and to the mistake's own page."""
    last = number == len(played)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="onward"):
        st.button(
            tr("Show the result") if last else tr("Next round"),
            key="next_round",
            type="primary",
            on_click=state.update,
            kwargs={"round": number + 1},
        )
        st.button(
            tr("Code and numbers"),
            key="open_answer",
            on_click=state.update,
            kwargs={"pitfall": this.answer},
        )


def _outcome(shown: DecodeView, played: tuple[Round, ...], made: tuple[int, ...]) -> None:
    """The score, and every round with the choice made in it."""
    right = score(played, made)
    with cards.card("question"):
        cards.title(
            tr("You found {right} of {count} mistakes", right=right, count=len(played)),
            tr("The link of this page keeps the result"),
        )
        lines = []
        for number, (each, choice) in enumerate(zip(played, made, strict=True), start=1):
            name = html.escape(tr(mistake(each.answer).title))
            is_right = choice == each.right
            words = (
                "" if is_right else tr("your choice: {name}", name=tr(mistake(each.names[choice - 1]).title))
            )
            lines.append(
                f'<li class="{"right" if is_right else "chosen"}"><i>{"✓" if is_right else "✗"}</i>'
                f"<div><b>{number}. {name}</b>{f'<p>{html.escape(words)}</p>' if words else ''}</div></li>"
            )
        st.html(f'<ol class="atlas-answers two">{"".join(lines)}</ol>')
        st.button(
            tr("Play ten other rounds"),
            key="next_deal",
            type="primary",
            on_click=state.update,
            kwargs={"deal": shown.selection.deal + 1},
        )


# -- the page -------------------------------------------------------------------------------------------------

GROUPS: Final = (
    (message("Heads and scores"), 0, 4),
    (message("Cross-attention, embeddings, positions"), 4, 8),
    (message("Masks and padding"), 8, 13),
    (message("Stream and norms"), 13, 15),
    (message("Pictures of attention"), 15, 18),
)
"""The mistakes by topic: what each group is of, and where it begins and ends in `PITFALLS`."""
MORE: Final = message(
    "This project’s model computes both maps, with the same weights and the same tokens. **Correct** is the "
    "model as it is. **As written** is the same model with only one operation replaced, the one in the code. "
    "A picture of one head shows the head whose two maps differ most in the mean. The difference is as "
    "written minus correct, in percentage points. A row that is not a number (NaN) is left blank.\n\nThe "
    "letters name the public “Transformer from scratch” write-ups that contain the mistake; Tutorials checks "
    "them. The code is this project’s own wording of what was written there."
)


@st.fragment
def mistakes_page(shown: DecodeView) -> None:
    """A round of the game with the list of all mistakes below; or the one mistake that the link names."""
    now = shown.now()
    state.write_url()
    cards.style(__file__, "learn.css")
    if now.selection.pitfall:
        _mistake(frame.decoded(now, say=False) or now, now.selection.pitfall)
    else:
        above = st.container(key="pitfall_game")
        above.empty()  # else it would take its room only with the card
        _all()  # needs no model, so it is there while the map above it is computed
        with above:
            game(frame.decoded(now, say=False) or now)
    theme_watch()


def _computing() -> AbstractContextManager[None]:
    return st.spinner(tr("Computing …"), show_time=False)


def _mistake(shown: DecodeView, name: str) -> None:
    """One mistake: its finding and its maps, then the words, the code and the numbers."""
    _head(mistake(name))
    try:
        with _computing():
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
        cards.listing(tr("Mistake"), titles, state.bind("pitfall", shown=pitfall.id), 330)
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
            see = f"<b>{html.escape(tr('What it looks like.'))}</b> {html.escape(tr(pitfall.see))}"
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
            (in_language(each.name), *(localised(in_language(size)) for size in (each.right, each.wrong)))
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


def _all() -> None:
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
