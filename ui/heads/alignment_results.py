"""The results of the Alignment page: every head by AER, AER by layer in both readings, and the card of the gold file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

from core.analysis import alignment
from core.analysis.aligners import BASELINES
from core.analysis.alignment import (
    RATES,
    READINGS,
    SIGN,
    STEPS,
    WHEN,
    Counted,
    Counts,
    GoldFile,
    Measured,
    Rate,
    Reading,
    better_than,
    measure,
    rate_draws,
    rate_interval,
)
from core.analysis.readout import isolated, joined
from core.analysis.uncertainty import Interval, middle
from core.errors import AtlasError, InputError
from core.language import message, numeral, plural, tr
from ui import uploads
from ui.export import menu
from ui.export.files import csv_text, number
from ui.heads import alignment_data as data
from ui.heads.alignment_data import AlignedSentence, InForce, Joined, opens, rate, share
from ui.session import state
from ui.session.selection import MEAN
from ui.shared import cards
from ui.shared import maps as view
from ui.shared.context import CheckpointView
from ui.shared.head_views import WALL, Opened
from ui.shared.map_data import AllHeads, Arranged, wall_data
from ui.shared.mount import draw_chart, mount
from ui.style import screen_text, theme
from ui.style.theme import Mode

if TYPE_CHECKING:
    from core.experiments.contributions import GoldSurvey

NAMES: Final[Mapping[Reading, str]] = STEPS
_SIGNS: Final[Mapping[Reading, tuple[str, str]]] = {
    "writing": ("circle", "solid"),
    "reading": ("diamond-open", "dot"),
}
# In layers, so that the dots of the two readings stand apart.
_ASIDE: Final = {"writing": -0.09, "reading": 0.09}


def by_layer(
    layers: Mapping[Reading, NDArray[np.float64]],
    heads: Mapping[Reading, NDArray[np.float64]],
    opened: tuple[int | None, int | None],
    reading: Reading,
    intervals: tuple[NDArray[np.float64], NDArray[np.float64], int] | None = None,
    levels: Mapping[str, float] | None = None,
    *,
    mode: Mode,
    presenter: bool = False,
) -> go.Figure:
    """AER of each layer (L,) and head (L, H) by reading; `opened` is ringed in its `reading`.

    `intervals` are the ends (2, L, H) of the 95 % intervals of heads, readings as in `READINGS`, and the number of sentences:
    drawn for the open head and the best one, and for all in the words of the pointer and in the CSV. `levels` are the AER of
    aligners without attention, a line each.
    """
    palette = theme.PALETTES[mode]
    colours: dict[Reading, str] = {"writing": palette.cross, "reading": palette.ink}
    figure = go.Figure()
    for each in READINGS:
        line, table, colour = layers[each], heads[each], colours[each]
        sign, dash = _SIGNS[each]
        count, many = table.shape
        cells = [_cell(each, layer, head, intervals) for layer in range(count) for head in range(many)]
        ends = tr("95 % interval {low} to {high}", low="%{customdata[1]:.2f}", high="%{customdata[2]:.2f}")
        figure.add_scatter(
            x=np.repeat(np.arange(count), many) + _ASIDE[each],
            y=table.ravel(),
            mode="markers",
            name=tr("heads, {step}", step=tr(NAMES[each])),
            customdata=cells,
            meta={"columns": ["head", "low", "high", "n"] if intervals else ["head"]},
            marker={"size": 6, "color": colour, "opacity": 0.45, "symbol": sign},
            hovertemplate=f"%{{customdata[0]}}, {tr(NAMES[each])}: AER %{{y:.2f}}{f' ({ends})' if intervals else ''}<extra></extra>",
            showlegend=False,
        )
        figure.add_scatter(
            x=np.arange(count),
            y=line,
            mode="lines+markers",
            name=tr(NAMES[each]),
            line={"color": colour, "width": 2.5, "dash": dash},
            marker={"size": 9, "symbol": sign, "color": colour, "line": {"color": colour, "width": 1.8}},
            hovertemplate=f"{tr('heads of layer')} %{{x}}, {tr(NAMES[each])}: AER %{{y:.2f}}<extra></extra>",
        )
    for name, level in (levels or {}).items():
        figure.add_hline(
            y=level,
            line={"color": palette.muted, "width": 1, "dash": "dash"},
            layer="below",
            annotation={"text": name, "font": {"size": theme.SMALL, "color": palette.muted}},
            annotation_position="right",
        )
    if intervals is not None:
        _whiskers(figure, heads, intervals, opened, reading, colours)
    layer, head = opened
    if layer is not None:
        x, y = (
            (layer, layers[reading][layer])
            if head is None
            else (layer + _ASIDE[reading], heads[reading][layer, head])
        )
        figure.add_scatter(
            x=[x],
            y=[y],
            mode="markers",
            hoverinfo="skip",
            showlegend=False,
            name="open",
            marker={"size": 15, "symbol": "circle-open", "color": palette.ink, "line": {"width": 2}},
        )
    figure.update_xaxes(
        title=tr("layer"), dtick=1, range=[-0.4, len(layers["writing"]) - 0.6], showgrid=False
    )
    figure.update_yaxes(title=tr("AER, lower is better"), range=[-0.04, 1.04])
    figure.update_layout(legend={"y": 1.02, "yanchor": "bottom", "x": 0})
    return theme.styled(figure, mode, presenter, 270, top=34, right=84 if levels else 8)


def _cell(
    reading: Reading,
    layer: int,
    head: int,
    intervals: tuple[NDArray[np.float64], NDArray[np.float64], int] | None,
) -> list[Any]:
    """A head's name, and the ends of its interval with the number of sentences where that is known."""
    name = f"{layer}.{head}"
    if intervals is None:
        return [name]
    at = READINGS.index(reading), layer, head
    return [name, float(intervals[0][at]), float(intervals[1][at]), intervals[2]]


