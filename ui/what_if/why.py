"""Why this word and not another: the effects that favour a written word over an alternative."""

from __future__ import annotations

import math
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Final

import numpy as np
import streamlit as st

from core.analysis.readout import capitalised, decimal, isolated, quoted
from core.errors import AtlasError
from core.language import message, numeral, tr
from ui.export import menu
from ui.session import state
from ui.shared import cards, faithfulness, what_if
from ui.shared.context import DecodeView
from ui.shared.decode import Decode, pinned_pair
from ui.shared.mount import draw_chart, draw_figure, one_export, theme_watch
from ui.what_if import attributing, finding

if TYPE_CHECKING:
    from core.experiments.faithfulness import Faithfulness
    from core.experiments.what_if import Why

MOST: Final = 8  # heads, source words and earlier words that are drawn
_MORE: Final = message(
    "The effect is $\\log\\frac{p(\\text{word})}{p(\\text{other})}$ with everything in place minus the same with one thing "
    "removed: a head’s output is set to 0; a source word is hidden from all others, in the encoder and in cross-attention; an earlier "
    "word is hidden from the rows after it. Effects of several things together need not add up. The word that the step "
    "itself reads cannot be hidden. The model is measured as it was trained, without the edits of Ablate."
)


def why(shown: DecodeView) -> None:
    """The page: a word and an alternative; three groups of effects."""
    decode = shown.decode
    written = decode.trace.tokens.written
    step = opening_step(shown)
    options = what_if.alternatives(decode, step)
    nothing = _nothing_to_say(decode, step, options)
    other = shown.selection.alternative
    other = other if other in options else next(iter(options), 0)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="why_options"):
        with _pair("why_this"):
            cards.quiet(tr("Why"), width="content")
            _word(written, step)
        if not nothing:
            with _pair("why_not"):
                cards.quiet(tr("and not"), width="content")
                _other(step, options, other)
        menu.whole(shown)
    if nothing:
        with cards.card("why", fill=False):
            cards.title(nothing)
        return
    name = options[other].split("  ")[0]
    try:
        reasons = what_if.reasons(shown, step, other)
        parts = what_if.direct_parts(shown, step, other)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    groups = _groups(shown, reasons)
    direct = attributing.part_rows(parts)
    ends = _ends([*(row for _, _, rows in groups for row in rows), *direct])
    with cards.card("why", fill=False):
        cards.title(
            title(decode, reasons, name),
            tr(
                "Drop in log-odds (nats) when one head or word is removed; the strongest of each, at most {count}",
                count=MOST,
            ),
        )
        with one_export("why"):
            for column, (heading, key, rows) in zip(st.columns(3, gap="small"), groups, strict=True):
                with column:
                    cards.quiet(heading)
                    if rows:
                        draw_figure(f"why_{key}", finding.reasons, rows, ends, heading)
                    else:
                        cards.quiet(tr("None: this is the first word"))
        cards.readout(sentence(decode, reasons, name))
    measured = faithfulness.stored_results(shown)
    left, right = st.columns([0.36, 0.64], gap="small") if measured else (nullcontext(), nullcontext())
    with left, cards.card("why_direct", fill=measured is not None):
        cards.title(
            attributing.parts_title(direct, written[step], name),
            tr("What each part adds to the log-odds (nats); the axis has the same ends as above"),
        )
        draw_chart("why_parts", finding.reasons, direct, ends, tr("Parts"))
        cards.readout(attributing.parts_sentence(parts))
    if measured is not None:
        with right:
            _many_sentences(measured)
    with cards.card("why_measures", fill=False):
        _measures(shown, step)
    if measured is None:
        _not_measured(shown)
    cards.explain(
        tr("Bars to the right favour the written word, bars to the left the other one."),
        tr("Some heads favour a word while others oppose it."),
        tr(_MORE),
        name="why",
    )
    theme_watch()


