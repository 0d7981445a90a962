"""The two cards that open Norms: what one norm does to a token's numbers, and how long its vector gets without norms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import streamlit as st

from core.analysis import norms as analysis
from core.analysis import wording
from core.analysis.norms import NormParameters, NormSite
from core.analysis.readout import decimal, quoted
from core.errors import AtlasError
from core.language import tr
from core.model.config import ModelConfig
from core.model.hooks import Site
from core.model.trace import Trace
from ui.inside import norm_figures as figures
from ui.inside.norm_figures import Array
from ui.inside.norm_words import capital, norm_in_words
from ui.shared import cards
from ui.shared.context import DecodeView
from ui.shared.mount import chart, drawn
from ui.style import screen_text, theme

if TYPE_CHECKING:
    from core.experiments.lenses import WithoutNorms

_TEXT = 60  # characters of a translation in a sentence


@dataclass(frozen=True)
class NormSteps:
    """One token's vector at one norm, (d,) each: what goes in, mean removed and divided, and γ and β applied."""

    site: NormSite
    before: Array
    scaled: Array
    after: Array


def steps(trace: Trace, site: NormSite, token: int, parameters: NormParameters) -> NormSteps:
    """The steps of the norm at `site` for one token, from its recorded input and statistics."""

    def recorded(kind: str) -> Array:
        return np.asarray(trace.array(Site(*site, kind))[token], dtype=np.float64)

    config = trace.config
    before, mean, variance = (recorded(kind) for kind in ("norm_input", "norm_mean", "norm_var"))
    scaled = (before - mean) / analysis.norm_divisor(variance, config.norm_eps, config.norm_formula)
    return NormSteps(site, before, scaled, scaled * parameters.gamma + parameters.beta)


def one_norm_title(numbers: NormSteps, label: str, config: ModelConfig) -> str:
    """Within which bounds the numbers of a token are before and after one norm."""
    names = {
        "count": len(numbers.before),
        "word": quoted(label),
        "before": f"±{np.abs(numbers.before).max():.1f}",
        "after": f"±{np.abs(numbers.after).max():.1f}",
    }
    if config.norm_formula == "rms":
        return tr("One RMS norm brings the {count} numbers of {word} from {before} to {after}", **names)
    return tr("One layer norm brings the {count} numbers of {word} from {before} to {after}", **names)


def row_names(numbers: NormSteps, config: ModelConfig) -> tuple[str, str, str]:
    """What each row of the figure shows, with its mean and spread."""
    column, spread = wording.norm_spread(config)
    names = (
        tr("goes in"),
        tr("÷ root mean square") if column == "rms" else tr("− mean, ÷ deviation"),
        "× γ" if column == "rms" else "× γ + β",
    )
    named = []
    for name, values in zip(names, (numbers.before, numbers.scaled, numbers.after), strict=True):
        size = np.sqrt(np.square(values).mean()) if column == "rms" else values.std()
        mean = tr("mean {value}", value=decimal(float(values.mean())))
        named.append(f"{name} · {mean}, {spread} {decimal(float(size))}")
    return named[0], named[1], named[2]


def length_title(label: str, lengths: tuple[float, float], config: ModelConfig) -> str:
    """How long a token's vector is at the end without norms, and with them. `lengths`: with, without."""
    names = {"word": quoted(label), "length": size_words(lengths[0]), "without": size_words(lengths[1])}
    if config.norm_formula == "rms":
        return tr("Without RMS norms, {word} ends {without} long, not {length}", **names)
    return tr("Without layer norms, {word} ends {without} long, not {length}", **names)


def size_words(value: float) -> str:
    """A length in at most three digits that count: “59”, “1,350,000”, “1.9 × 10¹⁰”."""
    if not np.isfinite(value):
        return tr("infinitely")
    if value < 10:
        return f"{value:.1f}"
    if value < 1e8:
        unit = 10 ** max(0, len(str(int(value))) - 3)
        return f"{int(round(value / unit) * unit):,}"
    power = int(np.floor(np.log10(value)))
    return f"{value / 10**power:.1f} × {figures.power_of_ten(power)}"


