"""What each part adds to a word, and which source words each measure names: sentences and Plotly figures. No Streamlit, no session."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from core.analysis.faithfulness import GRID, MEASURES, RANDOM
from core.analysis.readout import capitalised, decimal, joined, quoted
from core.language import message, numeral, plural, tr
from ui.style import theme
from ui.style.theme import Mode, literal, short
from ui.what_if.carrying import whole_percent

if TYPE_CHECKING:
    from core.experiments.attribution import Direct
    from core.experiments.faithfulness import Faithfulness, SourceMeasures

Array = NDArray[np.float64]
MOST: Final = 8  # parts that are named
SHORT: Final = {"encoder": message("encoder"), "causal": message("decoder"), "cross": message("cross")}
"""How a row names the attention of its head."""
Row = tuple[str, float, str]
"""A name, a number in nats and the colour of its sign."""


# -- direct attribution --------------------------------------------------------------------------------------------


def part_rows(parts: Direct) -> list[Row]:
    """The parts that add most, by size, then all others together: they sum to the log-odds."""
    named = {f"{tr(SHORT[kind])} {layer}.{head}": value for (kind, layer, head), value in parts.heads.items()}
    named |= {
        tr("feed-forward {layer}", layer=layer): value for layer, value in enumerate(parts.feed_forward)
    }
    named |= {tr("embedding"): parts.embedding, tr("biases"): parts.biases}
    ranked = sorted(named.items(), key=lambda part: -abs(part[1]))
    rows = [(name, value, sign_colour(value)) for name, value in ranked[:MOST]]
    rest = sum(value for _, value in ranked[MOST:])
    return [*rows, (tr("all others"), rest, sign_colour(rest))] if len(ranked) > MOST else rows


def sign_colour(value: float) -> str:
    """The palette's colour of what speaks for the written word, or against it."""
    return "positive" if value >= 0 else "negative"


def parts_title(rows: Sequence[Row], word: str, other: str) -> str:
    """The part that adds most for the written word."""
    best = max(rows[:MOST], key=lambda row: row[1])
    if best[1] <= 0:
        return tr("No single part favours {word}", word=quoted(word))
    return tr(
        "{part} favours {word} over {other} most: {value}",
        part=capitalised(best[0]),
        word=quoted(word),
        other=quoted(other),
        value=decimal(best[1], plus=True),
    )


def parts_sentence(parts: Direct) -> str:
    """What the parts sum to, by group."""
    heads = {
        kind: sum(value for at, value in parts.heads.items() if at[0] == kind) for kind in ("cross", "causal")
    }
    return tr(
        "Cross-attention {cross}, decoder self-attention {causal}, feed-forward layers {forward}, embedding of the word "
        "read last {embedding}, biases {biases}: together {total}, the log-odds.",
        cross=decimal(heads["cross"], plus=True),
        causal=decimal(heads["causal"], plus=True),
        forward=decimal(sum(parts.feed_forward), plus=True),
        embedding=decimal(parts.embedding, plus=True),
        biases=decimal(parts.biases, plus=True),
        total=decimal(parts.total, plus=True),
    )


# -- source words by every measure ---------------------------------------------------------------------------------


def measures_title(found: SourceMeasures, labels: Sequence[str]) -> str:
    """Whether the measures name the same word first."""
    first = {name: max(found.words, key=lambda place: values[place]) for name, values in found.scores.items()}
    places = list(first.values())
    most = max(set(places), key=places.count)
    if places.count(most) == len(places):
        return tr("Every measure names {word} first", word=quoted(labels[most]))
    return plural(
        "{count} of {total} measures names {word} first",
        "{count} of {total} measures name {word} first",
        places.count(most),
        total=len(places),
        word=quoted(labels[most]),
    )


def measures_sentence(found: SourceMeasures) -> str:
    """Which order lowers the probability soonest, beside random orders."""
    best = min(found.scores, key=lambda name: found.areas[name])
    return tr(
        "While the source words are hidden one after the other, the word keeps {share} on average in the order of "
        "{measure}, and {random} in random orders.",
        share=whole_percent(found.areas[best]),
        measure=tr(MEASURES[best]),
        random=whole_percent(found.areas[RANDOM]),
    )


def measures_figure(
    found: SourceMeasures, labels: Sequence[str], *, mode: Mode, presenter: bool = False
) -> go.Figure:
    """A row a measure, a column a source word: the word's share of the row's absolute sum, with its sign."""
    palette = theme.PALETTES[mode]
    names = list(found.scores)
    table = np.stack([_shares(found.scores[name][list(found.words)]) for name in names])
    columns = [labels[place] for place in found.words]
    written = [[_cell(value) for value in row] for row in table]
    figure = go.Figure(
        go.Heatmap(
            z=table,
            x=list(range(len(columns))),
            y=list(range(len(names))),
            zmin=-1,
            zmax=1,
            colorscale=theme.plotly_diverging(mode),
            showscale=False,
            xgap=2,
            ygap=2,
            text=written,
            customdata=[
                [
                    [literal(f"{tr(MEASURES[name])}, {word}"), 100 * share]
                    for word, share in zip(columns, row, strict=True)
                ]
                for name, row in zip(names, table.tolist(), strict=True)
            ],
            hovertemplate="%{customdata[0]}: %{customdata[1]:+.0f}\u00a0%<extra></extra>",
        )
    )
    if len(columns) <= _WRITTEN:
        theme.write_cells(figure, 12 if len(columns) <= 9 else 10, mode)
    kept = [whole_percent(found.areas[name]) for name in names]
    for row, share in enumerate(kept):
        figure.add_annotation(
            x=1.0,
            xref="paper",
            xanchor="left",
            xshift=8,
            y=row,
            text=share,
            showarrow=False,
            font={"size": 12, "color": palette.muted},
        )
    figure.update_yaxes(
        autorange="reversed",
        showgrid=False,
        tickvals=list(range(len(names))),
        ticktext=[_in_lines(tr(MEASURES[name])) for name in names],
    )
    figure.update_xaxes(
        showgrid=False,
        side="top",
        tickvals=list(range(len(columns))),
        ticktext=[literal(short(word, 10)) for word in columns],
    )
    return theme.styled(figure, mode, presenter, 64 + 34 * len(names), top=4, right=56)


