"""The Inspect page: where a checkpoint's parameters are, which tensors look wrong, its options, those of
another beside them, its checks, every tensor.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from core.analysis.readout import decimal, isolated
from core.checkpoints.summary import ParameterLine
from core.errors import AtlasError
from core.language import marks, message, numeral, plural, tr
from ui.models import differences, importing, model_card
from ui.session import state
from ui.shared import cards, context, models
from ui.shared.context import CheckpointView
from ui.shared.mount import chart
from ui.style import theme
from ui.style.theme import Mode


def draw_parameters(shown: CheckpointView) -> None:
    """The checkpoint in use: its parameters as areas, its options beside the spread of one tensor, its options beside
    another's, all tensors, its checks.
    """
    try:
        lines = in_order(context.parameter_lines(shown.entry))
    except AtlasError as error:
        lines = []
        cards.mistake(str(error))
    if lines:
        _areas(lines)
    left, right = st.columns([1, 1.25], gap="small")
    with left, cards.card("options", fill=False):
        name = isolated(model_card.title(shown.entry))
        cards.title(tr("{model} in words", model=name), model_card.size_words(shown.entry))
        cards.table(model_card.config_rows(shown.entry.config))
    if lines:
        with right:
            _spread(shown, lines)
    differences.draw_differences(shown)
    if lines:
        _tensors(lines)
    _trust(shown)


def _areas(lines: Sequence[ParameterLine]) -> None:
    """Every block of the model as an area, in the order of the data's way, and what looks wrong."""
    with cards.card("shares", fill=False):
        parts = shares(lines)
        cards.title(
            areas_title(parts),
            tr(
                "Areas are numbers of parameters: solid for attention, pale for feed-forward; shared tables count once"
            ),
        )
        st.html(areas_html(columns(lines)))
        cards.legend((part.kind, part.name, numeral(part.parameters, ","), part.fraction) for part in parts)
        wrong = doubts(lines)
        if not wrong:
            cards.readout(
                tr(
                    "✓ No tensor looks wrong: no NaN, no infinite number, no matrix or row of zeros, no gain that is the "
                    "same everywhere."
                )
            )
            return
        cards.warning(plural("{count} tensor looks wrong", "{count} tensors look wrong", len(wrong)))
        cards.table(wrong, (tr("name"), tr("what")), name="numbers")


def areas_title(parts: Sequence[Share]) -> str:
    """Which part holds most of the parameters."""
    total = sum(part.parameters for part in parts)
    sizes = {
        "table": sum(part.parameters for part in parts if part.kind == "table"),
        "encoder": sum(part.parameters for part in parts if part.kind == "encoder"),
        "decoder": sum(part.parameters for part in parts if part.kind in ("causal", "cross")),
    }
    most = max(sizes, key=lambda name: sizes[name])
    return tr(_MOST[most], share=f"{numeral(100 * sizes[most] / total, '.0f')} %", count=numeral(total, ","))


_MOST: Final = {
    "table": message("{share} of its {count} parameters are in the tables of tokens and positions"),
    "encoder": message("{share} of its {count} parameters are in the encoder"),
    "decoder": message("{share} of its {count} parameters are in the decoder"),
}


def _trust(shown: CheckpointView) -> None:
    """The checks of the model: one line where all pass, the list below it."""
    report = models.trust(shown.entry)
    with cards.card("checks", fill=False):
        cards.title(
            tr("What this model was checked for") if report is None else importing.checks_title(report),
            tr("On its own examples; the largest deviation found")
            if shown.entry.examples
            else tr("On one sentence of our own; the largest deviation found"),
        )
        if failure := models.failure(shown.entry, shown.device):
            cards.mistake(failure)
        elif report is None and models.device_line(shown.entry, shown.device) is None:
            cards.quiet(tr("The model is loading; its checks follow."))
        elif report is None and st.button(tr("Check it now"), key="widget_check"):
            try:
                with st.spinner(tr("Checking …")):
                    report = models.run_trust(shown.entry, shown.device)
            except AtlasError as error:
                cards.mistake(str(error))
        if report is not None:
            folded = cards.folded(tr("What was checked on this model"), "checks", opened=not report.passed)
            if folded.open:
                with folded:
                    importing.draw_report(report)
            cards.quiet(report.meaning)


def moments(line: ParameterLine) -> tuple[str, str, str]:
    """Mean, standard deviation and length of a tensor's numbers in words."""
    return decimal(line.mean, 4), decimal(line.std, 4), decimal(line.norm)


