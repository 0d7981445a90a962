"""The one source of colours and type: OKLab mixing, tokens for light and dark, scales, the Plotly template, the shell's CSS.

The browser components get the same tokens (`tokens_for_browser`), so each colour is defined once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from core.language import marks
from core.tokenizer.piece import SPECIAL

if TYPE_CHECKING:
    import plotly.graph_objects as go


GAMMA = 0.6
"""A weight w is drawn at position w ** GAMMA of its scale, so that small weights stay visible."""

Floats = npt.NDArray[np.float64]

_RGB_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LMS_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
_LAB_TO_LMS = np.linalg.inv(_LMS_TO_LAB)
_LMS_TO_RGB = np.linalg.inv(_RGB_TO_LMS)


def parse_hex(colour: str) -> Floats:
    """`#rrggbb` as three numbers from 0 to 1 (gamma-encoded sRGB)."""
    digits = colour.removeprefix("#")
    if len(digits) != 6:
        raise ValueError(f"expected a colour written as #rrggbb, got {colour!r}")
    return np.array([int(digits[i : i + 2], 16) for i in (0, 2, 4)]) / 255


def format_hex(rgb: Sequence[float] | Floats) -> str:
    """Three numbers from 0 to 1 as `#rrggbb`; values outside are clipped."""
    return "#" + "".join(f"{int(np.floor(min(1.0, max(0.0, float(c))) * 255 + 0.5)):02x}" for c in rgb)


def _linear(rgb: Floats) -> Floats:
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def _encoded(linear: Floats) -> Floats:
    safe = np.clip(linear, 0, 1)
    return np.where(safe <= 0.0031308, 12.92 * safe, 1.055 * safe ** (1 / 2.4) - 0.055)


def to_oklab(colour: str) -> Floats:
    """`#rrggbb` as OKLab lightness, a, b."""
    return _LMS_TO_LAB @ np.cbrt(_RGB_TO_LMS @ _linear(parse_hex(colour)))


def from_oklab(lab: Floats) -> str:
    """OKLab lightness, a, b as `#rrggbb`."""
    return format_hex(_encoded(_LMS_TO_RGB @ (_LAB_TO_LMS @ lab) ** 3))


def mix(start: str, end: str, share: float) -> str:
    """The colour `share` of the way from start to end in OKLab, where equal steps look equal."""
    if share <= 0:
        return start.lower()
    if share >= 1:
        return end.lower()
    a, b = to_oklab(start), to_oklab(end)
    return from_oklab(a + (b - a) * share)


def luminance(colour: str) -> float:
    """Relative luminance, 0 (black) to 1 (white)."""
    return float(np.array([0.2126, 0.7152, 0.0722]) @ _linear(parse_hex(colour)))


def contrast(first: str, second: str) -> float:
    """WCAG contrast ratio, 1 (equal) to 21 (black on white); text needs 4.5."""
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


Mode = Literal["light", "dark"]
Kind = Literal["encoder", "causal", "cross"]
KINDS: tuple[Kind, ...] = get_args(Kind)  # the keys of `core.model.hooks.ATTENTION`, where their words are

SANS = '"Source Sans", "Source Sans Pro", "Segoe UI", sans-serif'
MONO = '"Source Code Pro", "Cascadia Mono", Menlo, monospace'
SMALL, BODY = 13, 15
"""Type sizes in CSS pixels before the presenter's enlargement."""
PRESENTER_SCALE = 1.4
LEAST_TYPE = 18
"""The smallest type of presenter size, in CSS pixels: what the last row of a hall can read."""


@dataclass(frozen=True)
class Palette:
    """Colours of one mode. `*_text` is the same hue, dark or light enough for small words (WCAG AA)."""

    background: str
    panel: str
    ink: str
    muted: str
    line: str
    soft: str
    encoder: str
    causal: str
    cross: str
    query: str
    key: str
    value: str
    encoder_text: str
    causal_text: str
    cross_text: str
    query_text: str
    key_text: str
    value_text: str
    negative: str
    neutral: str
    positive: str
    bar: str

    def kind(self, kind: Kind) -> str:
        """The fixed colour of an attention kind."""
        return {"encoder": self.encoder, "causal": self.causal, "cross": self.cross}[kind]


LIGHT = Palette(
    background="#fbfbf9",
    panel="#ffffff",
    ink="#1c2230",
    muted="#636b7d",
    line="#e4e5e0",
    soft="#f1f1ec",
    encoder="#4457c2",
    causal="#c96a1b",
    cross="#0b857c",
    query="#9b3fa5",
    key="#8a6d00",
    value="#5a8f35",
    encoder_text="#4457c2",
    causal_text="#a9540f",
    cross_text="#0a7a72",
    query_text="#8f3a99",
    key_text="#7d6300",
    value_text="#477327",
    negative="#2f6bb3",
    neutral="#e9e9e6",
    positive="#b8434f",
    bar="#bcc0cb",
)

