"""The tokens: readable text, even scales, and the same colours in Python, in the browser and in config.toml."""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

import pytest

from tests.browser_code import answer
from ui.style import theme

ROOT = Path(__file__).parents[3]
MODES: tuple[theme.Mode, ...] = ("light", "dark")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "name",
    ["ink", "muted", "encoder_text", "causal_text", "cross_text", "query_text", "key_text", "value_text"],
)
def test_words_are_readable_on_page_and_panel(mode: theme.Mode, name: str) -> None:
    palette = theme.PALETTES[mode]
    words = asdict(palette)[name]
    assert theme.contrast(words, palette.background) >= 4.5
    assert theme.contrast(words, palette.panel) >= 4.5
    assert theme.contrast(words, palette.soft) >= 4.5, "chosen pills and hovered buttons"
    assert theme.contrast(palette.panel, palette.cross) >= 4.5, "the words of the one filled button"
    assert '[data-testid="stBaseButton-primary"] p { color: var(--atlas-panel); }' in theme.shell_css("dark")


@pytest.mark.parametrize("mode", MODES)
def test_words_on_a_filled_block_are_readable(mode: theme.Mode) -> None:
    # Blocks and words are filled with the text colour: the causal orange itself is too light for white words.
    palette = theme.PALETTES[mode]
    for kind in theme.KINDS:
        fill = asdict(palette)[f"{kind}_text"]
        assert max(theme.contrast(fill, words) for words in (palette.ink, palette.panel)) >= 4.5


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", theme.KINDS)
def test_sequential_scale_runs_evenly_from_panel_to_the_kind(mode: theme.Mode, kind: theme.Kind) -> None:
    palette = theme.PALETTES[mode]
    assert theme.sequential(0, kind, mode) == palette.panel
    assert theme.sequential(1, kind, mode) == palette.kind(kind)
    lights = [theme.luminance(theme.sequential(i / 50, kind, mode)) for i in range(51)]
    steps = [b - a for a, b in pairwise(lights)]
    assert all(step < 0 for step in steps) if mode == "light" else all(step > 0 for step in steps)
    # Without the gamma, equal shares are equal steps of OKLab lightness.
    mixed = [theme.to_oklab(theme.mix(palette.panel, palette.kind(kind), i / 10))[0] for i in range(11)]
    gaps = [b - a for a, b in pairwise(mixed)]
    assert max(gaps) - min(gaps) < 0.008


@pytest.mark.parametrize("mode", MODES)
def test_diverging_scale_is_grey_at_zero_and_clear_at_both_ends(mode: theme.Mode) -> None:
    palette = theme.PALETTES[mode]
    assert theme.diverging(0, mode) == palette.neutral
    assert theme.diverging(-1, mode) == palette.negative
    assert theme.diverging(1, mode) == palette.positive
    _, a, b = theme.to_oklab(palette.neutral)
    assert abs(a) < 0.03 and abs(b) < 0.03


def test_a_broken_colour_is_named() -> None:
    with pytest.raises(ValueError, match="#rrggbb.*'teal'"):
        theme.parse_hex("teal")


def test_browser_and_python_scales_agree() -> None:
    weights = [0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.77, 0.999, 1]
    script = (
        "import { TOKENS } from './generated/tokens.ts';\n"
        "import { divergingTable, rampTable } from './base/colour.ts';\n"
        "import { placer } from './maps/sheet.ts';\n"
        f"const weights = {weights};\n"
        "const out = {};\n"
        "for (const mode of ['light', 'dark']) {\n"
        "  const c = TOKENS[mode];\n"
        "  const place = placer('weight', 1);\n"
        "  const signed = placer('diverging', 1);\n"
        "  for (const kind of ['encoder', 'causal', 'cross'])\n"
        "    out[`${mode} ${kind}`] = weights.map((w) => rampTable(c.panel, c[kind])[place(w)]);\n"
        "  out[`${mode} plus`] = weights.map((w) => divergingTable(c)[signed(w)]);\n"
        "  out[`${mode} minus`] = weights.map((w) => divergingTable(c)[signed(-w)]);\n"
        "}\n"
        "console.log(JSON.stringify(out));\n"
    )
    found = json.loads(answer(script))
    for mode in MODES:
        for kind in theme.KINDS:
            wanted = [theme.sequential(w, kind, mode) for w in weights]
            # The browser has 256 colours a scale: half a step is at most two of 255.
            assert _distance(found[f"{mode} {kind}"], wanted) <= 2
        assert _distance(found[f"{mode} plus"], [theme.diverging(w, mode) for w in weights]) <= 2
        assert _distance(found[f"{mode} minus"], [theme.diverging(-w, mode) for w in weights]) <= 2


