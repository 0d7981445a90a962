"""The Models page: a card per checkpoint; one from inside (options, parameters, checks); and two compared."""

from __future__ import annotations

import html
import math
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from core.analysis.glossary import QUALITY
from core.analysis.readout import decimal, isolated
from core.errors import AtlasError
from core.language import numeral, plural, tr
from ui import uploads
from ui.models import importing, model_card
from ui.session import state
from ui.shared import cards, checkpoints, context, models
from ui.shared.checkpoints import Entry
from ui.shared.context import CheckpointView
from ui.shared.mount import chart
from ui.style import theme
from ui.style.theme import Mode
from ui.web.contract import file_stem

if TYPE_CHECKING:
    from core.checkpoints.summary import ParameterLine


TRANSLATE = "pages/translate.py"


def _meanings() -> dict[str, str]:
    """What each score of the cards means, by its name."""
    return {tr(score.label): f"{tr(score.definition)} {score.range}" for score in QUALITY.values()}


def draw(opened: str) -> None:
    """Every checkpoint of this session: large ones in two columns, twins and tutorials as a group each, and an import.

    `opened` names the one in use.
    """
    listed = list(enumerate(checkpoints.entries()))
    small = {
        folder: [(n, each) for n, each in listed if each.path.parent.name == folder and not each.problem]
        for folder in (checkpoints.TWINS, checkpoints.TUTORIALS)
    }
    large = [each for each in listed if not any(each in group for group in small.values())]
    for row in range(0, len(large) + 1, 2):  # the import takes the place after the last
        for number, column in enumerate(st.columns(2, gap="small"), start=row):
            with column:
                if number < len(large):
                    index, entry = large[number]
                    _card(index, entry, entry.name == opened)
                elif number == len(large):
                    _invitation()
    if twins := small[checkpoints.TWINS]:
        title = plural("{count} twin of the dates model", "{count} twins of the dates model", len(twins))
        subtitle = tr("Trained like it but for one choice: how it tells positions apart, or the causal mask")
        _group("twins", title, subtitle, twins, opened)
    if tutorials := small[checkpoints.TUTORIALS]:
        title = plural(
            "{count} small model of a tutorial", "{count} small models, one for each tutorial", len(tutorials)
        )
        subtitle = tr(
            "Trained in a minute, with that tutorial's own choices; the Tutorials page compares them"
        )
        _group("tutorials", title, subtitle, tutorials, opened)
    cards.explain(
        tr("Each model is scored on sentences of its own kind."),
        tr("Scores on different test sets cannot be compared."),
        "\n\n".join(score.markdown for score in QUALITY.values()),
        name="quality",
    )


def _group(name: str, title: str, subtitle: str, listed: Sequence[tuple[int, Entry]], opened: str) -> None:
    """Small models, a line each."""
    with cards.card(name, fill=False):
        cards.title(title, subtitle)
        for index, entry in listed:
            with st.container(horizontal=True, vertical_alignment="center", key=f"small_{index}"):
                words: list[cards.Words] = [(model_card.title(entry), "b")]
                if entry.name == opened:
                    words.append(("\u2002" + tr("in use"), "muted"))
                cards.title(
                    words, f"{entry.languages} · {entry.size_line}" if entry.languages else entry.size_line
                )
                _open_buttons(index, entry)


def _card(index: int, entry: Entry, in_use: bool) -> None:
    with cards.card(f"checkpoint_{index}"):
        if entry.problem:
            cards.title([(entry.name, "b")])
            cards.mistake(entry.problem)
            return
        _head(index, entry, in_use)
        cards.stacks(
            (each.kind, each.name, each.layers, each.heads) for each in model_card.stacks(entry.config)
        )
        cards.grid((name, value, "read", "") for name, value in model_card.size_facts(entry))
        heads, rows = model_card.scores(entry)
        if rows:
            cards.table(rows, heads, name="scores", tips=_meanings())
        _buttons(index, entry)


