"""Which heads the translation needs: each ablated in turn, beside the gradient's estimate, and only the best kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

from core.analysis.readout import capitalised, decimal, how_many
from core.analysis.uncertainty import Interval
from core.experiments.rankings import LITTLE
from core.language import message, numeral, plural, tr
from core.model.hooks import attention_of
from ui.session import state
from ui.shared import ablations, cards, what_if
from ui.shared.context import DecodeView
from ui.shared.decode import pinned_pair
from ui.shared.mount import draw_chart, draw_figure, one_export, theme_watch
from ui.style import theme
from ui.style.theme import Kind, Mode

if TYPE_CHECKING:
    from core.experiments.edits import Head
    from core.experiments.rankings import HeadIntervals, Kept, Survey
    from core.model.config import ModelConfig


def importance_wall(
    table: NDArray[Any],
    name: str,
    reach: float,
    unit: str,
    *,
    mode: Mode,
    presenter: bool = False,
    signed: bool = True,
    found: Interval | None = None,
) -> go.Figure:
    """The heads of one kind, a square each and a row a layer; red costs most when missing.

    All kinds have one scale, to `reach`: heads of different kinds can be held against each other here, since the unit is the
    same. With intervals a number whose 95 % interval excludes 0 is bold, and the pointer and the CSV have the ends.
    """
    layers, heads = table.shape
    scale = theme.plotly_diverging(mode) if signed else theme.plotly_sequential("cross", mode)
    cells = [[_cell(table, layer, head, found) for head in range(heads)] for layer in range(layers)]
    ends = (
        ""
        if found is None
        else f" ({tr('95 % interval {low} to {high}', low='%{customdata[1]:.3f}', high='%{customdata[2]:.3f}')})"
    )
    figure = go.Figure(
        go.Heatmap(
            z=table,
            x=[str(head) for head in range(heads)],
            y=[str(layer) for layer in range(layers)],
            name=name,
            customdata=cells,
            meta={"columns": ["head"] if found is None else ["head", "low", "high", "n"]},
            text=[
                [_number(value, cell) for value, cell in zip(row, line, strict=True)]
                for row, line in zip(table, cells, strict=True)
            ],
            texttemplate=None if table.size > 64 else "%{text}",
            textfont={"size": 11},
            colorscale=scale,
            zmin=-reach if signed else 0,
            zmax=reach,
            showscale=False,
            xgap=2,
            ygap=2,
            hovertemplate=f"{name} %{{customdata[0]}}: %{{z:.3f}} {unit}{ends}<extra></extra>",
        )
    )
    figure.update_yaxes(autorange="reversed", showgrid=False, dtick=1, title=tr("layer"))
    figure.update_xaxes(showgrid=False, title=tr("head"), dtick=1)
    return theme.styled(figure, mode, presenter, 66 + 30 * layers, top=6)


def _walls(
    key: str,
    tables: Mapping[Kind, NDArray[Any]],
    config: ModelConfig,
    *,
    signed: bool = True,
    intervals: Mapping[Any, Interval] | None = None,
) -> None:
    """The kinds beside each other under their names, or below each other on a phone, on one scale."""
    known = np.concatenate([table[np.isfinite(table)] for table in tables.values()] or [np.zeros(1)])
    reach = float(np.abs(known).max(initial=0)) or 1.0
    with one_export(f"importance_{key}"):
        columns = st.columns([max(table.shape[1], 1) for table in tables.values()], gap="small")
        for column, (kind, table) in zip(columns, tables.items(), strict=True):
            name = tr(attention_of(config, kind).label)
            found = None if intervals is None else intervals[kind]
            with column:
                cards.quiet(capitalised(name))
                draw_figure(
                    f"importance_{key}_{kind}",
                    importance_wall,
                    table,
                    name,
                    reach,
                    "nats",
                    signed=signed,
                    found=found,
                )


def _cell(table: NDArray[Any], layer: int, head: int, found: Interval | None) -> list[Any]:
    """A head's name, and the ends of its interval with the number of sentences where that is known."""
    name = f"{layer}.{head}"
    if found is None:
        return [name]
    return [name, float(found.low[layer, head]), float(found.high[layer, head]), found.sentences]


def _number(value: float, cell: list[Any]) -> str:
    """The number in a square, bold where its interval excludes 0."""
    if np.isnan(value):
        return ""
    excludes = len(cell) > 1 and (cell[1] > 0 or cell[2] < 0)
    return f"<b>{_brief(value)}</b>" if excludes else _brief(value)


def _brief(value: float) -> str:
    if abs(value) >= 0.995:
        return decimal(value, 1)
    return decimal(value).replace("0.", ".", 1)


