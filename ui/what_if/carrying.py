"""What carries a difference between two translations, in sentences and in Plotly figures. No Streamlit, no session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import plotly.graph_objects as go

from core.analysis.readout import decimal, joined, quoted
from core.language import message, numeral, plural, tr
from core.model.hooks import attention_of
from ui.style import theme
from ui.style.theme import Mode, literal, short

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.experiments.contrast_sets import SetResult
    from core.experiments.patching import Patching
    from core.model.config import ModelConfig
    from ui.style.theme import Kind

ACROSS: Final = 12
"""Tokens that stand beside each other; of more each has a row."""
FEW: Final = 0.1
"""A head that carries less than this share of the difference is not named as carrying it."""


class Carrier(NamedTuple):
    """A head and the share of the difference that it restores."""

    kind: Kind
    layer: int
    head: int
    share: float

    @property
    def name(self) -> str:
        """ "3.6"."""
        return f"{self.layer}.{self.head}"


def carriers(result: Patching, kind: Kind | None = None) -> list[Carrier]:
    """All heads, or those of a kind, by what they restore, the strongest first."""
    listed = [
        Carrier(each, layer, head, float(value))
        for each in ("cross", "encoder", "causal")
        if f"{each}-heads" in result.effects and kind in (None, each)
        for (layer, head), value in np.ndenumerate(result.effects[f"{each}-heads"].restored)
    ]
    return sorted(listed, key=lambda each: -each.share)


def whole_percent(share: float) -> str:
    """ "35 %", of a share that may be negative."""
    return f"{numeral(round(100 * share), 'd').replace('-', '−')} %"


def title(result: Patching, words: tuple[str, str], config: ModelConfig) -> str:
    """The head that carries most of the difference, or that none does."""
    word, other = map(quoted, words)
    best = carriers(result)[0]
    kind, share = tr(attention_of(config, best.kind).phrase), whole_percent(best.share)
    if best.share < FEW:
        return tr(
            "No head carries more than {share} of the difference between {word} and {other}",
            share=whole_percent(max(best.share, 0)),
            word=word,
            other=other,
        )
    if best.kind == "cross":
        return tr(
            "Head {head} carries {share} of the difference between {word} and {other}",
            head=best.name,
            share=share,
            word=word,
            other=other,
        )
    return tr(
        "Head {head} of {kind} carries {share} of the difference between {word} and {other}",
        head=best.name,
        kind=kind,
        share=share,
        word=word,
        other=other,
    )


def log_odds(result: Patching, words: tuple[str, str]) -> str:
    """What is compared: the log-odds of the two words after each sentence."""
    return tr(
        "Log-odds of {word} against {other}: {first} nats for the first sentence, {second} for the second.",
        word=quoted(words[0]),
        other=quoted(words[1]),
        first=decimal(result.log_odds[0], plus=True),
        second=decimal(result.log_odds[1], plus=True),
    )


def heads_sentence(result: Patching) -> str:
    """The sum over the heads of cross-attention, all at once, what interactions are left, and the weights alone."""
    parts = []
    if (cross := result.effects.get("cross-heads")) is not None:
        parts.append(
            tr(
                "One by one, the heads of cross-attention restore {alone} in sum; all at once, {together}. The difference of {rest} comes from heads acting together.",
                alone=whole_percent(cross.alone),
                together=whole_percent(cross.together[0]),
                rest=_points(cross.interactions),
            )
        )
    if (weights := result.effects.get("cross-weights")) is not None:
        parts.append(
            tr(
                "Their attention weights alone, without the values that they bring, restore {share}.",
                share=whole_percent(weights.together[0]),
            )
        )
    return " ".join(parts)


def _points(share: float) -> str:
    return plural("{points} point", "{points} points", abs(round(100 * share)), points=_signed(share))


def _signed(share: float) -> str:
    value = round(100 * share)
    return f"{'+' if value > 0 else '−' if value < 0 else ''}{numeral(abs(value), 'd')}"


def stream_title(result: Patching, tokens: Sequence[str]) -> str:
    """The source token whose vector carries most in the middle of the encoder."""
    table = result.effects["encoder-stream"].restored
    row = table[len(table) // 2]
    token = int(np.argmax(row))
    share = float(row[token])
    if share >= 0.95:
        return tr(
            "In the encoder the token {token} carries the whole difference", token=quoted(tokens[token])
        )
    if share >= 0.5:
        return tr(
            "In the encoder the token {token} carries {share} of the difference",
            token=quoted(tokens[token]),
            share=whole_percent(share),
        )
    return tr("In the encoder no single token carries half of the difference")


def stream_sentence(result: Patching) -> str:
    """Through which layers of the decoder the difference comes in."""
    rows = result.effects["decoder-stream"].restored[:, -1]
    steps = ", ".join(whole_percent(float(value)) for value in rows)
    return tr(
        "In the decoder, where the word is written, the difference grows layer by layer: {shares}.",
        shares=steps,
    )


def removed_title(before: Sequence[str], after: Sequence[str], count: int) -> str:
    """What the model writes without these heads: the sentence whose translation changes."""
    without = plural("Without the strongest head", "Without the {count} strongest heads", count)
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    if not changed:
        return tr("{without} both translations stay the same", without=without)
    if len(changed) > 1:
        return tr("{without} both translations change", without=without)
    return tr("{without} the model writes “{written}”", without=without, written=changed[0][1])


def heads_list(heads: Sequence[tuple[int, int]]) -> str:
    """ "3.6, 3.4 and 1.4"."""
    return joined([f"{layer}.{head}" for layer, head in heads])


def sets_title(result: SetResult, config: ModelConfig) -> str:
    """How many pairs flip without the strongest heads, and how many without random ones."""
    phrase = tr(attention_of(config, result.kind).phrase)
    if not result.controls:
        return tr("{count} pairs of sentences, measured", count=result.compared)
    count = len(result.heads)
    most = max(result.controls)
    if not most:
        return plural(
            "Without one head of {kind}, {turned} of {pairs} pairs flip; without a random one, none",
            "Without {count} heads of {kind}, {turned} of {pairs} pairs flip; without {count} random ones, none",
            count,
            kind=phrase,
            turned=result.turned,
            pairs=result.compared,
        )
    return plural(
        "Without one head of {kind}, {turned} of {pairs} pairs flip; without a random one, at most {random}",
        "Without {count} heads of {kind}, {turned} of {pairs} pairs flip; without {count} random ones, at most {random}",
        count,
        kind=phrase,
        turned=result.turned,
        pairs=result.compared,
        random=most,
    )


def set_row(result: SetResult, config: ModelConfig) -> list[str]:
    """A row of the table of sets."""
    layer, head = result.heads[0] if result.heads else (0, 0)
    values = [table[layer][head] for table in (result.effects, result.low, result.high)]
    best = tr(
        "{head} of {kind}: {share} [{low}–{high}]",
        head=f"{layer}.{head}",
        kind=tr(attention_of(config, result.kind).phrase),
        share=whole_percent(values[0]),
        low=numeral(100 * values[1], ".0f"),
        high=numeral(100 * values[2], ".0f"),
    )
    share = result.share_turned
    turned = tr(
        "{turned} of {pairs} [{low}–{high} %]",
        turned=result.turned,
        pairs=result.compared,
        low=numeral(100 * float(share.low), ".0f"),
        high=numeral(100 * float(share.high), ".0f"),
    )
    most = max(result.controls, default=None)
    random = "–" if most is None else tr("{most} at most", most=most) if most else "0"
    return [set_name(result.name), best, turned if result.controls else "–", random]


_NAMES: Final = {
    "gender": message("gender"),
    "number": message("number"),
    "negation": message("negation"),
    "tense": message("tense"),
    "verb place": message("verb place"),
    "she or they": message("she or they"),
    "month": message("month"),
    "day": message("day"),
}


def set_name(name: str) -> str:
    """The name of a set, translated where it ships."""
    return tr(_NAMES[name]) if name in _NAMES else name


def table(
    values: NDArray[np.float64],
    other: NDArray[np.float64],
    rows: Sequence[str],
    columns: Sequence[str],
    names: tuple[str, str],
    group: str,
    *,
    reach: float = 1.0,
    upright: bool = False,
    mode: Mode,
    presenter: bool = False,
) -> go.Figure:
    """Shares of the difference as squares, (rows, columns): red restores it, blue works against it.

    `other`: the same in the other direction, for the tooltip; `names`: what rows and columns are, and `group` what the
    figure is of, for the exported table. `upright`: columns become rows, for tokens that do not fit beside each other.
    """
    if upright:
        values, other, rows, columns, names = values.T, other.T, columns, rows, names[::-1]
    palette = theme.PALETTES[mode]
    tall, wide = values.shape
    size = 12 if wide <= 9 else 10
    figure = go.Figure(
        go.Heatmap(
            z=values,
            x=list(range(wide)),
            y=list(range(tall)),
            customdata=[
                [
                    [literal(rows[i]), literal(columns[j]), 100 * other[i, j], 100 * values[i, j]]
                    for j in range(wide)
                ]
                for i in range(tall)
            ],
            name=group,
            meta={"columns": list(names)},
            text=[["" if abs(v) < 0.005 else _signed(v).replace("+", "") for v in row] for row in values],
            colorscale=theme.plotly_diverging(mode),
            zmin=-reach,
            zmax=reach,
            showscale=False,
            xgap=2,
            ygap=2,
            hovertemplate=f"{names[0]} %{{customdata[0]}}, {names[1]} %{{customdata[1]}}: "
            + tr(
                "restores {value}, disturbs {other}",
                value="%{customdata[3]:.0f}\u00a0%",
                other="%{customdata[2]:.0f}\u00a0%",
            )
            + "<extra></extra>",
        )
    )
    if wide <= 2 * ACROSS:
        theme.write_cells(figure, size, mode)
    figure.update_xaxes(
        tickvals=list(range(wide)),
        ticktext=[literal(short(each, 9)) for each in columns],
        tickangle=0,
        showgrid=False,
        zeroline=False,
        title=names[1],
        tickfont={"size": theme.SMALL, "color": palette.ink},
    )
    figure.update_yaxes(
        autorange="reversed",
        tickvals=list(range(tall)),
        ticktext=[literal(short(each, 12)) for each in rows],
        showgrid=False,
        zeroline=False,
        title=names[0],
        tickfont={"size": theme.SMALL, "color": palette.ink},
    )
    return theme.styled(figure, mode, presenter, 66 + 30 * tall, top=6)
