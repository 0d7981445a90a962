"""The pictures of lessons that no page has, such as a row of attention by hand, and what a memory of one vector loses."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from typing import Final

import streamlit as st

from core.analysis.readout import decimal, quoted
from core.language import numeral, plural, tr
from core.learning import by_hand, feed_forward, merges, one_vector
from core.learning.by_hand import Pair
from core.learning.feed_forward import FeedForwardStudy
from core.learning.one_vector import OneVector
from ui.shared import cards

CARD: Final = "scene"
"""The name of the card as a slide: the app calls every picture in place of a page so (app.py)."""
_UNKNOWN: Final = "?"


def by_hand_picture(answered: bool) -> None:
    """The row as a table; until the question is answered the weights and what follows from them are left out."""
    cards.style(__file__, "small_pictures.css")
    with cards.card(CARD, fill=False):
        cards.title(
            tr(
                "The row of “{token}”: query ({first}, {second})",
                token=by_hand.TOKENS[-1],
                first=_number(by_hand.QUERY[0]),
                second=_number(by_hand.QUERY[1]),
            ),
            tr("Three tokens, vectors of two numbers: everything can be computed on paper"),
        )
        st.html(by_hand_table(answered))
        if answered:
            cards.readout(
                tr(
                    "The weights sum to 1. The row passes on {total}, most of it the value of “{token}”.",
                    total=_pair(by_hand.total()),
                    token=by_hand.best().token,
                )
            )


def by_hand_table(answered: bool) -> str:
    """A row for each token and one for the sums."""
    cells = by_hand.row()
    head = (
        tr("token"),
        tr("key"),
        "q · k",
        "÷ √2",
        "e^…",
        tr("weight"),
        tr("value"),
        tr("weight × value"),
    )
    rows = [
        (
            each.token,
            _pair(each.key),
            _number(each.product),
            *_hidden(answered, _number(each.score), _number(each.power), _number(each.weight)),
            _pair(each.value),
            *_hidden(answered, _pair(each.given)),
        )
        for each in cells
    ]
    sums = _hidden(answered, _number(sum(each.power for each in cells)), "1", _pair(by_hand.total()))
    rows.append((tr("sum"), "", "", "", sums[0], sums[1], "", sums[2]))
    return cards.table_html(rows, head, loud=(len(rows) - 1,), name="scores")


def _hidden(answered: bool, *words: str) -> tuple[str, ...]:
    return words if answered else (_UNKNOWN,) * len(words)


def _number(value: float) -> str:
    return decimal(value, 0 if value == int(value) else 2)


def _pair(pair: Pair) -> str:
    between = "\u00a0;\u00a0" if "," in decimal(0.5, 1) else ",\u00a0"
    return f"({_number(pair[0])}{between}{_number(pair[1])})"


# -- one vector ---------------------------------------------------------------------------------------------------


def one_vector_picture(answered: bool) -> None:
    """Words right by length, with attention and, once the question is answered, through one vector."""
    cards.style(__file__, "small_pictures.css")
    measured = one_vector.stored()
    longest = measured.lengths[-1]
    with cards.card(CARD, fill=False):
        cards.title(
            tr(
                "Through one vector, {one} of {tested} words of {longest} letters are right; with attention, {all}",
                one=measured.right(longest, True),
                all=measured.right(longest, False),
                tested=measured.tested,
                longest=longest,
            )
            if answered
            else tr(
                "With attention, {least} of {tested} words come out right, whatever their length",
                least=min(measured.attention),
                tested=measured.tested,
            ),
            tr(
                "Of {tested} new words, how many are right, by number of letters; two small models, both trained for {steps} steps",
                tested=measured.tested,
                steps=numeral(measured.steps, ","),
            ),
        )
        st.html(bars(measured, answered))


def bars(measured: OneVector, answered: bool) -> str:
    """Two bars for each length; those of the one vector are empty frames until the question is answered."""
    columns = []
    for length, right in zip(
        measured.lengths, zip(measured.attention, measured.one, strict=True), strict=True
    ):
        pair = "".join(
            _bar(kind, count / measured.tested, str(count))
            if answered or kind == "all"
            else _bar("covered", 1, _UNKNOWN)
            for kind, count in zip(("all", "one"), right, strict=True)
        )
        columns.append(f"<div><p>{pair}</p><b>{length}</b></div>")
    legend = "".join(
        f'<span class="{kind}">{html.escape(words)}</span>'
        for kind, words in (
            ("all", tr("attention to every letter")),
            ("one", tr("one vector of {count} numbers", count=one_vector.WIDTH)),
        )
    )
    name, axis = html.escape(tr("Words right by length")), html.escape(tr("letters in the word"))
    return (
        f'<div class="atlas-bars"><div class="atlas-bars-legend">{legend}</div>'
        f'<div class="atlas-bars-chart" role="img" aria-label="{name}">{"".join(columns)}</div><small>{axis}</small></div>'
    )


def _bar(kind: str, share: float, number: str) -> str:
    return f'<i class="{kind}"><em>{number}</em><u style="height:{100 * share:.1f}%"></u></i>'


# -- feed-forward ---------------------------------------------------------------------------------------------------


def feed_forward_picture(answered: bool) -> None:
    """What is written without some of the networks; until the question is answered only the translation with all of them."""
    study = feed_forward.stored()
    with cards.card(CARD, fill=False):
        title, subtitle = quoted(study.text), tr("Feed-forward networks taken out of en-fr")
        if answered:
            title = plural(
                "Without the encoder’s feed-forward networks {count} word of the translation changes",
                "Without the encoder’s feed-forward networks {count} words of the translation change",
                study.changed("encoder.*"),
            )
        cards.title(title, subtitle)
        st.html(feed_forward_table(study, answered))
        if answered:
            cards.readout(
                tr(
                    "Unit {unit} of the encoder’s last network is the most active one at “{token}”. In {count} example "
                    "sentences, it is most active at: {words}.",
                    unit=study.unit.number,
                    token=study.token,
                    count=study.unit.sentences,
                    words=", ".join(study.unit.words),
                )
            )


def feed_forward_table(study: FeedForwardStudy, answered: bool) -> str:
    """A row for each experiment: which networks are gone, and what the model then writes."""
    gone = (tr("encoder, layer 0"), tr("all in the encoder"), tr("all in the decoder"), tr("all in both"))
    rows = [(tr("none"), study.translation)]
    rows += zip(gone, study.written if answered else (_UNKNOWN,) * len(gone), strict=True)
    return cards.table_html(rows, (tr("taken out"), tr("written")), loud=(0,), name="pairs")


# -- merges ---------------------------------------------------------------------------------------------------------


def merges_picture(answered: bool) -> None:
    """The first merges of ten words as a table; until the question is answered, empty rows."""
    cards.style(__file__, "small_pictures.css")
    first = merges.learn()[0]
    with cards.card(CARD, fill=False):
        words = ", ".join(merges.WORDS)
        title, subtitle = tr("The most frequent pair of neighbours becomes one piece"), words
        if answered:
            title = tr(
                "“{left}” and “{right}” are merged first: they are neighbours {count} times",
                left=first.left,
                right=first.right,
                count=first.times,
            )
        cards.title(title, subtitle)
        st.html(merges_table(answered))
        if answered:
            cards.readout(
                tr(
                    "After these {count} merges a new word, “{word}”, is cut into {pieces}.",
                    count=merges.MERGES,
                    word=merges.NEW_WORD,
                    pieces=" + ".join(merges.segment(merges.NEW_WORD, merges.learn())),
                )
                + " "
                + tr("If pairs occur equally often, the one found first is merged.")
            )


def merges_table(answered: bool) -> str:
    """A row for each merge: the pair, how often it occurs before it, and the first word that has it, cut after it."""
    head = (tr("merge"), tr("neighbours"), tr("how often"), tr("for example"))
    rows = [
        (
            str(number),
            *_hidden(answered, f"{each.left} + {each.right}", str(each.times), " ".join(each.example)),
        )
        for number, each in enumerate(merges.learn(), start=1)
    ]
    return cards.table_html(rows, head, loud=(0,) if answered else (), name="scores")


PICTURES: Final[Mapping[str, Callable[[bool], None]]] = {
    "by_hand": by_hand_picture,
    "one_vector": one_vector_picture,
    "feed_forward": feed_forward_picture,
    "merges": merges_picture,
}
"""Each by the name that a step gives as `drawn`; it takes whether the step's question is answered."""