def without(shown: DecodeView) -> WithoutNorms:
    """The decode run again without norms, kept. Raises `AtlasError`."""
    trace = shown.decode.trace

    def make() -> WithoutNorms:
        from core.experiments.lenses import without_norms

        return without_norms(shown.load(), trace.source_ids, trace.written_ids)

    return shown.memo(("without norms",), make, heavy=True)


def token_lengths(table: pd.DataFrame, stack: str, token: int) -> Array:
    """A token's length after each sub-layer, from a `stream_table`."""
    rows = table[(table["stack"] == stack) & (table["token"] == token)].sort_values("depth")
    return np.asarray(rows["length"], dtype=np.float64)


def written_sentence(shown: DecodeView, unnormed: WithoutNorms) -> str:
    """What the model writes without norms, and what that does not show."""
    text = screen_text.label(shown.entry.tokenizers[1].decode(unnormed.written).strip(), _TEXT)
    writes = (
        tr("Without norms the model writes {translation}.", translation=quoted(text))
        if text
        else tr("Without norms the model writes nothing.")
    )
    return f"{writes} {tr('It was trained with them: a model trained without norms can be different.')}"


def draw(
    shown: DecodeView,
    trace: Trace,
    stream: pd.DataFrame,
    chosen: tuple[str, int, str],
    site: NormSite,
    parameters: Mapping[NormSite, NormParameters],
) -> None:
    """Both cards for a token: `chosen` is its stack, position and label."""
    left, right = st.columns(2, gap="small")
    with left:
        _one_norm(shown, steps(trace, site, chosen[1], parameters[site]), chosen[2])
    with right:
        _growth(shown, stream, chosen)


def _options(shown: DecodeView) -> dict[str, Any]:
    return {"mode": theme.current_mode(), "presenter": shown.selection.enlarged}


def _one_norm(shown: DecodeView, numbers: NormSteps, label: str) -> None:
    config = shown.entry.config
    with cards.card("one_norm"):
        cards.title(
            one_norm_title(numbers, label, config),
            tr("One bar per dimension, the same scale in all rows"),
        )
        figure = drawn(
            figures.steps,
            (numbers.before, numbers.scaled, numbers.after),
            row_names(numbers, config),
            height=360,
            **_options(shown),
        )
        chart(figure, "one_norm")
        cards.readout(
            tr(
                "{norm} does this to every token, each with its own mean and spread.",
                norm=capital(norm_in_words(numbers.site)),
            )
            if config.norm_formula != "rms"
            else tr(
                "{norm} does this to every token, each with its own spread.",
                norm=capital(norm_in_words(numbers.site)),
            )
        )


def _growth(shown: DecodeView, stream: pd.DataFrame, chosen: tuple[str, int, str]) -> None:
    stack, token, label = chosen
    config = shown.entry.config
    with cards.card("growth"):
        try:
            with st.spinner(tr("Computing …"), show_time=False):
                unnormed = without(shown)
        except AtlasError as error:
            cards.mistake(str(error))
            return
        kept, lost = (token_lengths(table, stack, token) for table in (stream, unnormed.stream))
        cards.title(
            length_title(label, (float(kept[-1]), float(lost[-1])), config),
            tr("Length of its vector in the encoder; a line of the scale is ten times the one below")
            if stack == "encoder"
            else tr("Length of its vector in the decoder; a line of the scale is ten times the one below"),
        )
        figure = drawn(
            figures.growth,
            kept,
            lost,
            figures.depth_names(stream, stack),
            (size_words(float(kept[-1])), size_words(float(lost[-1]))),
            stack=stack,
            height=360,
            **_options(shown),
        )
        chart(figure, "norm_growth")
        cards.readout(written_sentence(shown, unnormed))
