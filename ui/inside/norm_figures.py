"""Norms and the residual stream, in sentences and in Plotly figures, for one token. No Streamlit, no session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from core.analysis import norms as analysis
from core.analysis import wording
from core.analysis.norms import NormParameters, NormSite
from core.analysis.readout import capitalised, decimal, power_of_ten, quoted
from core.language import message, numeral, tr
from core.model.config import ModelConfig
from core.model.trace import Trace
from ui.style import theme
from ui.style.theme import Mode, Palette, literal, short

Array = NDArray[np.float64]


BLOCKS: Final = {
    "self": message("self"),
    "cross": message("cross"),
    "ffn": message("ffn"),
    "embed": message("embed"),
    "final": message("final"),
}


def site_name(stack: str, layer: int | str, block: str) -> str:
    """Short name of a norm or sub-layer: `0 self`, `2 cross`; norms that exist once have no number."""
    name = tr(BLOCKS[block])
    return name if block in ("embed", "final") else f"{layer} {name}"


def depth_names(table: pd.DataFrame, stack: str) -> list[str]:
    """The points of `stream_table` at which a stack's stream is measured, by their short names."""
    part = table[table["stack"] == stack].drop_duplicates("depth").sort_values("depth")
    rows = zip(part["depth"], part["layer"], part["block"], strict=True)
    return [site_name(stack, layer, block if depth else "embed") for depth, layer, block in rows]


def _stacked(names: Sequence[str]) -> list[str]:
    """Short names in two lines, so that they fit below each other's neighbours."""
    return [name.replace(" ", "<br>") for name in names]