def opening_step(shown: DecodeView) -> int:
    """The written word: the link's, else the pinned one, else the one that the model was least sure of."""
    decode, chosen = shown.decode, shown.selection.step
    last = len(decode.trace.tokens.written) - 1
    if chosen is not None:
        return min(last, max(0, chosen - 1))
    pair = pinned_pair(decode, shown.selection)
    if pair is not None and pair.pin.kind != "encoder" and pair.pin.query <= last:
        return pair.pin.query
    return min(decode.choices, key=lambda step: margin(decode, step), default=0)


def margin(decode: Decode, step: int) -> float:
    """log p of the written token − log p of the most probable other one at a step, in nats; infinite without another."""
    next_word, written = decode.steps[step], decode.trace.written_ids[step]
    listed = zip(next_word.ids, next_word.probabilities, strict=True)
    others = [share for token, share in listed if token != written and token not in next_word.barred]
    own = dict(zip(next_word.ids, next_word.probabilities, strict=True)).get(written, 0.0)
    if not others or max(others) <= 0:
        return math.inf
    return math.log(max(own, 1e-30) / max(others))


def title(decode: Decode, reasons: Why, name: str) -> str:
    """The source word, or else the head, that favours the written word most."""
    word, other = quoted(decode.trace.tokens.written[reasons.step]), quoted(name)
    index = int(np.argmax(reasons.source)) if len(reasons.source) else 0
    if len(reasons.source) and reasons.source[index] > 0:
        source = quoted(decode.trace.tokens.source[index])
        if reasons.source[index] > reasons.log_odds > 0:
            return tr(
                "Without the source word {source} the model prefers {other} to {word}",
                source=source,
                other=other,
                word=word,
            )
        return tr(
            "The source word {source} favours {word} over {other} most", source=source, word=word, other=other
        )
    head = next((row for row in head_rows(reasons) if row[1] > 0), None)
    if head is not None:
        return tr("Head {head} favours {word} over {other} most", head=head[0], word=word, other=other)
    return tr("No head and no source word favours {word} over {other}", word=word, other=other)


def _nothing_to_say(decode: Decode, step: int, options: dict[int, str]) -> str:
    """Why no reasons are looked for; empty where there are some."""
    if step not in decode.choices:
        return tr(
            "{word} is always written here, whatever the model reads",
            word=quoted(decode.trace.tokens.written[step]),
        )
    return "" if options else tr("This step has no other word to compare with")


def _pair(name: str) -> AbstractContextManager[object]:
    """A word and the list it belongs to, which a narrow screen keeps on one line."""
    return st.container(
        horizontal=True, vertical_alignment="center", gap="small", width="content", wrap=False, key=name
    )


def _word(written: tuple[str, ...], step: int) -> None:
    def take_step(index: int) -> None:
        state.update(step=index + 1)

    names = {index: f"{index + 1}  {isolated(word)}" for index, word in enumerate(written)}
    cards.listing(tr("Word"), names, state.hold("why_step", step, take_step), 150)


def _other(step: int, options: dict[int, str], other: int) -> None:
    def take_other(token: int) -> None:
        state.update(alternative=token)

    cards.listing(tr("Other word"), options, state.hold(f"why_other_{step}", other, take_other), 190)


def _groups(shown: DecodeView, reasons: Why) -> tuple[tuple[str, str, list[attributing.Row]], ...]:
    """Source words, heads and earlier words with their effects, each with its heading and its name."""
    read = shown.decode.trace.tokens.target
    return (
        (tr("Source words"), "source", token_rows(reasons.source, shown.decode.trace.tokens.source)),
        (tr("Heads"), "heads", head_rows(reasons)[:MOST]),
        (tr("Words written before"), "prefix", token_rows(reasons.prefix, read)),
    )


def _ends(rows: list[attributing.Row]) -> tuple[float, float]:
    """The ends of the one scale of all bars of the page."""
    effects = [effect for _, effect, _ in rows]
    return min(0.0, *effects), max(0.0, *effects)


