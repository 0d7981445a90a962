"""The reader's own translation: its probability word by word, and the model's own choice at each."""

from __future__ import annotations

import html
import math
from pathlib import Path

import streamlit as st

from core.analysis.familiarity import Scored
from core.analysis.glossary import MEASURES
from core.analysis.readout import decimal, how_many, quoted
from core.language import numeral, tr
from ui.session import state
from ui.session.selection import TEXT_LIMIT
from ui.shared import cards
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.decode import Decode

_SHARE = 0.0005  # below, a probability is shown as “< 0.1 %”
_METRICS = ("log_probability", "probability", "rank")


def box(shown: CheckpointView) -> None:
    """The box for one's own translation."""

    def take(text: str) -> None:
        state.update(target=text[:TEXT_LIMIT] if text.strip() else "")

    st.text_input(
        tr("Your translation"),
        placeholder=tr(
            "Type your own translation: the decoder reads it and gives the probability of each word"
        ),
        label_visibility="collapsed",
        **state.hold("target", shown.selection.target, take),
    )


def invite(shown: CheckpointView) -> None:
    """What the empty box is for, and a way to begin with the model's own words."""
    with cards.card("own", fill=False):
        cards.title(
            tr("Your own translation"),
            tr(
                "Type one above and press Enter: the decoder reads it word by word and gives the probability of each word, "
                "and the word it would have written."
            ),
        )
        st.button(tr("Start with the model's translation"), on_click=_borrow, args=(shown,))


def _borrow(shown: CheckpointView) -> None:
    greedy = state.selection().changed(strategy="greedy")
    written = CheckpointView(shown.entry, greedy, shown.device).decoded.decode.text
    if written.strip():
        state.update(target=written[:TEXT_LIMIT])


def strip(shown: DecodeView) -> None:
    """The total log-probability, and of each word its probability, its rank and the best alternative."""
    decode = shown.decode
    if not decode.scored:
        return
    label = shown.entry.tokenizers[1].label
    count = len(decode.scored)
    total, mean = (decimal(value) for value in (decode.log_probability, decode.log_probability / count))
    best = sum(word.rank == 1 for word in decode.scored)
    with cards.card("own", fill=False):
        cards.title(
            tr("Log-probability of your translation: {total} nats", total=total),
            tr(
                "{mean} per token over {tokens}; at {count} of them the model would have written the same.",
                mean=mean,
                tokens=how_many(count, "token"),
                count=best,
            )
            + _always(decode),
        )
        cells = "".join(_cell(word, label(word.id), label(word.other)) for word in decode.scored)
        st.html(f"<style>{Path(__file__).with_suffix('.css').read_text('utf-8')}</style>")
        st.html(f'<ol class="atlas-own">{cells}</ol>')
        with st.popover(tr("What do these numbers mean?"), type="tertiary", width="content"):
            st.markdown("\n\n".join(MEASURES[name].markdown for name in _METRICS))


def _always(decode: Decode) -> str:
    """What is not among the words, since it is no choice: a token that this model always writes first."""
    if 0 in decode.choices:
        return ""
    first = quoted(decode.trace.tokens.written[0])
    return " " + tr("{token} does not count: it is always written first.", token=first)


def _cell(word: Scored, label: str, other: str) -> str:
    """One word: its probability as a number and a bar, its rank, and the best alternative with its probability."""
    first = word.rank == 1
    share, other_share = _share(word.log_probability), _share(word.other_log_probability)
    filled = numeral(100 * math.exp(word.log_probability), ".1f")
    names = {
        "rank": numeral(word.rank, ","),
        "other": f"<bdi>{html.escape(other)}</bdi>",
        "share": other_share,
    }
    instead = tr("next: {other} {share}", **names) if first else tr("best: {other} {share}", **names)
    return (
        f'<li class="{"best" if first else "other"}"><bdi class="word">{html.escape(label)}</bdi>'
        f'<i class="track"><i style="width:{filled}%"></i></i><b>{share}</b><span>{tr("rank {rank}", **names)}</span>'
        f"<span>{instead}</span></li>"
    )


def _share(value: float) -> str:
    share = math.exp(value)
    return f"&lt; {numeral(0.1)} %" if share < _SHARE else f"{numeral(100 * share, '.1f')} %"
