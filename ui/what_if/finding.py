"""What some edits do to a translation, in sentences and in Plotly figures. No Streamlit, no session."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from core.analysis.readout import capitalised, decimal, isolated, joined, power_of_ten, quoted, rewriting
from core.experiments.edits import Edits, HeadsStep
from core.language import message, numeral, plural, tr
from core.model.hooks import ATTENTION, attention_of
from ui.shared import checkpoints
from ui.shared.decode import Decode, PinnedPair
from ui.style import screen_text, theme
from ui.style.theme import Kind, Mode, literal, short

if TYPE_CHECKING:
    from core.model.config import ModelConfig
    from ui.shared import cards
    from ui.shared.checkpoints import Entry
    from ui.shared.what_if import Outcome


Array = NDArray[np.float64]


def next_words(
    labels: Sequence[str],
    read: Sequence[str],
    before: Array,
    after: Array,
    chosen: Sequence[tuple[str, float]],
    *,
    pinned: int | None = None,
    edited: bool = True,
    in_rows: bool = False,
    mode: Mode,
    presenter: bool = False,
) -> go.Figure:
    """The probability of each written token before (hollow) and after (filled), joined, with the numbers beside them.

    A column a token, or from more than `COLUMNS` tokens on a row each, as with `in_rows`; `pinned` is tinted, `chosen` the
    first choice after.
    `read`: what each row reads; empty where there is no room for it.
    """
    palette = theme.PALETTES[mode]
    across = len(labels) <= COLUMNS and not in_rows
    positions = list(range(len(labels)))
    # A hall has few lines of pixels: its type is enlarged from the smaller size (`theme.styled`).
    size = theme.SMALL if presenter else theme.BODY
    figure = go.Figure()

    def along(values: Sequence[Any], other: Sequence[Any]) -> dict[str, Any]:
        """Coordinates: tokens along one axis, numbers along the other."""
        return {"x": values, "y": other} if across else {"x": other, "y": values}

    if edited:
        for position, low, high in zip(positions, before, after, strict=True):
            colour = palette.negative if high < low else palette.positive
            figure.add_scatter(
                **along([position, position], [100 * low, 100 * high]),
                mode="lines",
                hoverinfo="skip",
                meta="join",  # between two marks, whose numbers are exported
                opacity=0.4,
                line={"color": colour if abs(high - low) > 0.005 else palette.bar, "width": 4},
            )
    words = list(zip(map(literal, labels), _change_words(labels, before, after, chosen), strict=True))
    marks = [(before, palette.panel, palette.negative, tr("before"), palette.muted)]
    if edited:
        marks.append((after, palette.positive, palette.positive, tr("after"), palette.positive))
    for values, fill, edge, name, ink in marks:
        is_after = values is after and edited
        other = before if is_after else after
        figure.add_scatter(
            **along(positions, [100 * value for value in values]),
            mode="markers+text",
            name=name,
            customdata=words,
            meta={"columns": ["token"]},
            marker={"size": size * 0.75, "color": fill, "line": {"color": edge, "width": 2.4}},
            text=_counted(values, other, is_after),
            textfont={"size": size, "color": ink},
            textposition=_sides(values, other, is_after, across, flat=presenter),
            cliponaxis=False,
            hovertemplate="%{customdata[1]}<extra></extra>",
        )
    lines = _lines(labels, size, presenter) if across else 1
    ticks = {
        "tickvals": positions,
        "ticktext": [
            "<br>" * (n % lines) + _tick(n, labels, read, pinned, palette.cross_text, across)
            for n in positions
        ],
        "showgrid": False,
        "zeroline": False,
        "tickfont": {"size": size, "family": theme.MONO, "color": palette.ink},
    }
    scale = _percent_axis(across, presenter, narrow=not (across or read))
    if across:
        upright = {"tickangle": 0} if lines > 1 else {}
        figure.update_xaxes(range=[-0.6, len(labels) - 0.35], **ticks, **upright)
        figure.update_yaxes(**scale)
    else:
        figure.update_yaxes(range=[len(labels) - 0.4, -0.6], **ticks)
        figure.update_xaxes(side="top", **scale)
    if pinned is not None:
        shade = {"fillcolor": palette.cross, "opacity": 0.1, "line_width": 0, "layer": "below"}
        (figure.add_vrect if across else figure.add_hrect)(pinned - 0.46, pinned + 0.46, **shade)
    figure.update_layout(showlegend=False)
    return theme.styled(
        figure, mode, presenter, 380 if across else 70 + (28 if read else 22) * len(labels), top=10
    )


def _change_words(
    labels: Sequence[str], before: Array, after: Array, chosen: Sequence[tuple[str, float]]
) -> list[str]:
    """What the pointer says of each token: its probability before and after, and the first choice after."""
    return [
        tr(
            "{word}: {before} % → {after} %; first choice now: {choice}, {share} %",
            word=literal(label),
            before=numeral(100 * low, ".1f"),
            after=numeral(100 * high, ".1f"),
            choice=literal(name),
            share=numeral(100 * share, ".1f"),
        )
        for label, low, high, (name, share) in zip(labels, before, after, chosen, strict=True)
    ]


def _percent_axis(across: bool, presenter: bool, narrow: bool) -> dict[str, Any]:
    """The axis of the percentages; it goes beyond 0 and 100 so that the numbers at the marks have room.

    `narrow`: the rows have half a card.
    """
    sparse = narrow or (presenter and across)
    low, high = (-7 if presenter else -14, 112) if across else (-13, 112)
    if sparse:
        low, high = (-42 if presenter else -30, 125) if narrow else (-13, 127)
    shares = (0, 50, 100) if sparse else (0, 25, 50, 75, 100)
    return {
        "range": [low, high],
        "tickvals": shares,
        "ticktext": [f"{share} %" for share in shares],
        "zeroline": False,
        "tickfont": {"size": theme.SMALL},
    }


COLUMNS: Final = 12
"""Tokens that stand beside each other with their words; of more each has a row."""
ROWS: Final = 16
"""Rows below each other; more of them are two figures."""


_ROOM: Final = {False: 430, True: 480}
"""CSS pixels that the columns share on the page, and in a hall."""
_ON_PHONE: Final = 290


def _lines(labels: Sequence[str], size: float, presenter: bool) -> int:
    """Lines that the words under the columns take: two where neighbours would touch on one, if that helps."""
    column = _ROOM[presenter] / len(labels)
    letter = 0.6 * size * (theme.PRESENTER_SCALE if presenter else 1)
    widths = [(len(short(label)) + 1) * letter for label in labels]
    touch = any(a + b > 2 * column for a, b in pairwise(widths))
    narrow = column if presenter else _ON_PHONE / len(labels)
    return 2 if touch and max(widths) <= 2 * narrow else 1


def _counted(values: Array, other: Array, is_after: bool) -> list[str]:
    """Percentages beside the marks; one number alone where both print the same."""
    both = zip(values, other, strict=True)
    return [
        "" if is_after and percent_words(value) == percent_words(beside) else literal(percent_words(value))
        for value, beside in both
    ]


PRINTED_ONE: Final = 0.0095
"""From this probability on “1 %” is printed."""


def percent_words(share: float) -> str:
    """A probability in percent: whole from 1 % upward, one digit below, “<0.1” where that would be 0."""
    value = 100 * share
    if share >= PRINTED_ONE:
        return numeral(value, ".0f")
    return numeral(value, ".1f") if value >= 0.05 else f"<{numeral(0.1)}"


def _sides(values: Array, other: Array, is_after: bool, across: bool, flat: bool) -> list[str]:
    """Where each number stands: away from the other mark of its word. `flat`: the columns have little height."""
    sides = []
    for value, beside in zip(values, other, strict=True):
        same = percent_words(value) == percent_words(beside)
        upper = value > beside or (same and not is_after)
        if across:
            right = flat and is_after and value < 0.1  # below, it would stand on the words
            sides.append("top center" if upper else "middle right" if right else "bottom center")
        else:
            sides.append("middle right" if upper else "middle left")
    return sides


def _tick(
    position: int, labels: Sequence[str], read: Sequence[str], pinned: int | None, colour: str, across: bool
) -> str:
    """A token under its column; in rows with the token that is read before it."""
    word = literal(isolated(short(labels[position])))
    name = f'<b><span style="color:{colour}">{word}</span></b>' if position == pinned else word
    if across or position >= len(read):
        return name
    return f'<span style="font-size:0.85em">{literal(isolated(short(read[position])))} → </span><b>{name}</b>'


def reasons(
    rows: Sequence[tuple[str, float, str]],
    ends: tuple[float, float],
    group: str,
    *,
    mode: Mode,
    presenter: bool = False,
) -> go.Figure:
    """Effects in nats as bars from 0, (name, effect, colour of the palette); the first row stands on top.

    `ends`: the smallest and the largest effect of the scale, so that figures side by side share one. `group`: what the rows
    are, for the exported table.
    """
    palette = theme.PALETTES[mode]
    figure = go.Figure(
        go.Bar(
            x=[effect for _, effect, _ in rows],
            y=list(range(len(rows))),
            orientation="h",
            marker={"color": [getattr(palette, colour) for _, _, colour in rows], "cornerradius": 3},
            width=0.62,
            text=[decimal(effect, plus=True) for _, effect, _ in rows],
            textposition="outside",
            cliponaxis=False,
            textfont={"size": 12, "color": palette.muted},
            name=group,
            customdata=[[literal(name)] for name, _, _ in rows],
            meta={"columns": ["name"]},
            hovertemplate=f"%{{customdata[0]}}: %{{x:+.3f}} {tr('nats')}<extra></extra>",
        )
    )
    figure.update_yaxes(
        autorange="reversed",
        showgrid=False,
        tickvals=list(range(len(rows))),
        ticktext=[literal(short(name, 18)) for name, _, _ in rows],
        ticklabelstandoff=8,
    )
    low, high = ends
    span = max(high - low, 1e-9)  # the numbers stand beside their bars, inside the figure
    figure.update_xaxes(range=[low - 0.24 * span if low else -0.03 * span, high + 0.24 * span])
    return theme.styled(figure, mode, presenter, 40 + 25 * len(rows), top=4)


SMALL: Final = 0.01
"""A probability below which a word counts as gone."""
_NAMED: Final = 4  # words or heads that are named one by one
_PHRASE: Final = 40  # characters of a repeated phrase in a title
_CONTINUED: Final = "·"  # how the label of a token begins that goes on with a word


def title(outcome: Outcome, decode: Decode, entry: Entry) -> str:
    """The outcome of the edits, from the two texts."""
    if not outcome.edits:
        return tr("Nothing is ablated: the model writes its own translation")
    change = rewriting(outcome.unedited, outcome.rewritten)
    given = condition(outcome.edits, decode)
    outcome_name = change.outcome(_in_whole_words(outcome))
    spoken = language_name(entry)
    if outcome_name == "same" and is_frozen_alone(outcome.edits):
        return tr("Freezing alone changes nothing: it has an effect only with another edit")
    if outcome_name == "other language" and spoken:
        return tr(
            "{given} the model writes {language}, but about something else", given=given, language=spoken
        )
    if outcome_name in ("omits", "adds", "replaces"):
        lost, new = (_phrase(words) for words in (change.lost, change.new))
        return tr(_FEW[outcome_name], given=given, lost=lost, new=new)
    if outcome_name == "repeats":
        phrase = screen_text.label(change.repeated, _PHRASE)
        return tr("{given} the model repeats “{phrase}”", given=given, phrase=phrase)
    if outcome_name == "changes":
        count = max(len(change.lost), len(change.new))
        total = len(change.before)
        return plural(
            "{given} {count} of {total} words changes",
            "{given} {count} of {total} words change",
            count,
            given=given,
            total=total,
        )
    return tr(_OUTCOMES[outcome_name], given=given)


_OUTCOMES: Final = {
    "same": message("{given} the translation stays the same"),
    "nothing": message("{given} the model writes nothing"),
    "other language": message("{given} the model writes about something else"),
    "other topic": message("{given} the model writes about something else"),
    "other": message("{given} the model writes something else"),
}
_FEW: Final = {
    "omits": message("{given} the model leaves out {lost}"),
    "adds": message("{given} the model adds {new}"),
    "replaces": message("{given} the model writes {new} instead of {lost}"),
}


def _phrase(words: Sequence[str]) -> str:
    named = quoted(screen_text.label(" ".join(words[:_NAMED]), _PHRASE))
    return named if len(words) <= _NAMED else tr("{words} and more", words=named)


def _in_whole_words(outcome: Outcome) -> bool:
    """Whether every token of the text that is written now begins a word of its own: no word is put together of pieces."""
    return bool(outcome.labels) and not any(label.startswith(_CONTINUED) for label in outcome.labels)


def language_name(entry: Entry) -> str:
    """The language that the checkpoint writes, by its name in the language in use; empty where the card names none."""
    return checkpoints.language_in_words(entry.usable.card.get("target_language"))


def is_frozen_alone(edits: Edits) -> bool:
    """Whether there is no other edit than frozen heads."""
    return bool(edits) and all(isinstance(step, HeadsStep) and step.how == "frozen" for step in edits.steps)


_GIVEN: Final = {
    "zero": message("Without {heads}"),
    "mean": message("With the mean in place of {heads}"),
    "uniform": message("With uniform weights in {heads}"),
    "frozen": message("With frozen weights in {heads}"),
}


def condition(edits: Edits, decode: Decode) -> str:
    """How a sentence about these edits begins: “Without cross-attention”."""
    config = decode.trace.config
    heads = edits.heads(config)
    others = [step for step in edits.steps if not isinstance(step, HeadsStep)]
    hows, kinds = set(heads.values()), {head[0] for head in heads}
    if others or len(hows) != 1:
        return plural("With this edit", "With these {count} edits", len(edits.steps))
    if len(kinds) != 1:
        names = plural("{count} head", "{count} heads", len(heads))
        return tr(_GIVEN[next(iter(hows))], heads=names)
    kind = next(iter(kinds))
    pairs = sorted((layer, head) for _, layer, head in heads)
    return tr(_GIVEN[next(iter(hows))], heads=heads_name(kind, pairs, config))


def heads_name(kind: Kind, heads: Sequence[tuple[int, int]], config: ModelConfig) -> str:
    """These heads of a kind in a sentence: “cross-attention”, “layer 2 of cross-attention”, “head 1.2”."""
    attention = attention_of(config, kind)
    name, shape = tr(attention.phrase), config.shape(attention.stack)
    layers = sorted({layer for layer, _ in heads})
    if len(heads) == shape[0] * shape[1]:
        return name
    if len(layers) == 1 and len(heads) == shape[1]:
        return tr("layer {layer} of {kind}", layer=layers[0], kind=name)
    if len(heads) == 1:
        return tr("head {head} of {kind}", head=f"{heads[0][0]}.{heads[0][1]}", kind=name)
    if len(heads) <= _NAMED:
        listed = [f"{layer}.{head}" for layer, head in heads]
        return tr("heads {heads} of {kind}", heads=joined(listed), kind=name)
    return plural("{count} head of {kind}", "{count} heads of {kind}", len(heads), kind=name)


def sentence(outcome: Outcome, decode: Decode, pair: PinnedPair | None) -> str:
    """Which words stay, and how far the pinned word, or the one hit hardest, falls."""
    if not outcome.edits:
        return tr("Choose a head to ablate it, or several of them above.")
    parts: list[str] = []
    change = rewriting(outcome.unedited, outcome.rewritten)
    stay = change.kept
    few = 2 * len(stay) < len(change.before)
    if few and stay and len(set(stay)) <= _NAMED:
        kept = [tr("the full stop") if word == "." else quoted(word) for word in dict.fromkeys(stay)]
        parts.append(plural("Only {words} stays.", "Only {words} stay.", len(kept), words=joined(kept)))
    elif few and not stay:
        parts.append(tr("No word stays."))
    position = subject_of(outcome, pair)
    word, low, high = _numbers(outcome, decode, position)
    if all_cross_gone(outcome.edits, decode):
        gone = tr(
            "{word} goes from {before} to {after}: the decoder can no longer read the source.",
            word=word,
            before=low,
            after=high,
        )
        parts.append(capitalised(gone))
    elif low == high:
        parts.append(tr("The probability of {word} stays at {after}.", word=word, after=high))
    else:
        parts.append(
            tr("The probability of {word} goes from {before} to {after}.", word=word, before=low, after=high)
        )
    if outcome.edits.opens_future:
        parts.append(
            tr(
                "Probabilities are those of decoding, given only the words before; the maps are of a pass over all words."
            )
        )
    return " ".join(parts)


def _numbers(outcome: Outcome, decode: Decode, position: int) -> tuple[str, str, str]:
    before, after = float(outcome.before[position]), float(outcome.after[position])
    return quoted(decode.trace.tokens.written[position]), percent(before), percent(after)


def subject_of(outcome: Outcome, pair: PinnedPair | None) -> int:
    """The written word that the sentences speak of: the pinned one, else the one whose probability fell most."""
    if pair is not None and pair.pin.kind != "encoder" and pair.pin.query < len(outcome.before):
        return pair.pin.query
    return outcome.hardest


def all_cross_gone(edits: Edits, decode: Decode) -> bool:
    """Whether no head of cross-attention reads the source any more: each gives zeros or its mean."""
    config = decode.trace.config
    hows = [how for head, how in edits.heads(config).items() if head[0] == "cross"]
    layers, heads = config.shape(ATTENTION["cross"].stack)
    return len(hows) == layers * heads and set(hows) <= {"zero", "mean"}


def falls_title(outcome: Outcome, decode: Decode) -> str:
    """How many words lose their probability, or which one loses most."""
    labels = decode.trace.tokens.written
    if not outcome.edits:
        return tr("How sure the model is of each token")
    gone = [n for n in outcome.choices if outcome.before[n] >= PRINTED_ONE > outcome.after[n]]
    total = len(outcome.choices)
    if len(gone) == 1:
        return capitalised(tr("{word} falls below 1 %", word=quoted(labels[gone[0]])))
    if gone:
        return plural(
            "{count} of {total} tokens falls below 1 %",
            "{count} of {total} tokens fall below 1 %",
            len(gone),
            total=total,
        )
    worst = min(outcome.choices, key=lambda n: float(outcome.after[n] - outcome.before[n]), default=None)
    if worst is None or outcome.before[worst] - outcome.after[worst] < SMALL:
        return tr("No token loses as much as 1 percentage point")
    word, before, after = _numbers(outcome, decode, worst)
    return capitalised(
        tr("{word} falls most, from {before} to {after}", word=word, before=before, after=after)
    )


def total_sentence(outcome: Outcome) -> list[cards.Words]:
    """The log-probability of the whole translation, before and after."""
    before = float(np.log(outcome.before).sum())
    if not outcome.edits:
        return [
            tr("Log-probability of the whole translation:"),
            " ",
            (tr("{value} nats", value=decimal(before)), "b"),
        ]
    after = decimal(before + outcome.change)
    numbers = tr("{before} → {after} nats", before=decimal(before), after=after)
    return [
        tr("Log-probability of the whole translation:"),
        " ",
        (numbers, "b"),
        f" ({times(outcome.change)})",
    ]


def times(change: float) -> str:
    """A change of log-probability as a factor: “12 times less probable”."""
    if abs(change) < 0.005:
        return tr("as probable as before")
    factor = math.exp(min(abs(change), 700.0))
    if factor < 2:
        amount = percent(factor - 1 if change > 0 else 1 - 1 / factor)
        return (
            tr("{amount} more probable", amount=amount)
            if change > 0
            else tr("{amount} less probable", amount=amount)
        )
    number = numeral(factor, ",.0f") if factor < 1e6 else power_of_ten(round(math.log10(factor)))
    more, less = message("{number} times more probable"), message("{number} times less probable")
    return tr(more if change > 0 else less, number=number)


def percent(share: float) -> str:
    """“95 %”, “0.1 %”, “less than 0.1 %”."""
    return f"{percent_words(share)} %" if share >= 0.0005 else tr("less than {number} %", number=numeral(0.1))