def kept_figure(
    curves: Mapping[str, Kept],
    names: Mapping[str, str],
    chosen: int | None,
    sentences: int,
    *,
    mode: Mode,
    presenter: bool = False,
) -> go.Figure:
    """The share of words that stay the first choice with only the k best heads, a line a ranking, with its interval as bars."""
    palette = theme.PALETTES[mode]
    figure = go.Figure()
    for (name, curve), colour in zip(curves.items(), (palette.ink, palette.cross), strict=False):
        figure.add_scatter(
            x=curve.counts,
            y=curve.first,
            mode="lines+markers",
            name=names[name],
            line={"color": colour, "width": 2},
            marker={"size": 5},
            **_ends(curve, sentences),
        )
    if chosen is not None:
        figure.add_vline(x=chosen, line={"color": palette.muted, "width": 1, "dash": "dot"})
    figure.update_xaxes(title=tr("heads that are kept"), rangemode="tozero")
    figure.update_yaxes(title=tr("words that stay"), range=[0, 1.04], **theme.percent_ticks())
    corner = {"x": 1, "xanchor": "right", "y": 0.05, "yanchor": "bottom"}  # which a rising curve leaves free
    figure.update_layout(legend=corner, showlegend=len(curves) > 1)
    return theme.styled(figure, mode, presenter, 250, top=30)


def _percent(share: float, form: str = ".0f") -> str:
    return f"{numeral(100 * share, form)}\u00a0%"


def _ends(curve: Kept, sentences: int) -> dict[str, Any]:
    """What a point of a curve says to the pointer and in files, and its interval where there is one."""
    likely = np.exp(curve.log_probability).tolist()
    words = [
        tr(
            "{heads}: {share} of the words stay; geometric mean probability per token {likely}",
            heads=how_many(int(count), "head"),
            share=_percent(share),
            likely=_percent(each, ".1f"),
        )
        for count, share, each in zip(curve.counts, curve.first, likely, strict=True)
    ]
    shown = {"hovertext": words, "hovertemplate": "%{hovertext}<extra></extra>"}
    if not len(curve.low):
        return {"customdata": [[each] for each in likely], **shown}
    low, high = curve.low.tolist(), curve.high.tolist()
    ends = [
        tr("95 % interval {low} to {high}", low=_percent(least), high=_percent(most))
        for least, most in zip(low, high, strict=True)
    ]
    return {
        "customdata": [[*each, sentences] for each in zip(likely, low, high, strict=True)],
        **shown,
        "hovertext": [f"{what}<br>{interval}" for what, interval in zip(words, ends, strict=True)],
        "meta": {"columns": ["probability", "low", "high", "n"]},
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": (curve.high - curve.first).tolist(),
            "arrayminus": (curve.first - curve.low).tolist(),
            "thickness": 1,
            "width": 0,
        },
    }


ABOUT: Final = {"sentence": message("This sentence"), "examples": message("Example sentences")}
NAMES: Final = {"left_out": message("ranked by ablation"), "gradient": message("ranked by gradient")}
MORE: Final = message(
    "**By ablation**: how much the loss $-\\log p(\\text{translation})$ of a sentence rises, in nats, when the head gives "
    "zeros; the mean over the sentences. **By gradient** (Michel et al. 2019): "
    "$\\left|\\partial L / \\partial \\xi_h\\right|$ at $\\xi_h = 1$, where $\\xi_h$ multiplies the head’s output: what "
    "ablation would cost if the loss were a straight line; it has no sign. The translations are the model’s own, so this "
    "says what it needs to write what it writes, not whether that is right."
)
ENOUGH: Final = 0.95
"""The share of words that have to stay for a number of heads to be enough."""
_ALIKE: Final = (
    (0.7, message("The gradient ranks the heads much like ablation (ρ = {rho})")),
    (0.3, message("The gradient ranks the heads only roughly like ablation (ρ = {rho})")),
    (-1.0, message("The gradient ranks the heads differently from ablation (ρ = {rho})")),
)


def importance_page(shown: DecodeView) -> None:
    """The page; while it measures, only it runs again."""
    cards.style(__file__, "heads.css")
    running = _running(shown)

    @st.fragment(run_every=1.0 if running else None)
    def page() -> None:
        if _draw(shown.now()) != running:
            st.rerun()  # the page that follows looks again every second, or no more

    page()
    cards.explain(
        tr("Red squares cost most when the head is ablated."),
        tr("Interpretable heads are not always important, nor important heads interpretable."),
        tr(MORE),
        name="survey",
    )
    theme_watch()


def _running(shown: DecodeView) -> bool:
    job = ablations.survey_job(shown, ablations.of_examples(shown))
    return job is not None and not job.finished


