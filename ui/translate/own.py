"""The reader's own translation: its probability word by word, and the model's own choice at each."""

from __future__ import annotations

import html
import math
from pathlib import Path

import streamlit as st

from core.analysis.familiarity import Scored
from core.analysis.glossary import MEASURES
from core.analysis.readout import decimal, how_many, quoted
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
        "Your translation",
        placeholder="Type your own translation: the decoder reads it and says how likely it finds each word",
        label_visibility="collapsed",
        **state.hold("target", shown.selection.target, take),
    )


def is_empty(shown: CheckpointView) -> bool:
    """Whether one's own translation was chosen and none is there yet."""
    return shown.selection.strategy == "given" and not shown.selection.target


def invite(shown: CheckpointView) -> None:
    """What the empty box is for, and a way to begin with the model's own words."""
    with cards.card("own", fill=False):
        cards.title(
            "Your own translation",
            "Type one above and press Enter: the decoder reads it word by word and says how likely it holds each word, "
            "and which one it would have written.",
        )
        st.button("begin with the model's translation", on_click=_borrow, args=(shown,))


def _borrow(shown: CheckpointView) -> None:
    greedy = state.selection().changed(strategy="greedy")
    written = CheckpointView(shown.entry, greedy, shown.device).decoded.decode.text
    if written.strip():
        state.update(target=written[:TEXT_LIMIT])


def strip(shown: DecodeView) -> None:
    """The total log-probability, and of each word its probability, its rank and the best alternative."""
    decode = shown.decode
    if decode.strategy != "given" or not decode.scored:
        return
    label = shown.entry.tokenizers[1].label
    count = len(decode.scored)
    total, mean = (decimal(value) for value in (decode.log_probability, decode.log_probability / count))
    best = sum(word.rank == 1 for word in decode.scored)
    with cards.card("own", fill=False):
        cards.title(
            ["Log-probability of your translation: ", (f"{total} nats", "cross")],
            f"{mean} a token over {how_many(count, 'token')}; "
            f"at {best} of them the model would have written the same{_always(decode)}",
        )
        cells = "".join(_cell(word, label(word.id), label(word.other)) for word in decode.scored)
        st.html(f"<style>{Path(__file__).with_suffix('.css').read_text('utf-8')}</style>")
        st.html(f'<ol class="atlas-own">{cells}</ol>')
        with st.popover("what these numbers are", type="tertiary", width="content"):
            st.markdown("\n\n".join(MEASURES[name].markdown for name in _METRICS))


def _always(decode: Decode) -> str:
    """What is not among the words, since it is no choice: a token that this model always writes first."""
    if 0 in decode.choices:
        return ""
    return f". {quoted(decode.trace.tokens.written[0])}, which it always writes first, does not count"


def _cell(word: Scored, label: str, other: str) -> str:
    """One word: its probability as a number and a bar, its rank, and the best alternative with its probability."""
    first = word.rank == 1
    share, other_share = _share(word.log_probability), _share(word.other_log_probability)
    filled = f"{100 * math.exp(word.log_probability):.1f}"
    instead = "next" if first else "best"
    return (
        f'<li class="{"best" if first else "other"}"><bdi class="word">{html.escape(label)}</bdi>'
        f'<i class="track"><i style="width:{filled}%"></i></i><b>{share}</b><span>rank {word.rank:,}</span>'
        f"<span>{instead}: <bdi>{html.escape(other)}</bdi> {other_share}</span></li>"
    )


def _share(value: float) -> str:
    share = math.exp(value)
    return "&lt; 0.1 %" if share < _SHARE else f"{100 * share:.1f} %"