def _head(index: int, entry: Entry, in_use: bool) -> None:
    title = model_card.title(entry)
    words: list[cards.Words] = [(title, "b")]
    if title != entry.name:
        words.append((f"\u2002{entry.name}", "muted"))
    if entry.languages:
        words.append((f"\u2002{entry.languages}", "muted"))
    with st.container(gap=None, key=f"head_{index}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            cards.title(words)
            if in_use:
                cards.status(tr("in use"))
        cards.quiet(model_card.does(entry))
    example = next((pair for pair in model_card.examples(entry) if pair[1]), None)
    if example is not None:
        cards.pair(*example)


def _buttons(index: int, entry: Entry) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"foot_{index}"):
        _open_buttons(index, entry)
        if examples := model_card.examples(entry):
            words = plural("{count} example", "{count} examples", len(examples))
            with st.popover(words, type="tertiary", width="content"):
                heads, rows = model_card.example_table(entry)
                cards.table(rows, heads, name="pairs")
        if terms := model_card.terms(entry):
            with st.popover(tr("Data, terms and limits"), type="tertiary", width="content"):
                cards.table(terms)
        label = tr("This model as a page ⤓")
        hint = tr("One HTML file that translates in any browser, without network or installation")
        st.download_button(
            label,
            partial(as_page, entry),
            f"{file_stem(f'atlas-{entry.name}')}.html",
            "text/html",
            on_click="ignore",
            type="tertiary",
            help=hint,
            key=f"widget_page_{index}",
        )


def as_page(entry: Entry) -> bytes:
    """The model as one HTML file that runs; a page of one sentence where it cannot be one. One is made at a time."""
    from ui.export.live.page import live_page

    with _ONE_PAGE:
        try:
            return live_page(models.model(entry, "cpu")).encode()
        except AtlasError as error:
            return f"<!doctype html><meta charset='utf-8'><p>{html.escape(str(error))}</p>".encode()


_ONE_PAGE: Final = threading.Lock()
"""Packing takes some times the memory of the model's weights."""


def _open_buttons(index: int, entry: Entry) -> None:
    if st.button(
        tr("Open"),
        key=f"widget_open_{index}",
        type="primary",
        help=tr("Use this model and translate with it"),
    ):
        state.update(checkpoint=entry.name)
        st.switch_page(TRANSLATE, query_params=state.link_params())
    st.button(tr("Inspect"), key=f"widget_inspect_{index}", on_click=state.look_inside, args=(entry.name,))


def _invitation() -> None:
    """Where one's own checkpoint is dropped; a button where uploads are off, which says why."""
    with cards.card("invitation", fill=False):
        with st.container(horizontal=True, vertical_alignment="center", key="invite"):
            cards.title(
                tr("Open a checkpoint that you trained"),
                tr(
                    "MarianMT, BART, T5, torch.nn.Transformer, the common tutorials, or others with rules of your own: "
                    "drop all files together"
                ),
            )
            if not uploads.allowed():
                opens = {"desk": "import"}
                st.button(tr("Bring your own"), key="widget_bring", on_click=state.update, kwargs=opens)
        if uploads.allowed():
            importing.drop()


BINS = 60


def histogram(
    values: np.ndarray, *, mode: Mode, hue: str = "bar", presenter: bool = False, height: int = 260
) -> go.Figure:
    """Counts over equal steps, in the palette's `hue`; only the counts are sent to the browser."""
    counts, edges = np.histogram(values, bins=BINS) if values.size else (np.zeros(0), np.zeros(1))
    palette = theme.PALETTES[mode]
    figure = go.Figure(
        go.Bar(
            x=(edges[:-1] + edges[1:]) / 2,
            y=counts,
            width=np.diff(edges),
            marker={"color": getattr(palette, hue), "line": {"width": 0}},
            customdata=np.stack([edges[:-1], edges[1:]], axis=-1),
            hovertemplate=tr("%{y:,} from %{customdata[0]:.4f} to %{customdata[1]:.4f}") + "<extra></extra>",
        )
    )
    figure.update_layout(
        template=theme.plotly_template(mode, presenter),
        height=height,
        bargap=0.04,
        showlegend=False,
        margin={"t": 8},
    )
    figure.update_xaxes(title_text=tr("value"), ticklabelstandoff=4)
    figure.update_yaxes(title_text=tr("how many"), ticklabelstandoff=6)
    return figure