def _whiskers(
    figure: go.Figure,
    heads: Mapping[Reading, NDArray[np.float64]],
    intervals: tuple[NDArray[np.float64], NDArray[np.float64], int],
    opened: tuple[int | None, int | None],
    reading: Reading,
    colours: Mapping[Reading, str],
) -> None:
    """The interval of the best head and of the open one as a line; those of all heads would hide the dots."""
    every = np.stack([heads[each] for each in READINGS])
    if np.isnan(every).all():
        return
    marked = {tuple(map(int, np.unravel_index(int(np.nanargmin(every)), every.shape)))}
    if opened[0] is not None and opened[1] is not None:
        marked.add((READINGS.index(reading), *opened))  # type: ignore[arg-type]
    for at in sorted(marked):
        each = READINGS[at[0]]
        figure.add_scatter(
            x=[at[1] + _ASIDE[each]] * 2,
            y=[float(intervals[0][at]), float(intervals[1][at])],
            mode="lines",
            line={"color": colours[each], "width": 2},
            hoverinfo="skip",
            showlegend=False,
            name="95 %",
        )


WALL_HEIGHT: Final = 420


def survey_of(shown: CheckpointView, in_force: InForce) -> GoldSurvey | None:
    """What was measured against the gold file so far; None before the first sentence."""
    if in_force.file is None:
        return None
    try:
        survey = data.surveyed(shown, in_force.file)
    except AtlasError:
        return None  # the gold file's card shows the error
    if survey is None:
        job = data.job(shown, in_force.file)
        survey = job.latest if job is not None else None
    return survey


def counted_sentences(shown: CheckpointView, in_force: InForce) -> tuple[Counted | None, int]:
    """Counts of every head against the gold file by the selected measure, and the number of sentences; None until measured."""
    survey = survey_of(shown, in_force)
    return (survey.counts[shown.selection.by], survey.done) if survey else (None, 0)


def _best(shown: CheckpointView, plate: AlignedSentence, in_force: InForce) -> tuple[Counted | None, str]:
    """What heads are ranked by: the gold file, else this sentence's gold; and how that is called."""
    counts, sentences = counted_sentences(shown, in_force)
    if counts is not None:
        return counts, _set_in_words(in_force, sentences)
    return plate.counts, tr("on this sentence only")


def _set_in_words(in_force: InForce, sentences: int) -> str:
    """The set that an AER is of, and its size."""
    if in_force.own and in_force.file is not None:
        return plural(
            "on {count} sentence of {file}",
            "on {count} sentences of {file}",
            sentences,
            file=isolated(screen_text.label(in_force.file.name)),
        )
    return plural(
        "on the {count} hand-aligned sentence of this model",
        "on the {count} hand-aligned sentences of this model",
        sentences,
    )


LOW: Final = 0.2
"""An AER at which a head aligns well."""