def _powers(*lines: Array) -> list[float]:
    """Powers of ten for the scale of some lengths, at most nine."""
    values = np.concatenate(lines)
    values = values[np.isfinite(values) & (values > 0)]
    if not len(values):
        return []
    low, high = int(np.floor(np.log10(values.min()))), int(np.ceil(np.log10(values.max())))
    return [10.0**power for power in range(low, high + 1, max(1, -(-(high - low) // 8)))]


def steps(rows: Sequence[Array], names: Sequence[str], *, mode: Mode, presenter: bool = False) -> go.Figure:
    """The numbers of one vector after each step of a norm, one bar per dimension, on one scale; named above each row."""
    palette = theme.PALETTES[mode]
    reach = 1.08 * max(float(np.abs(values).max(initial=1e-9)) for values in rows)
    figure = make_subplots(
        rows=len(rows), cols=1, shared_xaxes=True, vertical_spacing=0.09, subplot_titles=[*names]
    )
    for row, (values, name) in enumerate(zip(rows, names, strict=True), start=1):
        figure.add_bar(
            x=np.arange(len(values)),
            y=values,
            name=name,
            width=1,
            # Numbers on a scale of two colours: Plotly would check the name of each bar's colour.
            marker={
                "color": (values > 0).astype(int),
                "colorscale": [[0, palette.negative], [1, palette.positive]],
                "cmin": 0,
                "cmax": 1,
                "line": {"width": 0},
            },
            hovertemplate=tr("dimension {dimension}: {value}", dimension="%{x}", value="%{y:.3f}")
            + "<extra></extra>",
            row=row,
            col=1,
        )
        figure.update_yaxes(range=[-reach, reach], zeroline=True, nticks=4, row=row, col=1)
    for note in figure.layout.annotations:
        note.update(x=0, xanchor="left", font={"size": theme.BODY, "color": palette.ink})
    figure.update_xaxes(title=tr("dimension"), row=len(rows), col=1)
    figure.update_xaxes(showgrid=False)
    figure.update_layout(showlegend=False, bargap=0)
    return theme.styled(figure, mode, presenter, 360, top=26)


def growth(
    kept: Array,
    lost: Array,
    names: Sequence[str],
    ends: tuple[str, str],
    *,
    stack: str,
    mode: Mode,
    presenter: bool = False,
) -> go.Figure:
    """The length of one token's vector by depth with norms (`kept`) and without (`lost`), on a logarithmic scale."""
    palette = theme.PALETTES[mode]
    figure = go.Figure()
    lines = (
        (lost, tr("without norms"), palette.positive, ends[1]),
        (kept, tr("with norms"), _stack_colour(palette, stack), ends[0]),
    )
    for values, name, colour, end in lines:
        drawn = np.where(np.isfinite(values) & (values > 0), values, np.nan)
        figure.add_scatter(
            x=list(range(len(values))),
            y=drawn,
            mode="lines+markers",
            name=name,
            line={"color": colour, "width": 2.6},
            marker={"size": 7},
            hovertemplate=f"{name}: %{{y:.4g}}<extra></extra>",
        )
        seen = np.flatnonzero(np.isfinite(drawn))
        if len(seen):
            at = int(seen[-1])
            figure.add_annotation(
                x=at,
                y=float(np.log10(drawn[at])),
                text=f"{name} <b>{end}</b>",
                showarrow=False,
                xanchor="right",
                yanchor="bottom" if values is kept else "middle",
                xshift=0 if values is kept else -12,
                yshift=8 if values is kept else 0,
                font={"size": theme.BODY, "color": colour},
            )
    figure.update_xaxes(tickvals=list(range(len(names))), ticktext=_stacked(names), showgrid=False)
    figure.update_xaxes(title=tr("after sub-layer"))
    figure.update_yaxes(title=tr("length"), type="log", tickvals=_powers(kept, lost))
    figure.update_yaxes(ticktext=[power_of_ten(round(np.log10(value))) for value in _powers(kept, lost)])
    figure.update_layout(showlegend=False)
    return theme.styled(figure, mode, presenter, 360, top=20, right=20)


def site_colour(palette: Palette, stack: str, block: str) -> str:
    """The colour of a sub-layer: attention sub-layers take the colour of their kind, all others are ink."""
    if block == "self":
        return palette.encoder if stack == "encoder" else palette.causal
    return palette.cross if block == "cross" else palette.muted


def spread_name(quantity: str) -> str:
    """A column of `norm_table` in the words of the page."""
    return {"std": tr("standard deviation"), "rms": tr("root mean square"), "mean": tr("mean")}[quantity]


def _named(rows: pd.DataFrame, palette: Palette) -> tuple[list[str], list[str]]:
    """The name and the colour of each row's sub-layer."""
    sites = list(zip(rows["stack"], rows["layer"], rows["block"], strict=True))
    return [site_name(*site) for site in sites], [
        site_colour(palette, stack, block) for stack, _, block in sites
    ]


def _stems(
    figure: go.Figure,
    row: int,
    names: Sequence[str],
    low: Iterable[float],
    high: Iterable[float],
    colours: Sequence[str],
) -> None:
    """A line from `low` to `high` at each name, in a row of the figure; those of one colour are one trace with gaps."""
    lines: dict[str, tuple[list[str | None], list[float | None]]] = {}
    for name, one, other, colour in zip(names, low, high, colours, strict=True):
        x, y = lines.setdefault(colour, ([], []))
        x += [name, name, None]
        y += [one, other, None]
    for colour, (x, y) in lines.items():
        figure.add_scatter(
            x=x,
            y=y,
            mode="lines",
            line={"color": colour, "width": 1.5},
            hoverinfo="skip",
            row=row,
            col=1,
        )


def before_after(
    rows: pd.DataFrame, *, mode: Mode, spread: str = "std", presenter: bool = False
) -> go.Figure:
    """Spread and mean of one token's vector before and after each norm, in the order it passes them.

    `rows` is `norm_table` cut to one token; `spread` the column drawn above, "std" or "rms".
    """
    palette = theme.PALETTES[mode]
    names, colours = _named(rows, palette)
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.08, row_heights=[0.62, 0.38])
    for row, quantity in ((1, spread), (2, "mean")):
        before, after = (rows[f"{quantity}_{when}"].tolist() for when in ("before", "after"))
        _stems(figure, row, names, before, after, colours)
        for values, word, fill in ((before, tr("before"), palette.panel), (after, tr("after"), None)):
            figure.add_scatter(
                x=names,
                y=values,
                mode="markers",
                name=word,
                showlegend=False,
                marker={"size": 10, "color": fill or colours, "line": {"color": colours, "width": 2}},
                hovertemplate=f"%{{x}}: {spread_name(quantity)} {word} %{{y:.3f}}<extra></extra>",
                row=row,
                col=1,
            )
        figure.update_yaxes(
            title=spread_name(quantity),
            row=row,
            col=1,
            rangemode="normal" if quantity == "mean" else "tozero",
        )
    figure.update_xaxes(showgrid=False)
    figure.update_layout(showlegend=False)
    return theme.styled(figure, mode, presenter, 330, top=14)


def stream(table: pd.DataFrame, token: int, stack: str, *, mode: Mode, presenter: bool = False) -> go.Figure:
    """‖h‖ of every token by depth, the chosen token in colour. `table` is `stream_table`."""
    palette = theme.PALETTES[mode]
    part = table[table["stack"] == stack]
    figure = go.Figure()
    for index, rows in part.groupby("token", sort=True):
        on = index == token
        figure.add_scatter(
            x=rows["depth"].tolist(),
            y=rows["length"].tolist(),
            mode="lines+markers" if on else "lines",
            line={"color": _stack_colour(palette, stack) if on else palette.bar, "width": 2.4 if on else 1},
            marker={"size": 6},
            opacity=1 if on else 0.6,
            name=str(rows["label"].iloc[0]),
            hovertemplate=f"{rows['label'].iloc[0]}: %{{y:.2f}}<extra></extra>",
        )
    names = depth_names(table, stack)
    figure.update_xaxes(
        tickvals=list(range(len(names))), ticktext=names, showgrid=False, title=tr("after sub-layer")
    )
    figure.update_yaxes(title=f"{tr('length')} ‖h‖", rangemode="tozero")
    figure.update_layout(showlegend=False)
    for label, depth, length in standing_out(part, token):
        figure.add_annotation(
            x=depth,
            y=length,
            text=literal(short(label)),
            showarrow=False,
            xanchor="left",
            xshift=6,
            font={"size": theme.SMALL, "color": palette.muted},
        )
    return theme.styled(figure, mode, presenter, 330, top=14, right=72)


def standing_out(table: pd.DataFrame, token: int) -> list[tuple[str, float, float]]:
    """Label, depth and length at the end of the lines that leave the others behind, besides the chosen token's.

    A line stands out where it ends more than half above the median; of lines that end together, the longest is named.
    """
    last = table[table["depth"] == table["depth"].max()].sort_values("length", ascending=False)
    far = last[(last["length"] > 1.5 * last["length"].median()) & (last["token"] != token)]
    apart = 0.06 * float(last["length"].max())
    named: list[tuple[str, float, float]] = []
    for row in far.itertuples():
        if all(abs(row.length - other) > apart for _, _, other in named):
            named.append((str(row.label), float(row.depth), float(row.length)))
    return named[:4]


def shares(rows: pd.DataFrame, *, mode: Mode, presenter: bool = False) -> go.Figure:
    """How much each sub-layer adds: ‖sub-layer‖ ÷ ‖residual‖ as bars, the cosine of the two below.

    `rows` is `sublayer_table` cut to one token.
    """
    palette = theme.PALETTES[mode]
    names, colours = _named(rows, palette)
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.08, row_heights=[0.6, 0.4])
    ratios, cosines = rows["ratio"].tolist(), rows["cosine"].tolist()
    figure.add_bar(
        x=names,
        y=ratios,
        marker={"color": colours, "cornerradius": 4},
        width=0.55,
        text=[numeral(value, ".2f") for value in ratios],
        textposition="outside",
        cliponaxis=False,
        textfont={"size": 12, "color": palette.muted},
        hovertemplate=tr("{sublayer}: adds {share} of the stream’s length", sublayer="%{x}", share="%{y:.3f}")
        + "<extra></extra>",
        row=1,
        col=1,
    )
    _stems(figure, 2, names, [0] * len(names), cosines, colours)
    figure.add_scatter(
        x=names,
        y=cosines,
        mode="markers",
        marker={"size": 9, "color": colours},
        hovertemplate=tr("{sublayer}: cosine {value}", sublayer="%{x}", value="%{y:.3f}") + "<extra></extra>",
        row=2,
        col=1,
    )
    figure.update_yaxes(title="‖f(x)‖ ÷ ‖x‖", row=1, col=1, rangemode="tozero")
    figure.update_yaxes(title=tr("cosine"), row=2, col=1, range=[-1.05, 1.05])
    figure.update_xaxes(showgrid=False)
    figure.update_layout(showlegend=False)
    return theme.styled(figure, mode, presenter, 330, top=14)


def gains(
    gamma: Array,
    beta: Array | None,
    *,
    site: NormSite,
    mode: Mode,
    outliers: Sequence[int] = (),
    presenter: bool = False,
) -> go.Figure:
    """Histograms of the γ and β of the norm at `site` over its dimensions; outlying γ are ticked and numbered.

    `beta` None: a norm without a shift.
    """
    palette = theme.PALETTES[mode]
    colour = site_colour(palette, site.stack, site.block)
    drawn = [(gamma, tr("γ, the scale"))] + ([] if beta is None else [(beta, tr("β, the shift"))])
    figure = make_subplots(rows=1, cols=len(drawn), horizontal_spacing=0.1)
    for column, (values, name) in enumerate(drawn, start=1):
        counts, edges = np.histogram(values, bins=40)
        figure.add_bar(
            x=(edges[:-1] + edges[1:]) / 2,
            y=counts,
            width=np.diff(edges) * 0.92,
            marker={"color": colour},
            hovertemplate=tr("{count} dimensions near {value}", count="%{y}", value="%{x:.3f}")
            + "<extra></extra>",
            row=1,
            col=column,
        )
        figure.update_xaxes(title=name, row=1, col=column, showgrid=False)
    if len(outliers):
        figure.add_scatter(
            x=gamma[list(outliers)],
            y=np.zeros(len(outliers)),
            mode="markers",
            marker={"symbol": "line-ns-open", "size": 14, "color": palette.negative, "line": {"width": 2}},
            text=[tr("dimension {dimension}", dimension=index) for index in outliers],
            hovertemplate="%{text}: γ %{x:.3f}<extra></extra>",
            row=1,
            col=1,
        )
    figure.update_yaxes(title=tr("dimensions"), row=1, col=1)
    figure.update_layout(showlegend=False, bargap=0)
    return theme.styled(figure, mode, presenter, 330, top=14)


def _stack_colour(palette: Palette, stack: str) -> str:
    return palette.encoder if stack == "encoder" else palette.causal


@dataclass(frozen=True)
class Journey:
    """One token: its stack and that stack's options, its position and label, and its rows of the tables."""

    stack: str
    config: ModelConfig
    token: int
    label: str
    norms: pd.DataFrame
    sublayers: pd.DataFrame
    stream: pd.DataFrame  # all tokens of the stack

    @property
    def name(self) -> str:
        """As the URL writes it: s3 or t2."""
        return f"{'s' if self.stack == 'encoder' else 't'}{self.token}"

    @cached_property
    def lengths(self) -> Array:
        """Length of the token's vector after each sub-layer."""
        return token_lengths(self.stream, self.stack, self.token)


def token_lengths(table: pd.DataFrame, stack: str, token: int) -> Array:
    """A token's length after each sub-layer, from a `stream_table`."""
    rows = table[(table["stack"] == stack) & (table["token"] == token)].sort_values("depth")
    return np.asarray(rows["length"], dtype=np.float64)


@dataclass(frozen=True)
class Tables:
    """What the norms and sub-layers do to every token of a decode; made once, cut to one token at a time."""

    norms: pd.DataFrame
    sublayers: pd.DataFrame
    stream: pd.DataFrame

    @property
    def size(self) -> int:
        """Bytes, the labels not counted."""
        return sum(int(table.memory_usage().sum()) for table in (self.norms, self.sublayers, self.stream))


def tables(trace: Trace) -> Tables:
    """The tables of a trace that has recorded `core.analysis.norms.RECORD`."""
    return Tables(analysis.norm_table(trace), analysis.sublayer_table(trace), analysis.stream_table(trace))


def journey(trace: Trace, stack: str, token: int, made: Tables) -> Journey:
    """The tables of one token, cut from those of its trace."""
    labels = trace.tokens.source if stack == "encoder" else trace.tokens.target

    def of(table: pd.DataFrame) -> pd.DataFrame:
        return table[(table["stack"] == stack) & (table["token"] == token)].reset_index(drop=True)

    config = trace.config.of(stack)
    return Journey(stack, config, token, labels[token], of(made.norms), of(made.sublayers), made.stream)


_SUBLAYERS: Final = {
    "self": message("layer {layer}’s self-attention"),
    "cross": message("layer {layer}’s cross-attention"),
    "ffn": message("layer {layer}’s feed-forward"),
}
_NORMS: Final = {
    "self": message("the norm of layer {layer}’s self-attention"),
    "cross": message("the norm of layer {layer}’s cross-attention"),
    "ffn": message("the norm of layer {layer}’s feed-forward"),
}
_ONCE: Final = {
    ("encoder", "embed"): message("the norm of the encoder’s embedding"),
    ("decoder", "embed"): message("the norm of the decoder’s embedding"),
    ("encoder", "final"): message("the encoder’s final norm"),
    ("decoder", "final"): message("the decoder’s final norm"),
}


def in_words(site: NormSite) -> str:
    """“layer 2's feed-forward”."""
    return tr(_SUBLAYERS[site.block], layer=site.layer)


def norm_in_words(site: NormSite) -> str:
    """“the norm of layer 2's feed-forward”, or “the encoder's final norm”, which belongs to no sub-layer."""
    if site.block in _NORMS:
        return tr(_NORMS[site.block], layer=site.layer)
    return tr(_ONCE[site.stack, site.block])


def norm_sentence(token_journey: Journey) -> str:
    """Which norm changes this token most, and how."""
    rows = token_journey.norms
    column, spread = wording.norm_spread(token_journey.config)
    most = rows.loc[(rows[f"{column}_before"] - rows[f"{column}_after"]).abs().idxmax()]
    site = NormSite(most["stack"], int(most["layer"]), most["block"])
    return capitalised(
        tr(
            "{norm} changes {word} most: the {spread} goes from {before} to {after}, the mean from {mean_before} to "
            "{mean_after}.",
            word=quoted(token_journey.label),
            norm=norm_in_words(site),
            spread=spread,
            before=decimal(most[f"{column}_before"]),
            after=decimal(most[f"{column}_after"]),
            mean_before=decimal(most["mean_before"]),
            mean_after=decimal(most["mean_after"]),
        )
    )


def most_added(token_journey: Journey) -> tuple[NormSite, float, float]:
    """The sub-layer that adds most to this token, its share of the vector's length, and the cosine."""
    rows = token_journey.sublayers
    most = rows.loc[rows["ratio"].idxmax()]
    site = NormSite(most["stack"], int(most["layer"]), most["block"])
    return site, float(most["ratio"]), float(most["cosine"])


def share_title(token_journey: Journey) -> str:
    """Which sub-layer adds most."""
    site, ratio, _ = most_added(token_journey)
    return tr(
        "{sublayer} adds most to {word}: {ratio} times the length of its vector",
        sublayer=capitalised(in_words(site)),
        word=quoted(token_journey.label),
        ratio=numeral(ratio, ".2f"),
    )


def share_sentence(token_journey: Journey) -> str:
    """In which direction the largest addition points."""
    _, _, cosine = most_added(token_journey)
    value = decimal(cosine)
    if cosine > 0.2:
        return tr("It points partly along the vector that was there (cosine {cosine}).", cosine=value)
    if cosine < -0.2:
        return tr("It points partly against the vector that was there (cosine {cosine}).", cosine=value)
    return tr("It is nearly at a right angle to the vector that was there (cosine {cosine}).", cosine=value)


def stream_sentence(token_journey: Journey) -> str:
    """Why the vector's length is what it is, and where it was measured."""
    reason = capitalised(wording.stream_length(token_journey.config)) + "."
    if token_journey.config.final_norm:
        return f"{reason} {tr('The last point is before the final norm.')}"
    return reason


def gains_title(site: NormSite, parameters: NormParameters, has_shift: bool) -> str:
    """Between which numbers a norm scales and shifts."""
    gamma, beta = parameters
    names = {
        "norm": capitalised(norm_in_words(site)),
        "low": decimal(float(gamma.min())),
        "high": decimal(float(gamma.max())),
    }
    if not has_shift:
        return tr("{norm} scales by {low} to {high}", **names)
    return tr(
        "{norm} scales by {low} to {high} and shifts by {shift_low} to {shift_high}",
        shift_low=decimal(float(beta.min())),
        shift_high=decimal(float(beta.max())),
        **names,
    )