DARK = Palette(
    background="#10131b",
    panel="#181c27",
    ink="#e8eaf0",
    muted="#8f97ab",
    line="#2a3040",
    soft="#1f2431",
    encoder="#8c9bff",
    causal="#f2a45c",
    cross="#3cc9bc",
    query="#d79be0",
    key="#d9bd55",
    value="#9ccb78",
    encoder_text="#8c9bff",
    causal_text="#f2a45c",
    cross_text="#3cc9bc",
    query_text="#d79be0",
    key_text="#d9bd55",
    value_text="#9ccb78",
    negative="#6ea8f2",
    neutral="#343a48",
    positive="#f0868f",
    bar="#4d5363",
)

PALETTES: dict[Mode, Palette] = {"light": LIGHT, "dark": DARK}

OKABE_ITO = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000")
"""Hues for heads overlaid (Okabe and Ito, 2008), most distinct first; always beside a label."""


def head_colours(mode: Mode) -> tuple[str, ...]:
    """Eight colours for overlaid heads; black becomes the ink so that it shows on the dark panel."""
    return (*OKABE_ITO[:-1], PALETTES[mode].ink)


def current_mode() -> Mode:
    """Light or dark as the reader's browser shows it; light when Streamlit does not know yet."""
    import streamlit as st

    return "dark" if st.context.theme.type == "dark" else "light"


def sequential(weight: float, kind: Kind, mode: Mode) -> str:
    """`#rrggbb` for a weight in 0..1: the panel at 0, the kind's colour at 1."""
    palette = PALETTES[mode]
    return mix(palette.panel, palette.kind(kind), min(1.0, max(0.0, weight)) ** GAMMA)


def diverging(value: float, mode: Mode) -> str:
    """`#rrggbb` for a difference in -1..1: grey at 0, blue below, red above."""
    palette = PALETTES[mode]
    return mix(palette.neutral, palette.positive if value >= 0 else palette.negative, abs(value))


_STEPS: Final = 64  # of a Plotly colour scale


@cache
def plotly_sequential(kind: Kind, mode: Mode) -> list[list[float | str]]:
    """A Plotly colour scale over 0..1 with the gamma inside, so the colour bar keeps true weights."""
    return [[i / _STEPS, sequential(i / _STEPS, kind, mode)] for i in range(_STEPS + 1)]


@cache
def plotly_diverging(mode: Mode) -> list[list[float | str]]:
    """A Plotly colour scale for differences; give the trace `zmid=0` and a range symmetric about 0."""
    return [[i / _STEPS, diverging(2 * i / _STEPS - 1, mode)] for i in range(_STEPS + 1)]


def write_cells(figure: go.Figure, size: int, mode: Mode) -> None:
    """Write the `text` of the figure's first trace, a heatmap of differences, into its cells: in black or white, whichever reads.

    Plotly's own choice for cells falls to a contrast of 2.4 on the strong ones.
    """
    import plotly.graph_objects as go

    cells = figure.data[0]
    found = [
        (
            cells.x[column],
            cells.y[row],
            word,
            reading_ink(diverging(float(cells.z[row][column]) / cells.zmax, mode)),
        )
        for row, line in enumerate(cells.text)
        for column, word in enumerate(line)
        if word
    ]
    across, down, words, inks = zip(*found, strict=True) if found else ((), (), (), ())
    figure.add_trace(
        go.Scatter(
            x=across,
            y=down,
            text=words,
            mode="text",
            textfont={"size": size, "color": inks},
            hoverinfo="skip",
            showlegend=False,
        )
    )


@cache
def reading_ink(colour: str) -> str:
    """Black or white, whichever has the larger contrast on a colour: always at least 4.5."""
    return max(("#000000", "#ffffff"), key=lambda ink: contrast(ink, colour))


def readable_on(fill: str, *inks: str) -> str:
    """The one of these inks with the larger contrast on a colour, where that is enough; else black or white."""
    best = max(inks, key=lambda ink: contrast(ink, fill))
    return best if contrast(best, fill) >= 4.5 else reading_ink(fill)


@cache
def plotly_template(mode: Mode, presenter: bool = False) -> go.layout.Template:
    """Quiet axes, hairlines, our type and colours; `presenter` enlarges everything by PRESENTER_SCALE."""
    import plotly.graph_objects as go

    palette = PALETTES[mode]
    scale = PRESENTER_SCALE if presenter else 1.0
    axis = {
        "gridcolor": palette.line,
        "gridwidth": 1,
        "linecolor": palette.line,
        "zerolinecolor": palette.line,
        "zerolinewidth": 1,
        "ticks": "",
        "tickfont": {"size": SMALL * scale, "color": palette.muted},
        "title": {"font": {"size": SMALL * scale, "color": palette.muted}, "standoff": 8},
        "automargin": True,
    }
    return go.layout.Template(
        layout={
            "font": {"family": SANS, "size": SMALL * scale, "color": palette.ink},
            "title": {"font": {"size": BODY * scale, "color": palette.ink}, "x": 0, "xanchor": "left"},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "colorway": list(head_colours(mode)),
            "colorscale": {
                "sequential": plotly_sequential("cross", mode),
                "sequentialminus": plotly_sequential("cross", mode),
                "diverging": plotly_diverging(mode),
            },
            "xaxis": axis,
            "yaxis": axis,
            "hoverlabel": {
                "bgcolor": palette.panel,
                "bordercolor": palette.line,
                "font": {"family": SANS, "size": SMALL * scale, "color": palette.ink},
            },
            "legend": {"font": {"size": SMALL * scale, "color": palette.muted}, "orientation": "h"},
            "margin": {"l": 8, "r": 8, "t": 32, "b": 8},
            "modebar": {
                "bgcolor": "rgba(0,0,0,0)",
                "color": palette.muted,
                "activecolor": palette.ink,
            },
        }
    )