def aer_title(counts: Counted, reading: Reading, about: str) -> str:
    """How many heads align well, and on what: “5 of 32 heads have AER ≤ 0.20, on the 20 hand-aligned sentences of this model”."""
    table = counts.rates(reading, "aer")
    return plural(
        "{count} of {total} heads has AER ≤ {low} {about}",
        "{count} of {total} heads have AER ≤ {low} {about}",
        int((np.round(table, 2) <= LOW).sum()),
        total=table.size,
        low=numeral(LOW, ".2f"),
        about=about,
    )


def wall(shown: CheckpointView, plate: AlignedSentence, in_force: InForce) -> None:
    """Every head's word-to-word map, with its AER if there is gold; a click opens it above."""
    counts, about = _best(shown, plate, in_force)
    reading, selection = plate.reading, shown.selection
    scores: dict[str, Any] = dict(view.scores(plate.maps))
    if counts:
        scores = {name: counts.rates(reading, name) for name in RATES}
    heads = plate.maps.shape[1]

    def picked(opened: Opened) -> None:
        if not opened.heads:
            opens(MEAN, MEAN)
            return
        layer, head = opened.heads[-1]
        whole = len(opened.heads) == min(8, heads) > 1 and len({each[0] for each in opened.heads}) == 1
        opens(layer, MEAN if whole else head)

    def arranged(arrangement: Arranged) -> None:
        state.update(
            sort=arrangement.sort, badge=arrangement.badge, least=arrangement.least, tone=arrangement.tone
        )

    title = (
        aer_title(counts, reading, about)
        if counts
        else tr("All {count} heads", count=plate.maps.shape[0] * heads)
    )
    mount(
        WALL,
        wall_data(
            plate.maps.weights,
            plate.words.rows,
            plate.words.columns,
            kind="cross",
            scores_of=scores,
            arranged=Arranged(selection.sort, selection.badge, selection.least, selection.tone),
            all_heads=AllHeads("mean", tr("the mean of all layers")),
            title=title,
            how=tr("Choose a head or a layer name"),
            tall=WALL_HEIGHT,
            about=about,
            file=f"alignment-heads-{reading}-{selection.by}",
        ),
        key="wall_alignment",
        picked=picked,
        arranged=arranged,
    )


def table(
    counts: Counted, sentences: Sequence[Counted] = (), baselines: Mapping[str, Counts] | None = None
) -> menu.Make:
    """Counts and rates of every head, of every layer ("all" heads) and of all layers, in both readings, as CSV.

    With the counts of each of `sentences` a rate has its 95 % interval, empty where there is none; `baselines` are rows of their
    own.
    """

    def make() -> str:
        layers, heads = counts.heads.shape[1:3]
        places: list[tuple[int | None, int | None]] = [
            (layer, head) for layer in range(layers) for head in (*range(heads), None)
        ]
        ends = _ends_of(sentences) if len(sentences) > 1 else {}
        rows = []
        for layer, head in (*places, (None, None)):
            for reading in READINGS:
                agreement = counts.of(reading, layer, head)
                names = ["all" if index is None else index for index in (layer, head)]
                counted = (
                    agreement.predicted,
                    agreement.sure,
                    agreement.predicted_sure,
                    agreement.predicted_possible,
                )
                field = "whole" if layer is None else "layers" if head is None else "heads"
                at = (READINGS.index(reading), *(index for index in (layer, head) if index is not None))
                own = {rate: ends[f"{rate} {field}"] for rate in RATES if ends}
                pairs = {rate: (float(each.low[at]), float(each.high[at])) for rate, each in own.items()}
                rates = _rates_csv(agreement, pairs)
                rows.append([*names, reading, *rates, len(sentences) or 1, *counted])
        for name, each in (baselines or {}).items():
            agreement = Measured(*map(int, each.sum(axis=0)))
            level = {rate: rate_interval(each, rate) for rate in RATES}
            pairs = {rate: (float(one.low), float(one.high)) for rate, one in level.items()}
            rows.append(["", "", name, *_rates_csv(agreement, pairs), len(each), *each.sum(axis=0)])
        rates_line = [f"{rate}{end}" for rate in RATES for end in ("", "_low", "_high")]
        found = ["links", "sure", "found_sure", "found_possible"]
        return csv_text(["layer", "head", "reading", *rates_line, "n", *found], rows)

    return make