def _in_lines(name: str) -> str:
    """A name in lines of a few letters, so that the cells keep their room on a phone."""
    return "<br>".join(literal(line) for line in textwrap.wrap(name, 18, break_long_words=False))


_WRITTEN: Final = 14  # columns whose numbers have room


def _shares(values: Array) -> Array:
    whole = float(np.abs(values).sum())
    return values / whole if whole > 0 else np.zeros_like(values)


def _cell(value: float) -> str:
    return "" if abs(value) < 0.005 else decimal(100 * value, 0)


# -- over many sentences -------------------------------------------------------------------------------------------


def _measure(found: Faithfulness, name: str) -> str:
    """A measure, the one of a single head with its number."""
    if name != "head":
        return tr(MEASURES[name])
    layer, head = found.head
    return tr("attention of head {head}", head=f"{layer}.{head}")


def curves_title(found: Faithfulness) -> str:
    """The measure that finds the needed words soonest, and what attention does beside it."""
    heights = dict(zip(found.measures, found.areas[:, 0].tolist(), strict=True))
    lowest = dict(zip(found.measures, found.areas[:, 1].tolist(), strict=True))
    measured = [name for name in found.measures if name != RANDOM]
    best, worst = min(measured, key=lambda name: heights[name]), max(measured, key=lambda name: heights[name])
    if lowest[worst] <= float(found.areas[found.measures.index(best), 2]):
        return tr("On these sentences the measures find the needed words equally well")
    # Those that are printed as equal share the first place.
    first = [name for name in measured if whole_percent(heights[name]) == whole_percent(heights[best])]
    return plural(
        "{best} finds the needed words soonest, {worst} last",
        "{best} find the needed words soonest, {worst} last",
        len(first),
        best=capitalised(
            joined([_measure(found, name) for name in sorted(first, key=lambda name: heights[name])])
        ),
        worst=_measure(found, worst),
    )


def curves_figure(found: Faithfulness, *, mode: Mode, presenter: bool = False) -> go.Figure:
    """Mean probability of the written word over the share of hidden source words, a line a measure, random orders dashed."""
    palette = theme.PALETTES[mode]
    colours = (
        palette.positive,
        palette.encoder,
        palette.causal,
        palette.query,
        palette.key,
        palette.cross,
        palette.value,
        palette.muted,
    )
    figure = go.Figure()
    order = sorted(range(len(found.measures)), key=lambda row: float(found.areas[row, 0]))
    for row in order:
        name = found.measures[row]
        area, low, high = (whole_percent(float(each)) for each in found.areas[row])
        label = tr("random orders") if name == RANDOM else _measure(found, name)
        figure.add_scatter(
            x=list(GRID),
            y=found.curves[row].tolist(),
            mode="lines",
            name=literal(f"{label}  {area}"),
            line={"color": colours[row], "width": 2, "dash": "dash" if name == RANDOM else "solid"},
            meta={"columns": ["area", "low", "high", "n"]},
            customdata=[
                [literal(f"{label}: {area} ({low} – {high})"), *ends, found.sentences]
                for ends in zip(found.low[row].tolist(), found.high[row].tolist(), strict=True)
            ],
            hovertext=[
                f"{whole_percent(hidden)}: {whole_percent(kept)} ({whole_percent(least)} – {whole_percent(most)})"
                for hidden, kept, least, most in zip(
                    GRID, found.curves[row], found.low[row], found.high[row], strict=True
                )
            ],
            hovertemplate="%{customdata[0]}<br>%{hovertext}<extra></extra>",
        )
    figure.update_xaxes(title=tr("source words hidden"), range=[0, 1], **theme.percent_ticks())
    figure.update_yaxes(
        title=tr("probability of the written word"), rangemode="tozero", **theme.percent_ticks()
    )
    figure.update_layout(legend={"orientation": "h", "y": -0.2, "yanchor": "top", "x": 0, "xanchor": "left"})
    return theme.styled(figure, mode, presenter, 384, top=8)


def curves_sentence(found: Faithfulness) -> str:
    """How much lower than random orders the best and the attention stand, with intervals."""
    rows = {name: found.below[index] for index, name in enumerate(found.measures)}
    best = min(MEASURES, key=lambda name: float(found.areas[found.measures.index(name), 0]))
    return tr(
        "Each percentage is the mean of its line. {best} lies {one} points below random orders, attention (mean of heads) "
        "{two}, with 95 % intervals over {sentences} sentences and {words} written words.",
        best=capitalised(_measure(found, best)),
        one=_points(rows[best]),
        two=_points(rows["attention"]),
        sentences=numeral(found.sentences, "d"),
        words=numeral(found.steps, ",d"),
    )


def _points(values: Array) -> str:
    value, low, high = (decimal(100 * float(each), 0) for each in values)
    return tr("{value} ({low} to {high})", value=value, low=low, high=high)
