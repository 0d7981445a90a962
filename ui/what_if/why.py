"""Why this word and not another: the effects that favour a written word over an alternative."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import streamlit as st

from core.analysis.readout import decimal, quoted
from core.errors import AtlasError
from core.model.hooks import ATTENTION
from ui.session import state
from ui.shared import cards, what_if
from ui.shared.context import DecodeView
from ui.shared.decode import Decode
from ui.shared.mount import chart, drawn
from ui.style import theme
from ui.what_if import figures

if TYPE_CHECKING:
    from core.experiments.why import Why

MOST: Final = 8  # heads that are drawn
_MORE: Final = (
    "The effect is $\\log\\frac{p(\\text{word})}{p(\\text{other})}$ with everything in place minus the same with one thing "
    "switched off: a head gives zeros; a source word is hidden from all others, in the encoder and in cross-attention; an "
    "earlier word is hidden from the rows after it. Effects of several things together need not add up. The word that the "
    "step reads itself cannot be hidden: its vector is what the step works on. Measured on the model as it was trained, "
    "without the changes above."
)


def why(shown: DecodeView) -> None:
    """The card: pick a word and an alternative; three groups of effects."""
    decode = shown.decode
    written = decode.trace.tokens.written
    step = min(len(written) - 1, max(0, (shown.selection.step or round(0.65 * len(written))) - 1))
    options = what_if.alternatives(decode, step)
    with cards.card("why"):
        nothing = _nothing_to_say(decode, step, options)
        if nothing:
            with st.container(horizontal=True, vertical_alignment="center"):
                cards.title("Why this word and not another?", nothing)
                _word(written, step)
            return
        other = shown.selection.alternative
        other = other if other in options else next(iter(options))
        name = options[other].split("  ")[0]
        with st.container(horizontal=True, vertical_alignment="center"):
            cards.title(
                ["Why ", (quoted(written[step]), "cross"), " and not ", (quoted(name), "b"), "?"],
                "what the odds of the two words lose, in nats, when one thing is switched off",
            )
            _word(written, step)
            cards.quiet("against", width="content")
            _other(step, options, other)
        try:
            reasons = what_if.reasons(shown, step, other)
        except AtlasError as error:
            cards.mistake(str(error))
            return
        _groups(shown, reasons)
        cards.readout(sentence(decode, reasons, name))
    cards.explain(
        "Bars to the right speak for the written word, bars to the left for the other one.",
        "A word is rarely written for one reason: some heads speak for it while others speak against it.",
        _MORE,
        name="why",
    )


def _nothing_to_say(decode: Decode, step: int, options: dict[int, str]) -> str:
    """Why no reasons are looked for; empty where there are some."""
    if step not in decode.choices:
        return f"{quoted(decode.trace.tokens.written[step])} is always written here, whatever the model reads"
    return "" if options else "this step has no other word to hold against it"


def _word(written: tuple[str, ...], step: int) -> None:
    def take_step(index: int) -> None:
        state.update(step=index + 1)

    st.selectbox(
        "word",
        list(range(len(written))),
        format_func=lambda index: f"{index + 1}  {written[index]}",
        label_visibility="collapsed",
        width=150,
        **state.hold("why_step", step, take_step),
    )


def _other(step: int, options: dict[int, str], other: int) -> None:
    def take_other(token: int) -> None:
        state.update(alternative=token)

    st.selectbox(
        "other word",
        list(options),
        format_func=options.__getitem__,
        label_visibility="collapsed",
        width=190,
        **state.hold(f"why_other_{step}", other, take_other),
    )


def _groups(shown: DecodeView, reasons: Why) -> None:
    options: dict[str, Any] = {"mode": theme.current_mode(), "presenter": shown.selection.enlarged}
    read = shown.decode.trace.tokens.target
    groups = (
        ("heads", "heads", head_rows(reasons)[:MOST]),
        ("source words", "source", token_rows(reasons.source, shown.decode.trace.tokens.source)),
        ("words written before", "prefix", token_rows(reasons.prefix, read)),
    )
    for column, (title, name, rows) in zip(st.columns(3, gap="small"), groups, strict=True):
        with column:
            cards.quiet(title)
            if rows:
                chart(drawn(figures.reasons, rows, **options), f"why_{name}")
            else:
                cards.quiet("none: this is the first word")


def head_rows(reasons: Why) -> list[tuple[str, float, str]]:
    """Every head with its effect and the colour of its kind, largest effects first."""
    rows = [
        (f"{_SHORT[kind]} {layer}.{head}", float(value), kind)
        for kind, table in reasons.heads.items()
        for (layer, head), value in np.ndenumerate(table)
    ]
    return sorted(rows, key=lambda row: -abs(row[1]))


def token_rows(effects: np.ndarray, labels: tuple[str, ...]) -> list[tuple[str, float, str]]:
    """The tokens with the largest effects, in sentence order; blue speaks against the written word."""
    most = sorted(np.argsort(-np.abs(effects), kind="stable")[: MOST + 4].tolist())
    return [
        (labels[index], float(effects[index]), "positive" if effects[index] >= 0 else "negative")
        for index in most
    ]


def sentence(decode: Decode, reasons: Why, name: str) -> list[cards.Words]:
    """The odds of the written word, and the head and source word that favour it most."""
    written, source = decode.trace.tokens.written, decode.trace.tokens.source
    times = float(np.exp(np.clip(reasons.log_odds, -30, 30)))
    odds = f"{times:,.0f} times as probable as" if times >= 2 else f"{times:.2g} times as probable as"
    words: list[cards.Words] = [
        (quoted(written[reasons.step]), "cross"),
        f" was {odds} ",
        (quoted(name), "b"),
        ".",
    ]
    head = next((row for row in head_rows(reasons) if row[1] > 0), None)
    if head is not None:
        words += [" Most for it: head ", (head[0], "b"), f" ({decimal(head[1], plus=True)})"]
        index = int(np.argmax(reasons.source))
        if reasons.source[index] > 0:
            words += [
                " and the source word ",
                (quoted(source[index]), "b"),
                f" ({decimal(reasons.source[index], plus=True)})",
            ]
        words += ["."]
    return words


_SHORT: Final = {"encoder": "encoder", "causal": "decoder", "cross": "cross"}
assert set(_SHORT) == set(ATTENTION)