def _ends_of(sentences: Sequence[Counted]) -> dict[str, Interval]:
    """The interval of each rate of heads (2, L, H), layers (2, L) and all layers (2,), by “rate field”."""
    stacks = {
        name: np.stack([getattr(each, name) for each in sentences]) for name in ("heads", "layers", "whole")
    }
    return {f"{rate} {name}": rate_interval(rows, rate) for rate in RATES for name, rows in stacks.items()}


def _rates_csv(agreement: Measured, ends: Mapping[Rate, tuple[float, float]]) -> list[str]:
    """Each rate with the ends of its interval, which are empty where there is none."""
    cells = []
    for name in RATES:
        cells += [
            number(getattr(agreement, name)),
            *(number(end) for end in ends.get(name, (math.nan, math.nan))),
        ]
    return cells


message("Multi30k’s training text")  # as the results that ship name it


def comparison(survey: GoldSurvey, by: alignment.By) -> list[str]:
    """How many heads beat the aligners without attention, and which are not told apart from the best one."""
    counts = np.stack([each.heads for each in survey.sentences[by]])  # (N, 2, L, H, 4)
    beat = {name: int(better_than(counts, rows).sum()) for name, rows in survey.baselines.items()}
    total = int(np.prod(counts.shape[1:4]))
    if survey.trained is None:
        said = [
            tr(
                "Of {total} alignments (each head, when the word is predicted and when it is fed back), significantly better than the diagonal: {diagonal}; significantly better than IBM model 1, which learns from these sentences: {ibm1} (Benjamini-Hochberg, 5 %).",
                total=total,
                **beat,
            )
        ]
    else:
        said = [
            tr(
                "Of {total} alignments (each head, when the word is predicted and when it is fed back), significantly better than the diagonal: {diagonal}; significantly better than IBM model 1, trained on {pairs} pairs of {corpus}: {ibm1} (Benjamini-Hochberg, 5 %).",
                total=total,
                pairs=numeral(survey.trained.pairs, ","),
                corpus=screen_text.plain(tr(survey.trained.text), 80),
                **beat,
            )
        ]
    drawn = rate_draws(counts, "aer").reshape(-1, total)
    value = rate_interval(counts, "aer").value.ravel()
    if np.isnan(value).any() or np.isnan(drawn).any():
        return said
    best = int(value.argmin())
    _, high = middle(drawn[:, [best]] - drawn)
    near = [n for n in value.argsort(kind="stable") if n != best and high[n] >= 0]
    if not near:
        return said
    names = [_named(tuple(map(int, np.unravel_index(n, counts.shape[1:4])))) for n in near[:_NEAR]]
    if len(near) > len(names):
        names.append(plural("{count} other", "{count} others", len(near) - len(names)))
    return [
        *said,
        plural(
            "On these sentences, the best head does not differ significantly from head {heads}.",
            "On these sentences, the best head does not differ significantly from heads {heads}.",
            len(near),
            heads=joined(names),
        ),
    ]


_NEAR: Final = 4


def _named(at: tuple[int, ...]) -> str:
    """A head with its step: “0.3 when fed back”."""
    return f"{at[1]}.{at[2]} {tr(STEPS[READINGS[at[0]]])}"


def chart_and_table(
    shown: CheckpointView, plate: AlignedSentence, joined: Joined | None, in_force: InForce
) -> bool:
    """AER by layer for both readings, and the scores of the open head → whether there is gold to count against."""
    counts, about = _best(shown, plate, in_force)
    if counts is None:
        return False
    survey, by = survey_of(shown, in_force), shown.selection.by
    sentences = survey.sentences.get(by, ()) if survey is not None else ()
    intervals, levels = None, None
    if len(sentences) > 1 and survey is not None:
        found = rate_interval(np.stack([each.heads for each in sentences]), "aer")
        intervals = (found.low, found.high, found.sentences)
        levels = {
            tr(BASELINES[name]): Measured(*map(int, rows.sum(axis=0))).aer
            for name, rows in survey.baselines.items()
        }
    with cards.card("aer", fill=False):
        best = min(
            (
                (counts.of(reading, layer, head).aer, layer, head, reading)
                for reading in READINGS
                for layer in range(plate.maps.shape[0])
                for head in range(plate.maps.shape[1])
            ),
            key=lambda candidate: (candidate[0] != candidate[0], candidate[0]),
        )
        cards.title(
            tr(
                "Head {head} aligns best {step}: AER {aer}",
                head=f"{best[1]}.{best[2]}",
                step=tr(WHEN[best[3]]),
                aer=rate(best[0]) if intervals is None else _between(best[0], intervals, best),
            ),
            tr("AER by layer {about} · line: all heads of a layer together, dots: single heads", about=about),
        )
        draw_chart(
            "alignment_by_layer",
            by_layer,
            {reading: counts.by_layer(reading) for reading in READINGS},
            {reading: counts.rates(reading, "aer") for reading in READINGS},
            (plate.layer, plate.head),
            plate.reading,
            intervals,
            levels,
        )
        if intervals is not None and survey is not None:
            cards.readout(" ".join(comparison(survey, by)))
        _numbers(shown, plate, joined, in_force)
    return True