def draw_model(shown: CheckpointView) -> None:
    """The checkpoint in use: its options and checks beside its parameters."""
    left, right = st.columns([1, 1.25], gap="small")
    try:
        lines = in_order(context.parameter_lines(shown.entry))
    except AtlasError as error:
        lines = []
        cards.mistake(str(error))
    with left:
        with cards.card("options", fill=False):
            name = isolated(model_card.title(shown.entry))
            cards.title(tr("{model} in words", model=name), model_card.size_words(shown.entry))
            cards.table(model_card.config_rows(shown.entry.config))
        _trust(shown)
    if lines:
        with right:
            _shares(lines)
            _parameters(lines)
            _spread(shown, lines)


def _shares(lines: Sequence[ParameterLine]) -> None:
    with cards.card("shares", fill=False):
        parts = shares(lines)
        total = sum(part.parameters for part in parts)
        cards.title(
            tr("Where its {count} numbers are", count=numeral(total, ",")),
            tr("Every number that the model learned, once"),
        )
        cards.bar((part.kind, part.name, numeral(part.parameters, ","), part.fraction) for part in parts)


def _trust(shown: CheckpointView) -> None:
    with cards.card("checks", fill=False):
        cards.title(
            tr("What this model was checked for"), tr("On its own examples; the largest deviation found")
        )
        report = models.trust(shown.entry)
        if report is None and models.device_line(shown.entry, shown.device) is None:
            cards.quiet(tr("The model is loading; its checks follow."))
        elif report is None and st.button(tr("Check it now"), key="widget_check"):
            try:
                with st.spinner(tr("Checking …")):
                    report = models.run_trust(shown.entry, shown.device)
            except AtlasError as error:
                cards.mistake(str(error))
        if report is not None:
            importing.draw_report(report)
            cards.quiet(report.meaning)


def _parameters(lines: Sequence[ParameterLine]) -> None:
    dtypes = list(dict.fromkeys(line.dtype for line in lines))
    kinds = tr("all {dtype}", dtype=dtypes[0]) if len(dtypes) == 1 else ", ".join(dtypes)
    with cards.card("parameters", fill=False):
        cards.title(
            plural("{count} tensor as it is stored", "{count} tensors as they are stored", len(lines)),
            tr(
                "{kinds}; mean, standard deviation and length (√ of the sum of squares) of the numbers in each",
                kinds=kinds,
            ),
        )
        rows = [
            (line.name, " × ".join(map(str, line.shape)), decimal(line.mean, 4), decimal(line.std, 4), decimal(line.norm))
            for line in lines
        ]  # fmt: skip
        head = tr("name"), tr("shape"), tr("mean"), tr("deviation"), tr("length")
        cards.table(rows, head, name="numbers")


def _spread(shown: CheckpointView, lines: Sequence[ParameterLine]) -> None:
    with cards.card("histogram", fill=False):
        names = [line.name for line in lines]
        scale = theme.PRESENTER_SCALE if shown.selection.enlarged else 1
        first = next((index for index, name in enumerate(names) if name.endswith("norm.weight")), 0)
        with st.container(horizontal=True, vertical_alignment="center"):
            cards.title(tr("Spread of the numbers in"))
            chosen = st.selectbox(
                tr("parameter"),
                names,
                index=first,
                key="widget_parameter",
                label_visibility="collapsed",
                width=round(380 * scale),
            )
        line = lines[names.index(chosen)]
        cards.quiet(meaning(chosen))
        values = context.parameter_values(shown.entry, chosen)
        figure = histogram(
            values,
            mode=theme.current_mode(),
            hue=hue(chosen),
            presenter=shown.selection.enlarged,
        )
        chart(figure, "histogram")
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)
        cards.readout(
            tr(
                "{count} numbers from {low} to {high}, mean {mean}, standard deviation {deviation}.",
                count=numeral(values.size, ","),
                low=decimal(low, 3),
                high=decimal(high, 3),
                mean=decimal(line.mean, 4),
                deviation=decimal(line.std, 4),
            )
        )


def differ(shown: CheckpointView) -> None:
    """Two checkpoints' options side by side, what differs first and in ink."""
    others = [
        entry for entry in checkpoints.entries() if not entry.problem and entry.name != shown.entry.name
    ]
    with cards.card("differ", fill=False):
        if not others:
            cards.title(tr("There is only one checkpoint"), tr("Import another to see in what they differ"))
            return
        other, sentence = checkpoints.partner(shown.selection.other_checkpoint, others)
        if sentence:
            cards.quiet(sentence)
        _table(shown.entry, other, [entry.name for entry in others])