def _measures(shown: DecodeView, step: int) -> None:
    """Every measure's shares of the source words; made when it is asked for, since it takes a hundred passes."""
    about = (shown.key(), step)
    word = shown.decode.trace.tokens.written[step]
    asked = state.source_measures() == about or shown.selection.full == "why_measures"
    if not asked and shown.known((what_if.SOURCE_MEASURES, step)) is None:
        with cards.asking(
            tr("Which source words mattered for {word}? Seven measures", word=quoted(word)),
            tr("Hiding each word, gradients, ALTI+, contributions and attention"),
        ):
            st.button(tr("Compare"), on_click=state.source_measures.set, args=(about,), key="why_compare")
        return
    try:
        with st.spinner(tr("Computing …"), show_time=False):
            found = what_if.source_measures(shown, step)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    labels = shown.decode.trace.tokens.source
    cards.title(
        attributing.measures_title(found, labels),
        tr(
            "Share of each word, in % of the row; right: mean probability that {word} keeps while words are hidden in this order",
            word=quoted(word),
        ),
    )
    draw_chart("why_shares", attributing.measures_figure, found, labels)
    cards.readout(attributing.measures_sentence(found))


def _not_measured(shown: DecodeView) -> None:
    """How to find out which measure finds the needed words."""
    with cards.card("why_faithful", fill=False):
        command = f"python -m core faithfulness --checkpoint {shown.entry.path.name} --store"
        cards.title(
            tr("Does attention name the words that the model needs?"),
            tr("This has not been measured for this model: {command}", command=command),
        )


def _many_sentences(found: Faithfulness) -> None:
    """Which measure finds the needed words over the sentences that were measured with the checkpoint."""
    with cards.card("why_faithful"):
        cards.title(
            attributing.curves_title(found),
            tr(
                "Source words are hidden in the order that each measure gives; the lower the line, the sooner it names "
                "the needed words"
            ),
        )
        draw_chart("why_curves", attributing.curves_figure, found, fills=True)
        cards.readout(attributing.curves_sentence(found))


def head_rows(reasons: Why) -> list[tuple[str, float, str]]:
    """Every head with its effect, largest effects first, and its colour, as for words."""
    rows = [
        (f"{tr(attributing.SHORT[kind])} {layer}.{head}", float(value), attributing.sign_colour(value))
        for kind, table in reasons.heads.items()
        for (layer, head), value in np.ndenumerate(table)
    ]
    return sorted(rows, key=lambda row: -abs(row[1]))


def token_rows(effects: np.ndarray, labels: tuple[str, ...]) -> list[tuple[str, float, str]]:
    """The tokens with the largest effects, in sentence order; blue speaks against the written word."""
    most = sorted(np.argsort(-np.abs(effects), kind="stable")[:MOST].tolist())
    return [(labels[index], float(effects[index]), attributing.sign_colour(effects[index])) for index in most]


def sentence(decode: Decode, reasons: Why, name: str) -> str:
    """The odds of the written word, and the head and source word that favour it most."""
    written, source = decode.trace.tokens.written, decode.trace.tokens.source
    times = float(np.exp(np.clip(reasons.log_odds, -30, 30)))
    number = numeral(times, ",.0f" if times >= 2 else ".2f" if times >= 0.1 else ".2g")
    odds = capitalised(
        tr(
            "{word} is {number} times as probable as {other}.",
            word=quoted(written[reasons.step]),
            number=number,
            other=quoted(name),
        )
    )
    head = next((row for row in head_rows(reasons) if row[1] > 0), None)
    if head is None:
        return odds
    most = tr("Most in its favour: {head} ({value})", head=head[0], value=decimal(head[1], plus=True))
    index = int(np.argmax(reasons.source)) if len(reasons.source) else 0
    if not len(reasons.source) or reasons.source[index] <= 0:
        return f"{odds} {most}."
    value = decimal(reasons.source[index], plus=True)
    return (
        odds
        + " "
        + tr(
            "{head} and the source word {word} ({value}).", head=most, word=quoted(source[index]), value=value
        )
    )