def _tensors(lines: Sequence[ParameterLine]) -> None:
    dtypes = list(dict.fromkeys(line.dtype for line in lines))
    kinds = tr("all {dtype}", dtype=dtypes[0]) if len(dtypes) == 1 else ", ".join(dtypes)
    title = plural("{count} tensor as it is stored", "{count} tensors as they are stored", len(lines))
    folded = cards.folded(title, "parameters", opened=state.selection().full == "parameters")
    if not folded.open:
        return
    with folded, cards.card("parameters", fill=False):
        cards.title(
            title,
            tr(
                "{kinds}; mean, standard deviation and length (√ of the sum of squares) of the numbers in each",
                kinds=kinds,
            ),
        )
        rows = [
            (
                line.name,
                spoken(line.name),
                " × ".join(map(str, line.shape)),
                *((line.dtype,) if len(dtypes) > 1 else ()),
                *(("NaN",) * 3 if line.broken else moments(line)),
            )
            for line in lines
        ]
        head = (
            tr("name"),
            tr("what it is"),
            tr("shape"),
            *((tr("type"),) if len(dtypes) > 1 else ()),
            tr("mean"),
            tr("deviation"),
            tr("length"),
        )
        cards.table(rows, head, name="numbers")


BINS = 60


def histogram(values: np.ndarray, *, mode: Mode, hue: str = "bar", presenter: bool = False) -> go.Figure:
    """Counts over equal steps, in the palette's `hue`; only the counts are sent to the browser.

    Few numbers have fewer steps, or the bars would show chance.
    """
    bins = min(BINS, max(10, 2 * round(math.sqrt(values.size))))
    counts, edges = np.histogram(values, bins=bins) if values.size else (np.zeros(0), np.zeros(1))
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
        height=260,
        bargap=0.04,
        showlegend=False,
        margin={"t": 8},
        separators=marks(),
    )
    figure.update_xaxes(title_text=tr("value"), ticklabelstandoff=4)
    figure.update_yaxes(title_text=tr("how many"), ticklabelstandoff=6)
    return figure


def _spread(shown: CheckpointView, lines: Sequence[ParameterLine]) -> None:
    with cards.card("histogram"):
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
        values = values[np.isfinite(values)]  # the others are counted above
        figure = histogram(
            values,
            mode=theme.current_mode(),
            hue=hue(chosen),
            presenter=shown.selection.enlarged,
        )
        chart(figure, "histogram", fills=True)
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


@dataclass(frozen=True)
class Block:
    """A sub-layer or a table: `look` is the class of its colour, `name` what it is called inside its column."""

    look: str
    name: str
    parameters: int


@dataclass(frozen=True)
class Column:
    """What stands above each other in one column: a table, or the blocks of a layer. `stack`: the group it belongs to."""

    stack: Literal["table", "encoder", "decoder", "output"]
    layer: int | None
    blocks: tuple[Block, ...]

    @property
    def parameters(self) -> int:
        """Of all its blocks."""
        return sum(block.parameters for block in self.blocks)


def columns(lines: Iterable[ParameterLine]) -> list[Column]:
    """The model as columns in the order of the data's way: its tables, the layers of both stacks, what makes the output."""
    columns_of: dict[tuple[Any, int | None], dict[tuple[str, str], int]] = {}
    for line in in_order(lines):
        stack, layer, look, name = _block_of(line.name)
        blocks = columns_of.setdefault((stack, layer), {})
        blocks[look, name] = blocks.get((look, name), 0) + math.prod(line.shape)
    order = ("table", "encoder", "decoder", "output")
    return sorted(
        (
            Column(stack, layer, tuple(Block(*key, count) for key, count in blocks.items() if count))
            for (stack, layer), blocks in columns_of.items()
        ),
        key=lambda column: order.index(column.stack),
    )


def _block_of(parameter: str) -> tuple[str, int | None, str, str]:
    """(group, layer, look, name) of the block that a parameter belongs to."""
    first, *rest = parameter.split(".")
    stack = first.split("_")[0]
    if first.startswith("output_"):
        return "output", None, "table", tr("output")
    if stack not in ("encoder", "decoder"):
        return "table", None, "table", tr("positions") if "positions" in rest else tr("tokens")
    kind = "encoder" if stack == "encoder" else "causal"
    if not first.endswith("_layers"):
        return stack, None, f"{kind} norm", tr("norm") if "norm" in first else tr("positions")
    layer, part = int(rest[0]), rest[1]
    if part == "feed_forward":
        return stack, layer, f"{kind} ffn", tr("feed-forward")
    if part == "cross_attention":
        return stack, layer, "cross", tr("cross-attention")
    if part == "self_attention":
        return stack, layer, kind, tr("self-attention")
    return stack, layer, f"{kind} norm", tr("norms")


_STACKS: Final = {"encoder": message("encoder"), "decoder": message("decoder")}