def _enlarged(figure: go.Figure, scale: float) -> go.Figure:
    """The figure with the words inside it larger too; a template reaches only titles, axes and legends."""
    for trace in figure.select_traces(selector=lambda trace: trace.type in ("scatter", "bar", "heatmap")):
        if trace.textfont.size:
            trace.textfont.size = max(trace.textfont.size * scale, LEAST_TYPE if scale > 1 else 0)
        if scale > 1 and trace.type == "bar":
            trace.constraintext = "none"  # else a thin bar makes its number smaller
    for axis in (*figure.select_xaxes(), *figure.select_yaxes()):
        if axis.tickfont.size:
            axis.tickfont.size = max(axis.tickfont.size * scale, LEAST_TYPE if scale > 1 else 0)
    for note in figure.select_annotations(selector=lambda note: bool(note.font.size)):
        note.font.size = max(note.font.size * scale, LEAST_TYPE if scale > 1 else 0)
    return figure


def percent_ticks() -> dict[str, Any]:
    """Ticks of an axis of shares from 0 to 1, named in per cent."""
    return {
        "tickvals": [n / 5 for n in range(6)],
        "ticktext": [f"{20 * n}\N{NO-BREAK SPACE}%" for n in range(6)],
    }


def styled(
    figure: go.Figure, mode: Mode, presenter: bool, height: int, top: int = 8, right: int = 8
) -> go.Figure:
    """The figure in the card's colours; `height` and the margins are CSS pixels before the presenter's enlargement."""
    scale = PRESENTER_SCALE if presenter else 1.0
    # Assigned as an attribute, the template would be checked again value by value: ten milliseconds a figure.
    figure._layout["template"] = plotly_template(mode, presenter).to_plotly_json()
    figure.update_layout(
        height=int(height * (1 + 0.5 * (scale - 1))),
        margin={"l": 8, "r": int(right * scale), "t": top, "b": 8},
        separators=marks(),
    )
    return _enlarged(figure, scale)


@cache
def shell_css(mode: Mode, presenter: bool = False) -> str:
    """CSS of the page around the views: the tokens as `--atlas-*` properties, shell.css, slide.css and, in a hall, hall.css."""
    names = {f"--atlas-{name.replace('_', '-')}": value for name, value in asdict(PALETTES[mode]).items()}
    names["--atlas-scale"] = str(PRESENTER_SCALE if presenter else 1)
    names["--atlas-least"] = f"{LEAST_TYPE if presenter else 0}px"
    names["--atlas-width"] = "none" if presenter else "1700px"
    names["--atlas-edge"] = "0.7rem 2.3rem 2rem" if presenter else "1.6rem 2rem 3rem"
    declarations = "".join(f"{name}:{value};" for name, value in names.items())
    sheets = ("shell.css", "slide.css", *(("hall.css",) if presenter else ()))
    rules = "".join(Path(__file__).with_name(sheet).read_text("utf-8") for sheet in sheets)
    return f":root{{{declarations}}}\n{rules}"


def inject_shell(presenter: bool = False, more: str = "") -> None:
    """Put the shell's CSS, and what the pages have beyond it, into the page; call it once at the top of every run.

    One element: the browser draws between two, and what it drew by the first alone would move.
    """
    import streamlit as st

    st.html(f"<style>{shell_css(current_mode(), presenter)}\n{more}</style>")


def tokens_for_browser() -> dict[str, object]:
    """What base/tokens.ts holds: both palettes, head colours, the gamma, and what a special token's label looks like."""
    return {
        "light": {**asdict(LIGHT), "heads": head_colours("light")},
        "dark": {**asdict(DARK), "heads": head_colours("dark")},
        "gamma": GAMMA,
        "least": LEAST_TYPE,
        "special": SPECIAL,
    }


def short(label: str, most: int = 12) -> str:
    """The label, cut with … to at most that many characters."""
    return label if len(label) <= most else label[: most - 1] + "…"


def literal(label: str) -> str:
    """A label as Plotly shows it literally: its small HTML dialect must not read tags or entities in a token."""
    return label.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