def _draw(shown: DecodeView) -> bool:
    """Draw what is known → whether it was drawn as being measured. It may end at any time, so that is asked once."""
    examples = ablations.of_examples(shown)
    job = ablations.survey_job(shown, examples)
    measures = _running(shown)
    surveyed = ablations.surveyed(shown, examples)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="importance_options"):
        if shown.entry.examples:
            bound = state.hold("survey_about", "examples" if examples else "sentence", _about)
            cards.quiet(tr("Measured on"), width="content")
            cards.choice(tr("Measured on"), {name: tr(words) for name, words in ABOUT.items()}, bound)
        if job is not None and measures:
            st.button(tr("Stop"), on_click=job.cancel, key="stop_survey")
            stage = surveyed or job.latest
            st.progress(job.share, _progress(job.share, stage))
    if job is not None and job.problem:
        cards.mistake(job.problem)
    stage = surveyed or (job.latest if job is not None else None)
    if stage is None:
        config = shown.entry.config
        heads = config.head_count
        with cards.card("survey", fill=False):
            below = plural(
                "The head is ablated; Stop ends it",
                "All {count} heads are ablated one after the other; Stop ends it",
                heads,
            )
            if measures:
                cards.title(tr("Which heads does the translation need?"), below)
            else:
                with cards.asking(tr("Which heads does the translation need?"), below):
                    _measure(shown, examples)
        return measures
    if surveyed is None and job is not None and not measures:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="survey_stopped"):
            cards.quiet(
                tr(
                    "Stopped after {share}; this is what was measured by then.",
                    share=f"{numeral(100 * job.share, '.0f')} %",
                ),
                width="content",
            )
            _measure(shown, examples)
    _tables(shown, stage)
    return measures


def _measure(shown: DecodeView, examples: bool) -> None:
    """The button that starts the measurement, beside what asks for it."""
    st.button(
        tr("Measure"),
        on_click=ablations.start_survey,
        args=(shown, examples),
        key="start_survey",
        type="primary",
    )


def _about(chosen: str) -> None:
    state.update(probe=chosen == "examples")


def _progress(share: float, stage: Survey | None) -> str:
    step = tr("the first pass") if stage is None else tr("ablating heads")
    if stage is not None and stage.kept:
        step = tr("keeping only the best heads")
    return f"{numeral(100 * share, '.0f')} % · {step}"


def _tables(shown: DecodeView, stage: Survey) -> None:
    over = plural("one sentence", "{count} sentences", stage.sentences)
    config = shown.entry.config
    if stage.left_out:
        with cards.card("left_out", fill=False):
            below = tr(
                "Rise of −log p(translation) in nats when one head is ablated, mean over {sentences}",
                sentences=over,
            )
            measured = stage.measured if stage.complete else None
            if measured is not None:
                below = f"{below} · {tr('bold: 95 % interval without 0')}"
            title = most_missed(stage, shown.entry.config) if stage.complete else tr("Ablating heads")
            cards.title(title, below)
            left = {kind: np.asarray(table) for kind, table in stage.left_out.items()}
            _walls("left_out", left, config, intervals=None if measured is None else measured.left_out)
            if stage.complete:
                cards.readout(
                    " ".join([*perhaps_first(stage, shown.entry.config), *pinned_rank(shown, stage)])
                )
    if stage.gradient:
        with cards.card("gradient", fill=False):
            cards.title(agreement(stage), tr("Estimate by gradient: |∂L/∂ξ| in nats"))
            slopes = {kind: np.asarray(table) for kind, table in stage.gradient.items()}
            found = stage.measured if stage.complete else None
            intervals = None if found is None else found.gradient
            _walls("gradient", slopes, config, signed=False, intervals=intervals)
            if found is not None:
                cards.readout(within_kinds(found, shown.entry.config))
    if stage.kept:
        _kept(shown, stage)


def most_missed(stage: Survey, config: ModelConfig) -> str:
    """The head whose ablation costs most, with its kind: “Head 1.2 of cross-attention”."""
    kind, layer, head = stage.ranking()[0]
    cost = float(stage.left_out[kind][layer, head])
    name = tr("Head {head} of {kind}", head=f"{layer}.{head}", kind=tr(attention_of(config, kind).phrase))
    return tr("{head} costs most when ablated: {cost} nats", head=name, cost=decimal(cost, plus=True))


def perhaps_first(stage: Survey, config: ModelConfig) -> list[str]:
    """The heads that may be the most important one, where the sentences leave more than one; else nothing."""
    if stage.measured is None:
        return []
    firsts = [
        f"{layer}.{head} ({tr(attention_of(config, kind).phrase)})"
        for kind, layer, head in stage.ranking()
        if stage.measured.ranks[kind][0][layer, head] == 1
    ]
    if len(firsts) < 2:
        return []
    return [tr("By the 95 % intervals, any of these may cost most: {heads}.", heads=", ".join(firsts))]