def _between(
    value: float, intervals: tuple[NDArray[np.float64], NDArray[np.float64], int], best: tuple[Any, ...]
) -> str:
    """An AER with its interval: “0.16 (0.12 to 0.20)”."""
    at = READINGS.index(best[3]), best[1], best[2]
    low, high = (rate(float(end[at])) for end in intervals[:2])
    return tr("{value} ({low} to {high})", value=rate(value), low=low, high=high)


def _numbers(shown: CheckpointView, plate: AlignedSentence, joined: Joined | None, in_force: InForce) -> None:
    """Precision, recall and AER of what is open: this sentence and the file, in both readings."""
    over, sentences = counted_sentences(shown, in_force)
    rows: list[tuple[str, Measured]] = []
    loud = []
    for name, counts in (
        (tr("this sentence"), plate.counts),
        (plural("{count} sentence", "{count} sentences", sentences), over),
    ):
        for reading in READINGS if counts else ():
            step = tr(STEPS[reading])
            if reading == plate.reading:
                loud.append(len(rows))
            rows.append((f"{name}, {step}", counts.of(reading, plate.layer, plate.head)))  # type: ignore[union-attr]
    if joined is not None and plate.gold is not None:
        rows.append((tr("this sentence, both directions"), measure(joined.links, plate.gold)))
    cards.table(
        [
            (name, f"{each.predicted}", share(each.precision), share(each.recall), rate(each.aer))
            for name, each in rows
        ],
        (plate.name, tr("links"), tr("precision"), tr("recall"), "AER"),
        loud=loud,
        name="scores",
    )


_FROM: Final = {1: message("Links count from 1"), 0: message("From 0")}
_EXAMPLE: Final = f"the white dog {SIGN} le chien blanc {SIGN} 1-1 2-3 3p2"
_SIDES: Final = (
    ("source", message("Sentences, one per line")),
    ("target", message("Their translations")),
    ("links", message("Their links")),
)
_LIMIT_MB: Final = 2


def draw_results(shown: CheckpointView, in_force: InForce) -> None:
    """The card; while it measures, it looks again by itself."""
    if _running(shown, in_force):
        st.fragment(_watched, run_every=1.0)(shown, in_force)
    else:
        _card(shown, in_force)


def _watched(shown: CheckpointView, in_force: InForce) -> None:
    if not _running(shown, in_force):
        st.rerun()
    _card(shown, in_force)


def _running(shown: CheckpointView, in_force: InForce) -> bool:
    job = data.job(shown, in_force.file) if in_force.file else None
    return job is not None and not job.finished


def _card(shown: CheckpointView, in_force: InForce) -> None:
    file = in_force.file
    with cards.card("gold", fill=False):
        if file is None:
            below = tr("Mark this sentence’s links in the map above, or choose a file of them")
            cards.title(tr("Gold"), below)
            if in_force.problem:
                cards.mistake(in_force.problem)
        else:
            words = plural("Gold file: {count} sentence", "Gold file: {count} sentences", len(file.pairs))
            cards.title(words, screen_text.plain(file.name, 80))
            _measurement(shown, file)
        with st.container(horizontal=True, gap="small", vertical_alignment="center", key="gold_options"):
            if file is not None:
                _sentences(shown, file)
            with st.popover(tr("Choose a gold file") if file is None else tr("Another file")):
                _give()
            if in_force.own:
                st.button(tr("Remove it"), on_click=state.gold_file.set, args=(None,), key="forget_gold")