def areas_html(listed: Sequence[Column]) -> str:
    """The columns side by side, as wide as they have parameters; in each its blocks, as tall as theirs."""
    total = sum(column.parameters for column in listed)
    groups: dict[str, list[Column]] = {}
    for column in listed:
        groups.setdefault(column.stack, []).append(column)
    drawn = []
    for stack, own in groups.items():
        size = sum(column.parameters for column in own)
        name = tr(_STACKS[stack]) if stack in _STACKS else ""
        inside = "".join(_column_html(column, name, total) for column in own)
        drawn.append(
            f'<div class="atlas-stack" style="flex-grow:{size}"><p>{html.escape(name)}</p><div>{inside}</div></div>'
        )
    label = html.escape(tr("Every block of the model, its area the number of its parameters"))
    return f'<div class="atlas-areas" role="img" aria-label="{label}">{"".join(drawn)}</div>'


def _column_html(column: Column, stack: str, total: int) -> str:
    layer = "" if column.layer is None else tr("layer {layer}", layer=column.layer)
    cells = []
    for block in column.blocks:
        where = ", ".join(filter(None, (stack, layer, block.name)))
        percent = 100 * block.parameters / total
        share = f"{numeral(percent, '.1f')} %" if percent >= 0.05 else f"< {numeral(0.1, 'g')} %"
        title = tr(
            "{block}: {count} parameters, {share}",
            block=where,
            count=numeral(block.parameters, ","),
            share=share,
        )
        cells.append(
            f'<i class="{block.look}" style="flex-grow:{block.parameters}" title="{html.escape(title)}">'
            f"<span>{html.escape(block.name)}</span></i>"
        )
    foot = "" if column.layer is None else str(column.layer)
    return f'<div style="flex-grow:{column.parameters}">{"".join(cells)}<small>{foot}</small></div>'


def doubts(lines: Iterable[ParameterLine]) -> list[tuple[str, str]]:
    """(name, what) of every tensor that looks wrong: broken numbers, zeros, gains that training left as they were."""
    return [(line.name, words) for line in lines if (words := _doubt(line))]


def _doubt(line: ParameterLine) -> str:
    size, rows = math.prod(line.shape), line.shape[0] if line.shape else 0
    if line.broken:
        return plural(
            "{count} of {total} numbers is NaN or infinite",
            "{count} of {total} numbers are NaN or infinite",
            line.broken,
            total=numeral(size, ","),
        )
    if len(line.shape) > 1 and rows and line.dead == rows:
        return tr("every number is 0")
    # A table may have one row of zeros, that of padding.
    if line.dead > line.name.endswith(".table"):
        return plural(
            "{count} of {total} rows is 0 throughout",
            "{count} of {total} rows are 0 throughout",
            line.dead,
            total=numeral(rows, ","),
        )
    if size > 1 and line.std == 0 and line.name.endswith("norm.weight"):
        return tr("every number is {value}, as before training", value=decimal(line.mean, 3))
    return ""


_PARTS: Final = {
    "source_embedding": message("source embedding"),
    "target_embedding": message("target embedding"),
    "positions": message("positions"),
    "table": message("table"),
    "encoder_bias": message("encoder: bias by distance"),
    "decoder_bias": message("decoder: bias by distance"),
    "encoder_norm": message("encoder: final norm"),
    "decoder_norm": message("decoder: final norm"),
    "output_proj": message("output: weights of the logits"),
    "output_bias": message("output: bias of the logits"),
    "self_attention": message("self-attention"),
    "cross_attention": message("cross-attention"),
    "feed_forward": message("feed-forward"),
    "self_residual": message("norm at self-attention"),
    "cross_residual": message("norm at cross-attention"),
    "ffn_residual": message("norm at feed-forward"),
    "q_proj": message("queries"),
    "k_proj": message("keys"),
    "v_proj": message("values"),
    "output_proj_of_heads": message("output projection"),
    "up_proj": message("first matrix"),
    "gate_proj": message("gate"),
    "down_proj": message("second matrix"),
    "weight": message("weights"),
    "bias": message("bias"),
}


def spoken(parameter: str) -> str:
    """What a parameter is: “encoder, layer 0, self-attention, queries, weights”; its name where a part is unknown."""
    words, gain = [], "norm" in parameter
    for number, part in enumerate(parameter.split(".")):
        if part.isdecimal():
            words.append(tr("layer {layer}", layer=int(part)))
        elif part.endswith("_layers"):
            words.append(tr(_STACKS.get(part.split("_")[0], part)))
        elif part == "norm":
            continue
        elif gain and part in ("weight", "bias"):
            words.append(tr("gain γ") if part == "weight" else tr("shift β"))
        else:
            key = "output_proj_of_heads" if part == "output_proj" and number else part
            words.append(tr(_PARTS.get(key, part)))
    return ", ".join(words)