def _no_role_sentence(stage: Survey) -> str:
    """How many heads cost next to nothing, and how many of them lower the loss."""
    values = np.concatenate([table.ravel() for table in stage.left_out.values()])
    count, lower = int((values < LITTLE).sum()), int((values < 0).sum())
    text = plural(
        "{count} of {total} heads costs less than {little} nats when ablated alone.",
        "{count} of {total} heads cost less than {little} nats each when ablated alone.",
        count,
        total=values.size,
        little=numeral(LITTLE, "g"),
    )
    if not lower:
        return text
    if stage.measured is None:
        return f"{text} {tr('For {count} of these, the loss falls.', count=lower)}"
    clearly = sum(int((found.high < 0).sum()) for found in stage.measured.left_out.values())
    if not clearly:
        falls = tr("For {count} of these, the loss falls, but every 95 % interval includes 0.", count=lower)
        return f"{text} {falls}"
    falls = tr(
        "For {count} of these, the loss falls; for {clearly}, the whole 95 % interval is below 0.",
        count=lower,
        clearly=clearly,
    )
    return f"{text} {falls}"


def pinned_rank(shown: DecodeView, stage: Survey) -> list[str]:
    """How important the heads are that give the pinned pair most; empty without a pin."""
    pair, ranking = pinned_pair(shown.decode, shown.selection), stage.ranking()
    if pair is None:
        return [_no_role_sentence(stage)]
    heads = ablations.best(shown, pair.pin.kind)
    text = plural(
        "Head {heads} gives {pair} the most weight; its importance rank is {ranks} of {total}.",
        "Heads {heads} give {pair} the most weight; their importance ranks are {ranks} of {total}.",
        len(heads),
        pair=pair.short,
        heads=", ".join(f"{layer}.{head}" for _, layer, head in heads),
        ranks=", ".join(_rank(stage, each, ranking.index(each) + 1) for each in heads),
        total=len(ranking),
    )
    return [_no_role_sentence(stage), text]


def _rank(stage: Survey, head: Head, rank: int) -> str:
    """The rank of a head, as a range where the sentences leave one: “21–40”."""
    if stage.measured is None:
        return str(rank)
    first, last = (int(end[head[1:]]) for end in stage.measured.ranks[head[0]])
    return str(first) if first == last else f"{first}–{last}"


def within_kinds(found: HeadIntervals, config: ModelConfig) -> str:
    """ρ over all heads and within each kind, with its 95 % interval."""

    def words(name: str) -> str:
        value, low, high = (decimal(each) for each in found.agreement[name])
        return tr("{value} ({low} to {high})", value=value, low=low, high=high)

    kinds = [
        f"{tr(attention_of(config, name).phrase)} {words(name)}" for name in found.agreement if name != "all"
    ]
    return tr(
        "ρ with its 95 % interval: all heads {all}; within each kind: {kinds}.",
        all=words("all"),
        kinds=", ".join(kinds),
    )


def agreement(stage: Survey) -> str:
    """Whether the gradient ranks the heads as ablation does."""
    rho = stage.agreement
    if not stage.complete or np.isnan(rho):
        return tr("What the gradient estimates")
    return tr(next(words for least, words in _ALIKE if rho >= least), rho=decimal(rho))


def enough(stage: Survey) -> int | None:
    """The smallest measured number of best heads with which `ENOUGH` of the words stay."""
    curve = stage.kept["left_out"]
    counts = [count for count, share in zip(curve.counts, curve.first, strict=True) if share >= ENOUGH]
    return min(counts, default=None)


def _kept(shown: DecodeView, stage: Survey) -> None:
    total = sum(table.size for table in stage.left_out.values())
    edits = what_if.edits_of(state.selection(), shown.entry.config)
    kept = what_if.kept_count(edits, stage.ranking(), shown.entry.config)
    with cards.card("kept", fill=False):
        least = enough(stage)
        cards.title(
            tr("How many heads are enough?")
            if least is None
            else tr(
                "{count} of {total} heads are enough to keep {share} of the words",
                count=least,
                total=total,
                share="95 %",
            ),
            tr("Share of words that stay the first choice when only the best heads are kept"),
        )
        names = {name: tr(words) for name, words in NAMES.items()}
        at = None if kept == total else kept
        draw_chart("importance_kept", kept_figure, stage.kept, names, at, stage.sentences)

        def keep(count: int) -> None:
            what_if.attempt(shown, lambda edits: what_if.kept_only(edits, stage.ranking(), int(count)))

        with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="kept_controls"):
            st.slider(
                tr("Keep only the most important heads"),
                0,
                total,
                **state.hold("keep_heads", total if kept is None else kept, keep),
            )
            st.page_link(
                "pages/what_if.py",
                label=tr("Open What if"),
                query_params=state.link_params(),
                width="content",
            )
        cards.quiet(
            tr("The others are ablated on What if.")
            if kept is not None or state.selection().edits is None
            else tr("What if has other edits now; the slider replaces them.")
        )