def _table(one: Entry, other: Entry, names: list[str]) -> None:
    rows = model_card.compared(one.config, other.config)
    rows.insert(0, (tr("size"), model_card.size_words(one), model_card.size_words(other)))
    different = [index for index, (_, mine, theirs) in enumerate(rows) if mine != theirs]
    titles = [model_card.title(each) for each in (one, other)]
    with st.container(horizontal=True, vertical_alignment="center", key="versus"):
        cards.title(
            tr(
                "{first} and {second} differ in {count} of {total} options",
                first=isolated(titles[0]),
                second=isolated(titles[1]),
                count=len(different),
                total=len(rows),
            ),
            tr("What differs comes first"),
        )
        bound = state.bind("other_checkpoint", shown=other.name)
        st.selectbox(tr("compare with"), names, label_visibility="collapsed", width=240, **bound)
    with st.container(key="versus_stacks"):
        _, left, right = st.columns([0.24, 0.38, 0.38], gap=None)
    for column, entry in ((left, one), (right, other)):
        with column:
            cards.stacks(
                ((each.kind, each.name, each.layers, each.heads) for each in model_card.stacks(entry.config)),
                largest=8,
            )
    cards.table(rows, (tr("option"), *titles), different, "config")


Home = Literal["encoder", "causal", "cross", "table"]


@dataclass(frozen=True)
class Share:
    """A part of a model and how many of its parameters are there. `kind` is the colour it has on every page."""

    kind: Home
    name: str
    parameters: int
    fraction: float


def hue(parameter: str) -> str:
    """The palette's name of the colour that a parameter's part of the model has on every page."""
    for letter, name in (("q", "query"), ("k", "key"), ("v", "value")):
        if f".{letter}_proj." in parameter:
            return name
    home = _home(parameter)
    return "bar" if home == "table" else home


def _home(parameter: str) -> Home:
    if parameter.startswith("encoder_"):
        return "encoder"
    if parameter.startswith("decoder_"):
        return "cross" if ".cross_" in parameter else "causal"
    return "table"


def shares(lines: Iterable[ParameterLine]) -> list[Share]:
    """Where a model's parameters are, in the order of the data's way through it; parts without any are left out."""
    counts: dict[tuple[Home, str], int] = {
        ("table", tr("tables of tokens and positions")): 0,
        ("encoder", tr("encoder")): 0,
        ("causal", tr("decoder, without cross-attention")): 0,
        ("cross", tr("cross-attention")): 0,
    }
    parts = {kind: (kind, name) for kind, name in counts}
    for line in lines:
        counts[parts[_home(line.name)]] += math.prod(line.shape)
    total = sum(counts.values())
    return [Share(kind, name, count, count / total) for (kind, name), count in counts.items() if count]


_BLOCKS: Final = (
    "self_attention",
    "self_residual",
    "cross_attention",
    "cross_residual",
    "feed_forward",
    "ffn_residual",
)


def in_order(lines: Iterable[ParameterLine]) -> list[ParameterLine]:
    """Parameters in the order the data flows: tables, encoder, decoder; layer 2 before layer 10."""

    def order(line: ParameterLine) -> tuple[int, list[tuple[int, str]]]:
        stack = 1 if line.name.startswith("encoder_") else 2 if line.name.startswith("decoder_") else 0
        return stack, [_part(part) for part in line.name.split(".")]

    return sorted(lines, key=order)


def _part(name: str) -> tuple[int, str]:
    if name.isdecimal():
        return int(name), ""
    return (_BLOCKS.index(name) if name in _BLOCKS else len(_BLOCKS)), name


def meaning(parameter: str) -> str:
    """What to look for in the spread of a parameter's numbers."""
    if "norm" in parameter and parameter.endswith("weight"):
        return tr("γ, the gain of a norm: 1 lets a dimension through as it is")
    if "norm" in parameter and parameter.endswith("bias"):
        return tr("β, what a norm adds to each dimension")
    return tr("A narrow peak about 0 is usual; a second bump or a far tail is worth a look.")