def _measurement(shown: CheckpointView, file: GoldFile) -> None:
    """Progress of measuring every head against the gold file, and which lines were left out."""
    try:
        survey = data.surveyed(shown, file)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    job = data.job(shown, file)
    if job is not None and job.problem:
        cards.mistake(job.problem)
    elif job is not None and not job.finished:
        st.progress(
            job.share,
            tr("{share}: every head against the gold", share=f"{numeral(100 * job.share, '.0f')} %"),
        )
        st.button(tr("Stop"), on_click=job.cancel, key="stop_gold")
    elif survey is None and len(file.pairs) > data.SOON:
        if job is not None and job.latest is not None:
            words = plural(
                "Stopped after {done} of {count} sentence.",
                "Stopped after {done} of {count} sentences.",
                job.latest.total,
                done=numeral(job.latest.done, ","),
            )
            cards.quiet(words)
        st.button(tr("Measure every head"), on_click=data.start, args=(shown, file), key="start_gold")
    elif survey is None:
        cards.quiet(tr("Measured as soon as the model is loaded."))
    stage = survey or (job.latest if job is not None else None)
    if stage is not None and stage.left_out:
        line, why = stage.left_out[0]
        many = len(stage.left_out)
        cards.warning(
            plural(
                "{count} sentence was left out. Line {line}: {why}",
                "{count} sentences were left out. Line {line}: {why}",
                many,
                line=line,
                why=why,
            )
        )


def _sentences(shown: CheckpointView, file: GoldFile) -> None:
    """A list of the file's sentences; the chosen one is opened with its translation."""

    def take(number: Any) -> None:
        if isinstance(number, int) and 0 <= number < len(file.pairs):
            source, target = file.pairs[number]
            state.update(text=source, strategy="given", target=target)

    now = (shown.selection.text, shown.selection.target)
    held = state.hold("gold_sentence", file.pairs.index(now) if now in file.pairs else None, take)
    names = {n: f"{n + 1}  {screen_text.plain(source, 80)}" for n, (source, _) in enumerate(file.pairs)}
    cards.listing(tr("A sentence of the gold file"), names, held, placeholder=tr("Open one of its sentences"))


def _give() -> None:
    """Three files, or lines typed or pasted."""
    allowed = uploads.allowed()
    if allowed:
        uploads.open_uploads()
    else:
        cards.quiet(tr("Uploads are off for your browser; lines can be pasted."))
    with st.form("gold_form", border=False):
        files = [
            st.file_uploader(tr(words), key=f"widget_gold_{name}", max_upload_size=_LIMIT_MB)
            for name, words in _SIDES
            if allowed
        ]
        lines = st.text_area(
            tr("Or lines of: sentence {sign} translation {sign} links", sign=SIGN),
            key="widget_gold_lines",
            placeholder=_EXAMPLE,
            max_chars=200_000,
            height=110,
        )
        first = st.pills(
            tr("Links count from"),
            list(_FROM),
            format_func=lambda number: tr(_FROM[number]),
            default=1,
            required=True,
            label_visibility="collapsed",
            key="widget_gold_first",
        )
        if st.form_submit_button(tr("Use it")):
            try:
                state.gold_file.set(read(files, lines, int(first)))
            except AtlasError as error:
                cards.mistake(screen_text.sentence(error))
            else:
                st.rerun()
    cards.quiet(
        tr(
            "3-4 is a sure link between the third source word and the fourth written one; 3p4 is a possible one."
        )
    )


def read(files: Sequence[Any], lines: str, first: int) -> GoldFile:
    """The gold file of three uploads, or of lines. Raises `AtlasError` with one sentence for what cannot be used."""
    given = [file for file in files if file is not None]
    if not given:
        return alignment.from_lines("as typed", lines, first)
    if len(given) < len(_SIDES):
        raise InputError.tr("Choose all three files: sentences, translations and links.")
    source, target, links = (_text(file) for file in given)
    return alignment.from_texts(given[2].name, source, target, links, first)


def _text(file: Any) -> str:
    data = file.getvalue()
    if len(data) > alignment.MOST_BYTES:
        most = numeral(alignment.MOST_BYTES, ",")
        raise InputError.tr(
            "{name} has {size} bytes; at most {most} are read.",
            name=file.name,
            size=numeral(len(data), ","),
            most=most,
        )
    try:
        return str(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise InputError.tr("{name} is not UTF-8 text; save it as UTF-8.", name=file.name) from None