def _distance(first: list[str], second: list[str]) -> int:
    """Largest difference of any channel, in 1/255 (the matrices are inverted on one side only)."""
    pairs = zip(first, second, strict=True)
    return max(abs(int(a[i : i + 2], 16) - int(b[i : i + 2], 16)) for a, b in pairs for i in (1, 3, 5))


@pytest.mark.parametrize("mode", MODES)
def test_config_toml_carries_the_same_tokens(mode: theme.Mode) -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert config["runner"]["postScriptGC"] is False
    assert config["server"]["fileWatcherType"] == "none"
    palette, written = theme.PALETTES[mode], config["theme"][mode]
    assert written["backgroundColor"] == palette.background
    assert written["secondaryBackgroundColor"] == palette.soft
    assert written["textColor"] == palette.ink
    assert written["borderColor"] == palette.line
    assert written["primaryColor"] == palette.cross


@pytest.mark.parametrize("mode", MODES)
def test_plotly_template_uses_the_tokens(mode: theme.Mode) -> None:
    template = theme.plotly_template(mode, presenter=True)
    assert template.layout.font.color == theme.PALETTES[mode].ink
    assert template.layout.font.size == pytest.approx(theme.SMALL * theme.PRESENTER_SCALE)
    scale = theme.plotly_sequential("cross", mode)
    assert scale[0] == [0.0, theme.PALETTES[mode].panel] and scale[-1][0] == 1.0


def test_head_colours_are_eight_and_distinct_under_deuteranopia() -> None:
    for mode in MODES:
        hues = theme.head_colours(mode)
        assert len(set(hues)) == 8
        seen = [_deuteranopia(hue) for hue in hues]
        gaps = [
            sum((a - b) ** 2 for a, b in zip(first, second, strict=True)) ** 0.5
            for i, first in enumerate(seen)
            for second in seen[i + 1 :]
        ]
        assert min(gaps) > 0.04


def test_kinds_stay_apart_under_deuteranopia() -> None:
    for mode in MODES:
        seen = [_deuteranopia(theme.PALETTES[mode].kind(kind)) for kind in theme.KINDS]
        for i, first in enumerate(seen):
            for second in seen[i + 1 :]:
                assert sum((a - b) ** 2 for a, b in zip(first, second, strict=True)) ** 0.5 > 0.12


def _deuteranopia(hex_colour: str) -> list[float]:
    """Roughly what an eye without green cones sees: Machado et al. (2009), severity 1, on linear RGB."""
    matrix = [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]
    rgb = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in theme.parse_hex(hex_colour)]
    return [sum(m * c for m, c in zip(row, rgb, strict=True)) for row in matrix]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_plotly_s_scales_run_from_end_to_end(mode: theme.Mode) -> None:
    """Their places and colours: the ends are the palette's own, and the middle of a difference is its grey."""
    single, double = theme.plotly_sequential("cross", mode), theme.plotly_diverging(mode)
    assert [single[0], single[-1]] == [
        [0.0, theme.sequential(0, "cross", mode)],
        [1.0, theme.sequential(1, "cross", mode)],
    ]
    middle = double[len(double) // 2]
    assert [double[0], middle, double[-1]] == [
        [at, theme.diverging(2 * at - 1, mode)] for at in (0.0, 0.5, 1.0)
    ]
